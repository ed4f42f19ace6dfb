// SPDX-License-Identifier: MIT
#include "session/step_timer.h"

#include "core/quantile.h"

namespace clothlab {

void StepTimer::add(double processor, double wall) {
  last_ = processor;
  last_wall_ = wall;
  if (processor_.size() < kKept) {
    processor_.push_back(processor);
    wall_.push_back(wall);
  } else {
    processor_[next_] = processor;
    wall_[next_] = wall;
    next_ = (next_ + 1) % kKept;
  }
}

StepTimes StepTimer::times() const {
  return {.last = last_,
          .median = quantile(processor_, 0.5),
          .p95 = quantile(processor_, 0.95),
          .wall = quantile(wall_, 0.5)};
}

}  // namespace clothlab
