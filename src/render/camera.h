// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <optional>

#include "core/vec.h"
#include "mesh/mesh.h"

namespace clothlab {

/// A point of a view, or its size, in pixels of the framebuffer: x to the right and y down, from the
/// view's upper left corner.
using Pixels = glm::dvec2;

struct Ray {
  vec3 origin{0};
  vec3 direction{0, 0, -1};  ///< unit length

  vec3 at(double distance) const { return origin + distance * direction; }
};

/// Where a point is seen.
struct Projected {
  Pixels pixel{0};
  double depth = 0;  ///< distance in front of the eye along the view's axis, positive [m]
};

/// Where points are seen by a camera in a view of one size, for many points at once.
struct Projector {
  vec3 eye, right, up, forward;
  Pixels middle;
  double scale;  ///< pixels per metre at a depth of 1 m

  /// None for a point that is not in front of the eye.
  std::optional<Projected> operator()(const vec3& point) const;
};

/// A camera that orbits a target with its up direction always in the vertical plane through the view's
/// axis, so that it never rolls. y is up. A view of size 0 counts as one pixel; arguments that are not finite
/// change nothing.
class Camera {
 public:
  vec3 target{0};       ///< centre of the view and of the orbit [m]
  double distance = 3;  ///< of the eye from the target [m]
  double yaw = 0.5;     ///< about the y axis; 0 looks along −z [rad]
  double pitch = 0.25;  ///< of the eye above the target's horizon, at most kMaxPitch either way [rad]
  double fov = 0.7;     ///< vertical opening angle [rad]

  static constexpr double kMaxPitch = 1.55;
  static constexpr double kMinDistance = 1e-4;
  static constexpr double kMaxDistance = 1e6;

  /// Orbits by a motion of the cursor; the height of the view is half a turn.
  void orbit(Pixels motion, Pixels size);

  /// Pans by a motion of the cursor; points at the target's depth stay under it.
  void pan(Pixels motion, Pixels size);

  /// Moves closer by `notches` of the wheel (away, if negative); the point under the cursor at the target's
  /// depth stays there.
  void zoom(double notches, Pixels cursor, Pixels size);

  /// Frames the whole box without turning. An empty box or a point keeps some distance.
  void frame(const Box& box, Pixels size);

  vec3 eye() const { return target - distance * forward(); }
  vec3 right() const { return {std::cos(yaw), 0, -std::sin(yaw)}; }
  vec3 up() const { return glm::cross(right(), forward()); }
  vec3 forward() const;  ///< unit vector from the eye to the target

  /// From world coordinates less `target` to the eye's (x right, y up, z towards the viewer).
  /// Single-precision positions are relative to the target, so that they stay exact far from the origin.
  glm::dmat4 view_from_target() const;

  /// OpenGL clip coordinates, for depths between the two planes.
  glm::dmat4 projection(Pixels size, double near_plane, double far_plane) const;

  Ray ray(Pixels pixel, Pixels size) const;

  Projector projector(Pixels size) const;
  /// Where the point is seen; none for a point that is not in front of the eye.
  std::optional<Projected> project(const vec3& point, Pixels size) const { return projector(size)(point); }

  /// The point under the pixel in the plane parallel to the view through `anchor`, in which dragged points
  /// move; `anchor` itself where it is behind the eye.
  vec3 in_view_plane(Pixels pixel, Pixels size, const vec3& anchor) const;

  /// The point moved away from the eye by `notches` of the wheel (closer, if negative); it stays under
  /// its pixel.
  vec3 moved_in_depth(const vec3& point, double notches) const;
};

}  // namespace clothlab
