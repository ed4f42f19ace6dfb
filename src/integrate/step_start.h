// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "dynamics/dynamic_system.h"
#include "dynamics/state.h"
#include "integrate/integrator.h"

namespace clothlab {

/// a := S M⁻¹ f(x, v) [m/s²], the acceleration of the free directions; forces do not move the prescribed
/// ones. Reports the forces with that weight [s] in the step, if it is not 0.
void free_acceleration(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v,
                       const StepContext& context, double weight, std::span<vec3> a,
                       SpringForces springs = SpringForces::all);

/// The start of a step for its stages. Prescribed particles move at the constant velocity (p1 − p0)/h, so a
/// Runge–Kutta formula moves them correctly in all stages, up to rounding.
struct StepStart {
  std::vector<vec3> v;  ///< v0 [m/s], (p1 − p0)/h along held directions
  std::vector<vec3> a;  ///< free_acceleration(x0, v) [m/s²]

  /// No allocation for the same sizes. Reports the forces with that weight [s], if it is not 0. False when
  /// stopped.
  bool compute(const DynamicSystem& system, const State& state, double h, const StepContext& context,
               double weight, StepReport& report);

  /// ‖f(x0, v)‖ [N] on the free directions.
  double force_norm(std::span<const double> masses) const;
};

}  // namespace clothlab
