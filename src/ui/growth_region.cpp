// SPDX-License-Identifier: MIT
#include "ui/growth_region.h"

#include <algorithm>
#include <cmath>

namespace clothlab {
namespace {

constexpr std::size_t kCellsPerFrame = 1024;

}  // namespace

void GrowthRegion::prepare(const IntegratorInfo& info, const IntegratorParameters& values, double re,
                           double im) {
  if (info_ != &info || values_ != values || re_ != re || im_ != im) {
    info_ = &info;
    values_ = values;
    re_ = re;
    im_ = im;
    growth_.clear();
  }
  for (std::size_t k = 0; k < kCellsPerFrame && !complete(); ++k) {
    const std::size_t column = growth_.size() % kColumns, row = growth_.size() / kColumns;
    const double x = re * (1 - (static_cast<double>(column) + 0.5) / kColumns);
    const double y = im * (static_cast<double>(row) + 0.5) / kRows;
    growth_.push_back(info.growth(std::hypot(x, y), 2 * x, values));
  }
}

}  // namespace clothlab
