// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/history.h"
#include "integrate/implicit_stage.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// u1 = u0 + ⅓ (u0 − u₋₁ + 2h F(u1)) by Newton's method, u₋₁ the state one step earlier; the first step after
/// a reset is backward Euler [Hairer 1996, V.1].
class Bdf2 final : public MethodWithHistory<Bdf2History> {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&guess_, &x1_, &v1_}) scratch->resize(n);

    start_.compute(system, state, h, context, 0);
    const auto& [v0, a0] = start_;
    const double gamma = history_.gamma(h);
    for (std::size_t i = 0; i < n; ++i) guess_[i] = v0[i] + h * a0[i];
    x_hat_ = state.x;
    v_hat_ = v0;
    history_.add_increment(context, state.x, v0, x_hat_, v_hat_);
    // û does not apply to prescribed directions.
    prescribe_offset(system.projection(), state.x, h, gamma, x_hat_);
    const auto equation = StageEquation::of(gamma, x_hat_, v_hat_, h * start_.force_norm(system.masses()));
    begin_contacts(context, h, gamma, state.x, x_hat_);
    stage_.solve(system, equation, state.x, {v0, guess_}, context, x1_, v1_, report);
    stage_.report(system, context, 1, gamma, x1_, v1_);
    report_contacts(context, n);
    scale_impulses(context, h / gamma);

    finish_step(system, context, h, x1_, v1_, state);
    history_.remember(context, x1_, v1_);
  }

  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;
  std::vector<vec3> v_hat_;
  std::vector<vec3> guess_;  // v0 + h a0
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

}  // namespace

extern constinit const IntegratorInfo kBdf2{
    .id = "bdf2",
    .title = "BDF2",
    .letters = "B2",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .only_forward = kUsesEarlierSteps,
    .formula = "u1 = u0 + ⅓ (u0 − u₋₁ + 2h F(u1)), by Newton's method; first step backward Euler",
    .summary =
        "Backward Euler's cost and stability at second order, because it also uses the previous step. It "
        "damps oscillations that are fast for the step, and little else. Every change of h, pins or a "
        "parameter restarts it.",
    .cost = "As backward Euler, plus one stored state.",
    .use = "Smooth motion while h, pins and parameters stay the same.",
    .reference = "Hairer, Wanner: Solving Ordinary Differential Equations II, section V.1",
    .growth = bdf2_growth,
    .force_time = force_at_end,
    .coupling_time = 1,
    .make = make_method<Bdf2>,
};

}  // namespace clothlab
