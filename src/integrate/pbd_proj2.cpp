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
  free_acceleration(system, state.x, v1_, context, a_, SpringForces::inextensible);
  for (std::size_t i = 0; i < n; ++i) {
    v1_[i] += h * a_[i];
    x1_[i] = state.x[i] + h * v1_[i];
  }
  prescribe(projection, state.x, h, x1_, v1_);
  if (gives_up(context, report) || !constraints_.take(system, context, report)) return report;
  for (int k = 0; k < iterations_; ++k) {
    if (gives_up(context, report)) return report;
    constraints_.sweep(x1_);
  }
  for (std::size_t i = 0; i < n; ++i) v1_[i] = (x1_[i] - state.x[i]) / h;
  if (velocity_projection_) {
    prescribe(projection, state.x, h, x1_, v1_);
    if (!constraints_.linearise(context, x1_, report)) return report;
    if (!constraints_.project_velocities(context, v1_, report)) return report;
  }
  finish_step(projection, h, x1_, v1_, state);
  report.length_violation = constraints_.violation(context.pool, state.x);
  return report;
}

double PbdProj2::enter(const DynamicSystem& system, State& state, double h, const StepContext& context,
                       StepReport& report) {
  prescribe_velocity(system.projection(), state.x, h, state.v);
  if (!constraints_.take(system, context, report)) return 0;
  return constraints_.enter(context, state.x, state.v, report);
}

}  // namespace clothlab
