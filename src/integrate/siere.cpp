#include "integrate/siere.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport Siere::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&r_, &s_, &dx_, &dv_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  if (!split_.take(system, state.x, start_.v, start_.a, h, context, report)) return report;
  split_.slope(h, context.pool, r_, s_);
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] *= h;
    s_[i] *= h;
  }
  if (!split_.solve(system, h, r_, s_, context, dx_, dv_, report)) return report;

  for (std::size_t i = 0; i < n; ++i) {
    dx_[i] += state.x[i];
    dv_[i] += start_.v[i];
  }
  finish_step(system.projection(), h, dx_, dv_, state);
  split_.keep();
  return report;
}

}  // namespace clothlab
