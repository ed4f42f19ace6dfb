// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "collide/obstacle.h"
#include "core/vec.h"

namespace clothlab {

/// A point of a triangle, and the surface below it.
struct DeepestPoint {
  vec3 weights{1.0 / 3};  ///< of the corners
  SurfacePoint surface;   ///< of that point
  double rise = 0;        ///< β (w − ⅓)² of the weights w [m]

  /// Signed distance from the surface plus the rise [m].
  double gap() const { return surface.gap() + rise; }
};

/// The point of a triangle at `corners` [m] with the least gap to a body that is not a mesh. The triangle
/// counts as bulged towards the body: a point with the weights w is β (w − ⅓)² higher, at most ⅔ β. So the
/// point and the force there change continuously with the corners, also where the triangle is parallel to
/// the surface; its gap is convex.
///
/// Newton's method for ½ height² with line searches. The gap is exact to about 1e-12 of the longest edge
/// unless the point lies in the core of the body.
DeepestPoint deepest_point(const Obstacle& body, const std::array<vec3, 3>& corners, double bulge);

}  // namespace clothlab
