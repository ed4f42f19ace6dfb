#include "integrate/str_sbdf2_ere.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport StrSbdf2Ere::advance(const DynamicSystem& system, State& state, double h,
                                const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&r_, &s_, &dx_, &dv_, &x_half_, &v_half_, &a_half_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  if (!first_.take(system, state.x, start_.v, start_.a, h, context, report)) return report;
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] = h / 2 * start_.v[i];
    s_[i] = h / 2 * start_.a[i];
  }
  if (!first_.solve(system, h / 4, r_, s_, context, dx_, dv_, report)) return report;
  for (std::size_t i = 0; i < n; ++i) {
    x_half_[i] = state.x[i] + dx_[i];
    v_half_[i] = start_.v[i] + dv_[i];
  }
  if (gives_up(context, report)) return report;

  free_acceleration(system, x_half_, v_half_, context, a_half_);
  if (gives_up(context, report)) return report;
  if (!split_.take(system, x_half_, v_half_, a_half_, h, context, report)) return report;
  split_.slope(h / 2, context.pool, r_, s_);
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] = (dx_[i] + h * r_[i]) / 3.0;
    s_[i] = (dv_[i] + h * s_[i]) / 3.0;
  }
  if (!split_.solve(system, h / 3, r_, s_, context, dx_, dv_, report)) return report;

  for (std::size_t i = 0; i < n; ++i) {
    dx_[i] += x_half_[i];
    dv_[i] += v_half_[i];
  }
  finish_step(system.projection(), h, dx_, dv_, state);
  split_.keep();
  return report;
}

}  // namespace clothlab
