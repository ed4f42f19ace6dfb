// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace clothlab {

/// The value that a share q in [0, 1] of the values do not exceed: 0 the smallest, 0.5 the median, 1 the
/// largest, always one of the values. 0 when there are none.
double quantile(std::vector<double> values, double q);

}  // namespace clothlab
