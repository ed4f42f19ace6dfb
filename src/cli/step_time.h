// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "session/background.h"

namespace clothlab {

/// What a step took [ms].
struct StepTime {
  double wall = 0;
  double processor = 0;  ///< of all threads of the program
};

/// Runs from its construction on.
class StepWatch {
 public:
  StepTime elapsed() const {
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - wall_;
    return {wall.count(), 1e3 * (process_seconds() - processor_)};
  }

 private:
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  double processor_ = process_seconds();  // [s]
};

}  // namespace clothlab
