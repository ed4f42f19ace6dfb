// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "integrate/integrator.h"
#include "integrate/linearized_stage.h"
#include "integrate/local_solves.h"
#include "integrate/stage_contacts.h"
#include "linalg/contact_solver.h"
#include "linalg/free_parts.h"

namespace clothlab {

/// The equation of one implicit stage, the same for backward Euler, BDF2, the DIRK methods, midpoint and
/// trapezoidal with their own γ, x̂ and v̂:
///
///   M (v1 − v̂) = γ f(x1, v1),   x1 = x̂ + γ v1     on the free directions.
///
/// Backward Euler has γ = h, x̂ = x0, v̂ = v0. Generalized-α has one γ for forces and another one for
/// velocities.
struct StageEquation {
  double gamma_f = 0;           ///< γ at the force [s]
  double gamma_v = 0;           ///< γ at the velocity [s], 0 or of the sign of γ at the force
  std::span<const vec3> x_hat;  ///< x̂ [m]; x̂ + γ v is the prescribed position along constrained directions
  std::span<const vec3> v_hat;  ///< v̂ [m/s]
  double scale = 0;             ///< ±‖h f0‖ on the free directions [N·s], for the relative tolerance
  /// The equation holds with Yᵀ (v1 − v̂) = 0 instead, on the other directions: Πᵀ r = 0. Without contacts of
  /// the context, and with Newton's method.
  const ModeFilter* modes = nullptr;

  /// The equation with γ at both.
  static StageEquation of(double gamma, std::span<const vec3> x_hat, std::span<const vec3> v_hat,
                          double scale) {
    return {gamma, gamma, x_hat, v_hat, scale};
  }
};

/// Newton's method on a StageEquation (model.md, "Steps").
///
/// The unknown is v1, the residual r(v) = M (v − v̂) − γ f(x̂ + γ v, v), the matrix A = M − γD − γ²K (with two
/// γ, γ_f γ_v replaces γ²). It ends at ‖r‖ ≤ newton_tolerance · max(scale, ‖r at the start‖), or if the
/// rounding of x and v changes r by as much as ‖r‖.
///
/// Springs much shorter than the displacement of a step rotate by any angle, and a few particles then have
/// nearly all of ‖r‖. Each Newton step is therefore followed by solves for these particles (LocalSolves).
///
/// Far from the root, A has clamped blocks and steps are full; ‖r‖ may increase in some of them.
///
/// Near the root, A has exact blocks, which may be indefinite. Conjugate gradients, preconditioned with the
/// clamped matrix, end at the boundary of a trust region or at negative curvature [Steihaug 1983]. A step
/// must lower the incremental potential
///   φ(v) = ½ ‖v − v̂‖²_M + E(x̂ + γ v) + γ R(v),   ∇φ = r     [Ascher 2022, §3.3, (14)–(15)],
/// with the dampers' directions, on which R depends, from the start.
///
/// Linear solves end at a fixed share of their right-hand side, because a more accurate direction costs more
/// than it saves [Dembo 1982].
///
/// The solution balances the linear momentum of free parts to rounding (FreeParts), at any final ‖r‖.
///
/// With StageSolve::linear instead one linear solve about the start of the stage, with the blocks of
/// `jacobian`: the semi-implicit form of the method [Ascher 2022, §3.1]. Its residual r is then only
/// reported.
///
/// With contacts the residual is the natural one: the part of r that no impulse of the contacts balances. Two
/// kinds of steps alternate: a solve with contacts of the equation linearised at the iterate, with clamped
/// blocks, which finds the states; then Newton steps with these states and with constant friction, as above.
class ImplicitStage {
 public:
  /// x are the positions at the start of the stage, the first guess the velocities there. Starts from the
  /// guess for v1 with the smallest residual. All guesses have the prescribed velocities along constrained
  /// directions, which never change. Leaves the solution in x1 and v1, which must not alias the equation or
  /// the guesses, and adds to `report`. Converged means that r is small enough, even if linear solves did not
  /// converge. Ends immediately at non-finite values. Throws Cancelled.
  ///
  /// The contacts of the context refer to v1. They get their states, and impulses in units of r.
  ///
  /// With StageSolve::linear, `factorised` is a stage with the same γ that was solved before in this step:
  /// the linear solve uses its matrix (LinearizedStage::solve).
  void solve(const DynamicSystem& system, const StageEquation& equation, std::span<const vec3> x,
             std::initializer_list<std::span<const vec3>> guesses, const StepContext& context,
             std::span<vec3> x1, std::span<vec3> v1, StepReport& report, ImplicitStage* factorised = nullptr);

  /// ‖r‖ at the last solution [N·s].
  double residual() const { return now_.norm; }
  /// Reports r at the last solution, on the free directions [N·s], and the forces γ f there, both with their
  /// share `weight` in the step.
  void report(const DynamicSystem& system, const StepContext& context, double weight, double gamma,
              std::span<const vec3> x1, std::span<const vec3> v1) const;

