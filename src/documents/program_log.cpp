// SPDX-License-Identifier: MIT
#include "documents/program_log.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "io/file_lock.h"
#include "io/system_report.h"

namespace clothlab {
namespace {

constexpr std::size_t kLongestLine = 2000;
// A disk that does not answer must not fill the memory.
constexpr std::size_t kMostWaiting = 1000;

}  // namespace

std::string local_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::array<char, 32> text{};
  const std::tm* const local = std::localtime(&seconds);  // NOLINT(concurrency-mt-unsafe)
  if (local == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", local) == 0) return {};
  return text.data();
}

ProgramLog::ProgramLog(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) thread_ = std::thread([this] { run(); });
}

ProgramLog::~ProgramLog() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ProgramLog::write(std::string_view text) {
  std::string line = without_home(printable(trimmed(text), kLongestLine, "\n"));
  std::ranges::replace(line, '\n', ' ');
  last_.push_back(local_time(std::chrono::system_clock::now()) + " [" + std::to_string(process_id()) + "] " +
                  line);
  if (last_.size() > kKeptLines) last_.pop_front();
  if (folder_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == kMostWaiting) waiting_.pop_front();
    waiting_.push_back(last_.back());
  }
  changed_.notify_one();
}

void ProgramLog::run() {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  for (;;) {
    std::deque<std::string> lines;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      lines.swap(waiting_);
    }
    try {
      for (const std::string& line : lines) append(line);
    } catch (const std::bad_alloc&) {
      continue;  // these lines are lost
    }
  }
}

void ProgramLog::append(const std::string& line) const {
  const std::filesystem::path file = folder_ / "log.txt";
  std::error_code error;
  const auto is_full = [&] {
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    return !error && size + line.size() + 1 > kLargest;
  };
  if (is_full())
    // The size again: another window may have renamed the file before.
    if (const auto lock = FileLock::try_lock(folder_ / "log.lock"); lock && is_full())
      std::filesystem::rename(file, folder_ / "log.1.txt", error);
  // To open a pipe of that name would not end.
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) return;
  std::ofstream(file, std::ios::app) << line << '\n';
}

}  // namespace clothlab
