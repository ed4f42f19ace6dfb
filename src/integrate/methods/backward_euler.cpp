// SPDX-License-Identifier: MIT
#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

#include "integrate/growth.h"
#include "integrate/implicit_stage.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// u1 = u0 + h F(u1) by Newton's method, from the symplectic Euler guess or from v0.
class BackwardEuler final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&force_, &symplectic_, &x1_, &v1_}) scratch->resize(n);

    start_ = state.v;
    prescribe_velocity(system.projection(), state.x, h, start_);
    system.force(context.pool, state.x, start_, force_);
    context.poll();
    const std::span<const double> m = system.masses();
    for (std::size_t i = 0; i < n; ++i) symplectic_[i] = state.v[i] + h / m[i] * force_[i];
    prescribe_velocity(system.projection(), state.x, h, symplectic_);

    system.projection().filter(force_);
    double force_squared = 0;
    for (const vec3& f : force_) force_squared += glm::dot(f, f);

    const auto equation = StageEquation::of(h, state.x, state.v, h * std::sqrt(force_squared));
    begin_contacts(context, h, h, state.x, state.x);
    stage_.solve(system, equation, state.x, {start_, symplectic_}, context, x1_, v1_, report);

    stage_.report(system, context, 1, h, x1_, v1_);
    report_contacts(context, n);
    finish_step(system, context, h, x1_, v1_, state);
  }

  ImplicitStage stage_;
  std::vector<vec3> force_;       // f(x0, v0)
  std::vector<vec3> symplectic_;  // guess v0 + h M⁻¹ f0
  std::vector<vec3> start_;       // guess v0
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

}  // namespace

extern constinit const IntegratorInfo kBackwardEuler{
    .id = "backward-euler",
    .title = "Backward Euler",
    .letters = "BE",
    .family = IntegratorFamily::implicit,
    .order = 1,
    .uses_newton = true,
    .uses_linear_solver = true,
    .formula = "u1 = u0 + h F(u1), by Newton's method",
    .summary =
        "Solves the implicit equations to a tolerance, so it also stays stable where forces change "
        "direction within a step. It has the same damping as semi-implicit Euler, at several times the "
        "cost.",
    .cost = "A matrix and a linear solve of size 3n in every Newton iteration.",
    .use = "Stiff cloth that must stay stable, where damping is welcome.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
        "3.3, (14)",
    .stability_limit = kNoStabilityLimit,
    .growth = implicit_euler_growth,
    .make = make_method<BackwardEuler>,
};

}  // namespace clothlab
