// SPDX-License-Identifier: MIT
#pragma once

#include <glm/geometric.hpp>

#include "cloth/force_term.h"

namespace clothlab {

// Forces in proportion to the masses of the particles.

/// f_i = m_i g. Energy −Σ m_i g·x_i: zero with all particles at the origin.
class GravityForce final : public ForceTerm {
 public:
  /// `masses` must outlive this; `gravity` in m/s².
  GravityForce(std::span<const double> masses, const vec3& gravity)
      : ForceTerm(&PotentialEnergies::gravity), masses_(masses), gravity_(gravity) {}

  double energy(WorkerPool& pool, std::span<const vec3> x) const override {
    return -pool.sum(x.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      vec3 moment(0.0);
      for (std::size_t i = begin; i < end; ++i) moment += masses_[i] * x[i];
      return glm::dot(gravity_, moment);
    });
  }
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                 std::span<vec3> f) const override {
    for_each(pool, x.size(), kGrain, [&](std::size_t i) { f[i] += masses_[i] * gravity_; });
  }
  OuterLoad outer_load(double mass) const override { return {mass * glm::length(gravity_), 0}; }

 private:
  static constexpr std::size_t kGrain = 1024;

  std::span<const double> masses_;
  vec3 gravity_;
};

/// The mass part of Rayleigh damping: f = −β M v, D = −β M, R(v) = β/2 vᵀMv.
class RayleighMassForce final : public ForceTerm {
 public:
  /// `masses` must outlive this; `beta` in 1/s.
  RayleighMassForce(std::span<const double> masses, double beta)
      : ForceTerm(/*energy=*/nullptr, /*in_rest=*/false), masses_(masses), beta_(beta) {}

  void add_force(WorkerPool& /*pool*/, std::span<const vec3> /*x*/, std::span<const vec3> v,
                 std::span<vec3> f) const override {
    if (beta_ == 0) return;
    for (std::size_t i = 0; i < v.size(); ++i) f[i] -= beta_ * masses_[i] * v[i];
  }
  void add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const override {
    if (beta_ == 0 || stage.springs == SpringForces::rest) return;
    const std::span<vec3> impulse = to.add_to(ImpulseKind::damping, stage.x.size());
    for (std::size_t i = 0; i < impulse.size(); ++i)
      impulse[i] -= stage.weight * beta_ * masses_[i] * stage.v_end[i];
  }
  void add_jacobians(WorkerPool& /*pool*/, const Linearization& at, SpringMatrix& a) const override {
    const double factor = at.c.damping * beta_;
    if (factor == 0) return;
    for (std::size_t i = 0; i < masses_.size(); ++i) a.diagonal(i) += factor * masses_[i];
  }

 private:
  std::span<const double> masses_;
  double beta_;
};

}  // namespace clothlab
