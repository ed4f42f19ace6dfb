// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cloth/cloth_model.h"
#include "cloth/force_term.h"
#include "dynamics/grab_spring.h"

namespace clothlab {

/// The force of a GrabSpring. |Σ f_i| < max_force for any distance and velocity. Spring and damper saturate
/// separately and smoothly, so both have an exact potential (pseudo-Huber), E(x) and R(v), and positive
/// semidefinite Jacobians everywhere.
///
/// The derivative of a saturated spring along d is nearly 0: a method that linearises once per step would
/// treat the force as constant and overshoot the cursor. `clamped` blocks are the secants k(d) I and c(ḋ) I,
/// whose quadratic models lie above the potentials: a linear step under the grab alone ends before the
/// cursor. The spring's secant is at least min(k, least_block) I.
class GrabForce final : public ForceTerm {
 public:
  explicit GrabForce(const GrabSpring& grab)
      : ForceTerm(&PotentialEnergies::grab, /*in_rest=*/false), grab_(grab) {}

  double energy(WorkerPool& pool, std::span<const vec3> x) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  void add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const override;
  void linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                 SpringMatrix& a) const override;

 private:
  /// −∂f/∂x and −1/c ∂f/∂v of the grabbed point, or their secants.
  mat3 spring_block(std::span<const vec3> x, JacobianMode mode) const;
  mat3 damper_slope(std::span<const vec3> v, JacobianMode mode) const;

  GrabSpring grab_;
};

/// Σ wᵢ²/mᵢ over the free particles of `fixed`: the inverse effective mass of the grabbed point [1/kg].
/// A stiffness k at that point raises no eigenvalue of M⁻¹K_s by more than k Σ wᵢ²/mᵢ (Weyl). 0 if no free
/// particle is grabbed.
double grab_inverse_mass(const std::array<std::uint32_t, 3>& particles, const vec3& weights,
                         std::span<const double> masses, const Projection& fixed);

/// Least stiffness [N/m] of the grab's clamped block. In linear theory springs at their rest length do not
/// resist sideways motion, so a grab of force F moves the grabbed point by F/block in one linear step from
/// rest. Two springs in a row, of length L and stiffness k_s, have the energy k_s δ⁴/(4 L²) at a sideways
/// displacement δ, which equals the work F δ of the grab at δ³ = 4 F L²/k_s. The block is F/δ for the largest
/// F of the spring, with L the mean rest length of the stretch springs at the grabbed particles. 0 without
/// such springs.
double grab_least_block(const ClothModel& model, const Material& material, const GrabSpring& grab);

/// 10 × the weight [N] of the connected part that `particle` belongs to, or of a given mass [kg]; with |g|
/// or, where g = 0, 9.8 m/s².
double grab_force_bound(const ClothModel& model, std::span<const double> masses, const vec3& gravity,
                        std::uint32_t particle);
double grab_force_bound(double mass, const vec3& gravity);

}  // namespace clothlab
