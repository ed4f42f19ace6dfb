// SPDX-License-Identifier: MIT
#include "analysis/stable_step.h"

#include <algorithm>
#include <cmath>

namespace clothlab {

void GrowthWatch::add(double total, double shaking) {
  total_.push_back(total);
  most_shaking_ = std::max(most_shaking_, shaking);
}

bool GrowthWatch::grows() const {
  const auto quarter = static_cast<std::ptrdiff_t>(total_.size() / 4);
  if (quarter == 0) return false;
  const double first = *std::max_element(total_.begin(), total_.begin() + quarter);
  const double last = *std::max_element(total_.end() - quarter, total_.end());
  return last - first > 0.1 * most_shaking_;
}

std::optional<StableRange> find_stable_range(double smallest, double largest, double precision,
                                             const std::function<std::optional<bool>(double h)>& trial) {
  StableRange range;
  for (double h = largest; h >= smallest && range.stable == 0; h /= 2) {
    const std::optional<bool> stable = trial(h);
    if (!stable) return std::nullopt;
    if (*stable)
      range.stable = h;
    else
      range.unstable = h;
  }
  if (range.stable == 0) return range;
  while (range.unstable && *range.unstable > range.stable * (1 + precision)) {
    const double h = std::sqrt(range.stable * *range.unstable);
    const std::optional<bool> stable = trial(h);
    if (!stable) return std::nullopt;
    if (*stable)
      range.stable = h;
    else
      range.unstable = h;
  }
  return range;
}

}  // namespace clothlab
