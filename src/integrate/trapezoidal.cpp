#include "integrate/trapezoidal.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport Trapezoidal::advance(const DynamicSystem& system, State& state, double h,
                                const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &x1_, &v1_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  const auto& [v0, a0] = start_;
  for (std::size_t i = 0; i < n; ++i) {
    x_hat_[i] = state.x[i] + h / 2 * v0[i];
    v_hat_[i] = v0[i] + h / 2 * a0[i];
    guess_[i] = v0[i] + h * a0[i];
  }
  const auto equation = StageEquation::of(h / 2, x_hat_, v_hat_, h * start_.force_norm(system.masses()));
  if (!stage_.solve(system, equation, {v0, guess_}, context, x1_, v1_, report)) return report;

  finish_step(system.projection(), h, x1_, v1_, state);
  return report;
}

}  // namespace clothlab
