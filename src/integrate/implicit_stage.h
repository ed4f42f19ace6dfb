// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "integrate/integrator.h"

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
  double gamma_v = 0;           ///< γ at the velocity [s], >= 0
  std::span<const vec3> x_hat;  ///< x̂ [m]; x̂ + γ v is the prescribed position along held directions
  std::span<const vec3> v_hat;  ///< v̂ [m/s]
  double scale = 0;             ///< ‖h f0‖ on the free directions [N·s], for the relative tolerance

  /// The equation with γ at both.
  static StageEquation of(double gamma, std::span<const vec3> x_hat, std::span<const vec3> v_hat,
                          double scale) {
    return {gamma, gamma, x_hat, v_hat, scale};
  }
};

/// Newton's method on a StageEquation (model.md, "Steps").
///
/// The unknown is v1, the residual r(v) = M (v − v̂) − γ f(x̂ + γ v, v), the matrix A = M − γD − γ²K (with two
/// γ, γ_f γ_v stands for γ², and γ_f/γ_v before E below). It ends at ‖r‖ ≤ newton_tolerance · max(scale, ‖r
/// at the start‖), or where the rounding of x and v changes r by as much as ‖r‖.
///
/// The direction d = −A⁻¹ r starts with clamped or exact blocks, as the settings say. Clamped ones converge
/// slowly where springs stay compressed, exact ones may be indefinite far from the root; so the share of
/// compression in A (SystemCoefficients) doubles after every step and is halved where A is indefinite or the
/// line search fails.
///
/// The line search halves the step until the incremental potential
///   φ(v) = ½ ‖v − v̂‖²_M + E(x̂ + γ v) + γ R(v),   ∇φ = r     [Ascher 2022, §3.3, (14)–(15)]
/// has fallen enough, or ‖r‖ to half of its smallest value (near the root φ no longer distinguishes two
/// points). Without a potential, ‖r‖ must fall below its smallest value, or the slope r·d must not rise as
/// steeply as it fell before: the work of r along d replaces φ, so that a sheet can buckle where ‖r‖ has to
/// rise on the way. (Compared with the last ‖r‖ instead of the smallest, the two rules could alternate for
/// ever.) A step that still descends is doubled, since a clamped A overestimates the curvature under
/// compression.
class ImplicitStage {
 public:
  /// Starts from the guess for v1 with the smallest residual; all guesses have the prescribed velocities
  /// along held directions, which never change. Leaves the solution in x1 and v1, which must not alias the
  /// equation or the guesses, and adds to `report`. Converged means that r is small enough, even if linear
  /// solves on the way did not converge. Returns false when stopped. Values that are not finite end it at
  /// once.
  bool solve(const DynamicSystem& system, const StageEquation& equation,
             std::initializer_list<std::span<const vec3>> guesses, const StepContext& context,
             std::span<vec3> x1, std::span<vec3> v1, StepReport& report);

 private:
  struct Problem;  // the arguments of solve
  /// A trial point: v1 = v_trial_ etc.
  struct Trial {
    double norm = 0;       // ‖r‖
    double slope = 0;      // r·d
    double potential = 0;  // φ, where there is one
  };
  enum class Outcome { improved, stuck, stopped };

  /// residual_trial_ := r(v_trial_), x_trial_ := x̂ + γ v_trial_; returns ‖r‖.
  double evaluate_trial(const Problem& p);
  /// The same at v1 + α d; false when stopped.
  bool try_step(const Problem& p, double alpha, Trial& trial, StepReport& report);
  /// Doubles the whole step as long as that leads further down from its `trial`; false when stopped.
  bool lengthen(const Problem& p, double first_slope, Trial& trial, StepReport& report);
  double norm(const Problem& p, std::span<const vec3> a) const;
  double potential(const Problem& p, std::span<const vec3> x, std::span<const vec3> v) const;
  /// One Newton step with line search from (x1, v1); on success they and residual_ are updated.
  Outcome improve(const Problem& p, double compression, double target, double& residual_norm,
                  StepReport& report);
  void accept(const Problem& p);
  /// ‖change of r‖ when every component of x1 and v1 moves by one relative rounding unit.
  double rounding_noise(const Problem& p);

  std::string_view linear_failure_;  // why a linear solve did not converge, if one did not
  double smallest_norm_ = 0;         // ‖r‖ at the best point so far
  LinearSolver solver_;
  std::optional<SpringMatrix> a_;
  std::vector<vec3> residual_;   // r(v1)
  std::vector<vec3> direction_;  // Newton direction
  std::vector<vec3> x_trial_;
  std::vector<vec3> v_trial_;
  std::vector<vec3> residual_trial_;  // r(v_trial)
};

}  // namespace clothlab
