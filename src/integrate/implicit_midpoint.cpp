#include "integrate/implicit_midpoint.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport ImplicitMidpoint::advance(const DynamicSystem& system, State& state, double h,
                                     const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&guess_, &x1_, &v1_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  const auto& [v0, a0] = start_;
  for (std::size_t i = 0; i < n; ++i) guess_[i] = v0[i] + h / 2 * a0[i];
  const auto middle = StageEquation::of(h / 2, state.x, v0, h * start_.force_norm(system.masses()));
  if (!stage_.solve(system, middle, {v0, guess_}, context, x1_, v1_, report)) return report;

  for (std::size_t i = 0; i < n; ++i) {
    x1_[i] = state.x[i] + h * v1_[i];
    v1_[i] = 2.0 * v1_[i] - v0[i];
  }
  finish_step(system.projection(), h, x1_, v1_, state);
  return report;
}

}  // namespace clothlab
