// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cloth/driver_force.h"
#include "core/vec.h"

namespace clothlab {

/// A named set of particles, chosen at rest.
struct ParticleGroup {
  enum class By { indices, box, obj_group, loop };

  std::string name;
  By by = By::indices;
  std::vector<std::uint32_t> vertices;  ///< 0-based `v` indices
  vec3 low{0}, high{0};                 ///< corners of the box, which includes its faces [m]
  std::string obj_group;                ///< a name of a `g` line of the mesh file
  std::uint32_t loop = 0;               ///< index into boundary_loops()

  bool operator==(const ParticleGroup&) const = default;
};

/// Where a group is at a time.
struct GroupKey {
  double time = 0;        ///< [s]
  vec3 position{0};       ///< [m]: displacement from the start, or the group's centre if `absolute`
  bool absolute = false;  ///< the centre is the mean of the particles at the start

  bool operator==(const GroupKey&) const = default;
};

/// A sin(2π f t + φ): without a phase its velocity at t = 0 is 2π f A.
struct GroupSine {
  vec3 amplitude{0};     ///< A [m]; 0: none
  double frequency = 0;  ///< f [Hz]
  double phase = 0;      ///< φ [rad]

  bool operator==(const GroupSine&) const = default;
};

/// The motion of a group, which does not turn. It rests before the first keyframe, and after the last unless
/// the path loops.
struct GroupPath {
  std::vector<GroupKey> keys;  ///< at least one, in order of time
  /// False: straight, at constant speed. True: cubic, with the velocity of the line between its neighbours at
  /// each keyframe; a path that does not loop begins and ends at rest.
  bool smooth = false;
  bool loops = false;
  GroupSine sine = {};  ///< added to the path at all times

  bool operator==(const GroupPath&) const = default;
};

/// A constraint: each particle of a group stays on a straight line through its position at the start.
struct GroupLine {
  vec3 along{1, 0, 0};  ///< of any length but 0

  bool operator==(const GroupLine&) const = default;
};

/// A constraint: the two particles of a group stay at a distance.
struct GroupDistance {
  double length = 0;  ///< [m]; 0: the distance at the start

  bool operator==(const GroupDistance&) const = default;
};

/// Prescribes the motion of a group, constrains it, or adds a force on each of its particles.
struct Driver {
  std::string group;  ///< name
  std::variant<GroupPath, DriverForce, GroupLine, GroupDistance> action;
  bool on = true;

  bool operator==(const Driver&) const = default;
};

inline constexpr std::size_t kMostGroups = 100;
inline constexpr std::size_t kMostDrivers = 100;

/// The group of a scene with that name or, if there is none, the group of the mesh file.
ParticleGroup group_named(const std::vector<ParticleGroup>& groups, const std::string& name);

/// "constant force", "path", "sine": the kind of a driver, for texts.
std::string kind_text(const Driver& driver);

/// True if a driver that is on keeps particles at a distance.
bool has_distances(const std::vector<Driver>& drivers);

/// Throws InputError for a number out of its range, times that do not ascend, a loop that does not end where
/// it begins, a name that occurs twice, or a driver of an unknown group.
void check_drivers(const std::vector<ParticleGroup>& groups, const std::vector<Driver>& drivers);

}  // namespace clothlab
