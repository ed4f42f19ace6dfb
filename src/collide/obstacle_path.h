// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <glm/ext/quaternion_double.hpp>
#include <vector>

#include "core/vec.h"

namespace clothlab {

/// A turn about the centre of a body, then a shift [m].
struct Pose {
  glm::dquat turn{1, 0, 0, 0};
  vec3 shift{0};
  bool operator==(const Pose&) const = default;
};

/// The turn about the direction of a vector by its length [°].
glm::dquat turn_of(const vec3& degrees);

/// The pose of a body at a time, relative to its own numbers.
struct Keyframe {
  double time = 0;  ///< [s]
  vec3 move{0};     ///< [m]
  vec3 turn{0};     ///< see turn_of() [°]
  bool operator==(const Keyframe&) const = default;
};

/// The motion of a body in time: between keyframes it moves at constant speed and turns the short way; it
/// rests before the first one. After the last it rests, or begins again.
struct ObstaclePath {
  std::vector<Keyframe> keys = {};  ///< in order of time
  bool loops = false;
  bool operator==(const ObstaclePath&) const = default;
};
inline constexpr std::size_t kMostKeyframes = 1000;
inline constexpr double kLatestKeyframe = 1e6;  // [s]
inline constexpr double kMostTurn = 1e6;        // [°]

/// Throws InputError if times do not ascend, a number is out of its bounds, a turn between two keyframes is
/// half a circle or more, or a loop does not end where it begins.
void check_path(const ObstaclePath& path);
Pose pose_on(const ObstaclePath& path, double t);
/// The largest speed of a point at a distance from the centre [m/s].
double fastest_on(const ObstaclePath& path, double distance);

}  // namespace clothlab
