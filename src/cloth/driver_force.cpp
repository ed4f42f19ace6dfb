// SPDX-License-Identifier: MIT
#include "cloth/driver_force.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <numbers>

namespace clothlab {

namespace {

using Kind = DriverForce::Kind;

constexpr std::size_t kDriverGrain = 1024;

vec3 harmonic_force(const DriverForce& force, double t) {
  return std::sin(2 * std::numbers::pi * force.frequency * t + force.phase) * force.force;
}

/// Calls body(i, start) for the particles of a group, concurrently.
template <class Body>
void for_particles(WorkerPool& pool, const DrivenGroup& group, const Body& body) {
  for_each(pool, group.particles.size(), kDriverGrain, [&](std::size_t k) {
    body(group.particles[k], group.starts.empty() ? vec3(0) : group.starts[k]);
  });
}

}  // namespace

vec3 force_of(const DriverForce& force, double mass, double t, const vec3& x, const vec3& v,
              const vec3& start) {
  switch (force.kind) {
    case Kind::constant:
      return force.force;
    case Kind::harmonic:
      return harmonic_force(force, t);
    case Kind::drag:
      return -force.drag * (v - force.velocity);
    case Kind::spring:
      return -force.stiffness * (x - start);
    case Kind::central:
      break;
  }
  const vec3 d = x - force.centre;
  const double r = glm::length(d);
  return r == 0 ? vec3(0.0) : -force.strength * mass / (r * r * r) * d;
}

void DriverForces::add_forces(WorkerPool& pool, double t, std::span<const vec3> x, std::span<const vec3> v,
                              std::span<vec3> f) const {
  for (const DrivenGroup& group : groups_)
    for_particles(pool, group, [&](std::uint32_t i, const vec3& start) {
      f[i] += force_of(group.force, masses_[i], t, x[i], v[i], start);
    });
}

double DriverForces::energy(WorkerPool& pool, std::span<const vec3> x) const {
  double sum = 0;
  for (const DrivenGroup& group : groups_) {
    const DriverForce& force = group.force;
    if (force.kind == Kind::harmonic || force.kind == Kind::drag) continue;
    sum += sum_over(pool, group.particles.size(), kDriverGrain, [&](std::size_t k) {
      const std::uint32_t i = group.particles[k];
      if (force.kind == Kind::constant) return -glm::dot(force.force, x[i]);
      if (force.kind == Kind::spring) {
        const vec3 d = x[i] - group.starts[k];
        return force.stiffness / 2 * glm::dot(d, d);
      }
      return -force.strength * masses_[i] / glm::distance(x[i], force.centre);
    });
  }
  return sum;
}

void DriverForces::add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const {
  for (const DrivenGroup& group : groups_) {
    const DriverForce& force = group.force;
    if (force.kind != Kind::harmonic && force.kind != Kind::drag) continue;
    const std::span<vec3> impulse = to.add_to(ImpulseKind::drivers, stage.x.size());
    // Drag is linear in v: the end of a linearised stage has its force.
    for_particles(pool, group, [&](std::uint32_t i, const vec3& /*start*/) {
      impulse[i] += stage.weight * force_of(force, masses_[i], t_, stage.x[i], stage.v_end[i]);
    });
  }
}

OuterLoad DriverForces::outer_load(double mass) const {
  OuterLoad load;
  for (const auto& [particles, force, starts] : groups_) {
    const double speed = glm::length(force.velocity), count = static_cast<double>(particles.size());
    if (force.kind == Kind::constant || force.kind == Kind::harmonic)
      load.force += count * glm::length(force.force);
    if (force.kind == Kind::drag) {
      load.force += count * force.drag * speed;
      load.energy += mass / 2 * speed * speed;
    }
  }
  return load;
}

mat3 DriverForces::central_block(const DriverForce& force, std::uint32_t i, const vec3& x,
                                 JacobianMode mode) const {
  const vec3 d = x - force.centre;
  const double r = glm::length(d);
  if (r == 0) return mat3(0.0);
  const vec3 n = d / r;
  const double along = mode == JacobianMode::exact ? 3 : 1;
  return force.strength * masses_[i] / (r * r * r) * (mat3(1.0) - along * glm::outerProduct(n, n));
}

void DriverForces::add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const {
  stencils_.clear();
  for (const DrivenGroup& group : groups_) {
    const double add = group.force.kind == Kind::drag     ? at.c.damping * group.force.drag
                       : group.force.kind == Kind::spring ? at.c.stiffness * group.force.stiffness
                                                          : 0;
    if (add != 0)
      for_particles(pool, group, [&](std::uint32_t i, const vec3& /*start*/) { a.diagonal(i) += add; });
    if (group.force.kind == Kind::central && at.c.stiffness != 0)
      for (const std::uint32_t i : group.particles)
        stencils_.push_back({{i}, {1}, 1, at.c.stiffness * central_block(group.force, i, at.x[i], at.mode)});
  }
  a.add_stencils(stencils_);
}

void DriverForces::linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                             SpringMatrix& a) const {
  ForceTerm::linearize(pool, at, f, a);
  for (const DrivenGroup& group : groups_) {
    const DriverForce& force = group.force;
    if (force.kind != Kind::central && force.kind != Kind::spring) continue;
    for_particles(pool, group, [&](std::uint32_t i, const vec3& /*start*/) {
      f[i] -= at.factor * (force.kind == Kind::spring ? force.stiffness * at.u[i]
                                                      : central_block(force, i, at.x[i], at.mode) * at.u[i]);
    });
  }
}

}  // namespace clothlab
