// SPDX-License-Identifier: MIT
#pragma once

#include "core/vec.h"

namespace clothlab {

inline constexpr double kSurfaceRounding = 1e-12;  // of points on a face [m]

/// A surface as seen from a point: along the normal the point is at `height`, the surface itself at `level`
/// [m]. For a body the height is the distance from its core, and the level is the rounding around the core.
/// Within the core the height is negative, and the nearest face decides.
struct SurfacePoint {
  vec3 normal{0, 1, 0};  ///< outwards, of length 1
  double height = 0;
  double level = 0;
  double curvature = 0;        ///< the largest [1/m]
  vec3 least{0};               ///< direction of the least curvature, of length 1; 0: all are equal
  double slack = 0;            ///< rounding between the surface and points on it [m]
  double least_curvature = 0;  ///< [1/m]
};

/// True if the point is below the surface, by more than rounding.
inline bool is_below(const SurfacePoint& point) { return point.height < point.level - point.slack; }

/// True if a point that was put on the surface is still there; on a curved one within 1/1000 of its radius,
/// because it departs from it along the tangent.
inline bool is_still_on(const SurfacePoint& point) {
  constexpr double kOfRadius = 1e-3;
  return point.height <= point.level + (point.curvature > 0 ? kOfRadius / point.curvature : point.slack);
}

/// Of a level plane y = level.
inline SurfacePoint closest_on_plane(double level, const vec3& x) { return {vec3(0, 1, 0), x.y, level, 0}; }

}  // namespace clothlab
