// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/vec.h"

namespace clothlab {

/// The state that a time integrator advances.
struct State {
  std::vector<vec3> x;  ///< positions [m], one per particle
  std::vector<vec3> v;  ///< velocities [m/s], one per particle
  double t = 0;         ///< simulated time [s]
};

}  // namespace clothlab
