#include "runtime/step_timer.h"

#include <algorithm>

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

void StepTimer::clear() {
  recent_.clear();
  next_ = 0;
  last_ = 0;
}

StepTimes StepTimer::times() const {
  if (recent_.empty()) return {};
  std::vector<double> sorted = recent_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return {.last = last_, .median = sorted[n / 2], .p95 = sorted[std::min(n - 1, n * 95 / 100)]};
}

}  // namespace clothlab
