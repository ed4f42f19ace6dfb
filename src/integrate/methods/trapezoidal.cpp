// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/implicit_stage.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// u1 = u0 + h/2 (F(u0) + F(u1)) by Newton's method [Hairer 2006, II.1]. Keeps an oscillator's
/// amplitude; on cloth it is the midpoint rule in other variables.
class Trapezoidal final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;  // x0 + h/2 v0
  std::vector<vec3> v_hat_;  // v0 + h/2 a0
  std::vector<vec3> guess_;  // v0 + h a0
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

StepReport Trapezoidal::advance(const DynamicSystem& system, State& state, double h,
                                const StepContext& context) {
  StepReport report;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &x1_, &v1_}) scratch->resize(n);

  if (!start_.compute(system, state, h, context, h / 2, report)) return report;
  const auto& [v0, a0] = start_;
  for (std::size_t i = 0; i < n; ++i) {
    x_hat_[i] = state.x[i] + h / 2 * v0[i];
    v_hat_[i] = v0[i] + h / 2 * a0[i];
    guess_[i] = v0[i] + h * a0[i];
  }
  const auto equation = StageEquation::of(h / 2, x_hat_, v_hat_, h * start_.force_norm(system.masses()));
  if (!stage_.solve(system, equation, {v0, guess_}, context, x1_, v1_, report)) return report;
  stage_.report(system, context, 1, h / 2, x1_, v1_);

  finish_step(system, context, h, x1_, v1_, state);
  return report;
}

}  // namespace

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
    .make = make_method<Trapezoidal>,
};

}  // namespace clothlab
