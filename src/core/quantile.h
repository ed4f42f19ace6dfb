// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace clothlab {

/// The q-quantile of the values, q in [0, 1], always one of them: 0 gives the smallest, 0.5 the median, 1 the
/// largest. 0 when there are none.
double quantile(std::vector<double> values, double q);

}  // namespace clothlab
