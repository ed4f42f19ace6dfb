// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <deque>

namespace clothlab {

/// Schedules steps of fixed h so that simulated time runs at `speed` times the wall clock if steps are fast
/// enough. Otherwise it falls behind: lost time is never caught up (except kSlack, which evens out the jitter
/// of waking up).
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  /// Restarts at `now`: after a pause, another speed, another h, a jump in time.
  void restart(Clock::time_point now);

  /// When the next step may begin.
  Clock::time_point due() const { return due_; }

  /// A step over `simulated` seconds ended at `now`; its share of the wall clock is simulated / speed.
  void stepped(double simulated, double speed, Clock::time_point now);

  /// Simulated seconds per second over the last second since restart(); 0 before the first step.
  double actual_speed(Clock::time_point now) const;

  static constexpr std::chrono::milliseconds kSlack{25};

 private:
  struct Mark {
    Clock::time_point wall;
    double simulated;  // since restart()
  };

  Clock::time_point due_{};
  double simulated_ = 0;
  std::deque<Mark> marks_;  // about one per kMarkSpacing over the last second
};

}  // namespace clothlab
