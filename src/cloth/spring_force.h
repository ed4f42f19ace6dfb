// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "cloth/cloth_model.h"
#include "cloth/force_term.h"
#include "cloth/material.h"
#include "cloth/spring_pass.h"
#include "linalg/spring_matrix.h"
#include "linalg/vectors.h"

namespace clothlab {

/// All forces along springs [Ascher 2022, §2]: elastic force, spring damping, and the
/// stiffness part of Rayleigh damping. With x_ij = x_i − x_j, l = |x_ij|, n = x_ij/l, c = 1 − L/l:
///
///   elastic     f_i = −k (l − L) n                       B = k [n nᵀ + c (I − n nᵀ)]
///   projected   f_i = −k_d (v_ij·n) n                    D block −k_d n nᵀ
///   isotropic   f_i = −k_d v_ij                          D block −k_d I
///   Rayleigh    f_i = −α B⁺ v_ij                         D block −α B⁺
///
/// A spring of a fabric also has f_i = −β x_ij and the block β I of its hinges (cloth/fabric.h), which
/// Rayleigh damping includes.
///
/// Beyond a strain limit a second spring acts along it (StrainLimit), which no damping includes.
///
/// f_j = −f_i; B⁺ has max(0, c) for c, whatever the JacobianMode. A spring of length l = 0 has no direction:
/// its force is 0, B = B⁺ = k I, and it has no projected damping.
///
/// The results of the last pass are kept with its positions and velocities, to the last bit: forces and
/// measures of the same state cost no second pass. One caller at a time, as for the pool.
class SpringForce final : public ForceTerm {
 public:
  /// `model` must outlive this. The kernel does not change results.
  SpringForce(const ClothModel& model, const Material& material,
              SpringPass::Kernel kernel = SpringPass::Kernel::fastest);

  void set_material(const Material& material);

  /// With `v` the same pass computes the forces at (x, v).
  SpringMeasures measure(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v = {}) const;
  double energy(WorkerPool& pool, std::span<const vec3> x) const override {
    const SpringMeasures all = measure(pool, x);
    return all.stretch + all.bend;
  }
  void add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                    ForceMeasures& measures) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override {
    add_part(pool, SpringForces::all, x, v, f);
  }
  void add_part(WorkerPool& pool, SpringForces part, std::span<const vec3> x, std::span<const vec3> v,
                std::span<vec3> f) const override;
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  void add_part_and_impulse(WorkerPool& pool, const ImpulseStage& stage, std::span<vec3> f,
                            Impulses& to) const override;
  void linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                 SpringMatrix& a) const override;
  /// Sets the springs of the matrix and nothing else; no other force changes them.
  void add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const override;

  ElasticElements elements() const {
    return {pattern(), model_.rest_lengths(), model_.stretch_springs(),
            law_,      stiffness_by_slot(),   material_.is_fabric() ? bending_by_slot() : nullptr};
  }
  /// See FabricSprings::inexact; 0 of springs.
  double inexact_share() const { return by_slot_ ? by_slot_->inexact : 0; }

 private:
  const SpringPattern& pattern() const { return *model_.pattern(); }
  const double* stiffness_by_slot() const { return by_slot_ ? by_slot_->stiffness.data() : nullptr; }
  const double* bending_by_slot() const { return by_slot_ ? by_slot_->bending.data() : nullptr; }
  bool damped() const { return law_.damping != 0 || law_.rayleigh != 0; }
  SpringPass pass(SpringForces part) const;
  void take(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v) const;
  void run(WorkerPool& pool, bool forces, bool measures, bool damping) const;
  void add_sums(WorkerPool& pool, std::span<vec3> f) const;

  const ClothModel& model_;
  ElasticElements::Coefficients law_;
  Material material_;
  std::optional<FabricSprings> by_slot_;  // of a fabric, or with materials of groups
  SpringPass::Kernel kernel_;

  // The last pass.
  mutable std::vector<SpringPass::Motion> motion_;  // its positions and velocities
  mutable RowVector u_;
  mutable RowVector sum_;      // force on every row, and see SpringPass::run
  mutable RowVector damping_;  // the part of damping in the forces, where a ledger reads it; else empty
  mutable bool has_forces_ = false;
  mutable bool has_damping_ = false;
  mutable bool wants_damping_ = false;             // with the forces that `measure` computes
  mutable SpringForces part_ = SpringForces::all;  // of these forces
  mutable bool has_measures_ = false;
  mutable SpringMeasures measures_;
  /// What a thread says of its chunk.
  struct Part {
    bool new_x = false, new_v = false;
    SpringMeasures measures;
  };
  mutable std::vector<Part> parts_;
};

}  // namespace clothlab
