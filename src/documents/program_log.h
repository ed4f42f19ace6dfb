// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace clothlab {

/// "2026-11-22 10:04:59". For the window's thread alone.
std::string local_time(std::chrono::system_clock::time_point time);

/// The log file of the window, for reports of faults: log.txt in the state folder (io/config_folder.h). At
/// most kLargest bytes; then it becomes log.1.txt, which replaces an earlier one. All windows write to it,
/// and one at a time renames it, with a lock on log.lock. The home folder is written as "~". Errors of
/// writing are ignored. A thread of its own writes, so that the window never waits for the disk; one thread
/// calls.
class ProgramLog {
 public:
  static constexpr std::uintmax_t kLargest = 256 * 1024;
  static constexpr std::size_t kKeptLines = 20;

  /// In that folder, which is created; an empty one writes no file.
  explicit ProgramLog(std::filesystem::path folder);
  /// Waits until all lines are written.
  ~ProgramLog();
  ProgramLog(const ProgramLog&) = delete;
  ProgramLog& operator=(const ProgramLog&) = delete;

  /// Appends "2026-11-22 10:04:59 [1234] text"; 1234 is the number of the process.
  void write(std::string_view text);
  /// The newest ones, oldest first.
  const std::deque<std::string>& last_lines() const { return last_; }

 private:
  void run();
  void append(const std::string& line) const;

  const std::filesystem::path folder_;
  std::deque<std::string> last_;

  std::mutex mutex_;  // of the following
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool closed_ = false;

  std::thread thread_;  // none without a folder
};

}  // namespace clothlab
