// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;

std::uint32_t vertex_index(const JsonMembers& group, const json& value, const char* key) {
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost)
    group.refuse(key, "a whole number from 0 to " + std::to_string(kMost));
  return value.get<std::uint32_t>();
}

ParticleGroup read_group(const std::string& name, const json& value) {
  const JsonMembers::Names kinds{"indices", "box", "obj-group", "loop"};
  const JsonMembers group(value, "group \"" + printable(name) + '"', kinds);
  group.need_one_of(kinds);
  ParticleGroup read;
  read.name = name;
  if (group.has("indices")) {
    for (const json& vertex : group.list("indices", "a list of vertex indices"))
      read.vertices.push_back(vertex_index(group, vertex, "indices"));
  } else if (group.has("box")) {
    read.by = ParticleGroup::By::box;
    const json& corners = group.list("box", "a list of two corners");
    if (corners.size() != 2) group.refuse("box", "a list of two corners");
    read_json("box", corners[0], read.low, group.of());
    read_json("box", corners[1], read.high, group.of());
  } else if (group.has("obj-group")) {
    read.by = ParticleGroup::By::obj_group;
    group.read("obj-group", read.obj_group);
  } else {
    read.by = ParticleGroup::By::loop;
    read.loop = vertex_index(group, group.at("loop"), "loop");
  }
  return read;
}

GroupPath read_group_path(const JsonMembers& driver, const std::string& of) {
  GroupPath path;
  if (driver.has("sine")) {
    const JsonMembers sine(driver.at("sine"), "the sine of " + of, {"amplitude", "frequency", "phase"});
    sine.read("amplitude", path.sine.amplitude);
    sine.read("frequency", path.sine.frequency);
    sine.read_if("phase", path.sine.phase);
  }
  if (!driver.has("path")) path.keys.emplace_back();
  for (const json& each : driver.has("path") ? driver.list("path", "a list of keyframes") : json::array()) {
    const JsonMembers key(each, "a keyframe of " + of, {"time", "move", "to"});
    GroupKey& read = path.keys.emplace_back();
    key.read("time", read.time);
    if (key.has("move") && key.has("to")) key.need_one_of({"move", "to"});
    read.absolute = key.has("to");
    key.read_if("move", read.position);
    key.read_if("to", read.position);
  }
  std::string interpolation = "linear";
  driver.read_if("interpolation", interpolation);
  path.smooth = interpolation == "smooth";
  if (!path.smooth && interpolation != "linear") driver.refuse("interpolation", "\"linear\" or \"smooth\"");
  driver.read_if("loops", path.loops);
  return path;
}

DriverForce read_force(const json& value, const std::string& of) {
  const JsonMembers force(
      value, "the force of " + of,
      {"constant", "harmonic", "frequency", "phase", "drag", "velocity", "central", "strength", "spring"});
  force.need_one_of({"constant", "harmonic", "drag", "central", "spring"});
  const auto belongs = [&](const char* key, const char* kind) {
    if (force.has(key) && !force.has(kind))
      throw InputError("\"" + std::string(key) + "\" of the force of " + of + " belongs to a \"" + kind +
                       "\" force");
  };
  belongs("frequency", "harmonic");
  belongs("phase", "harmonic");
  belongs("velocity", "drag");
  belongs("strength", "central");
  DriverForce read;
  if (force.has("constant")) {
    force.read("constant", read.force);
  } else if (force.has("harmonic")) {
    read.kind = DriverForce::Kind::harmonic;
    force.read("harmonic", read.force);
    force.read("frequency", read.frequency);
    force.read_if("phase", read.phase);
  } else if (force.has("spring")) {
    read.kind = DriverForce::Kind::spring;
    force.read("spring", read.stiffness);
  } else if (force.has("drag")) {
    read.kind = DriverForce::Kind::drag;
    force.read("drag", read.drag);
    force.read_if("velocity", read.velocity);
  } else {
    read.kind = DriverForce::Kind::central;
    force.read("central", read.centre);
    force.read("strength", read.strength);
  }
  return read;
}

Driver read_driver(const json& value, const std::string& of) {
  const JsonMembers driver(
      value, of,
      {"group", "path", "interpolation", "loops", "sine", "force", "constraint", "along", "length", "on"});
  if (driver.has("force") || driver.has("constraint") || !driver.has("path"))
    driver.need_one_of({"path", "sine", "force", "constraint"});
  Driver read;
  driver.read("group", read.group);
  driver.read_if("on", read.on);
  if (!driver.has("path"))
    for (const char* key : {"interpolation", "loops"})
      if (driver.has(key)) throw InputError("\"" + std::string(key) + "\" of " + of + " belongs to a path");
  std::string constraint;
  driver.read_if("constraint", constraint);
  for (const auto& [key, kind] : {std::pair{"along", "line"}, std::pair{"length", "distance"}})
    if (driver.has(key) && constraint != kind)
      throw InputError("\"" + std::string(key) + "\" of " + of + " belongs to the constraint \"" + kind +
                       '"');
  if (constraint == "line") {
    driver.read("along", read.action.emplace<GroupLine>().along);
  } else if (constraint == "distance") {
    driver.read_if("length", read.action.emplace<GroupDistance>().length);
    if (driver.has("length") && std::get<GroupDistance>(read.action).length == 0)
      driver.refuse("length", "above 0; without it, it is the distance at the start");
  } else if (driver.has("constraint")) {
    driver.refuse("constraint", "\"line\" or \"distance\"");
  } else if (driver.has("force")) {
    read.action = read_force(driver.at("force"), of);
  } else {
    read.action = read_group_path(driver, of);
  }
  return read;
}

