// SPDX-License-Identifier: MIT
#include <optional>
#include <vector>

#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// Backward Euler linearised at u0, one Newton iteration [Baraff 1998]:
/// (M − hD − h²K) Δv = h (f0 + hK v0), x1 = x0 + h (v0 + Δv), with Δv prescribed on pins.
class SemiImplicitEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  LinearSolver solver_;
  std::optional<SpringMatrix> a_;
  ContactSet contacts_;
  std::vector<vec3> b_;   // then x1
  std::vector<vec3> dv_;  // prescribed Δv, then Δv, then v1
};

StepReport SemiImplicitEuler::advance(const DynamicSystem& system, State& state, double h,
                                      const StepContext& context) {
  StepReport report;
  const std::size_t n = system.size();
  for (auto* scratch : {&b_, &dv_}) scratch->resize(n);

  if (!have_matrix(system, context, a_, report)) return report;
  SpringMatrix& A = *a_;

  prescribe_change(system.projection(), state.x, h, state.v, dv_);
  const StepContact* contact = system.contact();
  contacts_.clear();
  for (int solves = 1;; ++solves) {
    // b = h (f0 + hK v0); K is the K of A, clamped or not.
    system.linearize(context.pool, state.x, state.v, h, state.v, {1, h, h * h}, context.solver.jacobian,
                     contacts_, b_, A);
    if (gives_up(context, report)) return report;
    context.for_particles(n, [&](std::size_t i) { b_[i] *= h; });
    if (gives_up(context, report)) return report;
    if (!solve_linear(solver_, {A, b_, system.projection(), dv_}, context, solves > 1, dv_, report))
      return report;
    if (solves == kMostContactSolves || contact == nullptr ||
        !contact->correct(context.pool, state.x, h, state.v, h, dv_, contacts_))
      break;
  }

  report_linear_solution(context, system, A, solver_, dv_, b_);
  std::vector<vec3>&x1 = b_, &v1 = dv_;
  context.for_particles(n, [&](std::size_t i) {
    v1[i] = state.v[i] + dv_[i];
    x1[i] = state.x[i] + h * v1[i];
  });
  report_linear_forces(context, system, h, state.x, state.v, v1);
  finish_step(system, context, h, x1, v1, state);
  return report;
}

}  // namespace

extern constinit const IntegratorInfo kSemiImplicitEuler{
    .id = "semi-implicit-euler",
    .title = "Semi-implicit Euler",
    .letters = "SI",
    .family = IntegratorFamily::linearly_implicit,
    .order = 1,
    .uses_linear_solver = true,
    .formula = "(M − hD − h²K) Δv = h (f0 + hK v0); v1 = v0 + Δv; x1 = x0 + h v1",
    .summary =
        "Backward Euler with a single Newton iteration: one linear solve per step, stable at large steps. "
        "It damps motion that is fast for the step, physical or not. The usual choice for interactive "
        "cloth.",
    .cost = "One evaluation of the forces, one matrix and one linear solve of size 3n per step.",
    .use = "Interactive cloth at frame-length steps (1/60 s).",
    .reference = "Baraff, Witkin: Large Steps in Cloth Simulation, SIGGRAPH 1998",
    .stability_limit = kNoStabilityLimit,
    .growth = implicit_euler_growth,
    .make = make_method<SemiImplicitEuler>,
};

}  // namespace clothlab
