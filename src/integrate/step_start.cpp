// SPDX-License-Identifier: MIT
#include "integrate/step_start.h"

#include <cmath>
#include <glm/geometric.hpp>

#include "integrate/prescribe.h"

namespace clothlab {

void free_acceleration(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v,
                       const StepContext& context, double weight, std::span<vec3> a, SpringForces springs) {
  take_forces(context, system, weight, x, v, a, springs);
  const std::span<const double> m = system.masses();
  context.for_particles(a.size(), [&](std::size_t i) { a[i] /= m[i]; });
  system.projection().filter(a);
}

bool StepStart::compute(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                        double weight, StepReport& report) {
  v = state.v;
  prescribe_velocity(system.projection(), state.x, h, v);
  a.resize(system.size());
  free_acceleration(system, state.x, v, context, weight, a);
  return !gives_up(context, report);
}

double StepStart::force_norm(std::span<const double> masses) const {
  double squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squared += masses[i] * masses[i] * glm::dot(a[i], a[i]);
  return std::sqrt(squared);
}

}  // namespace clothlab
