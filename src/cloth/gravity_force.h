// SPDX-License-Identifier: MIT
#pragma once

#include <glm/geometric.hpp>

#include "cloth/force_term.h"

namespace clothlab {

/// f_i = m_i g. Energy −Σ m_i g·x_i: zero with all particles at the origin.
class GravityForce final : public ForceTerm {
 public:
  /// `masses` must outlive this; `gravity` in m/s².
  GravityForce(std::span<const double> masses, const vec3& gravity) : masses_(masses), gravity_(gravity) {}

  double energy(WorkerPool& pool, std::span<const vec3> x) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  void add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                    ForceMeasures& measures) const override {
    measures.energies.gravity += energy(pool, x);
  }
  OuterLoad outer_load(double mass) const override { return {mass * glm::length(gravity_), 0}; }
  void add_jacobians(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                     const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const override;

 private:
  std::span<const double> masses_;
  vec3 gravity_;
};

}  // namespace clothlab
