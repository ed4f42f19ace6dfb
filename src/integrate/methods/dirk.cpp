// SPDX-License-Identifier: MIT
#include <numbers>
#include <vector>

#include "integrate/growth.h"
#include "integrate/implicit_stage.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// A trapezoidal stage over a part of the step, then a stage to its end:
///   uc = u0 + node h/2 (F(u0) + F(uc));   u1 = u0 + weight (uc − u0) + end h F(u1),
/// both by Newton's method.
struct DirkStages {
  double node = 0;
  double weight = 0;
  double end = 0;  ///< 0: the first stage is the whole step
};

/// u1 = u0 + h/2 (F(u0) + F(u1)) [Hairer 2006, II.1]. Keeps an oscillator's amplitude; on cloth it is the
/// midpoint rule in other variables.
constexpr DirkStages kTrapezoidalStage{1, 1, 0};
/// u½ = u0 + h/4 (F(u½) + F(u0)); u1 = u0 + 4/3 (u½ − u0) + h/3 F(u1) [Bank 1985; Ascher 2022, §3.1].
constexpr DirkStages kTrBdf2Stages{0.5, 4.0 / 3, 1.0 / 3};
/// γ = 2 − √2, β = √2/4: uγ = u0 + γh/2 (F(uγ) + F(u0)); u1 = u0 + (2β/γ)(uγ − u0) + γh/2 F(u1). Both stages
/// have the same form of A [Ascher 2022, §3.1].
constexpr DirkStages kSdirk2Stages{2 - std::numbers::sqrt2,
                                   std::numbers::sqrt2 / 2 / (2 - std::numbers::sqrt2),
                                   1 - std::numbers::sqrt2 / 2};

class Dirk final : public Integrator {
 public:
  explicit Dirk(const DirkStages& stages) : stages_(stages) {}

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &xc_, &vc_, &x1_, &v1_}) scratch->resize(n);
    const auto& [node, weight, end] = stages_;

    const double gamma = node * h / 2;
    start_.compute(system, state, h, context, weight * gamma);
    const auto& [v0, a0] = start_;
    const double scale = h * start_.force_norm(system.masses());
    for (std::size_t i = 0; i < n; ++i) {
      x_hat_[i] = state.x[i] + gamma * v0[i];
      v_hat_[i] = v0[i] + gamma * a0[i];
      guess_[i] = v0[i] + node * h * a0[i];
    }
    const auto first = StageEquation::of(gamma, x_hat_, v_hat_, scale);
    first_stage_.solve(system, first, {v0, guess_}, context, xc_, vc_, report);
    first_stage_.report(system, context, weight, gamma, xc_, vc_);
    if (end == 0) return finish_step(system, context, h, xc_, vc_, state);

    // a(xc, vc) follows from the solved stage.
    for (std::size_t i = 0; i < n; ++i) {
      guess_[i] = vc_[i] + (1 - node) * h / gamma * (vc_[i] - v_hat_[i]);
      x_hat_[i] = state.x[i] + weight * (xc_[i] - state.x[i]);
      v_hat_[i] = v0[i] + weight * (vc_[i] - v0[i]);
    }
    prescribe_velocity(system.projection(), state.x, h, guess_);
    const auto second = StageEquation::of(end * h, x_hat_, v_hat_, scale);
    second_stage_.solve(system, second, {vc_, guess_}, context, x1_, v1_, report);
    second_stage_.report(system, context, 1, end * h, x1_, v1_);
    finish_step(system, context, h, x1_, v1_, state);
  }

  DirkStages stages_;
  // One per stage, since a preconditioner depends on γ.
  ImplicitStage first_stage_, second_stage_;
  StepStart start_;
  std::vector<vec3> x_hat_, v_hat_;
  std::vector<vec3> guess_;
  std::vector<vec3> xc_, vc_;
  std::vector<vec3> x1_, v1_;
};

template <const DirkStages& stages>
std::unique_ptr<Integrator> make_dirk(const IntegratorParameters& /*values*/) {
  return std::make_unique<Dirk>(stages);
}

/// R = (1 + weight (Rc − 1)) / (1 − end z), Rc = (1 + node z/2) / (1 − node z/2).
template <const DirkStages& stages>
double dirk_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) {
    const auto half = stages.node * z / 2.0;
    return std::abs((1.0 + stages.weight * 2.0 * half / (1.0 - half)) / (1.0 - stages.end * z));
  });
}

}  // namespace

double tr_bdf2_growth(double y, double s, const IntegratorParameters& values) {
  return dirk_growth<kTrBdf2Stages>(y, s, values);
}

extern constinit const IntegratorInfo kTrapezoidal{
    .id = "trapezoidal",
    .title = "Trapezoidal rule",
    .letters = "TR",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .uses_newton = true,
    .uses_linear_solver = true,
    .formula = "u1 = u0 + h/2 (F(u0) + F(u1)), by Newton's method",
    .summary =
        "Closely related to the midpoint rule: constant amplitude on an oscillator, the same cost. It "
        "evaluates the forces at both ends of the step instead of at its middle. A stiff force at the "
        "start therefore counts in full.",
    .cost = "As backward Euler, per iteration.",
    .use = "As the midpoint rule, with forces evaluated at both ends of the step.",
    .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section II.1",
    .stability_limit = kNoStabilityLimit,
    .growth = trapezoidal_growth,
    .make = make_dirk<kTrapezoidalStage>,
};

extern constinit const IntegratorInfo kTrBdf2{
    .id = "tr-bdf2",
    .title = "TR-BDF2",
    .letters = "TB",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .uses_newton = true,
    .uses_linear_solver = true,
    .formula = "u½ = u0 + h/4 (F(u0) + F(u½)); u1 = u0 + 4/3 (u½ − u0) + h/3 F(u1), both by Newton's method",
    .summary =
        "The trapezoidal rule over half a step, then BDF2 over both halves: second order without a "
        "history. It hardly damps motion that the step resolves, and fully damps all other motion. It "
        "costs twice as much as backward Euler, which its accuracy usually justifies.",
    .cost = "Two nonlinear solves per step, each as backward Euler's.",
    .use = "Accurate motion of stiff cloth; damps only motion that h does not resolve.",
    .reference = "Bank et al.: Transient simulation of silicon devices and circuits, IEEE 1985",
    .stability_limit = kNoStabilityLimit,
    .growth = tr_bdf2_growth,
    .make = make_dirk<kTrBdf2Stages>,
};

extern constinit const IntegratorInfo kSdirk2{
    .id = "sdirk2",
    .title = "SDIRK2",
    .letters = "SD",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .uses_newton = true,
    .uses_linear_solver = true,
    .formula =
        "γ = 2 − √2, β = √2/4: uγ = u0 + γh/2 (F(u0) + F(uγ)); "
        "u1 = u0 + (2β/γ)(uγ − u0) + γh/2 F(u1), both by Newton's method",
    .summary =
        "TR-BDF2 with stages chosen so that both have the same matrix, evaluated at different positions. "
        "It has the same order, the same damping of fast motion and the same cost.",
    .cost = "Two nonlinear solves per step, each as backward Euler's.",
    .use = "As TR-BDF2.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
        "3.1",
    .stability_limit = kNoStabilityLimit,
    .growth = dirk_growth<kSdirk2Stages>,
    .make = make_dirk<kSdirk2Stages>,
};

}  // namespace clothlab
