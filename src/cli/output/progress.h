// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace clothlab {

/// A bar on stderr with step, simulated time, ms per step and remaining time; silent unless stderr is a
/// terminal.
class Progress {
 public:
  Progress(std::uint64_t total_steps, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `step` steps are done; redraws at most ten times a second.
  void show(std::uint64_t step, double simulated_time);
  /// The same for other work: `part` of the total is done; `what`: the current part.
  void show_part(std::uint64_t part, std::string_view what);

 private:
  /// Draws the bar; false if it is not time to do so.
  bool draw(std::uint64_t done);

  using Clock = std::chrono::steady_clock;
  std::uint64_t total_;
  bool enabled_;
  bool drawn_ = false;
  double each_ = 0, left_ = 0;  // for a part, and until the end [s]
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace clothlab
