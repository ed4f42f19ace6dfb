#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cloth/cloth_model.h"
#include "cloth/force_term.h"
#include "dynamics/drag.h"

namespace clothlab {

/// The force of a Drag. |Σ f_i| < max_force, however far the cursor and however fast the cloth. Spring and
/// damper saturate apart and smoothly: both then have an exact potential (pseudo-Huber), E(x) and R(v), and
/// their Jacobians are positive semidefinite everywhere.
class DragForce final : public ForceTerm {
 public:
  explicit DragForce(const Drag& drag) : drag_(drag) {}

  const Drag& drag() const { return drag_; }

  double energy(std::span<const vec3> x) const override;
  void add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f) const override;
  void add_jacobians(std::span<const vec3> x, std::span<const vec3> v, const SystemCoefficients& c,
                     JacobianMode mode, SpringMatrix& a) const override;
  void linearize(std::span<const vec3> x, std::span<const vec3> v, double factor, std::span<const vec3> u,
                 const SystemCoefficients& c, JacobianMode mode, std::span<vec3> f,
                 SpringMatrix& a) const override;
  double dissipation_potential(std::span<const vec3> v) const override;

 private:
  /// −∂f/∂x of the held point.
  mat3 spring_block(std::span<const vec3> x) const;

  Drag drag_;
};

/// A stiffness [N/m] that raises ω_max [rad/s] of M⁻¹K_s by at most 10 %, wherever the cloth is held: by
/// Weyl's inequality λ_max grows by at most k Σ wᵢ²/mᵢ (over the particles that `fixed` leaves free), and
/// (1.1² − 1) ω_max² bounds that. 0 where no free particle is held.
double drag_stiffness(const std::array<std::uint32_t, 3>& particles, const vec3& weights,
                      std::span<const double> masses, const Projection& fixed, double omega_max);

/// The damping [N·s/m] that makes the held point alone oscillate about the cursor with damping ratio 0.1:
/// enough to calm the hand, little enough to leave the limits of explicit methods nearly where they are.
double drag_damping(const std::array<std::uint32_t, 3>& particles, const vec3& weights,
                    std::span<const double> masses, const Projection& fixed, double stiffness);

/// 10 × the weight of the connected part that `particle` belongs to [N], with |g| or, where g = 0, 9.8 m/s².
double drag_force_bound(const ClothModel& model, std::span<const double> masses, const vec3& gravity,
                        std::uint32_t particle);

}  // namespace clothlab
