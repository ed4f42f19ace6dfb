#pragma once

#include <optional>
#include <vector>

#include "integrate/integrator.h"
#include "integrate/spring_colouring.h"
#include "linalg/cholesky.h"

namespace clothlab {

/// Projective dynamics [Bouaziz et al. 2014, (3), (8), (10); for springs Liu et al. 2013]. With G x = x_i −
/// x_j of a spring, a step minimises ½ ‖x − y‖²_M/h² + Σ k/2 ‖G x − p‖² over x and all p of length L, in
/// turn:
///
///   local    p = L d/‖d‖, d = G x
///   global   (M/h² + Σ k GᵀG) x = M/h² y + Σ k Gᵀp,   y = x0 + h v0 + h² M⁻¹ f_ext;
///
/// v1 = (x1 − x0)/h. The matrix does not depend on x: one Cholesky factor serves while h, k, masses, damping,
/// pins and what the hand holds stay the same. At convergence a step is backward Euler's.
///
/// Damping is isotropic whatever model is chosen: k_d adds (k_d/h) GᵀG to the matrix and (k_d/h) GᵀG x0 to
/// the right-hand side, damping by mass β adds (β/h) M and (β/h) M x0; the stiffness part of Rayleigh's
/// damping is left out. The hand is implicit: its point q = Σ wᵢ xᵢ gets a term with its largest stiffness k
/// + c/h in the matrix, and what is missing to its force, which saturates, on the right.
///
/// The global step is solved for the change of x: its right-hand side is then −r, r the gradient of what is
/// minimised, and rounding and tolerances are relative to how far x still has to go.
class ProjectiveDynamics final : public Integrator {
 public:
  /// `iterations` >= 1 of local and global step; fewer where ‖r‖ gets down to `tolerance` · max(‖h f0‖,
  /// ‖r at the start‖) (r in N·s, as for Newton's method) or to what rounding leaves of it. With tolerance 0
  /// their number is fixed. Either way the step has converged when the same holds of `newton_tolerance`.
  ProjectiveDynamics(int iterations, double tolerance) : iterations_(iterations), tolerance_(tolerance) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

  /// How many different matrices were met so far, each of which costs a factorisation.
  int matrices() const { return matrices_; }

 private:
  /// Brings a_ and held_ up to date; true where they are not those of the last step.
  bool take_matrix(const DynamicSystem& system, double h, WorkerPool& pool);
  /// row_sum_ of a_ as it is.
  void sum_rows(const ElasticElements& springs);
  bool take_springs(const ElasticElements& springs, double h, WorkerPool& pool);
  bool take_inertia(const DynamicSystem& system, double h);
  bool take_drag(const std::optional<Drag>& drag, double h);
  bool take_held(const Projection& projection);

  /// x_ := x0 + dx_, residual_ := S r h² [kg·m]; false when stopped.
  bool evaluate(const DynamicSystem& system, std::span<const vec3> x0, double h, const StepContext& context,
                StepReport& report);
  /// Whether that norm is within the target, or may be rounding.
  bool is_small(double residual, double target) const;
  /// What the rounding of x_ may leave of it.
  double rounding_noise() const;

  int iterations_;
  double tolerance_;
  int matrices_ = 0;
  bool factor_fits_ = false;  // the solver has solved with a_ as it is
  SpringColouring colouring_;
  CholeskySolver solver_;
  std::optional<SpringMatrix> a_;  // h² times the matrix: its diagonal is m (1 + hβ), the springs' b is
                                   // h² k + h k_d
  std::vector<double> row_sum_;    // of the magnitudes in a row of a_
  std::vector<Projection::Entry> held_;  // that the factor is made with
  std::vector<vec3> push_;               // M h v0 + h² f_ext
  std::vector<vec3> dx_;                 // x − x0
  std::vector<vec3> x_;
  std::vector<vec3> v_;
  std::vector<vec3> residual_;
  std::vector<vec3> correction_;
};

}  // namespace clothlab
