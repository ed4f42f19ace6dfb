// SPDX-License-Identifier: MIT
#pragma once

#include "cloth/force_term.h"

namespace clothlab {

/// The mass part of Rayleigh damping: f = −β M v, D = −β M, R(v) = β/2 vᵀMv.
class RayleighMassForce final : public ForceTerm {
 public:
  /// `masses` must outlive this; `beta` in 1/s.
  RayleighMassForce(std::span<const double> masses, double beta) : masses_(masses), beta_(beta) {}

  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  void add_part(WorkerPool& pool, SpringForces part, std::span<const vec3> x, std::span<const vec3> v,
                std::span<vec3> f) const override {
    if (part != SpringForces::rest) add_force(pool, x, v, f);
  }
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  void add_jacobians(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                     const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const override;

 private:
  std::span<const double> masses_;
  double beta_;
};

}  // namespace clothlab
