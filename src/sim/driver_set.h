// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"
#include "linalg/projection.h"
#include "mesh/mesh.h"
#include "sim/scene.h"

namespace clothlab {

/// The particles of a group, ascending. Throws InputError if there are none, or for an index, a loop or a
/// group of the mesh file that does not exist.
std::vector<std::uint32_t> particles_of(const ParticleGroup& group, const ClothMesh& mesh);

/// What the picture shows of a driver, on or off.
struct DriverMark {
  std::vector<std::uint32_t> particles;
  std::vector<vec3> line;  ///< path of the group's centre, or lines of constraints [m]; empty for a force
  std::vector<vec3> keys;  ///< its keyframes [m]
  double length = 0;       ///< of a distance [m]
};
using DriverMarks = std::vector<DriverMark>;

/// The drivers of a scene that are on, for its particles.
class DriverSet {
 public:
  DriverSet() = default;
  /// `start` are the positions at the start [m]. Throws InputError as particles_of() does, for a particle of
  /// a path or a line that is pinned or on another one, and for a distance of other than two particles, or of
  /// two that are prescribed.
  DriverSet(const Scene& scene, const ClothMesh& mesh, std::span<const vec3> start);

  std::vector<DrivenGroup> forces() const { return forces_; }
  std::span<const DistanceConstraint> distances() const { return distances_; }
  /// One for each driver of the scene; null if there are none.
  const std::shared_ptr<const DriverMarks>& marks() const { return marks_; }
  /// True if paths, constraints or springs connect particles with the surroundings.
  bool has_paths() const;

  /// Fixes the particles of all paths at their positions at time t [s], and constrains those of lines; they
  /// are free before.
  void set_targets(double t, Projection& projection) {
    if (!paths_.empty()) projection.fix(targets(t));
  }
  /// Those positions.
  std::span<const Projection::Entry> targets(double t);

  /// The largest displacement on a path [m] and an upper bound of its speed [m/s].
  double reach() const;
  double fastest() const;
  /// The energy of the springs at positions x [J].
  double spring_energy(std::span<const vec3> x) const;
  /// The escape speed [m/s] from the central forces at positions x, with which they can give energy.
  double escape_speed(std::span<const vec3> x) const;

 private:
  struct Path {
    ObstaclePath path;  // displacements from the start, without turns
    bool smooth;
    GroupSine sine;
    vec3 without_sine(double t) const;
    vec3 shift(double t) const;
  };
  static Path path_of(const GroupPath& path, const vec3& centre);
  static void add_line(const Path& path, const vec3& centre, DriverMark& mark);
  void add_distance(const ParticleGroup& group, const GroupDistance& distance, std::span<const vec3> start,
                    bool on, DriverMark& mark);
  struct Driven {
    std::size_t path;
    vec3 start;
    mat3 S;
  };

  std::shared_ptr<const DriverMarks> marks_;
  std::vector<DrivenGroup> forces_;
  std::vector<DistanceConstraint> distances_;
  std::vector<Path> paths_;
  std::vector<Projection::Entry> entries_;  // of the particles on paths and lines, ascending
  std::vector<Driven> driven_;              // in their order
  std::vector<vec3> shifts_;                // by path
};

}  // namespace clothlab
