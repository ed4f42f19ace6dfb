// SPDX-License-Identifier: MIT
#include "integrate/backward_euler.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {

void BackwardEulerStep::solve(const DynamicSystem& system, const State& state, double h,
                              const StepContext& context, std::vector<vec3>& x1, std::vector<vec3>& v1,
                              StepReport& report) {
  const std::size_t n = system.size();
  for (auto* scratch : {&force_, &symplectic_, &x1, &v1}) scratch->resize(n);

  start_ = state.v;
  prescribe_velocity(system.projection(), state.x, h, start_);
  take_forces(context, system, 0, state.x, start_, force_);
  context.poll();
  const std::span<const double> m = system.masses();
  for (std::size_t i = 0; i < n; ++i) symplectic_[i] = state.v[i] + h / m[i] * force_[i];
  prescribe_velocity(system.projection(), state.x, h, symplectic_);

  system.projection().filter(force_);
  double force_squared = 0;
  for (const vec3& f : force_) force_squared += glm::dot(f, f);

  const auto equation = StageEquation::of(h, state.x, state.v, h * std::sqrt(force_squared));
  begin_contacts(context, h, h, state.x, state.x);
  stage_.solve(system, equation, state.x, {start_, symplectic_}, context, x1, v1, report);

  stage_.report(system, context, 1, h, x1, v1);
  report_contacts(context, n);
}

}  // namespace clothlab
