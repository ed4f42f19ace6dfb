#include "integrate/rk4.h"

#include "integrate/prescribe.h"

namespace clothlab {

namespace {

struct Stage {
  double node;    // reached along the slope of the stage before it, in h
  double weight;  // of its slope in the sum, in sixths
};
constexpr Stage kStages[] = {{0.5, 2}, {0.5, 2}, {1, 1}};

}  // namespace

StepReport Rk4::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_, &v_, &a_}) scratch->resize(n);

  if (!start_.take(system, state, h, context, report)) return report;
  const std::vector<vec3>&v0 = start_.v, &a0 = start_.a;
  v_ = v_sum_ = v0;
  a_ = a_sum_ = a0;
  for (const Stage& stage : kStages) {
    const double node = stage.node, weight = stage.weight;
    if (gives_up(context, report)) return report;
    context.for_particles(n, [&](std::size_t i) {
      x_[i] = state.x[i] + node * h * v_[i];
      v_[i] = v0[i] + node * h * a_[i];
    });
    free_acceleration(system, x_, v_, context, a_);
    context.for_particles(n, [&](std::size_t i) {
      v_sum_[i] += weight * v_[i];
      a_sum_[i] += weight * a_[i];
    });
  }

  context.for_particles(n, [&](std::size_t i) {
    x_[i] = state.x[i] + h / 6 * v_sum_[i];
    v_[i] = v0[i] + h / 6 * a_sum_[i];
  });
  finish_step(system.projection(), h, x_, v_, state);
  return report;
}

}  // namespace clothlab