std::string text_of_selection(const ParticleGroup& group) {
  switch (group.by) {
    case ParticleGroup::By::indices: {
      std::string text;
      for (const std::uint32_t vertex : group.vertices)
        text += (text.empty() ? "" : ", ") + std::to_string(vertex);
      return "\"indices\": [" + text + "]";
    }
    case ParticleGroup::By::box:
      return "\"box\": [" + json_list(group.low) + ", " + json_list(group.high) + "]";
    case ParticleGroup::By::obj_group:
      return "\"obj-group\": " + json_text(group.obj_group);
    case ParticleGroup::By::loop:
      break;
  }
  return "\"loop\": " + std::to_string(group.loop);
}

std::string text_of_action(const GroupPath& path) {
  std::string text;
  for (const GroupKey& key : path.keys)
    text += (text.empty() ? "{\"time\": " : ", {\"time\": ") + json_number(key.time) +
            (key.absolute ? ", \"to\": " : ", \"move\": ") + json_list(key.position) + "}";
  return "\"path\": [" + text + "]" + (path.smooth ? ", \"interpolation\": \"smooth\"" : "") +
         (path.loops ? ", \"loops\": true" : "") +
         (path.sine == GroupSine() ? ""
                                   : ", \"sine\": {\"amplitude\": " + json_list(path.sine.amplitude) +
                                         ", \"frequency\": " + json_number(path.sine.frequency) +
                                         ", \"phase\": " + json_number(path.sine.phase) + "}");
}

std::string text_of_action(const DriverForce& force) {
  const auto text = [&]() -> std::string {
    switch (force.kind) {
      case DriverForce::Kind::constant:
        return "\"constant\": " + json_list(force.force);
      case DriverForce::Kind::harmonic:
        return "\"harmonic\": " + json_list(force.force) +
               ", \"frequency\": " + json_number(force.frequency) +
               ", \"phase\": " + json_number(force.phase);
      case DriverForce::Kind::drag:
        return "\"drag\": " + json_number(force.drag) + ", \"velocity\": " + json_list(force.velocity);
      case DriverForce::Kind::spring:
        return "\"spring\": " + json_number(force.stiffness);
      case DriverForce::Kind::central:
        break;
    }
    return "\"central\": " + json_list(force.centre) + ", \"strength\": " + json_number(force.strength);
  };
  return "\"force\": {" + text() + "}";
}

std::string text_of_action(const GroupLine& line) {
  return "\"constraint\": \"line\", \"along\": " + json_list(line.along);
}

std::string text_of_action(const GroupDistance& distance) {
  return std::string("\"constraint\": \"distance\"") +
         (distance.length != 0 ? ", \"length\": " + json_number(distance.length) : "");
}

}  // namespace

std::vector<ParticleGroup> read_groups(const json& value) {
  if (!value.is_object()) throw InputError("\"groups\" must be an object with a member for each group");
  std::vector<ParticleGroup> groups;
  for (const auto& [name, group] : value.items()) groups.push_back(read_group(name, group));
  return groups;
}

std::vector<Driver> read_drivers(const json& value) {
  if (!value.is_array()) throw InputError("\"drivers\" must be a list of objects");
  std::vector<Driver> drivers;
  for (const json& driver : value)
    drivers.push_back(read_driver(driver, "driver " + std::to_string(drivers.size() + 1)));
  return drivers;
}

std::string write_groups(const std::vector<ParticleGroup>& groups) {
  std::string text;
  for (const ParticleGroup& group : groups)
    text += (text.empty() ? "" : ", ") + json_text(group.name) + ": {" + text_of_selection(group) + "}";
  return text.empty() ? text : "{" + text + "}";
}

std::string write_drivers(const std::vector<Driver>& drivers) {
  std::string text;
  for (const Driver& driver : drivers)
    text += (text.empty() ? "" : ", ") + ("{\"group\": " + json_text(driver.group)) + ", " +
            std::visit([](const auto& action) { return text_of_action(action); }, driver.action) +
            (driver.on ? "}" : ", \"on\": false}");
  return text.empty() ? text : "[" + text + "]";
}

}  // namespace clothlab
