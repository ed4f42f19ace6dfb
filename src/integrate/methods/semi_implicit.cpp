// SPDX-License-Identifier: MIT
#include <optional>
#include <vector>

#include "integrate/bdf2_history.h"
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// One Newton iteration from u0, a linear system of size 3n:
///   (M − cD − c²K) Δv = b(f0 + factor K u)
class LinearizedStage {
 public:
  /// Leaves Δv, prescribed on pins, in `dv`, and b in b_. b(i, f) is b of particle i with that f. The system
  /// is solved again, up to kMostContactSolves times, while the step to x0 + factor u + c Δv has other
  /// contacts.
  template <class RightHandSide>
  void solve(const DynamicSystem& system, const State& state, double h, double c, double factor,
             std::span<const vec3> u, const RightHandSide& b, const StepContext& context,
             StepReport& report) {
    const std::size_t n = system.size();
    for (auto* scratch : {&b_, &dv}) scratch->resize(n);
    SpringMatrix& A = have_matrix(system, context, a_);
    prescribe_change(system.projection(), state.x, h, state.v, dv);
    const StepContact* contact = system.contact();
    contacts_.clear();
    for (int solves = 1;; ++solves) {
      // K is the K of A, clamped or not.
      system.linearize(context.pool, state.x, state.v, factor, u, {1, c, c * c}, context.solver.jacobian,
                       contacts_, b_, A);
      context.poll();
      context.for_particles(n, [&](std::size_t i) { b_[i] = b(i, b_[i]); });
      context.poll();
      solve_linear(solver_, {A, b_, system.projection(), dv}, context, solves > 1, dv, report);
      if (solves == kMostContactSolves || contact == nullptr ||
          !contact->correct(context.pool, state.x, factor, u, c, dv, contacts_))
        break;
    }
  }
  /// As report_linear_solution.
  void report(const StepContext& context, const DynamicSystem& system, std::span<const vec3> v = {},
              std::span<const vec3> v_hat = {}) const {
    report_linear_solution(context, system, *a_, solver_, dv, b_, v, v_hat);
  }

  std::vector<vec3> dv;

 private:
  LinearSolver solver_;
  std::optional<SpringMatrix> a_;
  ContactSet contacts_;
  std::vector<vec3> b_;
};

/// Backward Euler linearised at u0 [Baraff 1998]:
/// (M − hD − h²K) Δv = h (f0 + hK v0), x1 = x0 + h (v0 + Δv), with Δv prescribed on pins.
class SemiImplicitEuler final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    stage_.solve(
        system, state, h, h, h, state.v, [&](std::size_t, const vec3& f) { return h * f; }, context, report);
    stage_.report(context, system);
    x1_.resize(system.size());
    std::vector<vec3>& v1 = stage_.dv;
    context.for_particles(x1_.size(), [&](std::size_t i) {
      v1[i] = state.v[i] + v1[i];
      x1_[i] = state.x[i] + h * v1[i];
    });
    report_linear_forces(context, system, h, state.x, state.v, v1);
    finish_step(system, context, h, x1_, v1, state);
  }

  LinearizedStage stage_;
  std::vector<vec3> x1_;
};

/// u1 = u0 + ⅓ (I − ⅔ h J0)⁻¹ (u0 − u₋₁ + 2h F(u0)), BDF2 with a single Newton iteration from u0; the first
/// step after a reset is semi-implicit Euler (model.md) [Ascher 2022, §3.1]. As a system of size 3n, with c =
/// ⅔h:
///   (M − cD − c²K) Δv = M (v̂ − v0) + c f0 + cK Δx̂,   Δx̂ = x̂ − x0 + c v0,   x1 = x̂ + c v1,
/// where x̂ = x0 + ⅓ (x0 − x₋₁), v̂ = v0 + ⅓ (v0 − v₋₁); in the first step c = h, x̂ = x0, v̂ = v0.
class SemiImplicitBdf2 final : public Integrator {
 public:
  void save(Memory& memory) const override { history_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { history_.load(memory, n); }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    dx_hat_.resize(n);
    const double c = history_.gamma(h);
    x_hat_ = state.x;
    v_hat_ = state.v;
    history_.add_increment(context, state.x, state.v, x_hat_, v_hat_);
    // û does not apply to prescribed directions.
    prescribe_offset(system.projection(), state.x, h, c, x_hat_);
    context.for_particles(n, [&](std::size_t i) { dx_hat_[i] = x_hat_[i] - state.x[i] + c * state.v[i]; });
    context.poll();

    const std::span<const double> m = system.masses();
    stage_.solve(
        system, state, h, c, 1, dx_hat_,
        [&](std::size_t i, const vec3& f) { return m[i] * (v_hat_[i] - state.v[i]) + c * f; }, context,
        report);
    stage_.report(context, system, state.v, v_hat_);
    std::vector<vec3>& v1 = stage_.dv;
    context.for_particles(n, [&](std::size_t i) {
      v1[i] += state.v[i];
      x_hat_[i] += c * v1[i];
    });
    report_linear_forces(context, system, c, state.x, state.v, v1);
    finish_step(system, context, h, x_hat_, v1, state);
    history_.remember(context, x_hat_, v1);
  }

  Bdf2History history_;
  LinearizedStage stage_;
  std::vector<vec3> x_hat_;  // x̂, then x1
  std::vector<vec3> v_hat_;
  std::vector<vec3> dx_hat_;
};

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

extern constinit const IntegratorInfo kSemiImplicitBdf2{
    .id = "semi-implicit-bdf2",
    .title = "Semi-implicit BDF2",
    .letters = "SB",
    .family = IntegratorFamily::linearly_implicit,
    .order = 2,
    .order_needs_exact_jacobian = true,
    .uses_linear_solver = true,
    .formula = "u1 = u0 + ⅓ (I − ⅔ h J0)⁻¹ (u0 − u₋₁ + 2h F(u0)); first step semi-implicit Euler",
    .summary =
        "BDF2 with a single linear solve per step. Second order with the exact Jacobian and "
        "without damping that depends on positions, otherwise first; less damped than "
        "semi-implicit Euler at the same cost.",
    .cost = "One evaluation of the forces, one matrix and one linear solve of size 3n per step.",
    .use = "Interactive cloth, less damped than with semi-implicit Euler.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
        "3.1",
    .stability_limit = kNoStabilityLimit,
    .growth = bdf2_growth,
    .make = make_method<SemiImplicitBdf2>,
};

}  // namespace clothlab
