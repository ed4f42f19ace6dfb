// SPDX-License-Identifier: MIT
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "sim/obstacle_json.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {

std::string json_text(std::string_view text) {
  if (!is_utf8(text))
    throw InputError("A scene file cannot hold \"" + printable(text) +
                     "\", which is not UTF-8: rename the file.");
  return nlohmann::json(text).dump();
}

namespace {

// Written without a JSON tree: keys keep their order, and numbers read back exactly and look as they were
// typed.

std::string text_of(double value) {
  if (!std::isfinite(value)) throw InputError("A scene file cannot hold a number that is not finite.");
  // "-0" would be read as a whole number, which has no negative zero.
  return value == 0 && std::signbit(value) ? "-0.0" : format_number(value);
}

std::string text_of(const vec3& v) {
  std::string text = "[";
  for (int k = 0; k < 3; ++k) text.append(k > 0 ? ", " : "").append(text_of(v[k]));
  return text + "]";
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
  for (const std::uint32_t vertex : std::get<VertexList>(pins))
    text += (text.empty() ? "" : ", ") + std::to_string(vertex);
  return "[" + text + "]";
}

std::string text_of(const std::vector<Obstacle>& bodies) {
  std::string text;
  for (const Obstacle& body : bodies) text += (text.empty() ? "" : ", ") + write_obstacle(body);
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

/// {"integrator": "rk4", "substeps": 4, ...}: all of the method.
std::string method_text(const Scene& scene) {
  std::string text = "{\"integrator\": " + json_text(scene.integrator);
  const auto add = [&](std::string_view key, const std::string& value) {
    text += ", " + json_text(key) + ": " + value;
  };
  for (const SceneParameter& row : scene_parameters())
    if (row.is_of_method()) add(row.spec.id, text_of(row.spec, row.get(scene)));
  for (const auto& [id, value] : scene.integrator_parameters) add(id, text_of(parameter_spec(id), value));
  return text + "}";
}

std::string text_of(const Scene& scene, std::span<const LaneMethod> lanes) {
  std::string text;
  for (const LaneMethod& lane : lanes) {
    text.append(text.empty() ? "\n    " : ",\n    ").append("{\"letter\": \"") += lane_letter(lane.lane);
    text.append("\", \"method\": ").append(method_text(with_method(scene, lane.method))).append("}");
  }
  return "[" + text + "]";
}

}  // namespace

std::string write_scene(const Scene& scene, std::span<const LaneMethod> lanes) {
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
  if (!scene.obstacles.bodies.empty()) add("obstacles", text_of(scene.obstacles.bodies));
  add("integrator", json_text(scene.integrator));
  for (const SceneParameter& row : scene_parameters()) add(row.spec.id, text_of(row.spec, row.get(scene)));
  for (const auto& [id, value] : scene.integrator_parameters) add(id, text_of(parameter_spec(id), value));
  if (scene.initial_state)
    add("initial-state", "{\n    \"positions\": " + text_of(scene.initial_state->positions) +
                             ",\n    \"velocities\": " + text_of(scene.initial_state->velocities) + "}");
  if (!lanes.empty()) add("lanes", text_of(scene, lanes));
  return text + "\n}\n";
}

std::string write_scene_line(const Scene& scene, std::span<const LaneMethod> lanes) {
  std::string line;
  bool indents = false;
  for (const char c : write_scene(scene, lanes)) {
    indents = c == '\n' || (indents && c == ' ');  // no text holds an end of line
    if (!indents) line += c;
  }
  return line;
}

}  // namespace clothlab
