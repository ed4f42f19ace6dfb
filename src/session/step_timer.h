// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "session/snapshot.h"

namespace clothlab {

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
