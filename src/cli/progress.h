#pragma once

#include <chrono>
#include <cstdint>

namespace clothlab {

/// A bar on stderr with step, simulated time, ms per step and the time that is left; silent unless
/// stderr is a terminal.
class Progress {
 public:
  Progress(std::uint64_t total_steps, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `step` steps are done; redraws at most ten times a second.
  void show(std::uint64_t step, double simulated_time);

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace clothlab
