#include "integrate/velocity_verlet.h"

#include "integrate/prescribe.h"

namespace clothlab {

StepReport VelocityVerlet::advance(const DynamicSystem& system, State& state, double h,
                                   const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x1_, &v1_, &a1_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  const std::vector<vec3>&v0 = start_.v, &a0 = start_.a;
  context.for_particles(n, [&](std::size_t i) {
    x1_[i] = state.x[i] + h * v0[i] + h * h / 2 * a0[i];
    v1_[i] = v0[i] + h * a0[i];
  });
  free_acceleration(system, x1_, v1_, context, a1_);
  if (gives_up(context, report)) return report;

  context.for_particles(n, [&](std::size_t i) { v1_[i] = v0[i] + h / 2 * (a0[i] + a1_[i]); });
  finish_step(system.projection(), h, x1_, v1_, state);
  return report;
}

}  // namespace clothlab
