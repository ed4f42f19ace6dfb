// SPDX-License-Identifier: MIT
#include "integrate/backward_euler.h"

#include "integrate/growth.h"

namespace clothlab {
namespace {

class BackwardEuler final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    step_.solve(system, state, h, context, x1_, v1_, report);
    finish_step(system, context, h, x1_, v1_, state);
  }

  BackwardEulerStep step_;
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
    .formula = "u1 = u0 + h F(u1), by Newton's method",
    .summary =
        "Solves the implicit equations to a tolerance, so it also stays stable where forces change "
        "direction within a step. It has the same damping as semi-implicit Euler, at several times the "
        "cost.",
    .cost = "A matrix and a linear solve of size 3n in every Newton iteration.",
    .use = "Stiff cloth that must stay stable, where damping is welcome.",
    .reference = CLOTHLAB_ASCHER_2022 "section 3.3, (14)",
    .growth = implicit_euler_growth,
    .make = make_method<BackwardEuler>,
};

}  // namespace clothlab
