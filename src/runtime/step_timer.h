// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/snapshot.h"

namespace clothlab {

/// Wall-clock times of the last steps.
class StepTimer {
 public:
  void add(double milliseconds);
  StepTimes times() const;
  double last() const { return last_; }

 private:
  static constexpr std::size_t kKept = 120;
  std::vector<double> recent_;  // a ring
  std::size_t next_ = 0;
  double last_ = 0;
};

}  // namespace clothlab
