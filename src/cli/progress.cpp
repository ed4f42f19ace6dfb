#include "cli/progress.h"

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

void Progress::show(std::uint64_t step, double simulated_time) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (step < total_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double per_step = step > 0 ? seconds / static_cast<double>(step) : 0;
  const double left = per_step * static_cast<double>(total_ - std::min(step, total_));
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = static_cast<std::size_t>(std::min(step, total_) * kWidth / total_);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] step %llu/%llu  t %.3f s  %.3g ms/step  %.0f s left  ", bar.c_str(),
               static_cast<unsigned long long>(step), static_cast<unsigned long long>(total_), simulated_time,
               per_step * 1e3, left);
  std::fflush(stderr);
}

}  // namespace clothlab
