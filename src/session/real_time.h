// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>

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

}  // namespace clothlab
