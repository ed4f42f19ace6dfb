// SPDX-License-Identifier: MIT
#pragma once

#include "core/vec.h"

namespace clothlab {

inline constexpr double kSurfaceRounding = 1e-12;  // of what lies on a face [m]

/// Where a point is above a surface: at `height` along the normal, the surface itself at `level` [m]. Of a
/// body the height is the distance from its core, which the level is its rounding around; within the core it
/// is negative, and the nearest face decides.
struct SurfacePoint {
  vec3 normal{0, 1, 0};  ///< outwards, of length 1
  double height = 0;
  double level = 0;
  double curvature = 0;        ///< the largest [1/m]
  vec3 least{0};               ///< direction of the least one, of length 1; 0: all are the same
  double slack = 0;            ///< what rounding leaves between the surface and what lies on it [m]
  double least_curvature = 0;  ///< [1/m]
};
/// A level plane y = level.
inline SurfacePoint place_above_plane(double level, const vec3& x) { return {vec3(0, 1, 0), x.y, level, 0}; }

}  // namespace clothlab
