#include "integrate/semi_implicit_bdf2.h"

#include "integrate/prescribe.h"
#include "integrate/solve_outcome.h"

namespace clothlab {

StepReport SemiImplicitBdf2::advance(const DynamicSystem& system, State& state, double h,
                                     const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_before_, &v_before_, &x_hat_, &v_hat_, &dx_hat_, &k_dx_, &b_, &z_, &dv_}) {
    scratch->resize(n);
  }
  SpringMatrix& A = matrix_for(system, a_);

  const double c = has_history_ ? 2 * h / 3 : h;
  for (std::size_t i = 0; i < n; ++i) {
    x_hat_[i] = has_history_ ? state.x[i] + (state.x[i] - x_before_[i]) / 3.0 : state.x[i];
    v_hat_[i] = has_history_ ? state.v[i] + (state.v[i] - v_before_[i]) / 3.0 : state.v[i];
  }
  // What was prescribed in the step before says nothing about this one.
  prescribe_offset(system.projection(), state.x, h, c, x_hat_);
  for (std::size_t i = 0; i < n; ++i) dx_hat_[i] = x_hat_[i] - state.x[i] + c * state.v[i];

  // K is that of A, clamped or not.
  const std::span<const double> m = system.masses();
  system.force(state.x, state.v, b_);
  system.assemble(state.x, state.v, {0, 0, 1}, context.solver.jacobian, A);
  A.multiply(context.pool, dx_hat_, k_dx_);
  for (std::size_t i = 0; i < n; ++i) b_[i] = m[i] * (v_hat_[i] - state.v[i]) + c * (b_[i] - k_dx_[i]);

  // z, the prescribed change: v0 → (p1 − p0)/h.
  z_ = state.v;
  prescribe_velocity(system.projection(), state.x, h, z_);
  for (std::size_t i = 0; i < n; ++i) z_[i] -= state.v[i];

  system.assemble(state.x, state.v, {1, c, c * c}, context.solver.jacobian, A);
  const SolveReport solve =
      solver_.solve(context.pool, A, b_, z_, system.projection(), dv_, context.solver.linear, context.stop);
  add_linear_solve(solve, context.solver.linear, report);
  if (report.stopped) return report;
  report.reason = linear_failure(solve);
  report.converged = report.reason.empty();

  for (std::size_t i = 0; i < n; ++i) {
    dv_[i] += state.v[i];
    x_hat_[i] += c * dv_[i];
  }
  prescribe(system.projection(), state.x, h, x_hat_, dv_);
  x_before_.swap(state.x);
  v_before_.swap(state.v);
  has_history_ = true;
  state.x.swap(x_hat_);
  state.v.swap(dv_);
  state.t += h;
  return report;
}

}  // namespace clothlab
