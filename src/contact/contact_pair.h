// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <limits>

#include "collide/obstacle.h"
#include "core/vec.h"

namespace clothlab {

/// The cloth itself, as the number of a surface.
inline constexpr std::uint32_t kClothItself = std::numeric_limits<std::uint32_t>::max();

/// A particle in contact with the floor, an obstacle or the cloth itself.
struct ContactPair {
  std::uint32_t particle = 0;
  std::uint32_t surface = 0;  ///< 0: the floor, k: obstacle k − 1, or kClothItself
  bool sticks = false;        ///< friction prevents sliding; by forces: it slides slower than ε
  double gap = 0;             ///< [m]
  double slip = 0;            ///< speed along the surface [m/s]
  vec3 push{0};               ///< on the particle, along the normal [N]
  vec3 friction{0};           ///< on it, along the surface [N]
};

/// The contacts of a step.
struct ContactFigures {
  std::size_t pairs = 0;
  std::size_t sticking = 0;  ///< how many of them stick
  /// Pairs of features that contact by impulses checked. Depends on when candidates were listed.
  std::size_t candidates = 0;
  double least_gap = std::numeric_limits<double>::quiet_NaN();  ///< [m]; NaN without pairs
  double push = 0;                                              ///< sum of the normal forces [N]
  double friction_power = 0;                                    ///< dissipated by friction [W]
  double stiffness = 0;  ///< k or κ of contact by forces [N/m]; 0 of other models
  double limit = 1;      ///< least fraction of its displacement that a barrier left a particle

  void add(const ContactPair& pair) {
    least_gap = pairs == 0 ? pair.gap : std::min(least_gap, pair.gap);
    ++pairs;
    sticking += pair.sticks ? 1U : 0U;
    push += glm::length(pair.push);
    friction_power += glm::length(pair.friction) * pair.slip;
  }
};

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
