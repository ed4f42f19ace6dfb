// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/text.h"
#include "sim/parameters.h"
#include "sim/pin_set.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::string_view kArrow = " → ";

std::string value_text(const ParameterSpec& spec, double value, int digits) {
  const bool is_number = spec.kind == ParameterSpec::Kind::real || spec.kind == ParameterSpec::Kind::integer;
  return is_number && std::isfinite(value) ? format_plain(value, digits) : parameter_text(spec, value);
}

std::string change_text(const ParameterSpec& spec, double from, double to) {
  constexpr int kFew = 4;
  constexpr int kAll = 17;  // significant digits, if fewer do not distinguish the two
  const int digits = value_text(spec, from, kFew) == value_text(spec, to, kFew) ? kAll : kFew;
  std::string text = std::string(spec.title) + " " + value_text(spec, from, digits).append(kArrow) +
                     value_text(spec, to, digits);
  if (!spec.unit.empty()) text += " " + std::string(spec.unit);
  return text;
}

std::string vector_text(const vec3& v) {
  return "(" + format_plain(v.x) + ", " + format_plain(v.y) + ", " + format_plain(v.z) + ")";
}

/// `other`: the text where the numbers are equal.
std::string counted(const char* what, const char* other, std::size_t from, std::size_t to) {
  return from == to ? other : what + std::to_string(from).append(kArrow) + std::to_string(to);
}

std::string obstacles_text(const std::vector<Obstacle>& from, const std::vector<Obstacle>& to) {
  std::string text = counted("Number of obstacles ", "Other obstacles", from.size(), to.size());
  if (from.size() != to.size()) return text;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] == to[k]) continue;
    const vec3 displacement = centre_of(to[k]) - centre_of(from[k]);
    std::vector<Obstacle> moved = from;
    moved[k] = moved_to(from[k], centre_of(to[k]));
    if (moved == to && from[k].shape != Obstacle::Shape::plane)
      text = "Obstacle " + std::to_string(k + 1).append(" moved by ") +
             format_plain(glm::length(displacement)) + " m";
    break;
  }
  return text;
}

/// Of the first driver that was switched.
std::string drivers_text(const Scene& from, const Scene& to) {
  std::string text = counted("Number of drivers ", "Other drivers", from.drivers.size(), to.drivers.size());
  if (from.groups != to.groups || from.drivers.size() != to.drivers.size()) return text;
  const auto [before, after] = std::ranges::mismatch(from.drivers, to.drivers);
  if (before->on == after->on) return text;
  return kind_text(*after) + " on " + printable(after->group) +
         (after->on ? " switched on" : " switched off");
}

}  // namespace

std::vector<std::string> differences(const Scene& from, const Scene& to, const ClothMesh& mesh) {
  std::vector<std::string> texts;
  for (const ParameterSpec* spec : all_parameters()) {
    const double before = parameter_value(from, *spec), after = parameter_value(to, *spec);
    if (before != after) texts.push_back(change_text(*spec, before, after));
  }
  if (from.material.gravity != to.material.gravity)
    texts.push_back(("Gravity " + vector_text(from.material.gravity)).append(kArrow) +
                    vector_text(to.material.gravity) + " m/s²");
  if (from.material.groups != to.material.groups)
    texts.push_back(counted("Number of materials of groups ", "Other materials of groups",
                            from.material.groups.size(), to.material.groups.size()));
  if (from.obstacles.bodies != to.obstacles.bodies)
    texts.push_back(obstacles_text(from.obstacles.bodies, to.obstacles.bodies));
  if (&method_info(from) != &method_info(to))
    texts.push_back(std::string(method_info(from).title).append(kArrow) + std::string(method_info(to).title));
  if (from.drivers != to.drivers || from.groups != to.groups) texts.push_back(drivers_text(from, to));
  if (from.seams != to.seams)
    texts.push_back(counted("Number of seams ", "Other seams", from.seams.size(), to.seams.size()));
  if (from.pins != to.pins) {
    const auto before = selected_particles(mesh, from);
    const auto after = selected_particles(mesh, to);
    if (before != after)
      texts.push_back(counted("Pinned particles ", "Other particles pinned", before.size(), after.size()));
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
