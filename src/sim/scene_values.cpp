// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "sim/group_material.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(std::string_view key, const std::string& what) { refuse_value(key, what); }

double number(std::string_view key, const json& value, const std::string& allowed, std::string_view of = {}) {
  if (!value.is_number()) refuse_value(key, allowed, of);
  return value.get<double>();
}

template <class T>
T read_as(std::string_view key, const json& value) {
  T read{};
  read_json(key, value, read);
  return read;
}

/// A title or description, without control characters and cut to its limit.
std::string prose(std::string_view key, const json& value, std::size_t longest) {
  return printable(read_as<std::string>(key, value), longest, "\n\t");
}

/// Index of a name, or a refusal that names the nearest and all.
template <class Names>
std::size_t index_of_name(std::string_view key, const json& value, const Names& names) {
  const auto name = read_as<std::string>(key, value);
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
    FileSource file{read_as<std::string>("file", value["file"])};
    if (file.path.find('\0') != std::string::npos) refuse("file", "must not contain the character U+0000");
    return file;
  }
  if (value.contains("generated"))
    return GeneratedSource{read_as<std::string>("generated", value["generated"])};

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
  if (value.is_object()) {
    PinnedGroups groups;
    const json names = value.value("groups", json());
    for (const json& name : names.is_array() ? names : json::array())
      groups.push_back(read_as<std::string>("groups", name));
    if (groups.empty()) refuse("pin", "must have \"groups\", a list of names");
    return groups;
  }
  if (!value.is_array())
    refuse("pin", "must be the name of a preset, a list of vertex indices or an object with \"groups\"");
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

std::string read_integrator(const json& value) {
  std::vector<std::string_view> ids;
  for (const IntegratorInfo& info : integrators()) ids.push_back(info.id);
  return std::string(ids[index_of_name("integrator", value, ids)]);
}

// Written without a JSON tree: keys keep their order, numbers are exact and look as they were typed.

std::string text_of(double value) { return json_number(value); }

std::string text_of(bool value) { return value ? "true" : "false"; }

std::string text_of(const std::string& text) { return text.empty() ? text : json_text(text); }

std::string text_of(const MeshSource& mesh) {
  if (std::holds_alternative<NoSource>(mesh)) return {};
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
  if (const auto* groups = std::get_if<PinnedGroups>(&pins)) {
    for (const std::string& name : *groups) text += (text.empty() ? "" : ", ") + json_text(name);
    return "{\"groups\": [" + text + "]}";
  }
  for (const std::uint32_t vertex : std::get<VertexList>(pins))
    text += (text.empty() ? "" : ", ") + std::to_string(vertex);
  return "[" + text + "]";
}

std::string text_of(const std::vector<Obstacle>& bodies) {
  std::string text;
  if (bodies.empty()) return text;
  for (const Obstacle& body : bodies) text += (text.empty() ? "" : ", ") + write_obstacle(body);
  return "[" + text + "]";
}

std::string text_of(const ParameterSpec& spec, double value) {
  if (spec.kind == ParameterSpec::Kind::boolean) return text_of(value != 0);
  if (spec.kind == ParameterSpec::Kind::choice || (std::isinf(spec.max) && value == spec.max))
    return json_text(parameter_text(spec, value));
  return text_of(value);
}

std::string text_of(const std::vector<vec3>& rows) {
  std::string text;
  for (const vec3& row : rows) text += (text.empty() ? "\n      " : ",\n      ") + json_list(row);
  return "[" + text + "]";
}

std::string text_of(const TableauMethod* tableau) {
  return tableau == nullptr ? std::string() : write_tableau(tableau->tableau);
}

template <auto member>
std::string written(const Scene& scene) {
  return text_of(scene.*member);
}

/// A field of a scene that is not a parameter (sim/parameters.h).
struct SceneField {
  std::string_view key;
  void (*read)(const json& value, Scene& scene);
  std::string (*write)(const Scene& scene);  ///< empty: left out
};

