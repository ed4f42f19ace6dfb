// SPDX-License-Identifier: MIT
#include "app/program_log.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "io/file_lock.h"
#include "io/system_report.h"

namespace clothlab {
namespace {

constexpr std::size_t kLongestLine = 2000;

}  // namespace

std::string local_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::array<char, 32> text{};
  const std::tm* const local = std::localtime(&seconds);  // NOLINT(concurrency-mt-unsafe)
  if (local == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", local) == 0) return {};
  return text.data();
}

ProgramLog::ProgramLog(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::create_directories(folder_, ignored);
}

void ProgramLog::write(std::string_view text) {
  std::string line = without_home(printable(trimmed(text), kLongestLine, "\n"));
  std::ranges::replace(line, '\n', ' ');
  last_.push_back(local_time(std::chrono::system_clock::now()) + " [" + std::to_string(process_id()) + "] " +
                  line);
  if (last_.size() > kKeptLines) last_.pop_front();
  if (folder_.empty()) return;
  const std::filesystem::path file = folder_ / "log.txt";
  std::error_code error;
  const auto is_full = [&] {
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    return !error && size + last_.back().size() + 1 > kLargest;
  };
  if (is_full())
    // The size again: another window may have renamed the file before.
    if (const auto lock = FileLock::try_lock(folder_ / "log.lock"); lock && is_full())
      std::filesystem::rename(file, folder_ / "log.1.txt", error);
  // A pipe of that name could block the window.
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) return;
  std::ofstream(file, std::ios::app) << last_.back() << '\n';
}

}  // namespace clothlab
