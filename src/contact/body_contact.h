// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>

#include "collide/obstacle.h"
#include "contact/contact_pair.h"
#include "core/vec.h"

namespace clothlab {

/// Contact of the cloth with one body in a step, summed over substeps. Works use the velocities at the end of
/// each substep.
struct BodyContact {
  double normal_impulse = 0;    ///< sum of the magnitudes over all pairs [N·s]
  double friction_impulse = 0;  ///< the same of friction [N·s]
  double work_motion = 0;       ///< work of the body's own motion on the cloth [J]
  double work_friction = 0;     ///< dissipated by sliding, 0 or less [J]

  /// Adds a pair: `velocity` of the body there [m/s], `h` the duration of the substep [s].
  void add(const ContactPair& pair, const vec3& velocity, double h) {
    const double friction = glm::length(pair.friction);
    normal_impulse += h * glm::length(pair.push);
    friction_impulse += h * friction;
    work_motion += h * glm::dot(pair.push + pair.friction, velocity);
    work_friction -= h * friction * pair.slip;
  }
};

/// By ContactPair::surface: the floor, the obstacles, and the cloth itself as the last.
class BodyContacts {
 public:
  const BodyContact& of(std::uint32_t surface) const { return bodies_[index(surface)]; }
  BodyContact& of(std::uint32_t surface) { return bodies_[index(surface)]; }

 private:
  static std::size_t index(std::uint32_t surface) {
    return surface == kClothItself ? kMostObstacles + 1 : surface;
  }
  std::array<BodyContact, kMostObstacles + 2> bodies_{};
};

}  // namespace clothlab
