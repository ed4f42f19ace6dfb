// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace clothlab {

/// Writes files on its own thread in the order in which they were posted. After the first failure nothing
/// more is written. All members may be called from any thread; only the destructor, which writes the waiting
/// jobs, blocks.
class FileWriter {
 public:
  /// Writes one file and returns its size [byte]; exceptions become Progress::error.
  using Job = std::function<std::uintmax_t()>;
  struct Progress {
    std::size_t waiting = 0;   ///< jobs that are not done yet
    std::uintmax_t bytes = 0;  ///< written so far
    std::string error;         ///< one sentence; empty without an error
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
