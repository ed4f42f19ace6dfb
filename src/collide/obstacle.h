// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <glm/ext/quaternion_double.hpp>
#include <glm/geometric.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collide/triangle_surface.h"
#include "core/vec.h"

namespace clothlab {

/// A file of triangles, and the triangles once it has been read. Cheap to copy.
struct MeshFile {
  std::shared_ptr<const std::string> path;         ///< UTF-8, see BodyFile; null: none
  std::shared_ptr<const TriangleSurface> surface;  ///< in the first frame
  std::shared_ptr<const MeshFrames> frames = {};   ///< null: it does not deform
  Playback playback = {};
  double phase = 0;                                      ///< of `deformed`
  std::shared_ptr<const TriangleSurface> deformed = {};  ///< null: as `surface`

  const TriangleSurface& shape() const { return deformed ? *deformed : *surface; }
  /// The phase at the time t [s].
  double phase_at(double t) const { return frames ? clothlab::phase_at(*frames, playback, t) : 0; }
  /// The same file in the same frame, read or not.
  bool operator==(const MeshFile& other) const {
    return (path == other.path || (path && other.path && *path == *other.path)) &&
           playback == other.playback && phase == other.phase;
  }
};

/// The largest speed of a corner in its frames, in units of the file per second.
inline double deformation_speed(const MeshFile& mesh) {
  return mesh.frames
             ? mesh.frames->longest(mesh.playback.loops) * mesh.playback.rate / mesh.frames->interval()
             : 0;
}

/// A turn about the centre of a body, then a shift [m]. A body that grows is shrunk by `inset` [m].
struct Pose {
  glm::dquat turn{1, 0, 0, 0};
  vec3 shift{0};
  double inset = 0;
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

/// A body that cloth lies on and does not enter.
struct Obstacle {
  enum class Shape { sphere, capsule, plane, box, cylinder, mesh };

  Shape shape = Shape::sphere;
  /// Ends of the axis of a capsule or a cylinder; both are the centre of a sphere or a box, or the position
  /// of the origin of a mesh's file [m].
  vec3 from{0}, to{0};
  double radius = 0.2;   ///< of a sphere, capsule or cylinder [m], > 0
  vec3 size{0.4};        ///< of a box, along its axes [m], > 0
  vec3 normal{0, 1, 0};  ///< of a plane, of any length > 0: cloth stays where normal · x ≥ offset
  double offset = 0;     ///< [m] if the normal has length 1
  MeshFile mesh = {};    ///< the triangles of a mesh
  double scale = 1;      ///< of a mesh: metres per unit of its file

  vec3 turn{0};  ///< of a box or a mesh, from the axes of space, see turn_of() [°]; set by turned()
  mat3 axes{1};  ///< of a box or a mesh: columns of length 1; turns with all shapes
  ObstaclePath path = {};  ///< relative to the values above
  /// Its surface is this far inside the one that the values above describe, along the normals [m]; negative:
  /// outside. Only posed() sets it.
  double inset = 0;

  bool operator==(const Obstacle&) const = default;
};

/// "sphere", "capsule", "plane", "box", "cylinder", "mesh".
std::string_view name_of(Obstacle::Shape shape);
/// True for shapes with an axis between two ends.
bool has_axis(Obstacle::Shape shape);
/// True for shapes with the orientation `turn`.
bool has_axes(Obstacle::Shape shape);
/// True for bodies whose gap is a convex function of the point, except planes.
inline bool has_convex_gap(const Obstacle& obstacle) {
  return obstacle.shape != Obstacle::Shape::mesh && obstacle.shape != Obstacle::Shape::plane;
}
/// The forms of all obstacles as text: "sphere:x,y,z,r, capsule:… or …".
std::string obstacle_forms();

/// Radius of the rounded edges [m]: of a box and a cylinder a twentieth of its smallest extent, of a mesh a
/// thousandth of its diagonal.
double rounding_of(const Obstacle& obstacle);
/// The largest depth of a point within it [m]; infinity for a plane.
double depth_of(const Obstacle& obstacle);
/// The least displacement by which a particle may pass through an obstacle, or less [m]. A mesh may have
/// parts that are as thin as its open ones.
double least_passage_of(const Obstacle& obstacle);
/// Radius of a sphere about its centre that contains it [m]; infinity for a plane.
double bound_of(const Obstacle& obstacle);
/// The centre of a body, about which it turns: of a plane the point closest to the origin, of a mesh the
/// origin of its file.
vec3 centre_of(const Obstacle& obstacle);
/// The body in a pose, without its path.
Obstacle posed(const Obstacle& obstacle, const Pose& pose);
/// The same body turned about its centre [°].
Obstacle turned(Obstacle obstacle, const vec3& degrees);
/// The same body with another centre; a plane through that point.
Obstacle moved_to(const Obstacle& obstacle, const vec3& centre);

/// The obstacles of a scene.
struct Obstacles {
  std::vector<Obstacle> bodies;
  double friction = 0.3;  ///< μ of Coulomb's friction, at rest and sliding
  /// Bodies that contain particles when they appear grow to their size within this time [s]; 0: they appear
  /// at full size.
  double grow = 0;

  bool operator==(const Obstacles&) const = default;
};

/// The position in space of a point of the file of a mesh.
inline vec3 from_mesh(const Obstacle& mesh, const vec3& x) {
  return mesh.from + mesh.axes * (mesh.scale * x);
}
/// The inverse.
inline vec3 in_mesh(const Obstacle& mesh, const vec3& x) {
  return glm::transpose(mesh.axes) * (x - mesh.from) / mesh.scale;
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
/// Throws InputError if there are too many, or a number is out of its bounds.
void check_obstacles(std::span<const Obstacle> bodies);
/// Throws InputError if the triangles of a mesh are missing.
void check_read(std::span<const Obstacle> bodies);

/// The corners of the triangles of a mesh that has been read [m].
std::vector<vec3> corners_of(const Obstacle& obstacle);

/// The closest point of the surface to x. A mesh must have been read.
SurfacePoint closest_point(const Obstacle& obstacle, const vec3& x);
/// Penetration depth into the visible body, which is at full size and without a mesh's rounding, of a point
/// with that surface point [m].
double visible_depth(const Obstacle& obstacle, const SurfacePoint& point);
/// True if the segment between two points crosses a triangle of a mesh, which has been read.
bool crosses_mesh(const Obstacle& mesh, const vec3& from, const vec3& to);

/// The closest point that was found for x, in the axes of a mesh.
struct FoundPoint {
  vec3 x{0};
  std::optional<SurfacePoint> point;
  double travel = 0;  ///< of the shape
};
/// The same, or nothing if x is certainly more than `reach` [m] above the surface. `last` is the result for
/// this point in an earlier call, and becomes that of this one. A continuous mesh
/// (TriangleSurface::is_continuous) is searched only if `last` does not decide. Results do not depend on it;
/// null for other bodies.
std::optional<SurfacePoint> closest_point_within(const Obstacle& obstacle, const vec3& x, double reach,
                                                 FoundPoint* last);

}  // namespace clothlab
