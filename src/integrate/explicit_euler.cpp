#include "integrate/explicit_euler.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport ExplicitEuler::advance(const DynamicSystem& system, State& state, double h,
                                  const StepContext& context) {
  StepReport report;
  report.h = h;
  for (auto* scratch : {&x1_, &v1_}) scratch->resize(system.size());
  const std::span<const vec3> v0 = prescribed_velocity(system.projection(), state.x, h, state.v, v0_);
  system.force(state.x, v0, v1_);
  if (gives_up(context, report)) return report;

  const std::span<const double> m = system.masses();
  context.for_particles(x1_.size(), [&](std::size_t i) {
    x1_[i] = state.x[i] + h * v0[i];
    v1_[i] = v0[i] + h / m[i] * v1_[i];
  });
  finish_step(system.projection(), h, x1_, v1_, state);
  return report;
}

}  // namespace clothlab
