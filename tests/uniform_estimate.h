// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/stability.h"

namespace clothlab::testing {

/// Of a small cloth all of whose oscillations are at ω_max [rad/s] and damped by d = `damping` [1/s].
inline StabilityEstimate uniform_estimate(double omega_max, double damping = 0) {
  StabilityEstimate e;
  e.stiffest = e.symplectic_euler = e.velocity_verlet = {omega_max, damping};
  e.damping_max = damping;
  e.others = {e.stiffest};
  e.others_are_exact = true;
  e.free_directions = 9;
  return e;
}

}  // namespace clothlab::testing
