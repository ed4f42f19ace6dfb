// SPDX-License-Identifier: MIT
#include "sim/driver.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string_view>

#include "collide/obstacle.h"
#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

constexpr double kMostForce = 1e9;      // of any number of a force, in its unit
constexpr double kMostDistance = 1000;  // [m]
constexpr double kMostFrequency = 1e6;  // of a sine [Hz]
constexpr double kMostPhase = 1e6;      // [rad]
constexpr double kLeastDistance = 1e-6;

std::string in_quotes(const std::string& name) { return '"' + printable(name) + '"'; }

bool is_within(const vec3& v, double most) {
  return std::abs(v.x) <= most && std::abs(v.y) <= most && std::abs(v.z) <= most;
}

void check_action(const DriverForce& force, const std::string& of) {
  const auto check = [&](double value, double least, const char* what, const char* unit) {
    if (!(value >= least && value <= kMostForce))
      throw InputError("The " + std::string(what) + of + " must be from " + format_number(least) + " to " +
                       format_number(kMostForce) + " " + unit + ".");
  };
  for (const vec3& v : {force.force, force.velocity})
    if (!is_within(v, kMostForce))
      throw InputError("Each number of the force" + of + " must be from " + format_number(-kMostForce) +
                       " to " + format_number(kMostForce) + ".");
  if (!is_within(force.centre, kMostDistance))
    throw InputError("The centre of the force" + of + " must be within " + format_number(kMostDistance) +
                     " m of the origin along each axis.");
  check(force.frequency, 0, "frequency", "Hz");
  check(force.phase, -kMostForce, "phase", "rad");
  check(force.drag, 0, "drag coefficient", "N·s/m");
  check(force.strength, 0, "strength of the central force", "m³/s²");
  check(force.stiffness, 0, "stiffness of the spring", "N/m");
}

void check_action(const GroupPath& path, const std::string& of) {
  if (path.keys.empty() || path.keys.size() > kMostKeyframes)
    throw InputError("The path" + of + " must have 1 to " + std::to_string(kMostKeyframes) + " keyframes.");
  double last = -1;
  for (const GroupKey& key : path.keys) {
    if (!(key.time >= 0 && key.time <= kLatestKeyframe) || !(key.time > last))
      throw InputError("The times of the path" + of + " must ascend, from 0 to " +
                       format_number(kLatestKeyframe) + " s.");
    last = key.time;
    if (!is_within(key.position, kMostDistance))
      throw InputError("Each number of a keyframe of the path" + of + " must be from " +
                       format_number(-kMostDistance) + " to " + format_number(kMostDistance) + " m.");
  }
  const GroupSine& sine = path.sine;
  if (!is_within(sine.amplitude, kMostDistance) ||
      !(sine.frequency >= 0 && sine.frequency <= kMostFrequency) || !(std::abs(sine.phase) <= kMostPhase))
    throw InputError("The sine" + of + " must have an amplitude up to " + format_number(kMostDistance) +
                     " m, a frequency from 0 to " + format_number(kMostFrequency) + " Hz and a phase up to " +
                     format_number(kMostPhase) + " rad.");
  const auto &first = path.keys.front(), &end = path.keys.back();
  if (path.loops &&
      (path.keys.size() < 2 || first.position != end.position || first.absolute != end.absolute))
    throw InputError("The path" + of + " loops, so its last keyframe must equal its first one.");
}

void check_action(const GroupLine& line, const std::string& of) {
  if (!is_within(line.along, kMostDistance) || !(glm::length(line.along) >= kLeastDistance))
    throw InputError("The direction" + of + " must have a length of at least " +
                     format_number(kLeastDistance) + ", and each number must be from " +
                     format_number(-kMostDistance) + " to " + format_number(kMostDistance) + ".");
}

void check_action(const GroupDistance& distance, const std::string& of) {
  if (distance.length != 0 && !(distance.length >= kLeastDistance && distance.length <= kMostDistance))
    throw InputError("The length" + of + " must be from " + format_number(kLeastDistance) + " to " +
                     format_number(kMostDistance) + " m.");
}

}  // namespace

ParticleGroup group_named(const std::vector<ParticleGroup>& groups, const std::string& name) {
  const auto found = std::ranges::find(groups, name, &ParticleGroup::name);
  if (found != groups.end()) return *found;
  ParticleGroup group;
  group.name = group.obj_group = name;
  group.by = ParticleGroup::By::obj_group;
  return group;
}

std::string kind_text(const Driver& driver) {
  if (std::holds_alternative<GroupLine>(driver.action)) return "line";
  if (std::holds_alternative<GroupDistance>(driver.action)) return "distance";
  const auto* force = std::get_if<DriverForce>(&driver.action);
  if (force == nullptr) {
    const GroupPath& path = std::get<GroupPath>(driver.action);
    return path.sine == GroupSine() ? "path" : path.keys.size() == 1 ? "sine" : "path with a sine";
  }
  switch (force->kind) {
    case DriverForce::Kind::constant:
      return "constant force";
    case DriverForce::Kind::harmonic:
      return "harmonic force";
    case DriverForce::Kind::drag:
      return "drag";
    case DriverForce::Kind::spring:
      return "spring";
    case DriverForce::Kind::central:
      break;
  }
  return "central force";
}

bool has_distances(const std::vector<Driver>& drivers) {
  return std::ranges::any_of(drivers, [](const Driver& driver) {
    return driver.on && std::holds_alternative<GroupDistance>(driver.action);
  });
}

void check_drivers(const std::vector<ParticleGroup>& groups, const std::vector<Driver>& drivers) {
  if (groups.size() > kMostGroups || drivers.size() > kMostDrivers)
    throw InputError("A scene may have at most " + std::to_string(kMostGroups) + " groups and " +
                     std::to_string(kMostDrivers) + " drivers.");
  std::vector<std::string_view> names;
  for (const ParticleGroup& group : groups) {
    if (std::ranges::find(names, group.name) != names.end())
      throw InputError("The group " + in_quotes(group.name) + " occurs twice.");
    names.push_back(group.name);
    if (!is_within(group.low, kMostDistance) || !is_within(group.high, kMostDistance))
      throw InputError("The box of group " + in_quotes(group.name) + " must be within " +
                       format_number(kMostDistance) + " m of the origin along each axis.");
  }
  for (std::size_t k = 0; k < drivers.size(); ++k) {
    const Driver& driver = drivers[k];
    if (std::ranges::find(names, driver.group) == names.end())
      throw InputError("Driver " + std::to_string(k + 1) + ": there is no group " + in_quotes(driver.group) +
                       (names.empty() ? "." : suggestion(driver.group, names, "\"")));
    const std::string of = " of driver " + std::to_string(k + 1);
    std::visit([&](const auto& action) { check_action(action, of); }, driver.action);
  }
}

}  // namespace clothlab
