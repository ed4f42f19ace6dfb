// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/linearized_stage.h"

namespace clothlab {
namespace {

/// Backward Euler linearised at u0 [Baraff 1998]:
/// (M − hD − h²K) Δv = h (f0 + hK v0), x1 = x0 + h (v0 + Δv), with Δv prescribed on pins.
class SemiImplicitEuler final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    begin_contacts(context, h, h, state.x, state.x);
    stage_.solve_step(
        system, state, h, h, h, state.v, [&](std::size_t, const vec3& f) { return h * f; }, context, report);
    stage_.report(context, system);
    report_contacts(context, system.size());
    std::vector<vec3>&x1 = stage_.b, &v1 = stage_.dv;
    context.for_particles(x1.size(), [&](std::size_t i) {
      v1[i] = state.v[i] + v1[i];
      x1[i] = state.x[i] + h * v1[i];
    });
    report_linear_forces(context, system, h, state.x, state.v, v1, &stage_.contacts());
    finish_step(system, context, h, x1, v1, state);
  }

  LinearizedStage stage_;
};

}  // namespace

extern constinit const IntegratorInfo kSemiImplicitEuler{
    .id = "semi-implicit-euler",
    .title = "Semi-implicit Euler",
    .letters = "SI",
    .family = IntegratorFamily::linearly_implicit,
    .order = 1,
    .formula = "(M − hD − h²K) Δv = h (f0 + hK v0); v1 = v0 + Δv; x1 = x0 + h v1",
    .summary =
        "Backward Euler with a single Newton iteration: one linear solve per step, stable at large steps. "
        "It damps motion that is fast for the step, physical or not. The usual choice for interactive "
        "cloth.",
    .cost = "One evaluation of the forces, one matrix and one linear solve of size 3n per step.",
    .use = "Interactive cloth at frame-length steps (1/60 s).",
    .reference = "Baraff, Witkin: Large Steps in Cloth Simulation, SIGGRAPH 1998",
    .growth = implicit_euler_growth,
    .make = make_method<SemiImplicitEuler>,
};

}  // namespace clothlab
