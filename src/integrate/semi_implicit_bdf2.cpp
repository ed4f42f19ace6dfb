#include "integrate/semi_implicit_bdf2.h"

#include "integrate/prescribe.h"
#include "integrate/solve_outcome.h"

namespace clothlab {

StepReport SemiImplicitBdf2::advance(const DynamicSystem& system, State& state, double h,
                                     const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&dx_hat_, &b_, &dv_}) {
    scratch->resize(n);
  }

  const double c = history_.gamma(h);
  x_hat_ = state.x;
  v_hat_ = state.v;
  history_.add_increment(state.x, state.v, x_hat_, v_hat_);
  // What was prescribed in the step before says nothing about this one.
  prescribe_offset(system.projection(), state.x, h, c, x_hat_);
  context.for_particles(n, [&](std::size_t i) { dx_hat_[i] = x_hat_[i] - state.x[i] + c * state.v[i]; });

  if (gives_up(context, report)) return report;

  if (!have_matrix(system, context, a_, report)) return report;
  SpringMatrix& A = *a_;

  // b = M (v̂ − v0) + c (f0 + K (x̂ − x0 + c v0)); K is that of A, clamped or not.
  const std::span<const double> m = system.masses();
  system.linearize(state.x, state.v, 1, dx_hat_, {1, c, c * c}, context.solver.jacobian, b_, A);
  if (gives_up(context, report)) return report;
  context.for_particles(n, [&](std::size_t i) { b_[i] = m[i] * (v_hat_[i] - state.v[i]) + c * b_[i]; });
  prescribe_change(system.projection(), state.x, h, state.v, dv_);
  if (gives_up(context, report)) return report;
  const SolveReport solve =
      solver_.solve(context.pool, A, b_, dv_, system.projection(), dv_, context.solver.linear, context.stop);
  add_linear_solve(solve, context.solver.linear, report);
  if (gives_up(context, report)) return report;
  report.reason = linear_failure(solve);
  report.converged = report.reason.empty();

  context.for_particles(n, [&](std::size_t i) {
    dv_[i] += state.v[i];
    x_hat_[i] += c * dv_[i];
  });
  finish_step(system.projection(), h, x_hat_, dv_, state);
  history_.remember(x_hat_, dv_);
  return report;
}

}  // namespace clothlab
