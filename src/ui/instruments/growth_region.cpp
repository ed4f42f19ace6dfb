// SPDX-License-Identifier: MIT
#include "ui/instruments/growth_region.h"

#include <cmath>
#include <utility>

namespace clothlab {
namespace {

constexpr std::size_t kCellsPerFrame = 1024;

}  // namespace

void GrowthRegion::prepare(const IntegratorInfo& info, const IntegratorParameters& values,
                           const AxisRange& re, const AxisRange& im) {
  if (!shown_.is_of(info, values)) shown_ = {};
  if (shown_.is_full() && shown_.re == re && shown_.im == im) return;
  // While the ranges follow the mouse, what was begun is ended first, or there would be nothing new to see.
  const bool is_begun = next_.is_of(info, values) && (shown_.is_full() || (next_.re == re && next_.im == im));
  if (!is_begun) next_ = {&info, values, re, im, {}};
  next_.fill();
  if (next_.is_full()) shown_ = std::exchange(next_, {});
}

void GrowthRegion::Grid::fill() {
  for (std::size_t k = 0; k < kCellsPerFrame && !is_full(); ++k) {
    const std::size_t column = growth.size() % kColumns, row = growth.size() / kColumns;
    const double x = re.low + (re.high - re.low) * (static_cast<double>(column) + 0.5) / kColumns;
    const double y = im.low + (im.high - im.low) * (static_cast<double>(row) + 0.5) / kRows;
    growth.push_back(info->growth(std::hypot(x, y), -2 * x, values));
  }
}

}  // namespace clothlab