/// All of them but the initial state, in the order in which they are written.
constexpr std::array kSceneFields{
    SceneField{"title", [](const json& v, Scene& s) { s.title = prose("title", v, kLongestTitle); },
               written<&Scene::title>},
    SceneField{"description",
               [](const json& v, Scene& s) { s.description = prose("description", v, kLongestDescription); },
               written<&Scene::description>},
    SceneField{"mesh", [](const json& v, Scene& s) { s.mesh = read_mesh(v); }, written<&Scene::mesh>},
    SceneField{"added-meshes", [](const json& v, Scene& s) { s.added_meshes = read_added_meshes(v); },
               [](const Scene& s) { return write_added_meshes(s.added_meshes); }},
    SceneField{"scale", [](const json& v, Scene& s) { check_scale(s.scale = read_as<double>("scale", v)); },
               written<&Scene::scale>},
    SceneField{"weld", [](const json& v, Scene& s) { read_json("weld", v, s.weld); }, written<&Scene::weld>},
    SceneField{"z-up", [](const json& v, Scene& s) { read_json("z-up", v, s.z_up); }, written<&Scene::z_up>},
    SceneField{"pin", [](const json& v, Scene& s) { s.pins = read_pins(v); }, written<&Scene::pins>},
    SceneField{
        "gravity",
        [](const json& v, Scene& s) { check_gravity(s.material.gravity = read_as<vec3>("gravity", v)); },
        [](const Scene& s) { return json_list(s.material.gravity); }},
    SceneField{"obstacles", [](const json& v, Scene& s) { s.obstacles.bodies = read_obstacles(v); },
               [](const Scene& s) { return text_of(s.obstacles.bodies); }},
    SceneField{"groups", [](const json& v, Scene& s) { s.groups = read_groups(v); },
               [](const Scene& s) { return write_groups(s.groups); }},
    SceneField{"drivers", [](const json& v, Scene& s) { s.drivers = read_drivers(v); },
               [](const Scene& s) { return write_drivers(s.drivers); }},
    SceneField{"materials", [](const json& v, Scene& s) { s.material.groups = read_group_materials(v); },
               [](const Scene& s) { return write_group_materials(s.material.groups); }},
    SceneField{"seams", [](const json& v, Scene& s) { s.seams = read_seams(v); },
               [](const Scene& s) { return write_seams(s.seams); }},
    SceneField{"integrator", [](const json& v, Scene& s) { s.integrator = read_integrator(v); },
               written<&Scene::integrator>},
    SceneField{"tableau", [](const json& v, Scene& s) { s.tableau = &read_tableau(v); },
               [](const Scene& s) { return text_of(s.tableau); }},
};

bool is_key_of_method(std::string_view key) {
  const SceneParameter* row = find_scene_parameter(key);
  if (row != nullptr) return row->of_method;
  return key == "integrator" || key == "tableau" || find_parameter_spec(key) != nullptr;
}

