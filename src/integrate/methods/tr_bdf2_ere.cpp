// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/implicit_stage.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// TR-BDF2 with the lowest modes by exponentials, which [Ascher 2022, §4] names without equations: half a
/// step of the trapezoidal rule, u½ = u0 + h/4 (F(u0) + F(u½)), then, with the modes at u½, u1 = u½ + ⅓ (u½ −
/// u0) + h/3 (H(u1) + E(u½, h/2)), both by Newton's method.
class TrBdf2Ere final : public Integrator {
 public:
  explicit TrBdf2Ere(const IntegratorParameters& values) : split_(values) {}

  void save(Memory& memory) const override { split_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { split_.load(memory, n); }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&r_, &s_, &guess_, &x_half_, &v_half_, &a_half_, &x1_, &v1_}) scratch->resize(n);
    const double scale = first_half(system, state, h, context, report);

    free_acceleration(system, x_half_, v_half_, context, 0, a_half_);
    context.poll();
    split_.compute(system, x_half_, v_half_, a_half_, h, context, report);
    split_.slope(h / 2, context.pool, r_, s_);
    for (std::size_t i = 0; i < n; ++i) {
      r_[i] = (x_half_[i] - state.x[i] + h * r_[i]) / 3.0;
      s_[i] = (v_half_[i] - start_.v[i] + h * s_[i]) / 3.0;
    }
    split_.solve_by_newton(system, h / 3, r_, s_, scale, context, x1_, v1_, report);
    split_.report_newton(system, context, 1, h / 3, x1_, v1_);
    r_ = x1_;
    s_ = v1_;
    split_.solve_contacts(system, context, {.h = h, .gamma = h, .moves = h / 2, .damping = h / 3}, 5 * h / 12,
                          state.x, start_.v, x1_, v1_, report);
    report_linear_forces(context, system, h / 3, r_, s_, v1_);
    finish_step(system, context, h, x1_, v1_, state);
    split_.keep();
  }

  /// To (x_half_, v_half_), without contacts; returns ‖h f0‖.
  double first_half(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                    StepReport& report) {
    // The second half contains a third of the impulses of the first one.
    constexpr double kShare = 4.0 / 3;
    const double gamma = h / 4;
    start_.compute(system, state, h, context, kShare * gamma);
    const auto& [v0, a0] = start_;
    const double scale = h * start_.force_norm(system.masses());
    for (std::size_t i = 0; i < r_.size(); ++i) {
      r_[i] = state.x[i] + gamma * v0[i];
      s_[i] = v0[i] + gamma * a0[i];
      guess_[i] = v0[i] + h / 2 * a0[i];
    }
    SolverSettings settings = context.solver;
    settings.stage_solve = StageSolve::newton;
    const StepContext own{settings, context.pool, context.stop, context.ledger, context.reached, {}};
    half_.solve(system, StageEquation::of(gamma, r_, s_, scale), state.x, {v0, guess_}, own, x_half_, v_half_,
                report);
    half_.report(system, own, kShare, gamma, x_half_, v_half_);
    return scale;
  }

  ImplicitStage half_;
  ModalSplit split_;
  StepStart start_;
  std::vector<vec3> r_, s_;  // right-hand sides
  std::vector<vec3> guess_;
  std::vector<vec3> x_half_, v_half_, a_half_;
  std::vector<vec3> x1_, v1_;
};

}  // namespace

extern constinit const IntegratorInfo kTrBdf2Ere{
    .id = "tr-bdf2-ere",
    .title = "TR-BDF2 + ERE",
    .letters = "XT",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .order_without_modes = 2,
    .order_condition = "2 without modes (--modes 0)",
    .uses_newton = true,
    .uses_linear_solver = true,
    .stiff_forces = StiffForces::none,
    .formula =
        "u½ = u0 + h/4 (F(u0) + F(u½)); u1 = u½ + ⅓ (u½ − u0) + h/3 (H(u1) + E(u½, h/2)), both by Newton's "
        "method",
    .summary =
        "Less damped than BEERE. Its slow modes gain energy: their amplitude grows by (hω)²/12 per step. It "
        "answers a conjecture of the publication, which gives no equations.",
    .cost = "Two nonlinear solves per step, and the search for s modes.",
    .use = "Comparison with the publication; its slow modes gain less energy than with BDF2.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section 4",
    .parameters = kModeParameters,
    .stability_limit = 0,
    .growth = tr_bdf2_growth,
    .growth_of_slow_modes = tr_bdf2_ere_mode_growth,
    .make = make_method<TrBdf2Ere>,
};

}  // namespace clothlab
