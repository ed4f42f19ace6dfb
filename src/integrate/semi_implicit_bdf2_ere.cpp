#include "integrate/semi_implicit_bdf2_ere.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport SemiImplicitBdf2Ere::advance(const DynamicSystem& system, State& state, double h,
                                        const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&r_, &s_, &dx_, &dv_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  if (!split_.take(system, state.x, start_.v, start_.a, h, context, report)) return report;
  split_.slope(h, context.pool, r_, s_);
  const double gamma = history_.gamma(h);
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] *= gamma;
    s_[i] *= gamma;
  }
  if (!history_.empty()) {
    history_.add_increment(state.x, state.v, r_, s_);
    system.projection().filter(s_);
    // What is prescribed goes where it has to, whatever it did before.
    for (const Projection::Entry& e : system.projection().entries()) {
      r_[e.particle] = e.S * r_[e.particle] + (mat3(1.0) - e.S) * (h * start_.v[e.particle]);
    }
  }
  if (!split_.solve(system, gamma, r_, s_, context, dx_, dv_, report)) return report;

  for (std::size_t i = 0; i < n; ++i) {
    dx_[i] += state.x[i];
    dv_[i] += start_.v[i];
  }
  finish_step(system.projection(), h, dx_, dv_, state);
  history_.remember(dx_, dv_);
  split_.keep();
  return report;
}

void SemiImplicitBdf2Ere::save(Memory& memory) const {
  history_.save(memory);
  split_.save(memory);
}

void SemiImplicitBdf2Ere::load(MemoryReader& memory, std::size_t n) {
  history_.load(memory, n);
  split_.load(memory, n);
}

}  // namespace clothlab