 private:
  struct Problem;  // the arguments of solve
  struct Iterate {
    std::vector<vec3> x, v, residual;
    double norm = 0;  // of the residual
  };
  using Guesses = std::initializer_list<std::span<const vec3>>;
  /// One linear solve about (x, v). Sets now_.
  void solve_once(const Problem& p, std::span<const vec3> x, std::span<const vec3> v, StepReport& report,
                  ImplicitStage* factorised);
  /// Newton's method. Sets now_.
  void solve_by_newton(const Problem& p, Guesses guesses, StepReport& report);
  void start_contacts(std::span<NodalContact> contacts, std::span<PairContact> pairs,
                      std::span<const double> masses);
  /// From the residual of now_.
  void subtract_impulses(const StepContext& context);
  /// The matrix at now_, with the derivatives of fixed states.
  void assemble(const Problem& p, const SystemCoefficients& c, JacobianMode mode,
                std::optional<SpringMatrix>& slot);
  /// Sets now_ to the best guess.
  void begin(const Problem& p, Guesses guesses);
  /// Newton's method from now_ to target_. Returns why it has not converged, or nothing. `near`: starts with
  /// exact blocks.
  std::string_view iterate(const Problem& p, double scale, bool near, StepReport& report);
  /// The same with contacts; sets target_ and `scale`.
  std::string_view iterate_with_contacts(const Problem& p, double& scale, StepReport& report);
  /// One solve with contacts, linearised at now_; `before` is the residual after the last one. The first one,
  /// with infinity, sets `scale`. Counts solves that do not converge. False if the result is not finite.
  bool find_states(const Problem& p, double& scale, double before, int& failures, StepReport& report);
  /// Computes x and the residual from v.
  void evaluate(const Problem& p, Iterate& at);
  /// Shortens the displacement of a guess to its free fraction.
  void limit_displacement(const Problem& p, Iterate& guess);
  /// The fraction of the displacements in scratch_ from x, or of −direction_ from now_, along which nothing
  /// passes through anything.
  double free_fraction(const Problem& p, std::span<const vec3> x) const;
  double free_fraction_of_direction(const Problem& p);
  /// now_ := trial_, which then is undefined.
  void accept() { std::swap(now_, trial_); }
  /// trial_ := now_ + α d, then with local solves for the largest residuals if they reduce ‖r‖.
  void try_step(const Problem& p, double alpha);
  /// Solves A d = −r with blocks of that mode, d no longer than `radius`; stores −d. False if there
  /// is none.
  bool find_direction(const Problem& p, JacobianMode mode, double radius, StepReport& report);
  /// One full step with clamped blocks. False if there is none.
  bool leap(const Problem& p, StepReport& report);
  /// A step with exact blocks (clamped ones if these give no direction), or a part of it. False if
  /// no part improves.
  bool descend(const Problem& p, StepReport& report);
  /// True if φ, with this slope, or ‖r‖ decreases enough from now_ to trial_.
  bool falls(const Problem& p, double potential_now, double slope);
  /// The part of φ without R.
  double potential(const Problem& p, const Iterate& at);
  /// γ (R(trial_) − R(now_)) with the dampers' directions at now_.
  double damping_work(const Problem& p);
  /// Translates the free parts of now_ so that the sum of r over each is 0.
  void balance_momentum(const Problem& p);
  /// True if rounding changes r by as much as ‖r‖.
  bool is_at_rounding(const Problem& p);
  double dot(const Problem& p, std::span<const vec3> a, std::span<const vec3> b) const;
  /// r at (x, v) on the free directions, without the forces of fixed states.
  void residual_at(const Problem& p, std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> r);
  const Projection& projection(const Problem& p) const;

  std::string_view linear_failure_;  // why a linear solve did not converge; else empty
  int last_ = 0;                     // Newton iteration
  double target_ = 0;                // the ‖r‖ to end at
  double radius_ = 0;                // of the trust region, in the preconditioner's norm
  double length_ = 0;                // of the last direction, in that norm
  LinearizedStage linear_;
  struct {
    std::span<const vec3> x, v, v_hat;
  } linearised_at_;  // of the caller
  LinearSolver solver_;
  ContactSolver contact_solver_;
  StageContacts contacts_;
  LocalSolves local_;
  FreeParts free_parts_;
  std::optional<SpringMatrix> exact_, clamped_;
  Iterate now_, trial_;
  Iterate best_;                 // far from the root: the one with the smallest ‖r‖
  std::vector<vec3> direction_;  // −d
  std::vector<vec3> trial_v_;    // before local solves
  std::vector<vec3> undamped_;   // f(x, 0) at now_
  std::vector<vec3> scratch_;
};

}  // namespace clothlab
