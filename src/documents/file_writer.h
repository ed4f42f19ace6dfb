// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

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
  void run();

  const std::function<void()> done_;
  mutable std::mutex mutex_;  // of the following members
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  Progress progress_;
  bool closed_ = false;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace clothlab
