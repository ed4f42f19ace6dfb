// SPDX-License-Identifier: MIT
#pragma once

#include "cloth/force_term.h"

namespace clothlab {

/// The mass part of Rayleigh damping: f = −β M v, D = −β M, R(v) = β/2 vᵀMv.
class RayleighMassForce final : public ForceTerm {
 public:
  /// `masses` must outlive this; `beta` in 1/s.
  RayleighMassForce(std::span<const double> masses, double beta) : masses_(masses), beta_(beta) {}

  double energy(std::span<const vec3> x) const override;
  void add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f) const override;
  void add_part(SpringForces part, std::span<const vec3> x, std::span<const vec3> v,
                std::span<vec3> f) const override {
    if (part != SpringForces::rest) add_force(x, v, f);
  }
  void add_jacobians(std::span<const vec3> x, std::span<const vec3> v, const SystemCoefficients& c,
                     JacobianMode mode, SpringMatrix& a) const override;
  double dissipation_potential(std::span<const vec3> v) const override;

 private:
  std::span<const double> masses_;
  double beta_;
};

}  // namespace clothlab
