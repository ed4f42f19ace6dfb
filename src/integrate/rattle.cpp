#include "integrate/rattle.h"

#include "integrate/prescribe.h"
#include "integrate/step_start.h"

namespace clothlab {

StepReport Rattle::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x1_, &v0_, &v1_, &a_, &push_}) scratch->resize(n);
  const Projection& projection = system.projection();

  v0_ = state.v;
  prescribe_velocity(projection, state.x, h, v0_);
  free_acceleration(system, state.x, v0_, context, a_, SpringForces::inextensible);
  for (std::size_t i = 0; i < n; ++i) {
    v1_[i] = v0_[i] + h / 2 * a_[i];
    x1_[i] = state.x[i] + h * v1_[i];
  }
  prescribe(projection, state.x, h, x1_, v1_);
  if (gives_up(context, report) || !constraints_.take(system, context, report)) return report;
  constraints_.approach(state.x, h);
  if (!constraints_.linearise(context, state.x, report)) return report;
  if (!constraints_.project_positions(context, x1_, push_, report)) return report;

  // a_ holds the velocities for the force until it holds the force.
  for (std::size_t i = 0; i < n; ++i) v1_[i] += push_[i] / h;
  for (std::size_t i = 0; i < n; ++i) push_[i] = 2.0 * v1_[i] - v0_[i];
  free_acceleration(system, x1_, push_, context, a_, SpringForces::inextensible);
  for (std::size_t i = 0; i < n; ++i) v1_[i] += h / 2 * a_[i];
  prescribe(projection, state.x, h, x1_, v1_);
  if (gives_up(context, report) || !constraints_.linearise(context, x1_, report)) return report;
  if (!constraints_.project_velocities(context, v1_, report)) return report;

  finish_step(projection, h, x1_, v1_, state);
  report.length_violation = constraints_.violation(context.pool, state.x);
  return report;
}

double Rattle::enter(const DynamicSystem& system, State& state, double h, const StepContext& context,
                     StepReport& report) {
  prescribe_velocity(system.projection(), state.x, h, state.v);
  if (!constraints_.take(system, context, report)) return 0;
  return constraints_.enter(context, state.x, state.v, report);
}

}  // namespace clothlab
