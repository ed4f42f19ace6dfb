#include "sim/scene_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/text.h"
#include "mesh/mesh.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using nlohmann::json;

// The keys that are no parameters of the table. "clothlab-scene" is the version.
constexpr std::array<std::string_view, 11> kOwnKeys{"clothlab-scene", "title",      "description",  "mesh",
                                                    "scale",          "weld",       "z-up",         "pin",
                                                    "gravity",        "integrator", "initial-state"};

constexpr int kDeepest = 8;  // a valid scene needs four

[[noreturn]] void refuse(std::string_view key, const std::string& what) {
  throw InputError("\"" + std::string(key) + "\" " + what);
}

std::size_t line_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

/// The text as a tree, duplicate keys and deep nesting refused. The parser tells neither of the two
/// places, nor that of a number no double can hold, so the keys are collected per open object.
json parse_json(std::string_view text) {
  struct Open {
    std::set<std::string> keys;
    std::string last;
  };
  std::vector<Open> objects;
  const auto refuse_value = [&](const std::string& what) {
    if (objects.empty() || objects.back().last.empty()) throw InputError("a value " + what);
    refuse(objects.back().last, what);
  };
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > kDeepest) refuse_value("is nested too deeply");
    if (event == json::parse_event_t::object_start) objects.emplace_back();
    if (event == json::parse_event_t::object_end) objects.pop_back();
    if (event == json::parse_event_t::key) {
      Open& object = objects.back();
      object.last = value.get<std::string>();
      if (!object.keys.insert(object.last).second) refuse(object.last, "is there twice");
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    throw InputError("line " + std::to_string(line_of(text, error.byte > 0 ? error.byte - 1 : 0)) +
                     " is not valid JSON");
  } catch (const json::out_of_range&) {
    refuse_value("holds a number that is too large");
    throw;
  }
}

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
  refuse(key, "cannot be \"" + name + "\"" + suggestion(name, names, "\"") + " Allowed are " + joined(names));
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

/// The keys of an object that is part of the scene: `required` or `optional`, nothing else.
void check_keys(std::string_view key, const json& object, std::span<const std::string_view> allowed) {
  for (const auto& item : object.items())
    if (std::find(allowed.begin(), allowed.end(), item.key()) == allowed.end())
      refuse(key, "has no \"" + item.key() + "\"" + suggestion(item.key(), allowed, "\"") + " Allowed are " +
                      joined(allowed));
}

