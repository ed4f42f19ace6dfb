// SPDX-License-Identifier: MIT
#include "core/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace clothlab {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto rank = std::lround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

}  // namespace clothlab
