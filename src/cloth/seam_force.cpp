// SPDX-License-Identifier: MIT
#include "cloth/seam_force.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace clothlab {

namespace {

constexpr std::size_t kSeamGrain = 1024;

}  // namespace

double SewnPair::rest_length(double t) const {
  if (seconds == 0 || t >= seconds) return 0;
  const double s = std::max(t / seconds, 0.0);
  return length * (1 - s * s * (3 - 2 * s));
}

double SeamForce::energy_at(WorkerPool& pool, double t, std::span<const vec3> x) const {
  return sum_over(pool, pairs_.size(), kSeamGrain, [&](std::size_t k) {
    const SewnPair& pair = pairs_[k];
    const double stretch = glm::distance(x[pair.i], x[pair.j]) - pair.rest_length(t);
    return 0.5 * stiffness_ * stretch * stretch;
  });
}

/// At l = 0 the block is k I.
mat3 SeamForce::block(const vec3& apart, double rest_length, JacobianMode mode) const {
  const double l = glm::length(apart);
  if (l == 0 || rest_length == 0) return mat3(stiffness_);
  const vec3 n = apart / l;
  const double c = mode == JacobianMode::exact ? 1 - rest_length / l : std::max(1 - rest_length / l, 0.0);
  return stiffness_ * (c * mat3(1.0) + (1 - c) * glm::outerProduct(n, n));
}

vec3 SeamForce::damping_force(const vec3& apart, double rest_length, const vec3& velocity) const {
  vec3 force = -damping_ * velocity;
  if (rayleigh_ != 0) force -= rayleigh_ * (block(apart, rest_length, JacobianMode::clamped) * velocity);
  return force;
}

/// In the order of the pairs, of which a particle may have several.
void SeamForce::add_forces(double t, std::span<const vec3> x, std::span<const vec3> v,
                           std::span<vec3> f) const {
  for (const SewnPair& pair : pairs_) {
    const vec3 apart = x[pair.i] - x[pair.j];
    const double l = glm::length(apart), rest_length = pair.rest_length(t);
    vec3 force = damping_force(apart, rest_length, v[pair.i] - v[pair.j]);
    if (l > 0) force -= stiffness_ * (1 - rest_length / l) * apart;
    f[pair.i] += force;
    f[pair.j] -= force;
  }
}

/// Damping is linear in v: f + D (v_end − v) is the force at v_end.
void SeamForce::add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const {
  if ((damping_ == 0 && rayleigh_ == 0) || stage.springs == SpringForces::rest) return;
  const std::span<vec3> impulse = to.add_to(ImpulseKind::damping, stage.x.size());
  for (const SewnPair& pair : pairs_) {
    const vec3 given = stage.weight * damping_force(stage.x[pair.i] - stage.x[pair.j], pair.rest_length(t_),
                                                    stage.v_end[pair.i] - stage.v_end[pair.j]);
    impulse[pair.i] += given;
    impulse[pair.j] -= given;
  }
}

void SeamForce::add_jacobians(WorkerPool& /*pool*/, const Linearization& at, SpringMatrix& a) const {
  stencils_.clear();
  for (const SewnPair& pair : pairs_) {
    const vec3 apart = at.x[pair.i] - at.x[pair.j];
    const double rest_length = pair.rest_length(t_);
    SpringMatrix::Stencil& stencil = stencils_.emplace_back();
    stencil.particle = {pair.i, pair.j};
    stencil.weight = {1, -1};
    stencil.count = 2;
    stencil.C = at.c.stiffness * block(apart, rest_length, at.mode) + mat3(at.c.damping * damping_);
    if (rayleigh_ != 0)
      stencil.C += at.c.damping * rayleigh_ * block(apart, rest_length, JacobianMode::clamped);
  }
  a.add_stencils(stencils_);
}

void SeamForce::linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                          SpringMatrix& a) const {
  ForceTerm::linearize(pool, at, f, a);
  for (const SewnPair& pair : pairs_) {
    const vec3 apart = at.x[pair.i] - at.x[pair.j];
    const vec3 change =
        at.factor * (block(apart, pair.rest_length(t_), at.mode) * (at.u[pair.i] - at.u[pair.j]));
    f[pair.i] -= change;
    f[pair.j] += change;
  }
}

}  // namespace clothlab
