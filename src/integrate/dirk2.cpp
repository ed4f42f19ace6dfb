// SPDX-License-Identifier: MIT
#include "integrate/dirk2.h"

#include "integrate/growth.h"
#include "integrate/step_ends.h"

namespace clothlab {

StepReport Dirk2::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &xc_, &vc_, &x1_, &v1_}) scratch->resize(n);
  const auto& [node, weight, end] = constants_;

  const double gamma = node * h / 2;
  if (!start_.compute(system, state, h, context, weight * gamma, report)) return report;
  const auto& [v0, a0] = start_;
  const double scale = h * start_.force_norm(system.masses());
  for (std::size_t i = 0; i < n; ++i) {
    x_hat_[i] = state.x[i] + gamma * v0[i];
    v_hat_[i] = v0[i] + gamma * a0[i];
    guess_[i] = v0[i] + node * h * a0[i];
  }
  const auto first = StageEquation::of(gamma, x_hat_, v_hat_, scale);
  if (!first_stage_.solve(system, first, {v0, guess_}, context, xc_, vc_, report)) return report;
  first_stage_.report(system, context, weight, gamma, xc_, vc_);

  // a(xc, vc) follows from the solved stage.
  for (std::size_t i = 0; i < n; ++i) {
    guess_[i] = vc_[i] + (1 - node) * h / gamma * (vc_[i] - v_hat_[i]);
    x_hat_[i] = state.x[i] + weight * (xc_[i] - state.x[i]);
    v_hat_[i] = v0[i] + weight * (vc_[i] - v0[i]);
  }
  prescribe_velocity(system.projection(), state.x, h, guess_);
  const auto second = StageEquation::of(end * h, x_hat_, v_hat_, scale);
  if (!second_stage_.solve(system, second, {vc_, guess_}, context, x1_, v1_, report)) return report;
  second_stage_.report(system, context, 1, end * h, x1_, v1_);

  finish_step(system, context, h, x1_, v1_, state);
  return report;
}

double dirk2_growth(const Dirk2::Constants& c, double y, double s) {
  return largest_at_eigenvalues(y, s, [&](auto z) {
    const auto half = c.node * z / 2.0;
    return std::abs((1.0 + c.weight * 2.0 * half / (1.0 - half)) / (1.0 - c.end * z));
  });
}

}  // namespace clothlab
