// SPDX-License-Identifier: MIT
#include "cloth/grab_force.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace clothlab {

namespace {

vec3 saturate(const vec3& s, double bound) { return s * saturation(s, bound); }

// ∂sat/∂s = (B/r) (I − t tᵀ), r = √(B² + |s|²), t = s/r: symmetric, eigenvalues in [0, 1].
mat3 saturation_slope(const vec3& s, double bound) {
  const double r = std::sqrt(bound * bound + glm::dot(s, s));
  const vec3 t = s / r;
  return (bound / r) * (mat3(1.0) - glm::outerProduct(t, t));
}

// Potential of d ↦ sat(k d, B), that is (B/k) (√(B² + |k d|²) − B), written without cancellation.
double pseudo_huber(const vec3& d, double k, double bound) {
  const double r = std::sqrt(bound * bound + k * k * glm::dot(d, d));
  return k * glm::dot(d, d) * (bound / (r + bound));
}

}  // namespace

double GrabForce::energy(WorkerPool& /*pool*/, std::span<const vec3> x) const {
  if (grab_.max_force == 0) return 0;
  return pseudo_huber(grab_.blend(x) - grab_.cursor, grab_.stiffness,
                      GrabSpring::kSpringShare * grab_.max_force);
}

void GrabForce::add_force(WorkerPool& /*pool*/, std::span<const vec3> x, std::span<const vec3> v,
                          std::span<vec3> f) const {
  if (grab_.max_force == 0) return;
  const vec3 force = saturate(grab_.stiffness * (grab_.blend(x) - grab_.cursor),
                              GrabSpring::kSpringShare * grab_.max_force) +
                     saturate(grab_.damping * grab_.blend(v), GrabSpring::kDamperShare * grab_.max_force);
  for (int c = 0; c < 3; ++c) f[grab_.particles[static_cast<std::size_t>(c)]] -= grab_.weights[c] * force;
}

void GrabForce::add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const {
  if (grab_.max_force == 0 || stage.springs == SpringForces::rest) return;
  const vec3 rate = grab_.blend(stage.v), change = grab_.blend(stage.v_end) - rate;
  const vec3 force =
      grab_.secant_damping(rate) * rate + grab_.damping * (damper_slope(stage.v, stage.mode) * change);
  const std::span<vec3> impulse = to.add_to(ImpulseKind::hand, stage.x.size());
  for (int c = 0; c < 3; ++c)
    impulse[grab_.particles[static_cast<std::size_t>(c)]] -= stage.weight * grab_.weights[c] * force;
}

mat3 GrabForce::spring_block(std::span<const vec3> x, JacobianMode mode) const {
  const vec3 d = grab_.blend(x) - grab_.cursor;
  if (mode == JacobianMode::clamped)
    return mat3(std::max(grab_.secant_stiffness(d), std::min(grab_.stiffness, grab_.least_block)));
  return grab_.stiffness * saturation_slope(grab_.stiffness * d, GrabSpring::kSpringShare * grab_.max_force);
}

mat3 GrabForce::damper_slope(std::span<const vec3> v, JacobianMode mode) const {
  const vec3 s = grab_.damping * grab_.blend(v);
  const double bound = GrabSpring::kDamperShare * grab_.max_force;
  return mode == JacobianMode::clamped ? mat3(saturation(s, bound)) : saturation_slope(s, bound);
}

void GrabForce::add_jacobians(WorkerPool& /*pool*/, const Linearization& at, SpringMatrix& a) const {
  if (grab_.max_force == 0) return;
  SpringMatrix::Stencil stencil;
  std::ranges::copy(grab_.particles, stencil.particle.begin());
  stencil.weight = {grab_.weights[0], grab_.weights[1], grab_.weights[2]};
  stencil.count = 3;
  stencil.C = at.c.stiffness * spring_block(at.x, at.mode) +
              at.c.damping * grab_.damping * damper_slope(at.v, at.mode);
  a.add_stencil(stencil);
}

void GrabForce::linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                          SpringMatrix& a) const {
  ForceTerm::linearize(pool, at, f, a);
  if (grab_.max_force == 0) return;
  const vec3 force = at.factor * (spring_block(at.x, at.mode) * grab_.blend(at.u));
  for (int k = 0; k < 3; ++k) f[grab_.particles[static_cast<std::size_t>(k)]] -= grab_.weights[k] * force;
}

double grab_inverse_mass(const std::array<std::uint32_t, 3>& particles, const vec3& weights,
                         std::span<const double> masses, const Projection& fixed) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    const std::uint32_t i = particles[static_cast<std::size_t>(c)];
    if (!fixed.is_fixed(i)) sum += weights[c] * weights[c] / masses[i];
  }
  return sum;
}

double grab_least_block(const ClothModel& model, const Material& material, const GrabSpring& grab) {
  double length = 0;
  int count = 0;
  const SpringPattern& pattern = *model.pattern();
  for (std::size_t slot = 0; slot < model.springs(); ++slot) {
    if (!model.is_stretch(slot)) continue;
    const std::uint32_t ends[] = {pattern.particle[pattern.lower[slot]],
                                  pattern.particle[pattern.upper[slot]]};
    if (std::ranges::find_first_of(grab.particles, ends) == grab.particles.end()) continue;
    length += model.rest_lengths()[slot];
    ++count;
  }
  const double k = material.stretch_scale(), force = GrabSpring::kSpringShare * grab.max_force;
  if (!(length > 0) || !(k > 0) || !(force > 0)) return 0;
  length /= count;
  return force / std::cbrt(4 * force * length * length / k);
}

double grab_force_bound(const ClothModel& model, std::span<const double> masses, const vec3& gravity,
                        std::uint32_t particle) {
  const std::span<const std::uint32_t> part = model.part_of_particle();
  double mass = 0;
  for (std::size_t i = 0; i < masses.size(); ++i)
    if (part[i] == part[particle]) mass += masses[i];
  return grab_force_bound(mass, gravity);
}

double grab_force_bound(double mass, const vec3& gravity) {
  const double g = glm::length(gravity);
  return 10 * mass * (g > 0 ? g : 9.8);
}

}  // namespace clothlab
