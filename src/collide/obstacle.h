// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec.h"

namespace clothlab {

/// A body that cloth lies on and does not enter: all that is within `radius` of the segment between its ends,
/// which a sphere has at one place.
struct Obstacle {
  enum class Shape { sphere, capsule };

  Shape shape = Shape::sphere;
  vec3 from{0}, to{0};  ///< [m]
  double radius = 0.2;  ///< [m], > 0

  bool operator==(const Obstacle&) const = default;
};

/// "sphere", "capsule".
std::string_view name_of(Obstacle::Shape shape);

/// Those of a scene.
struct Obstacles {
  std::vector<Obstacle> bodies;
  double friction = 0.3;  ///< μ of Coulomb's friction, at rest and sliding

  bool operator==(const Obstacles&) const = default;
};

/// Bounds of their numbers.
inline constexpr double kFarthestObstacle = 1000;                           // [m]
inline constexpr double kSmallestObstacle = 1e-4, kLargestObstacle = 1000;  // radius [m]
inline constexpr std::size_t kMostObstacles = 16;

/// "sphere:x,y,z,r" or "capsule:x0,y0,z0,x1,y1,z1,r" [m]. Throws InputError.
Obstacle parse_obstacle(std::string_view text);
/// The text that parse_obstacle() reads, exactly.
std::string text_of(const Obstacle& obstacle);
/// Throws InputError where there are too many, or a number is out of its bounds.
void check_obstacles(std::span<const Obstacle> bodies);

/// Where a point is above a surface: at `height` along the normal, the surface itself at `level` [m].
struct SurfacePlace {
  vec3 normal{0, 1, 0};  ///< outwards, of length 1
  double height = 0;
  double level = 0;
  double curvature = 0;  ///< [1/m], but for the direction in which the surface is straight
  vec3 straight{0};      ///< that one, of length 1; 0: there is none, or all are
};
SurfacePlace place_above(const Obstacle& obstacle, const vec3& x);
/// A level plane y = level.
inline SurfacePlace place_above_plane(double level, const vec3& x) { return {vec3(0, 1, 0), x.y, level, 0}; }

}  // namespace clothlab