MeshSource read_mesh(const json& value) {
  constexpr std::array<std::string_view, 4> kKeys{"grid", "size", "file", "generated"};
  if (!value.is_object()) refuse("mesh", "must be an object with \"grid\", \"file\" or \"generated\"");
  check_keys("mesh", value, kKeys);
  if (value.contains("grid") + value.contains("file") + value.contains("generated") != 1)
    refuse("mesh", "must have exactly one of \"grid\", \"file\" and \"generated\"");
  if (value.contains("size") && !value.contains("grid")) refuse("size", "belongs to a \"grid\"");
  if (value.contains("file")) return FileSource{string("file", value["file"])};
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

std::vector<vec3> read_vectors(std::string_view key, const json& value) {
  if (!value.is_array()) refuse(key, "must be a list with three numbers for every vertex");
  std::vector<vec3> vectors;
  vectors.reserve(value.size());
  for (const json& row : value) vectors.push_back(vector(key, row));
  return vectors;
}

InitialState read_initial_state(const json& value) {
  constexpr std::array<std::string_view, 2> kKeys{"positions", "velocities"};
  if (!value.is_object()) refuse("initial-state", "must be an object with \"positions\" and \"velocities\"");
  check_keys("initial-state", value, kKeys);
  for (const std::string_view key : kKeys)
    if (!value.contains(key)) refuse("initial-state", "lacks \"" + std::string(key) + "\"");
  InitialState state{read_vectors("positions", value["positions"]),
                     read_vectors("velocities", value["velocities"])};
  if (state.positions.size() != state.velocities.size())
    refuse("initial-state", "must have as many \"velocities\" as \"positions\"");
  return state;
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

void read_version(const json& object) {
  if (!object.contains("clothlab-scene"))
    throw InputError("the key \"clothlab-scene\" with the version is missing");
  const json& version = object["clothlab-scene"];
  if (!version.is_number_integer() || version != kSceneVersion)
    refuse("clothlab-scene",
           "must be " + std::to_string(kSceneVersion) + ", the version that this program reads");
}

void read_key(const std::string& key, const json& value, Scene& scene) {
  if (key == "clothlab-scene") return;
  if (key == "title") {
    scene.title = string(key, value);
  } else if (key == "description") {
    scene.description = string(key, value);
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
  } else if (key == "integrator") {
    std::vector<std::string_view> ids;
    for (const IntegratorInfo& info : integrators()) ids.push_back(info.id);
    scene.integrator = ids[index_of_name(key, value, ids)];
  } else if (key == "initial-state") {
    scene.initial_state = read_initial_state(value);
  } else if (const ParameterSpec* spec = find_parameter_spec(key)) {
    read_parameter(*spec, value, scene);
  } else {
    const std::vector<std::string_view> keys = scene_keys();
    throw InputError("there is no key \"" + key + "\"" + suggestion(key, keys, "\""));
  }
}

Scene read_scene(std::string_view text) {
  const json object = parse_json(text);
  if (!object.is_object()) throw InputError("a scene must be a JSON object, { ... }");
  read_version(object);
  Scene scene;
  for (const auto& item : object.items()) read_key(item.key(), item.value(), scene);
  return scene;
}

// Writing: by hand rather than from a tree, for the order of the keys and for numbers that read back
// exactly and look like what was typed.

std::string json_text(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string text_of(double value) {
  if (!std::isfinite(value)) throw InputError("A scene file cannot hold a number that is not finite.");
  // "-0" would be read as a whole number, which has no negative zero.
  return value == 0 && std::signbit(value) ? "-0.0" : format_number(value);
}

std::string text_of(const vec3& v) {
  return "[" + text_of(v.x) + ", " + text_of(v.y) + ", " + text_of(v.z) + "]";
}

std::string text_of(const MeshSource& mesh) {
  if (const auto* grid = std::get_if<GridSource>(&mesh))
    return "{\"grid\": [" + std::to_string(grid->rows) + ", " + std::to_string(grid->cols) +
           "], \"size\": [" + text_of(grid->width) + ", " + text_of(grid->depth) + "]}";
  if (const auto* file = std::get_if<FileSource>(&mesh)) return "{\"file\": " + json_text(file->path) + "}";
  return "{\"generated\": " + json_text(std::get<GeneratedSource>(mesh).name) + "}";
}

std::string text_of(const PinSelection& pins) {
  if (const auto* preset = std::get_if<PinPreset>(&pins))
    return json_text(kPinPresetNames[static_cast<std::size_t>(*preset)]);
  std::string text;
  for (const std::uint32_t vertex : std::get<std::vector<std::uint32_t>>(pins))
    text += (text.empty() ? "" : ", ") + std::to_string(vertex);
  return "[" + text + "]";
}

std::string text_of(const std::vector<vec3>& rows) {
  std::string text;
  for (const vec3& row : rows) text += (text.empty() ? "\n      " : ",\n      ") + text_of(row);
  return "[" + text + "]";
}

std::string text_of(const ParameterSpec& spec, double value) {
  if (spec.kind == ParameterSpec::Kind::boolean) return value != 0 ? "true" : "false";
  if (spec.kind == ParameterSpec::Kind::choice)
    return json_text(spec.choices[static_cast<std::size_t>(value)]);
  if (std::isinf(spec.max) && value == spec.max) return json_text("off");
  return text_of(value);
}

}  // namespace

std::vector<std::string_view> scene_keys() {
  std::vector<std::string_view> keys(kOwnKeys.begin(), kOwnKeys.end());
  for (const SceneParameter& row : scene_parameters()) keys.push_back(row.spec.id);
  for (const IntegratorInfo& info : integrators())
    for (const ParameterSpec& spec : info.parameters)
      if (std::find(keys.begin(), keys.end(), spec.id) == keys.end()) keys.push_back(spec.id);
  return keys;
}

Scene parse_scene(std::string_view json_text, std::string_view name) {
  try {
    return read_scene(json_text);
  } catch (const InputError& error) {
    std::string what = error.what();
    if (what.back() != '.' && what.back() != '?') what += '.';
    throw InputError(std::string(name) + ": " + what);
  }
}

std::string write_scene(const Scene& scene) {
  std::string text = "{\n  \"clothlab-scene\": " + std::to_string(kSceneVersion);
  const auto add = [&](std::string_view key, const std::string& value) {
    text += ",\n  " + json_text(key) + ": " + value;
  };
  if (!scene.title.empty()) add("title", json_text(scene.title));
  if (!scene.description.empty()) add("description", json_text(scene.description));
  if (!std::holds_alternative<NoSource>(scene.mesh)) add("mesh", text_of(scene.mesh));
  add("scale", text_of(scene.scale));
  add("weld", scene.weld ? "true" : "false");
  add("z-up", scene.z_up ? "true" : "false");
  add("pin", text_of(scene.pins));
  add("gravity", text_of(scene.material.gravity));
  add("integrator", json_text(scene.integrator));
  for (const SceneParameter& row : scene_parameters()) add(row.spec.id, text_of(row.spec, row.get(scene)));
  for (const auto& [id, value] : scene.integrator_parameters) add(id, text_of(parameter_spec(id), value));
  if (scene.initial_state)
    add("initial-state", "{\n    \"positions\": " + text_of(scene.initial_state->positions) +
                             ",\n    \"velocities\": " + text_of(scene.initial_state->velocities) + "}");
  return text + "\n}\n";
}

}  // namespace clothlab
