#include "integrate/siere.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport Siere::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&r_, &s_, &dx_, &dv_}) scratch->resize(n);

  start_.take(system, state, h);
  if (!split_.take(system, state.x, start_.v, start_.a, h, context, report)) return report;
  split_.slope(h, context.pool, r_, s_);
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] *= h;
    s_[i] *= h;
  }
  if (!split_.solve(system, h, r_, s_, context, dx_, dv_, report)) return report;

  x0_ = state.x;
  for (std::size_t i = 0; i < n; ++i) {
    state.x[i] += dx_[i];
    state.v[i] = start_.v[i] + dv_[i];
  }
  prescribe(system.projection(), x0_, h, state.x, state.v);
  state.t += h;
  split_.keep();
  return report;
}

}  // namespace clothlab
