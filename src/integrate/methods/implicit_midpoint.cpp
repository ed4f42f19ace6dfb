// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/growth.h"
#include "integrate/implicit_stage.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// u1 = u0 + h F((u0 + u1)/2) by Newton's method: half a step of backward Euler to the middle m, then
/// u1 = 2m − u0 [Hairer 2006, II.1 and VI.4]. Symplectic; keeps an oscillator's amplitude.
class ImplicitMidpoint final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&guess_, &x1_, &v1_}) scratch->resize(n);

    start_.compute(system, state, h, context, 0);
    const auto& [v0, a0] = start_;
    for (std::size_t i = 0; i < n; ++i) guess_[i] = v0[i] + h / 2 * a0[i];
    const auto middle = StageEquation::of(h / 2, state.x, v0, h * start_.force_norm(system.masses()));
    // The whole displacement is h times the velocity in the middle.
    begin_contacts(context, h, h, state.x, state.x);
    scale_impulses(context, 0.5);
    stage_.solve(system, middle, state.x, {v0, guess_}, context, x1_, v1_, report);
    stage_.report(system, context, 2, h / 2, x1_, v1_);

    for (std::size_t i = 0; i < n; ++i) {
      x1_[i] = state.x[i] + h * v1_[i];
      v1_[i] = 2.0 * v1_[i] - v0[i];
    }
    scale_impulses(context, 2);
    contacts_.stop(system, context, h, v0, v1_, report);
    report_contacts(context, n);
    finish_step(system, context, h, x1_, v1_, state);
  }

  ContactCorrection contacts_;
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> guess_;  // v0 + h/2 a0
  std::vector<vec3> x1_;     // first the middle
  std::vector<vec3> v1_;
};

}  // namespace

extern constinit const IntegratorInfo kImplicitMidpoint{
    .id = "implicit-midpoint",
    .title = "Implicit midpoint",
    .letters = "IM",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .formula = "u1 = u0 + h F((u0 + u1)/2), by Newton's method",
    .summary =
        "Symplectic, and stable at every step size on an oscillator. It damps nothing: cloth keeps its "
        "energy, and oscillations that are too fast for the step continue. At large steps on stiff cloth "
        "its equations can become hard to solve.",
    .cost = "As backward Euler, per iteration.",
    .use = "Undamped motion at steps that resolve most of it.",
    .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, sections II.1 and VI.4",
    .growth = trapezoidal_growth,
    .make = make_method<ImplicitMidpoint>,
};

}  // namespace clothlab
