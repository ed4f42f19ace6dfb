// SPDX-License-Identifier: MIT
#include "sim/scene_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/text.h"
#include "sim/obstacle_json.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(std::string_view key, const std::string& what) { refuse_value(key, what); }

double number(std::string_view key, const json& value, const std::string& allowed = "must be a number") {
  if (!value.is_number()) refuse(key, allowed);
  return value.get<double>();
}

bool boolean(std::string_view key, const json& value) {
  if (!value.is_boolean()) refuse(key, "must be true or false");
  return value.get<bool>();
}

std::string string(std::string_view key, const json& value) {
  if (!value.is_string()) refuse(key, "must be a text in quotes");
  return value.get<std::string>();
}

/// A title or description: cut where it is too long, without control characters.
std::string prose(std::string_view key, const json& value, std::size_t longest) {
  return printable(string(key, value), longest, "\n\t");
}

vec3 vector(std::string_view key, const json& value) {
  const std::string allowed = "must be a list of three numbers";
  if (!value.is_array() || value.size() != 3) refuse(key, allowed);
  return {number(key, value[0], allowed), number(key, value[1], allowed), number(key, value[2], allowed)};
}

/// Index of a name, or a refusal that names the nearest and all.
template <class Names>
std::size_t index_of_name(std::string_view key, const json& value, const Names& names) {
  const std::string name = string(key, value);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  refuse(key, "cannot be \"" + printable(name) + "\"" + suggestion(name, names, "\"") + " Allowed are " +
                  joined(names));
}

std::int64_t whole(std::string_view key, const json& value, std::int64_t min, std::int64_t max) {
  const std::string allowed =
      "must hold whole numbers from " + std::to_string(min) + " to " + std::to_string(max);
  if (!value.is_number_integer()) refuse(key, allowed);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(max))
    refuse(key, allowed);
  const std::int64_t n = value.get<std::int64_t>();
  if (n < min || n > max) refuse(key, allowed);
  return n;
}

double positive(std::string_view key, const json& value) {
  const std::string allowed = "must hold numbers greater than 0";
  const double x = number(key, value, allowed);
  if (!(x > 0)) refuse(key, allowed);
  return x;
}

MeshSource read_mesh(const json& value) {
  if (!value.is_object()) refuse("mesh", "must be an object with \"grid\", \"file\" or \"generated\"");
  if (value.contains("grid") + value.contains("file") + value.contains("generated") != 1)
    refuse("mesh", "must have exactly one of \"grid\", \"file\" and \"generated\"");
  if (value.contains("size") && !value.contains("grid")) refuse("size", "belongs to a \"grid\"");
  if (value.contains("file")) {
    FileSource file{string("file", value["file"])};
    if (file.path.find('\0') != std::string::npos) refuse("file", "must not contain the character U+0000");
    return file;
  }
  if (value.contains("generated")) return GeneratedSource{string("generated", value["generated"])};

  constexpr std::int64_t kMost = 5'000'000;
  const json& grid = value["grid"];
  if (!grid.is_array() || grid.size() != 2) refuse("grid", "must be a list of two numbers, rows and columns");
  GridSource source;
  source.rows = static_cast<int>(whole("grid", grid[0], 2, kMost));
  source.cols = static_cast<int>(whole("grid", grid[1], 2, kMost));
  if (value.contains("size")) {
    const json& size = value["size"];
    if (!size.is_array() || size.size() != 2)
      refuse("size", "must be a list of two numbers, width and depth");
    source.width = positive("size", size[0]);
    source.depth = positive("size", size[1]);
  }
  return source;
}

PinSelection read_pins(const json& value) {
  if (value.is_string()) return static_cast<PinPreset>(index_of_name("pin", value, kPinPresetNames));
  if (!value.is_array()) refuse("pin", "must be the name of a preset or a list of vertex indices");
  std::vector<std::uint32_t> vertices;
  vertices.reserve(value.size());
  for (const json& index : value)
    vertices.push_back(
        static_cast<std::uint32_t>(whole("pin", index, 0, std::numeric_limits<std::uint32_t>::max())));
  return vertices;
}

std::vector<Obstacle> read_obstacles(const json& value) {
  if (!value.is_array()) refuse("obstacles", "must be a list of texts such as \"sphere:0,-1,0,0.3\"");
  std::vector<Obstacle> bodies;
  for (const json& each : value) bodies.push_back(read_obstacle(each));
  check_obstacles(bodies);
  return bodies;
}

void read_parameter(const ParameterSpec& spec, const json& value, Scene& scene) {
  switch (spec.kind) {
    case ParameterSpec::Kind::boolean:
      return set_parameter(scene, spec.id, boolean(spec.id, value) ? 1 : 0);
    case ParameterSpec::Kind::choice:
      return set_parameter(scene, spec.id, static_cast<double>(index_of_name(spec.id, value, spec.choices)));
    case ParameterSpec::Kind::real:
    case ParameterSpec::Kind::integer:
      if (std::isinf(spec.max) && value == "off") return set_parameter(scene, spec.id, spec.max);
      return set_parameter(
          scene, spec.id,
          number(spec.id, value, std::isinf(spec.max) ? "must be a number or \"off\"" : "must be a number"));
  }
}

}  // namespace

void refuse_value(std::string_view key, const std::string& what) {
  throw InputError("\"" + printable(key) + "\" " + what);
}

std::string replace_retired_value(std::string_view key, json& value) {
  if (key != "preconditioner" || value != "cholesky") return {};
  value = "multigrid";
  return "The preconditioner \"cholesky\" no longer exists; \"multigrid\" takes its place.";
}

void read_value(std::string_view key, const json& value, Scene& scene) {
  if (key == "clothlab-scene") {
    if (!value.is_number_integer() || value < 1 || value > kSceneVersion)
      refuse(key,
             "must be from 1 to " + std::to_string(kSceneVersion) + ", the versions that this program reads");
  } else if (key == "title") {
    scene.title = prose(key, value, kLongestTitle);
  } else if (key == "description") {
    scene.description = prose(key, value, kLongestDescription);
  } else if (key == "mesh") {
    scene.mesh = read_mesh(value);
  } else if (key == "scale") {
    scene.scale = number(key, value);
    check_scale(scene.scale);
  } else if (key == "weld") {
    scene.weld = boolean(key, value);
  } else if (key == "z-up") {
    scene.z_up = boolean(key, value);
  } else if (key == "pin") {
    scene.pins = read_pins(value);
  } else if (key == "gravity") {
    scene.material.gravity = vector(key, value);
    check_gravity(scene.material.gravity);
  } else if (key == "obstacles") {
    scene.obstacles.bodies = read_obstacles(value);
  } else if (key == "integrator") {
    std::vector<std::string_view> ids;
    for (const IntegratorInfo& info : integrators()) ids.push_back(info.id);
    scene.integrator = ids[index_of_name(key, value, ids)];
  } else {
    read_parameter(parameter_spec(key), value, scene);
  }
}

}  // namespace clothlab
