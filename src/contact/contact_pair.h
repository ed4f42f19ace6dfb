// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <limits>

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

}  // namespace clothlab
