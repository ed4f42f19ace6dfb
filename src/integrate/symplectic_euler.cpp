#include "integrate/symplectic_euler.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport SymplecticEuler::advance(const DynamicSystem& system, State& state, double h,
                                    const StepContext& context) {
  StepReport report;
  report.h = h;
  force_.resize(system.size());
  system.force(state.x, state.v, force_);
  if (stop_requested(context.stop)) {
    report.stopped = true;
    return report;
  }

  start_ = state.x;
  const std::span<const double> m = system.masses();
  for (std::size_t i = 0; i < force_.size(); ++i) {
    state.v[i] += h / m[i] * force_[i];
    state.x[i] += h * state.v[i];
  }
  prescribe(system.projection(), start_, h, state.x, state.v);
  state.t += h;
  return report;
}

}  // namespace clothlab
