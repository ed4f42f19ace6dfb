// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

#include "integrate/implicit_stage.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// u1 = u0 + h F(u1) by Newton's method, from the symplectic Euler guess or from v0: a step of backward Euler
/// without its end, alone or as part of another method.
class BackwardEulerStep {
 public:
  /// Sets x1 and v1, and reports forces and contacts to the ledger of the context.
  void solve(const DynamicSystem& system, const State& state, double h, const StepContext& context,
             std::vector<vec3>& x1, std::vector<vec3>& v1, StepReport& report) {
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

 private:
  ImplicitStage stage_;
  std::vector<vec3> force_;       // f(x0, v0)
  std::vector<vec3> symplectic_;  // guess v0 + h M⁻¹ f0
  std::vector<vec3> start_;       // guess v0
};

}  // namespace clothlab
