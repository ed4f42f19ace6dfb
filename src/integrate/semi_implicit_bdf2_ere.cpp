#include "integrate/semi_implicit_bdf2_ere.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport SemiImplicitBdf2Ere::advance(const DynamicSystem& system, State& state, double h,
                                        const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&r_, &s_, &dx_, &dv_, &x_before_, &v_before_}) scratch->resize(n);

  start_.take(system, state, h);
  if (!split_.take(system, state.x, start_.v, start_.a, h, context, report)) return report;
  split_.slope(h, context.pool, r_, s_);
  const double gamma = has_history_ ? 2 * h / 3 : h;
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] *= gamma;
    s_[i] *= gamma;
  }
  if (has_history_) {
    for (std::size_t i = 0; i < n; ++i) {
      r_[i] += (state.x[i] - x_before_[i]) / 3.0;
      s_[i] += (state.v[i] - v_before_[i]) / 3.0;
    }
    system.projection().filter(s_);
    // What is prescribed goes where it has to, whatever it did before.
    for (const Projection::Entry& e : system.projection().entries()) {
      r_[e.particle] = e.S * r_[e.particle] + (mat3(1.0) - e.S) * (h * start_.v[e.particle]);
    }
  }
  if (!split_.solve(system, gamma, r_, s_, context, dx_, dv_, report)) return report;

  x0_ = state.x;
  v0_ = state.v;
  for (std::size_t i = 0; i < n; ++i) {
    state.x[i] += dx_[i];
    state.v[i] = start_.v[i] + dv_[i];
  }
  prescribe(system.projection(), x0_, h, state.x, state.v);
  state.t += h;
  x_before_.swap(x0_);
  v_before_.swap(v0_);
  has_history_ = true;
  split_.keep();
  return report;
}

void SemiImplicitBdf2Ere::reset() {
  has_history_ = false;
  split_.reset();
}

}  // namespace clothlab
