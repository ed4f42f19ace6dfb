// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "session/snapshot.h"

namespace clothlab {

/// Largest h that is proposed to reach real time [s]: three pictures of 1/60 s. Longer steps look jerky.
inline constexpr double kLongestRealTimeStep = 0.05;

/// The h [s] from which steps of `cost` [s] each reach `speed` simulated seconds per second: 1, 2, 2.5 or 5
/// times a power of ten, or a value below the stability limit [s]. 0 if no h does. Assumes that these steps
/// cost a quarter more. `before`, the last answer, is kept as long as it serves, so that it does not flicker.
double real_time_step(double cost, double speed, double stability_limit, std::optional<double> before = {});

/// A real-time factor, simulated time over wall-clock time: "8.3×" is faster than real time, "0.4×" slower.
std::string factor_text(double factor);

/// Mean time of the steps, in parts of half a second of computing.
class StepCost {
 public:
  /// A step of h [s] of a method took `seconds`. Another h or method restarts the mean.
  void add(std::size_t method, double h, double seconds);
  /// [s]; none in the first half second.
  std::optional<double> mean() const { return mean_; }

 private:
  std::size_t method_ = 0;
  double h_ = 0;
  double spent_ = 0;  // in the present part [s]
  int steps_ = 0;
  std::optional<double> mean_;
};

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

  /// A step over `simulated` seconds ended at `now`; its share of the wall clock is |simulated| / speed. A
  /// step longer than kLongestPacedStep counts as one of that length.
  void stepped(double simulated, double speed, Clock::time_point now);

  /// Simulated seconds per second over the last second since restart(); 0 before the first step.
  double actual_speed(Clock::time_point now) const;

  static constexpr std::chrono::milliseconds kSlack{25};
  static constexpr double kLongestPacedStep = 1;  // [s]

 private:
  struct Mark {
    Clock::time_point wall;
    double simulated;  // since restart()
  };

  Clock::time_point due_{};
  double simulated_ = 0;
  std::deque<Mark> marks_;  // about one per kMarkSpacing over the last second
};

/// Times of the last steps [ms].
class StepTimer {
 public:
  void add(double processor, double wall);
  StepTimes times() const;
  double last_wall() const { return last_wall_; }

 private:
  static constexpr std::size_t kKept = 120;
  std::vector<double> processor_, wall_;  // rings
  std::size_t next_ = 0;
  double last_ = 0, last_wall_ = 0;
};

}  // namespace clothlab
