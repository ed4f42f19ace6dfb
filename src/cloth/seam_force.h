// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cloth/force_term.h"
#include "cloth/material.h"

namespace clothlab {

/// Two particles that a seam pulls together.
struct SewnPair {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  double length = 0;   ///< of the spring at t = 0 [m]
  double seconds = 1;  ///< in which it shortens to 0 [s]; 0: it has no length from the start

  /// Rest length at time t [m]: length · (1 − s² (3 − 2 s)), s = t/seconds within [0, 1]. It begins and ends
  /// at rest.
  double rest_length(double t) const;
};

/// The springs of seams. With x_ij = x_i − x_j, l = |x_ij|, n = x_ij/l, c = 1 − L/l, L the rest length:
///
///   elastic     f_i = −k c x_ij      B = k [n nᵀ + c (I − n nᵀ)], clamped B⁺ with max(0, c)
///   damping     f_i = −(k_d I + α B⁺) v_ij
///
/// f_j = −f_i. k is the typical stiffness of a stretch spring, k_d and α are those of springs. A closed seam,
/// L = 0, is linear: f = −k x_ij, B = k I; the damper is isotropic, since such a spring has no direction. L
/// is constant within a step: so the springs are conservative there, and the change of their energy with L
/// between two steps is work of the seams.
class SeamForce final : public ForceTerm {
 public:
  SeamForce(std::vector<SewnPair> pairs, const Material& material)
      : ForceTerm(&PotentialEnergies::drivers, /*in_rest=*/false), pairs_(std::move(pairs)) {
    set_material(material);
  }

  void set_material(const Material& material) {
    stiffness_ = material.stretch_scale();
    damping_ = material.spring_damping;
    rayleigh_ = material.rayleigh_stiffness;
  }
  /// The time of the rest lengths [s], until the next call.
  void set_time(double t) { t_ = t; }
  std::span<const SewnPair> pairs() const { return pairs_; }

  double energy(WorkerPool& pool, std::span<const vec3> x) const override { return energy_at(pool, t_, x); }
  double energy_at(WorkerPool& pool, double t, std::span<const vec3> x) const;
  void add_force(WorkerPool& /*pool*/, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override {
    add_forces(t_, x, v, f);
  }
  /// With the rest lengths at time t [s].
  void add_part_at(WorkerPool& /*pool*/, double t, SpringForces part, std::span<const vec3> x,
                   std::span<const vec3> v, std::span<vec3> f) const override {
    if (part != SpringForces::rest) add_forces(t, x, v, f);
  }
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  /// Uses scratch memory of its own: one caller at a time, as for the pool.
  void add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const override;
  void linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                 SpringMatrix& a) const override;

 private:
  void add_forces(double t, std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f) const;
  mat3 block(const vec3& apart, double rest_length, JacobianMode mode) const;
  vec3 damping_force(const vec3& apart, double rest_length, const vec3& velocity) const;

  std::vector<SewnPair> pairs_;
  double stiffness_ = 0;  // [N/m]
  double damping_ = 0;    // [N·s/m]
  double rayleigh_ = 0;   // [s]
  double t_ = 0;
  mutable std::vector<SpringMatrix::Stencil> stencils_;
};

}  // namespace clothlab
