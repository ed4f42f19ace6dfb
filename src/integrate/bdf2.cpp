#include "integrate/bdf2.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport Bdf2::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&guess_, &x1_, &v1_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  const auto& [v0, a0] = start_;
  const double gamma = history_.gamma(h);
  for (std::size_t i = 0; i < n; ++i) guess_[i] = v0[i] + h * a0[i];
  x_hat_ = state.x;
  v_hat_ = v0;
  history_.add_increment(state.x, v0, x_hat_, v_hat_);
  // What was prescribed in the step before says nothing about this one.
  prescribe_offset(system.projection(), state.x, h, gamma, x_hat_);
  const auto equation = StageEquation::of(gamma, x_hat_, v_hat_, h * start_.force_norm(system.masses()));
  if (!stage_.solve(system, equation, {v0, guess_}, context, x1_, v1_, report)) return report;

  finish_step(system.projection(), h, x1_, v1_, state);
  history_.remember(x1_, v1_);
  return report;
}

}  // namespace clothlab
