#include "integrate/semi_implicit_euler.h"

#include "integrate/prescribe.h"
#include "integrate/solve_outcome.h"

namespace clothlab {

StepReport SemiImplicitEuler::advance(const DynamicSystem& system, State& state, double h,
                                      const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&b_, &dv_}) scratch->resize(n);

  if (!have_matrix(system, context, a_, report)) return report;
  SpringMatrix& A = *a_;

  // b = h (f0 + hK v0); K is that of A, clamped or not.
  system.linearize(state.x, state.v, h, state.v, {1, h, h * h}, context.solver.jacobian, b_, A);
  if (gives_up(context, report)) return report;
  context.for_particles(n, [&](std::size_t i) { b_[i] *= h; });
  prescribe_change(system.projection(), state.x, h, state.v, dv_);
  if (gives_up(context, report)) return report;
  const SolveReport solve =
      solver_.solve(context.pool, A, b_, dv_, system.projection(), dv_, context.solver.linear, context.stop);
  add_linear_solve(solve, context.solver.linear, report);
  if (gives_up(context, report)) return report;
  report.reason = linear_failure(solve);
  report.converged = report.reason.empty();

  std::vector<vec3>&x1 = b_, &v1 = dv_;
  context.for_particles(n, [&](std::size_t i) {
    v1[i] = state.v[i] + dv_[i];
    x1[i] = state.x[i] + h * v1[i];
  });
  finish_step(system.projection(), h, x1, v1, state);
  return report;
}

}  // namespace clothlab
