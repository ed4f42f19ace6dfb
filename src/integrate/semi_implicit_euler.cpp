#include "integrate/semi_implicit_euler.h"

#include "integrate/prescribe.h"
#include "integrate/solve_outcome.h"

namespace clothlab {

StepReport SemiImplicitEuler::advance(const DynamicSystem& system, State& state, double h,
                                      const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&b_, &z_, &dv_}) scratch->resize(n);

  // b = h (f0 + hK v0); K is that of A, clamped or not.
  system.force(state.x, state.v, b_);
  if (gives_up(context, report)) return report;
  system.add_stiffness_product(state.x, h, state.v, context.solver.jacobian, b_);
  for (vec3& b : b_) b *= h;

  // z, the prescribed change: v0 → (p1 − p0)/h.
  z_ = state.v;
  prescribe_velocity(system.projection(), state.x, h, z_);
  for (std::size_t i = 0; i < n; ++i) z_[i] -= state.v[i];
  if (gives_up(context, report)) return report;

  if (!have_matrix(system, context, a_, report)) return report;
  SpringMatrix& A = *a_;
  system.assemble(state.x, state.v, {1, h, h * h}, context.solver.jacobian, A);
  if (gives_up(context, report)) return report;
  const SolveReport solve =
      solver_.solve(context.pool, A, b_, z_, system.projection(), dv_, context.solver.linear, context.stop);
  add_linear_solve(solve, context.solver.linear, report);
  if (gives_up(context, report)) return report;
  report.reason = linear_failure(solve);
  report.converged = report.reason.empty();

  start_ = state.x;
  for (std::size_t i = 0; i < n; ++i) {
    state.v[i] += dv_[i];
    state.x[i] += h * state.v[i];
  }
  prescribe(system.projection(), start_, h, state.x, state.v);
  state.t += h;
  return report;
}

}  // namespace clothlab
