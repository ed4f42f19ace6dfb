// SPDX-License-Identifier: MIT
#include "sim/scene_difference.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <set>

#include "core/text.h"
#include "sim/parameters.h"
#include "sim/pin_set.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::string_view kArrow = " → ";

std::string value_text(const ParameterSpec& spec, double value, int digits) {
  if (spec.kind == ParameterSpec::Kind::boolean) return value != 0 ? "on" : "off";
  if (spec.kind == ParameterSpec::Kind::choice)
    return std::string(spec.choices[static_cast<std::size_t>(value)]);
  return std::isinf(value) ? "off" : format_plain(value, digits);
}

std::string change_text(const ParameterSpec& spec, double from, double to) {
  constexpr int kFew = 4;
  constexpr int kAll = 17;  // significant digits, where fewer do not tell the two apart
  const int digits = value_text(spec, from, kFew) == value_text(spec, to, kFew) ? kAll : kFew;
  std::string text = std::string(spec.title) + " " + value_text(spec, from, digits).append(kArrow) +
                     value_text(spec, to, digits);
  if (!spec.unit.empty()) text += " " + std::string(spec.unit);
  return text;
}

double own_value(const Scene& scene, const ParameterSpec& spec) {
  const auto found = scene.integrator_parameters.find(spec.id);
  return found == scene.integrator_parameters.end() ? spec.fallback : found->second;
}

std::string vector_text(const vec3& v) {
  return "(" + format_plain(v.x) + ", " + format_plain(v.y) + ", " + format_plain(v.z) + ")";
}

std::string counted(const char* what, std::size_t from, std::size_t to) {
  if (from == to) return std::string("Other ") + what;
  return "Number of " + (std::string(what) + " ") + std::to_string(from).append(kArrow) + std::to_string(to);
}

std::string counted_pins(std::size_t from, std::size_t to) {
  if (from == to) return "Other particles pinned";
  return "Pinned particles " + std::to_string(from).append(kArrow) + std::to_string(to);
}

std::string obstacles_text(const std::vector<Obstacle>& from, const std::vector<Obstacle>& to) {
  std::string text = counted("obstacles", from.size(), to.size());
  if (from.size() != to.size()) return text;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] == to[k]) continue;
    const vec3 way = centre_of(to[k]) - centre_of(from[k]);
    std::vector<Obstacle> moved = from;
    moved[k] = moved_to(from[k], centre_of(to[k]));
    if (moved == to && from[k].shape != Obstacle::Shape::plane)
      text = "Obstacle " + std::to_string(k + 1).append(" moved by ") + format_plain(glm::length(way)) + " m";
    break;
  }
  return text;
}

}  // namespace

std::vector<std::string> differences(const Scene& from, const Scene& to, const ClothMesh& mesh) {
  std::vector<std::string> texts;
  for (const SceneParameter& row : scene_parameters())
    if (row.get(from) != row.get(to)) texts.push_back(change_text(row.spec, row.get(from), row.get(to)));
  std::set<std::string_view> own;
  for (const Scene* scene : {&from, &to})
    for (const auto& [id, value] : scene->integrator_parameters) own.insert(id);
  for (const std::string_view id : own) {
    const ParameterSpec& spec = parameter_spec(id);
    if (own_value(from, spec) != own_value(to, spec))
      texts.push_back(change_text(spec, own_value(from, spec), own_value(to, spec)));
  }
  if (from.material.gravity != to.material.gravity)
    texts.push_back(("Gravity " + vector_text(from.material.gravity)).append(kArrow) +
                    vector_text(to.material.gravity) + " m/s²");
  if (from.obstacles.bodies != to.obstacles.bodies)
    texts.push_back(obstacles_text(from.obstacles.bodies, to.obstacles.bodies));
  if (from.integrator != to.integrator)
    texts.push_back(std::string(integrator_info(from.integrator).title).append(kArrow) +
                    std::string(integrator_info(to.integrator).title));
  if (from.pins != to.pins) {
    const auto before = selected_particles(mesh, from.pins);
    const auto after = selected_particles(mesh, to.pins);
    if (before != after) texts.push_back(counted_pins(before.size(), after.size()));
  }
  return texts;
}

std::string describe_differences(const Scene& from, const Scene& to, const ClothMesh& mesh) {
  const std::vector<std::string> all = differences(from, to, mesh);
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMostNamed); ++i) text += (i == 0 ? "" : ", ") + all[i];
  if (all.size() > kMostNamed) text += " and " + std::to_string(all.size() - kMostNamed) + " more";
  return text;
}

}  // namespace clothlab
