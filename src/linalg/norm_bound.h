// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/stop_probe.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// No eigenvalue of M^-1 K is larger than this in absolute value, by Gershgorin's circles; the largest is
/// seldom below a third of it. `masses` > 0, one per particle; `scratch` is resized. Throws Cancelled when
/// `stop` asks.
double norm_bound(const SpringMatrix& K, std::span<const double> masses, std::vector<double>& scratch,
                  const StopProbe& stop = {});

}  // namespace clothlab
