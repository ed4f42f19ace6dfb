#include "integrate/backward_euler.h"

#include <cmath>
#include <glm/geometric.hpp>

#include "integrate/prescribe.h"

namespace clothlab {

StepReport BackwardEuler::advance(const DynamicSystem& system, State& state, double h,
                                  const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&force_, &symplectic_, &x1_, &v1_}) scratch->resize(n);

  start_ = state.v;
  prescribe_velocity(system.projection(), state.x, h, start_);
  system.force(state.x, start_, force_);
  if (gives_up(context, report)) return report;
  const std::span<const double> m = system.masses();
  for (std::size_t i = 0; i < n; ++i) symplectic_[i] = state.v[i] + h / m[i] * force_[i];
  prescribe_velocity(system.projection(), state.x, h, symplectic_);

  system.projection().filter(force_);
  double force_squared = 0;
  for (const vec3& f : force_) force_squared += glm::dot(f, f);

  const auto equation = StageEquation::of(h, state.x, state.v, h * std::sqrt(force_squared));
  if (!stage_.solve(system, equation, {start_, symplectic_}, context, x1_, v1_, report)) return report;

  finish_step(system.projection(), h, x1_, v1_, state);
  return report;
}

}  // namespace clothlab
