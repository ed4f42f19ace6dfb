// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/vec.h"

namespace clothlab {

enum class ContactState : std::uint8_t {
  open,  ///< ρ = 0
  slip,  ///< n·v = c, and friction of the size μ p against w
  stick  ///< n·v = c, and w = 0
};

/// A contact of one particle with a surface in a step. Its impulse ρ obeys Coulomb's law:
///   n·v ≥ c,   p = n·ρ ≥ 0,   p (n·v − c) = 0,
///   |ρ_t| ≤ μ p,   ρ_t = −μ p w/|w| where the slip w = T (v − u) is not 0,   T = I − n nᵀ.
struct NodalContact {
  std::uint32_t particle = 0;
  std::uint32_t surface = 0;
  vec3 normal{0};        ///< n, of length 1
  double friction = 0;   ///< μ
  double gap = 0;        ///< to the surface at the beginning of the step [m]
  vec3 displacement{0};  ///< of the surface in the step [m]
  vec3 end_velocity{0};  ///< of the surface at the end of the step [m/s]
  // Of the method, see `refer_to`.
  vec3 velocity{0};  ///< u [m/s]
  double least = 0;  ///< c [m/s]
  // The solution. Its values before a solve are the first guess.
  ContactState state = ContactState::open;
  vec3 impulse{0};  ///< ρ [N·s]

  /// For a method with x1 = x0 + before + γ v1: the displacement of the particle relative to the surface is
  /// γ (v1 − u), so v1 = u keeps it where it is on the surface.
  void refer_to(const vec3& before, double gamma) { refer_to(before, gamma, displacement); }
  /// For a stage, by whose end the surface has moved that far [m].
  void refer_to(const vec3& before, double gamma, const vec3& surface_moved) {
    velocity = (surface_moved - before) / gamma;
    least = normal.x * velocity.x + normal.y * velocity.y + normal.z * velocity.z - gap / gamma;
  }
  /// Of the surface, to this part of a step of h [m]; its acceleration is constant.
  vec3 displacement_at(double part, double h) const {
    return part * displacement + (part * part - part) * (h * end_velocity - displacement);
  }
  /// Of the surface, at this part of a step of h [m/s].
  vec3 velocity_at(double part, double h) const {
    return displacement / h + (2 * part - 1) * (end_velocity - displacement / h);
  }
  /// To the surface at the end of the step, where the particle moves that far [m].
  double gap_at(const vec3& moved) const {
    const vec3 apart = moved - displacement;
    return gap + normal.x * apart.x + normal.y * apart.y + normal.z * apart.z;
  }
  vec3 across(const vec3& a) const { return a - (normal.x * a.x + normal.y * a.y + normal.z * a.z) * normal; }
  vec3 slip(const vec3& v) const { return across(v - velocity); }  ///< w [m/s]
  /// The velocity of a particle that sticks.
  vec3 stuck() const { return least * normal + across(velocity); }
  double push() const;  ///< p [N·s]
};

/// The contacts of the first particle of a list in ascending order.
template <class Contact>
std::span<Contact> contacts_of_first(std::span<Contact> contacts) {
  std::size_t k = 1;
  while (k < contacts.size() && contacts[k].particle == contacts[0].particle) ++k;
  return contacts.first(k);
}

// Coulomb's law for the contacts of one particle, at most three.

inline constexpr std::size_t kMostContactsOfParticle = 3;

/// Solves D v = q + Σ ρ for v and the contacts, D symmetric and positive definite. Exactly for one contact;
/// for more by Gauss-Seidel iterations, from the impulses given.
void solve_coulomb(const mat3& D, const mat3& D_inverse, const vec3& q, std::span<NodalContact> contacts,
                   vec3& v);

/// Changes v as little as possible so that it satisfies n·v ≥ c, and the states of closed contacts. Contacts
/// that v leaves are opened; open ones that v is put on slip without an impulse.
void put_on_contacts(std::span<NodalContact> contacts, vec3& v);

/// The projector onto the directions in which a particle may move in these states, and the number of them.
struct FreeDirections {
  mat3 S{1.0};
  int count = 3;
};
FreeDirections free_directions(std::span<const NodalContact> contacts);

/// The distance of an impulse from those that the law allows at v: the natural residual [N·s].
/// Stores the nearest impulse that is allowed.
double allow(const vec3& v, const vec3& impulse, std::span<NodalContact> contacts);

}  // namespace clothlab
