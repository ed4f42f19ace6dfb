// SPDX-License-Identifier: MIT
#include "cli/output/progress.h"

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdio>
#include <string>

namespace clothlab {
namespace {

bool stderr_is_terminal() {
#ifdef _WIN32
  return _isatty(_fileno(stderr)) != 0;
#else
  return isatty(STDERR_FILENO) != 0;
#endif
}

}  // namespace

Progress::Progress(std::uint64_t total_steps, bool quiet)
    : total_(std::max<std::uint64_t>(total_steps, 1)), enabled_(!quiet && stderr_is_terminal()) {}

Progress::~Progress() {
  if (drawn_) std::fputc('\n', stderr);
}

bool Progress::draw(std::uint64_t done) {
  if (!enabled_) return false;
  const Clock::time_point now = Clock::now();
  if (done < total_ && now - last_ < std::chrono::milliseconds(100)) return false;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  each_ = done > 0 ? seconds / static_cast<double>(done) : 0;
  left_ = each_ * static_cast<double>(total_ - std::min(done, total_));
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = static_cast<std::size_t>(std::min(done, total_) * kWidth / total_);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] ", bar.c_str());
  return true;
}

void Progress::show(std::uint64_t step, double simulated_time) {
  if (!draw(step)) return;
  std::fprintf(stderr, "step %llu/%llu  t %.3f s  %.3g ms/step  %.0f s left  ",
               static_cast<unsigned long long>(step), static_cast<unsigned long long>(total_), simulated_time,
               each_ * 1e3, left_);
}

void Progress::show_part(std::uint64_t part, std::string_view what) {
  if (!draw(part)) return;
  std::fprintf(stderr, "%-32.*s %.0f s left  ", static_cast<int>(what.size()), what.data(), left_);
}

}  // namespace clothlab
