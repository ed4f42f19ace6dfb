// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <glm/geometric.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collide/mesh_file.h"
#include "collide/obstacle_path.h"
#include "collide/surface_point.h"
#include "core/vec.h"

namespace clothlab {

/// A body that cloth lies on and does not enter.
struct Obstacle {
  enum class Shape { sphere, capsule, plane, box, cylinder, mesh };

  Shape shape = Shape::sphere;
  /// Ends of the axis of a capsule, of which all within `radius` is the body, and of a cylinder; twice the
  /// centre of a sphere or a box, and where the origin of a mesh's file lies [m].
  vec3 from{0}, to{0};
  double radius = 0.2;   ///< of a sphere, capsule or cylinder [m], > 0
  vec3 size{0.4};        ///< of a box, along its axes [m], > 0
  vec3 normal{0, 1, 0};  ///< of a plane, of any length but 0: cloth stays where normal · x ≥ offset
  double offset = 0;     ///< [m] where the normal has the length 1
  MeshFile mesh = {};    ///< the triangles of a mesh
  double scale = 1;      ///< of a mesh: metres per unit of its file

  vec3 turn{0};  ///< of a box or a mesh, from the axes of space, see turn_of() [°]; set by turned()
  mat3 axes{1};  ///< of a box or a mesh: columns of length 1; of others what turns with them
  ObstaclePath path = {};  ///< from all of this

  bool operator==(const Obstacle&) const = default;
};

/// "sphere", "capsule", "plane", "box", "cylinder", "mesh".
std::string_view name_of(Obstacle::Shape shape);
/// Whether it has an axis, from end to end.
bool has_axis(Obstacle::Shape shape);
/// Whether it is turned by `turn`.
bool has_axes(Obstacle::Shape shape);
/// The forms of all obstacles as text: "sphere:x,y,z,r, capsule:… or …".
std::string obstacle_forms();

/// Radius of the rounded edges [m]: of a box and a cylinder a twentieth of its smallest extent, of a mesh a
/// thousandth of its diagonal.
double rounding_of(const Obstacle& obstacle);
/// What lies deepest within it is so far below its surface [m]; infinity: a plane.
double depth_of(const Obstacle& obstacle);
/// Radius of a sphere about its middle that contains it [m]; infinity: a plane.
double bound_of(const Obstacle& obstacle);
/// The middle of a body, about which it turns; of a plane the point nearest to the origin, of a mesh the
/// origin of its file.
vec3 centre_of(const Obstacle& obstacle);
/// The body elsewhere, without its path.
Obstacle posed(const Obstacle& obstacle, const Pose& pose);
/// The same body turned about its centre [°].
Obstacle turned(Obstacle obstacle, const vec3& degrees);
/// The same body with its centre there; a plane, through there.
Obstacle moved_to(const Obstacle& obstacle, const vec3& centre);

/// Those of a scene.
struct Obstacles {
  std::vector<Obstacle> bodies;
  double friction = 0.3;  ///< μ of Coulomb's friction, at rest and sliding

  bool operator==(const Obstacles&) const = default;
};

/// Where a point of the file of a mesh lies in space.
inline vec3 from_mesh(const Obstacle& mesh, const vec3& x) {
  return mesh.from + mesh.axes * (mesh.scale * x);
}

/// Bounds of their numbers.
inline constexpr double kFarthestObstacle = 1000;                           // [m]
inline constexpr double kSmallestObstacle = 1e-4, kLargestObstacle = 1000;  // radius, side, length [m]
inline constexpr double kShortestNormal = 1e-3;                             // of a plane
inline constexpr double kLeastObstacleScale = 1e-6, kMostObstacleScale = 1e6;
inline constexpr std::size_t kMostObstacles = 16;

/// One of obstacle_forms() [m]; a mesh is not read. Throws InputError.
Obstacle parse_obstacle(std::string_view text);
/// The text that parse_obstacle() reads, exactly.
std::string text_of(const Obstacle& obstacle);
/// Throws InputError where there are too many, or a number is out of its bounds.
void check_obstacles(std::span<const Obstacle> bodies);
/// Throws InputError where the triangles of a mesh are missing.
void check_read(std::span<const Obstacle> bodies);

/// Where the corners of the triangles of a mesh are [m]; it has been read.
std::vector<vec3> corners_of(const Obstacle& obstacle);

/// How a body moves at a time.
struct SurfaceMotion {
  vec3 velocity{0};  ///< of its centre [m/s]
  vec3 centre{0};    ///< [m]
  vec3 spin{0};      ///< [rad/s]

  /// The velocity of what is at x and moves with it [m/s].
  vec3 at(const vec3& x) const { return velocity + glm::cross(spin, x - centre); }
  bool operator==(const SurfaceMotion&) const = default;
};

/// A mesh has been read.
SurfacePoint place_above(const Obstacle& obstacle, const vec3& x);
/// Penetration depth into the visible body of a point with that surface place [m]; without a mesh's rounding.
double visible_depth(const Obstacle& obstacle, const SurfacePoint& place);
/// True if the segment between two points crosses a triangle of a mesh, which has been read.
bool crosses_mesh(const Obstacle& mesh, const vec3& from, const vec3& to);

/// A place that was found, in the frame of a mesh.
struct FoundPoint {
  vec3 x{0};
  std::optional<SurfacePoint> place;
};
/// The same, or nothing where the point is surely more than `reach` [m] above the surface. Where the way to
/// the surface changes by no more than the point moves, a mesh is searched only where `last`, what was found
/// for this point before, does not say enough; it becomes what is found now. Results do not depend on
/// it; null for other bodies.
std::optional<SurfacePoint> place_within(const Obstacle& obstacle, const vec3& x, double reach,
                                         FoundPoint* last);

}  // namespace clothlab
