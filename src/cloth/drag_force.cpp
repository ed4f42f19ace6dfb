// SPDX-License-Identifier: MIT
#include "cloth/drag_force.h"

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

double DragForce::energy(std::span<const vec3> x) const {
  if (drag_.max_force == 0) return 0;
  return pseudo_huber(drag_.blend(x) - drag_.cursor, drag_.stiffness, Drag::kSpringShare * drag_.max_force);
}

double DragForce::dissipation_potential(std::span<const vec3> v) const {
  if (drag_.max_force == 0) return 0;
  return pseudo_huber(drag_.blend(v), drag_.damping, Drag::kDamperShare * drag_.max_force);
}

void DragForce::add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f) const {
  if (drag_.max_force == 0) return;
  const vec3 force =
      saturate(drag_.stiffness * (drag_.blend(x) - drag_.cursor), Drag::kSpringShare * drag_.max_force) +
      saturate(drag_.damping * drag_.blend(v), Drag::kDamperShare * drag_.max_force);
  for (int c = 0; c < 3; ++c) f[drag_.particles[static_cast<std::size_t>(c)]] -= drag_.weights[c] * force;
}

mat3 DragForce::spring_block(std::span<const vec3> x, JacobianMode mode) const {
  const vec3 d = drag_.blend(x) - drag_.cursor;
  if (mode == JacobianMode::clamped)
    return mat3(std::max(drag_.secant_stiffness(d), std::min(drag_.stiffness, drag_.least_block)));
  return drag_.stiffness * saturation_slope(drag_.stiffness * d, Drag::kSpringShare * drag_.max_force);
}

mat3 DragForce::damper_slope(std::span<const vec3> v, JacobianMode mode) const {
  const vec3 s = drag_.damping * drag_.blend(v);
  const double bound = Drag::kDamperShare * drag_.max_force;
  return mode == JacobianMode::clamped ? mat3(saturation(s, bound)) : saturation_slope(s, bound);
}

void DragForce::add_jacobians(std::span<const vec3> x, std::span<const vec3> v, const SystemCoefficients& c,
                              JacobianMode mode, SpringMatrix& a) const {
  if (drag_.max_force == 0) return;
  SpringMatrix::Stencil stencil;
  stencil.particle = drag_.particles;
  stencil.weight = {drag_.weights[0], drag_.weights[1], drag_.weights[2]};
  stencil.count = 3;
  stencil.C = c.stiffness * spring_block(x, mode) + c.damping * drag_.damping * damper_slope(v, mode);
  a.add_stencil(stencil);
}

void DragForce::linearize(std::span<const vec3> x, std::span<const vec3> v, double factor,
                          std::span<const vec3> u, const SystemCoefficients& c, JacobianMode mode,
                          std::span<vec3> f, SpringMatrix& a) const {
  add_force(x, v, f);
  add_jacobians(x, v, c, mode, a);
  if (drag_.max_force == 0) return;
  const vec3 force = factor * (spring_block(x, mode) * drag_.blend(u));
  for (int k = 0; k < 3; ++k) f[drag_.particles[static_cast<std::size_t>(k)]] -= drag_.weights[k] * force;
}

double drag_inverse_mass(const std::array<std::uint32_t, 3>& particles, const vec3& weights,
                         std::span<const double> masses, const Projection& fixed) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    const std::uint32_t i = particles[static_cast<std::size_t>(c)];
    if (!fixed.is_fixed(i)) sum += weights[c] * weights[c] / masses[i];
  }
  return sum;
}

double drag_least_block(const ClothModel& model, const Material& material, const Drag& drag) {
  double length = 0;
  int count = 0;
  const SpringPattern& pattern = *model.pattern();
  for (std::size_t slot = 0; slot < model.springs(); ++slot) {
    if (!model.is_stretch(slot)) continue;
    const std::uint32_t ends[] = {pattern.particle[pattern.lower[slot]],
                                  pattern.particle[pattern.upper[slot]]};
    if (std::ranges::find_first_of(drag.particles, ends) == drag.particles.end()) continue;
    length += model.rest_lengths()[slot];
    ++count;
  }
  const double k = material.stretch_stiffness, force = Drag::kSpringShare * drag.max_force;
  if (!(length > 0) || !(k > 0) || !(force > 0)) return 0;
  length /= count;
  return force / std::cbrt(4 * force * length * length / k);
}

double drag_force_bound(const ClothModel& model, std::span<const double> masses, const vec3& gravity,
                        std::uint32_t particle) {
  const std::span<const std::uint32_t> part = model.part_of_particle();
  double mass = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (part[i] == part[particle]) mass += masses[i];
  }
  return drag_force_bound(mass, gravity);
}

double drag_force_bound(double mass, const vec3& gravity) {
  const double g = glm::length(gravity);
  return 10 * mass * (g > 0 ? g : 9.8);
}

}  // namespace clothlab
