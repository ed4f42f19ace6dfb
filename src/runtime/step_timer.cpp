// SPDX-License-Identifier: MIT
#include "runtime/step_timer.h"

#include "core/quantile.h"

namespace clothlab {

void StepTimer::add(double milliseconds) {
  last_ = milliseconds;
  if (recent_.size() < kKept) {
    recent_.push_back(milliseconds);
  } else {
    recent_[next_] = milliseconds;
    next_ = (next_ + 1) % kKept;
  }
}

StepTimes StepTimer::times() const {
  return {.last = last_, .median = quantile(recent_, 0.5), .p95 = quantile(recent_, 0.95)};
}

}  // namespace clothlab
