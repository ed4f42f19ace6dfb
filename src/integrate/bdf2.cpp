#include "integrate/bdf2.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport Bdf2::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_before_, &v_before_, &x_hat_, &v_hat_, &guess_, &x1_, &v1_}) scratch->resize(n);

  start_.take(system, state, h);
  const auto& [v0, a0] = start_;
  const double gamma = has_history_ ? 2 * h / 3 : h;
  for (std::size_t i = 0; i < n; ++i) {
    x_hat_[i] = has_history_ ? state.x[i] + (state.x[i] - x_before_[i]) / 3.0 : state.x[i];
    v_hat_[i] = has_history_ ? v0[i] + (v0[i] - v_before_[i]) / 3.0 : v0[i];
    guess_[i] = v0[i] + h * a0[i];
  }
  // What was prescribed in the step before says nothing about this one.
  prescribe_offset(system.projection(), state.x, h, gamma, x_hat_);
  const auto equation = StageEquation::of(gamma, x_hat_, v_hat_, h * start_.force_norm(system.masses()));
  if (!stage_.solve(system, equation, {v0, guess_}, context, x1_, v1_, report)) return report;

  prescribe(system.projection(), state.x, h, x1_, v1_);
  x_before_.swap(state.x);
  v_before_.swap(state.v);
  has_history_ = true;
  state.x.swap(x1_);
  state.v.swap(v1_);
  state.t += h;
  return report;
}

}  // namespace clothlab
