// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace clothlab {

/// Writes files on a thread of its own, one after the other in the order in which they were posted. After the
/// first failure nothing more is written. All members may be called from any thread; none of them but the
/// destructor, which writes what waits, takes long.
class FileWriter {
 public:
  /// Writes one file and answers with its size [byte]; what it throws becomes Progress::error.
  using Job = std::function<std::uintmax_t()>;
  struct Progress {
    std::size_t waiting = 0;   ///< jobs that are not done yet
    std::uintmax_t bytes = 0;  ///< written so far
    std::string error;         ///< one sentence; empty while all is well
  };

  /// `done` is called on the writer's thread after every job.
  explicit FileWriter(std::function<void()> done = {});
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void post(Job job);
  Progress progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
