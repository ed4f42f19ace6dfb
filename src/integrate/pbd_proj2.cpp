#include "integrate/pbd_proj2.h"

#include "integrate/prescribe.h"
#include "integrate/step_start.h"

namespace clothlab {

StepReport PbdProj2::advance(const DynamicSystem& system, State& state, double h,
                             const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x1_, &v1_, &a_}) scratch->resize(n);
  const Projection& projection = system.projection();

  v1_ = state.v;
  prescribe_velocity(projection, state.x, h, v1_);
  free_acceleration(system, state.x, v1_, a_, SpringForces::inextensible);
  for (std::size_t i = 0; i < n; ++i) {
    v1_[i] += h * a_[i];
    x1_[i] = state.x[i] + h * v1_[i];
  }
  prescribe(projection, state.x, h, x1_, v1_);
  constraints_.take(system);
  for (int k = 0; k < iterations_; ++k) {
    if (stop_requested(context.stop)) {
      report.stopped = true;
      return report;
    }
    constraints_.sweep(x1_);
  }
  for (std::size_t i = 0; i < n; ++i) v1_[i] = (x1_[i] - state.x[i]) / h;
  prescribe(projection, state.x, h, x1_, v1_);
  if (velocity_projection_) {
    constraints_.linearise(context.pool, x1_);
    if (!constraints_.project_velocities(context, v1_, report)) return report;
    prescribe(projection, state.x, h, x1_, v1_);
  }
  state.x.swap(x1_);
  state.v.swap(v1_);
  state.t += h;
  return report;
}

}  // namespace clothlab
