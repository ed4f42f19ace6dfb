// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/geometric.hpp>

#include "core/vec.h"
#include "linalg/coulomb.h"

namespace clothlab {

/// A contact of two features in a step: of a vertex and a triangle, or of two edges. J v = Σ w_k v_k is the
/// relative velocity of the points of contact. The impulse ρ, with w_k ρ at particle k, obeys Coulomb's law:
///   n·J v ≥ c,   p = n·ρ ≥ 0,   p (n·J v − c) = 0,
///   |ρ_t| ≤ μ p,   ρ_t = −μ p s/|s| where the slip s = T (J v − u) is not 0,   T = I − n nᵀ.
struct PairContact {
  std::array<std::uint32_t, 4> particle{};
  std::array<double, 4> weight{};
  std::uint32_t count = 0;  ///< of particles of the cloth; features of bodies have none
  vec3 normal{0};           ///< n, of length 1
  double friction = 0;      ///< μ
  double gap = 0;           ///< at the beginning of the step [m]
  vec3 displacement{0};     ///< −Σ w of the displacements of a body's corners in the step [m]
  // Of the method, see `refer_to`.
  vec3 velocity{0};  ///< u [m/s]
  double least = 0;  ///< c [m/s]
  // The solution. Its values before a solve are the first guess.
  ContactState state = ContactState::open;
  vec3 impulse{0};  ///< ρ [N·s]

  /// For a method with x1 = x0 + before + γ v1, before = Σ w of those of the particles.
  void refer_to(const vec3& before, double gamma) { refer_to(before, gamma, displacement); }
  /// For a stage, by whose end the body has moved that far [m].
  void refer_to(const vec3& before, double gamma, const vec3& body_moved) {
    velocity = (body_moved - before) / gamma;
    least = glm::dot(normal, velocity) - gap / gamma;
  }
  /// As of NodalContact; bodies move at a constant velocity.
  vec3 displacement_at(double part, double /*h*/) const { return part * displacement; }
  vec3 velocity_at(double /*part*/, double h) const { return displacement / h; }
  double gap_at(const vec3& moved) const { return gap + glm::dot(normal, moved - displacement); }
  template <class VectorOf>
  vec3 blend(const VectorOf& of) const {
    vec3 sum(0);
    for (std::uint32_t k = 0; k < count; ++k) sum += weight[k] * of(particle[k]);
    return sum;
  }
  vec3 across(const vec3& a) const { return a - glm::dot(normal, a) * normal; }
};

}  // namespace clothlab
