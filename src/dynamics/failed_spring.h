// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dynamics/dynamic_system.h"

namespace clothlab {

/// The spring at which a step failed.
struct FailedSpring {
  std::uint32_t i = 0, j = 0;  ///< particles
  bool stretch = true;         ///< otherwise bending
  double rest_length = 0;      ///< [m]
  double before = 0;           ///< its length at the start of the interval [m]
  double after = 0;            ///< at its end [m]
  /// √(k (1/mᵢ + 1/mⱼ)), its frequency alone; a constrained end has no 1/m [rad/s].
  double omega = 0;
};

/// The spring whose energy ½ k (l − L)² grows most from positions x0 to x1 [m]. Springs with an end that
/// is not a number do not count. None if no energy grows.
std::optional<FailedSpring> failed_spring(const DynamicSystem& system, std::span<const vec3> x0,
                                          std::span<const vec3> x1);

}  // namespace clothlab
