// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "linalg/coulomb.h"
#include "linalg/projection.h"

namespace clothlab {

/// The contacts of one implicit stage, for Newton's method (implicit_stage.h): the residual that no impulse
/// of contacts balances, and the smooth problem with fixed states.
///
/// In the smooth problem closed contacts constrain their particles, and a slipping one has a constant
/// friction −μ p ŵ.
class StageContacts {
 public:
  /// Begins a stage; contacts ascend by particle.
  void begin(std::span<NodalContact> contacts) { contacts_ = contacts; }
  bool empty() const { return contacts_.empty(); }

  /// Changes v as little as possible so that it satisfies n·v ≥ c, with closed contacts still closed.
  void put_on(std::span<vec3> v) const;

  /// The part of r, one vector per particle, that no impulse of the contacts balances at v [N·s]: the natural
  /// residual. Stores the nearest impulses in the contacts. r is filtered by the pins.
  double natural_residual(std::span<const vec3> v, std::span<const vec3> r) const;

  /// r := r − ρ
  void subtract_impulses(std::span<vec3> r) const;

  /// Fixes the states and the friction that natural_residual has stored.
  void fix(const Projection& pins);
  /// The pins and the closed contacts of the fixed states.
  const Projection& projection() const { return projection_; }
  /// The friction of the fixed states.
  struct Friction {
    std::uint32_t particle;
    vec3 impulse;  ///< [N·s]
  };
  std::span<const Friction> friction() const { return friction_; }

 private:
  std::span<NodalContact> contacts_;
  Projection projection_;
  std::vector<Projection::Entry> added_;
  std::vector<Friction> friction_;
};

}  // namespace clothlab
