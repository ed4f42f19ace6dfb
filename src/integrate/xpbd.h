#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "integrate/integrator.h"
#include "integrate/spring_colouring.h"
#include "linalg/lanes.h"

namespace clothlab {

/// Extended position-based dynamics [Macklin, Müller & Chentanez 2016, Algorithm 1, (18) and (26)]: n_s
/// substeps of h_s = h/n_s, in each of which v += h_s M⁻¹ f_ext, x̃ = x + h_s v, λ = 0, then sweeps over all
/// springs, C = l − L, α̃ = 1/(k h_s²), γ = k_d/(k h_s), x_n the positions before the substep:
///
///   Δλ = (−C − α̃ λ − γ ∇C·(x − x_n)) / ((1 + γ)(w_i + w_j) + α̃),   x += M⁻¹ ∇C Δλ;
///
/// at its end v = (x − x_n)/h_s. A sweep goes colour by colour (Gauss–Seidel in the order of
/// SpringColouring). Swept to the end, a substep is near backward Euler's, and is it where no spring turns:
/// impulses keep the directions that they had on the way. With that a drape is off by O(h_s²).
///
/// Two numbers tell how near. The step has converged when in every substep the last sweep met no spring with
/// a larger |C + α̃ λ + γ ∇C·(x − x_n)| than `newton_tolerance` times the largest that the first sweep met, or
/// than rounding leaves: sweeps find these on their way. StepReport::distance is that from backward Euler in
/// the last substep, ‖M (v1 − v0) − h f(x1, v1)‖ / ‖h f(x0, v0)‖; sweeps do not take it to 0.
///
/// Damping is that along the springs, whatever model is chosen, without the stiffness part of Rayleigh's.
/// Of what is no spring, gravity is f_ext. Damping by mass is implicit, v = (v_n + h_s M⁻¹ f_ext)/(1 + h_s β)
/// and w = 1/(m (1 + h_s β)), and the hand is a compliant constraint too, the last one of every sweep: taken
/// at the start of a substep, both would limit h_s. Springs with k = 0 are skipped, as is in a sweep one of
/// no length, which has no direction.
class Xpbd final : public Integrator {
 public:
  /// Both >= 1.
  Xpbd(int iterations, int substeps) : iterations_(iterations), substeps_(substeps) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  /// A spring with its factors in a substep, at its place in the order of the colours.
  struct Constraint {
    std::uint32_t i, j;
    double rest_length;  // L [m]
    double stiffness;    // 1/α̃ = k h_s² [kg]
    double damping;      // γ/α̃ = k_d h_s [kg]
  };

  struct Pair;

  // False when the stop probe ended them.
  bool take_constraints(const DynamicSystem& system, double h_s, const StepContext& context);
  bool substep(const DynamicSystem& system, std::span<const vec3> x0, double h, bool last,
               const StepContext& context, StepReport& report);
  template <bool measured>
  bool sweep_springs(const Projection& projection, const StepContext& context);
  void pull(const Drag& drag, const Projection& projection, double h_s);
  /// Largest error that the last measured sweep has met [m].
  double largest_error() const;
  /// What of `largest_error` may be rounding [m].
  double rounding() const;
  /// ‖r‖ [N·s], r as above with the damping of this method, before v_ is what x_ says. Nothing when stopped.
  std::optional<double> momentum_residual(const DynamicSystem& system, double h_s,
                                          const StepContext& context);
  /// M⁻¹ S g for a particle, or for two: where a unit impulse along g moves it, per second.
  vec3 response(const Projection& projection, std::uint32_t particle, const vec3& g) const;
  PairOfVectors response(const Projection& projection, std::uint32_t a, std::uint32_t b,
                         const PairOfVectors& g) const;

  int iterations_;
  int substeps_;
  SpringColouring colouring_;
  std::vector<Constraint> constraints_;
  std::vector<double> lambda_;        // of every constraint
  std::vector<double> errors_;        // largest ones met, by chunks of a colour
  vec3 lambda_of_drag_{0.0};          // h_s² times the force of the hand
  std::vector<double> inverse_mass_;  // w [1/kg], 0 for a fixed particle
  bool sliding_ = false;              // some particle is held along some directions only
  std::vector<vec3> x_;
  std::vector<vec3> v_;
  std::vector<vec3> before_;  // x_n
  std::vector<vec3> force_;
};

}  // namespace clothlab
