// SPDX-License-Identifier: MIT
#pragma once

#include <glm/geometric.hpp>

#include "cloth/force_term.h"
#include "core/worker_pool.h"

namespace clothlab {

/// f_i = m_i g. Energy −Σ m_i g·x_i: zero where all particles are at the origin.
class GravityForce final : public ForceTerm {
 public:
  /// `masses` and `pool` must outlive this; `gravity` in m/s².
  GravityForce(std::span<const double> masses, const vec3& gravity, WorkerPool& pool)
      : masses_(masses), gravity_(gravity), pool_(pool) {}

  double energy(std::span<const vec3> x) const override;
  void add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f) const override;
  void add_measures(std::span<const vec3> x, ForceMeasures& measures) const override {
    measures.energies.gravity += energy(x);
  }
  OuterLoad outer_load(double mass) const override { return {mass * glm::length(gravity_), 0}; }
  void add_jacobians(std::span<const vec3> x, std::span<const vec3> v, const SystemCoefficients& c,
                     JacobianMode mode, SpringMatrix& a) const override;

 private:
  std::span<const double> masses_;
  vec3 gravity_;
  WorkerPool& pool_;
};

}  // namespace clothlab
