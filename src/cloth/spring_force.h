// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cloth/cloth_model.h"
#include "cloth/force_term.h"
#include "cloth/material.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// All forces along springs [Ascher 2022, §2]: elastic force, spring damping, and the
/// stiffness part of Rayleigh damping. With x_ij = x_i − x_j, l = |x_ij|, n = x_ij/l, c = 1 − L/l:
///
///   elastic     f_i = −k (l − L) n                       B = k [n nᵀ + c (I − n nᵀ)]
///   projected   f_i = −k_d (v_ij·n) n                    D block −k_d n nᵀ
///   isotropic   f_i = −k_d v_ij                          D block −k_d I
///   Rayleigh    f_i = −α B⁺ v_ij                         D block −α B⁺
///
/// f_j = −f_i; B⁺ has max(0, c) for c, whatever the JacobianMode. A spring of length l = 0 has no direction:
/// its force is 0, B = B⁺ = k I, and it has no projected damping.
class SpringForce final : public ForceTerm {
 public:
  /// `model` must outlive this.
  SpringForce(const ClothModel& model, const Material& material);

  void set_material(const Material& material);

  struct Measures {
    double stretch = 0;  ///< energy of the stretch springs [J]
    double bend = 0;     ///< of the bending springs [J]
    double max_strain =
        0;  ///< largest |l/L − 1| of stretch springs with L > 0; not a number where one is not
  };
  /// Uses scratch memory of its own, as `add_force`.
  Measures measure(WorkerPool& pool, std::span<const vec3> x) const;
  double energy(WorkerPool& pool, std::span<const vec3> x) const override;
  void add_measures(WorkerPool& pool, std::span<const vec3> x, ForceMeasures& measures) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override {
    add_part(pool, SpringForces::all, x, v, f);
  }
  /// Uses scratch memory of its own: one caller at a time, as for the pool.
  void add_part(WorkerPool& pool, SpringForces part, std::span<const vec3> x, std::span<const vec3> v,
                std::span<vec3> f) const override;
  void linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double factor,
                 std::span<const vec3> u, const SystemCoefficients& c, JacobianMode mode, std::span<vec3> f,
                 SpringMatrix& a) const override;
  /// Sets the springs of the matrix; no other force changes them.
  void add_jacobians(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                     const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const override;
  bool has_dissipation_potential() const override;
  double dissipation_potential(WorkerPool& pool, std::span<const vec3> v) const override;

  ElasticElements elements() const {
    return {pattern(),
            model_.rest_lengths(),
            model_.stretch_springs(),
            {.stretch_stiffness = stretch_stiffness_,
             .bend_stiffness = bend_stiffness_,
             .damping = spring_damping_}};
  }

 private:
  struct Pair;
  struct Pose;
  struct Block;

  bool damped() const { return spring_damping_ != 0 || rayleigh_stiffness_ != 0; }
  const SpringPattern& pattern() const { return *model_.pattern(); }
  /// f += the forces on lower ends that compute(pair, own) finds. Called once for every slot with
  /// std::true_type as `own`, and again for springs between two chunks.
  template <class Compute>
  void add_forces(WorkerPool& pool, std::span<vec3> f, const Compute& compute) const;
  /// visit(pair) for the slots [begin, end).
  template <class Visit>
  void for_pairs(std::size_t begin, std::size_t end, const Visit& visit) const;

  const ClothModel& model_;
  DampingModel damping_model_{};
  double stretch_stiffness_ = 0;   // k_s [N/m]
  double bend_stiffness_ = 0;      // k_b [N/m]
  double spring_damping_ = 0;      // k_d [N·s/m]
  double rayleigh_stiffness_ = 0;  // α [s]
  // Scratch.
  mutable std::vector<Padded> sum_;        // by row: sum over its springs
  mutable std::vector<Measures> partial_;  // of kGrain slots each
};

}  // namespace clothlab