void read_parameter(const ParameterSpec& spec, const json& value, Scene& scene) {
  switch (spec.kind) {
    case ParameterSpec::Kind::boolean:
      return set_parameter(scene, spec.id, read_as<bool>(spec.id, value) ? 1 : 0);
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

nlohmann::ordered_json parse_strict_json(std::string_view text) {
  using OrderedJson = nlohmann::ordered_json;
  constexpr int kDeepest = 16;
  std::vector<std::set<std::string>> keys;  // of the open objects
  const auto check = [&keys](int depth, OrderedJson::parse_event_t event, const OrderedJson& parsed) {
    if (depth > kDeepest) throw InputError("the JSON is nested too deeply.");
    if (event == OrderedJson::parse_event_t::object_start) keys.emplace_back();
    if (event == OrderedJson::parse_event_t::object_end) keys.pop_back();
    if (event == OrderedJson::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw InputError("the key \"" + printable(parsed.get<std::string>()) + "\" occurs twice.");
    return true;
  };
  return OrderedJson::parse(text, check, false);
}

void refuse_value(std::string_view key, const std::string& what, std::string_view of) {
  throw InputError("\"" + printable(key) + (of.empty() ? "\" " : "\" of " + std::string(of) + " ") + what);
}

void read_json(std::string_view key, const json& value, double& to, std::string_view of) {
  to = number(key, value, "must be a number", of);
}

void read_json(std::string_view key, const json& value, bool& to, std::string_view of) {
  if (!value.is_boolean()) refuse_value(key, "must be true or false", of);
  to = value.get<bool>();
}

void read_json(std::string_view key, const json& value, std::string& to, std::string_view of) {
  if (!value.is_string()) refuse_value(key, "must be a text in quotes", of);
  to = value.get<std::string>();
}

void read_json(std::string_view key, const json& value, vec3& to, std::string_view of) {
  const std::string allowed = "must be a list of three numbers";
  if (!value.is_array() || value.size() != 3) refuse_value(key, allowed, of);
  for (int k = 0; k < 3; ++k) to[k] = number(key, value[static_cast<std::size_t>(k)], allowed, of);
}

void check_key(std::string_view key, std::span<const std::string_view> known) {
  if (std::ranges::find(known, key) == known.end())
    throw InputError("unknown key \"" + printable(key) + '"' + suggestion(key, known, "\""));
}

JsonMembers::JsonMembers(const json& object, std::string of, const Names& known)
    : object_(object), of_(std::move(of)) {
  if (!object.is_object()) throw InputError(of_ + " must be an object");
  for (const auto& [key, value] : object.items())
    if (std::ranges::find(known, key) == known.end())
      throw InputError(of_ + " has no \"" + printable(key) + '"' + suggestion(key, known, "\"") +
                       " Allowed are " + joined(known));
}

bool JsonMembers::has(const char* key) const { return object_.contains(key); }

const json& JsonMembers::at(const char* key) const {
  if (!has(key)) throw InputError(of_ + " lacks \"" + key + '"');
  return object_[key];
}

const json& JsonMembers::list(const char* key, const char* allowed) const {
  if (!at(key).is_array()) refuse(key, allowed);
  return at(key);
}

void JsonMembers::need_one_of(const Names& keys) const {
  if (std::ranges::count_if(keys, [&](std::string_view key) { return object_.contains(key); }) != 1)
    throw InputError(of_ + " must have exactly one of " + joined(keys));
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
    return;
  }
  const auto field = std::ranges::find(kSceneFields, key, &SceneField::key);
  if (field != kSceneFields.end()) return field->read(value, scene);
  read_parameter(parameter_spec(key), value, scene);
}

std::vector<std::string_view> scene_keys() {
  std::vector<std::string_view> keys{"clothlab-scene", "initial-state", "lanes"};
  for (const SceneField& field : kSceneFields) keys.push_back(field.key);
  for (const ParameterSpec* spec : all_parameters()) keys.push_back(spec->id);
  return keys;
}

std::string json_text(std::string_view text) {
  if (!is_utf8(text))
    throw InputError("JSON cannot hold \"" + printable(text) + "\", which is not UTF-8: rename the file.");
  return nlohmann::json(text).dump();
}

std::string json_number(double value) {
  if (!std::isfinite(value)) throw InputError("JSON cannot hold a number that is not finite.");
  // "-0" would be read as a whole number, which has no negative zero.
  return value == 0 && std::signbit(value) ? "-0.0" : format_number(value);
}

std::string json_list(const vec3& v) {
  return "[" + json_number(v.x) + ", " + json_number(v.y) + ", " + json_number(v.z) + "]";
}

std::string write_scene(const Scene& scene, std::span<const LaneMethod> lanes) {
  std::string text = "{\n  \"clothlab-scene\": " + std::to_string(kSceneVersion);
  const auto add = [&](std::string_view key, const std::string& value) {
    text += ",\n  " + json_text(key) + ": " + value;
  };
  for (const SceneField& field : kSceneFields)
    if (const std::string value = field.write(scene); !value.empty()) add(field.key, value);
  for (const SceneParameter& row : scene_parameters()) add(row.spec.id, text_of(row.spec, row.get(scene)));
  for (const auto& [id, value] : scene.integrator_parameters) add(id, text_of(parameter_spec(id), value));
  if (scene.initial_state)
    add("initial-state", "{\n    \"positions\": " + text_of(scene.initial_state->positions) +
                             ",\n    \"velocities\": " + text_of(scene.initial_state->velocities) + "}");
  std::string list;
  for (const LaneMethod& lane : lanes)
    list.append(list.empty() ? "\n    " : ",\n    ")
        .append("{\"letter\": \"" + std::string(1, lane_letter(lane.lane)) + "\", \"method\": ")
        .append(write_method(lane.method) + "}");
  if (!lanes.empty()) add("lanes", "[" + list + "]");
  return text + "\n}\n";
}

std::string write_method(const Method& method) {
  const Scene scene = with_method({}, method);
  std::string text = "{\"integrator\": " + json_text(method.integrator);
  if (method.tableau != nullptr) text += ", \"tableau\": " + text_of(method.tableau);
  const auto add = [&](const ParameterSpec& spec, double value) {
    text += ", " + json_text(spec.id) + ": " + text_of(spec, value);
  };
  for (const SceneParameter& row : scene_parameters())
    if (row.of_method) add(row.spec, row.get(scene));
  for (const auto& [id, value] : method.integrator_parameters) add(parameter_spec(id), value);
  return text + "}";
}

std::string write_scene_line(const Scene& scene, std::span<const LaneMethod> lanes) {
  std::string line;
  bool indents = false;
  for (const char c : write_scene(scene, lanes)) {
    indents = c == '\n' || (indents && c == ' ');  // no text contains an end of line
    if (!indents) line += c;
  }
  return line;
}

Method method_from_json(const json& object) {
  if (!object.is_object()) throw InputError("a method must be a JSON object, { ... }");
  std::vector<std::string_view> known = scene_keys();
  std::erase_if(known, [](std::string_view key) { return !is_key_of_method(key); });
  Scene scene;
  for (const auto& [key, value] : object.items()) {
    check_key(key, known);
    read_value(key, value, scene);
  }
  check_tableau(scene);
  return scene.method();
}

}  // namespace clothlab
