// SPDX-License-Identifier: MIT
#include "sim/group_material.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;

constexpr std::size_t kMostMaterials = 100;

constexpr std::pair<const char*, double Fabric::*> kOfFabric[] = {{"membrane-warp", &Fabric::warp},
                                                                  {"membrane-weft", &Fabric::weft},
                                                                  {"membrane-shear", &Fabric::shear},
                                                                  {"fabric-bending", &Fabric::bending},
                                                                  {"density", &Fabric::density}};
constexpr std::pair<const char*, double SpringStiffness::*> kOfSprings[] = {
    {"stretch-stiffness", &SpringStiffness::stretch}, {"bend-stiffness", &SpringStiffness::bend}};

/// Missing values have their defaults.
template <class Values, class Rows>
Values read_values(const JsonMembers& members, const Rows& rows) {
  Values values;
  for (const auto& [key, member] : rows) {
    members.read_if(key, values.*member);
    check_parameter(parameter_spec(key), values.*member);
  }
  return values;
}

template <class Values, class Rows>
std::string text_of_values(const Values& values, const Rows& rows) {
  std::string text;
  for (const auto& [key, member] : rows)
    text += (text.empty() ? "\"" : ", \"") + std::string(key) + "\": " + json_number(values.*member);
  return "{" + text + "}";
}

GroupMaterial read_group_material(const std::string& group, const json& value) {
  if (value.is_string()) return group_material(group, value.get<std::string>());
  JsonMembers::Names fabric, springs;
  for (const auto& [key, member] : kOfFabric) fabric.push_back(key);
  for (const auto& [key, member] : kOfSprings) springs.push_back(key);
  const std::string of = "the material of the group \"" + printable(group) + '"';
  if (!value.is_object()) throw InputError(of + " must be the name of a preset or an object");
  const bool is_fabric =
      std::ranges::any_of(fabric, [&](std::string_view key) { return value.contains(key); });
  const JsonMembers members(value, of, is_fabric ? fabric : springs);
  if (is_fabric) return {group, read_values<Fabric>(members, kOfFabric)};
  return {group, read_values<SpringStiffness>(members, kOfSprings)};
}

}  // namespace

std::vector<const Preset*> material_presets() {
  std::vector<const Preset*> materials;
  for (const Preset& preset : presets())
    if (preset.integrator.empty() &&
        std::ranges::count(preset.values, "material", &Preset::Value::parameter) > 0)
      materials.push_back(&preset);
  return materials;
}

GroupMaterial group_material(const std::string& group, std::string_view preset) {
  const std::vector<const Preset*> all = material_presets();
  const auto found = std::ranges::find(all, preset, [](const Preset* each) { return each->id; });
  if (found == all.end()) {
    std::vector<std::string_view> ids;
    for (const Preset* each : all) ids.push_back(each->id);
    throw InputError("'" + printable(preset) + "' is no material: must be one of " + joined(ids) + ".");
  }
  const Material material = with_preset({}, **found).material;
  if (material.is_fabric()) return {group, material.fabric};
  return {group, SpringStiffness{material.stretch_stiffness, material.bend_stiffness}};
}

Scene with_group_material(Scene scene, const GroupMaterial& material) {
  scene = without_group_material(std::move(scene), material.group);
  std::vector<GroupMaterial>& groups = scene.material.groups;
  groups.insert(std::ranges::upper_bound(groups, material.group, {}, &GroupMaterial::group), material);
  return scene;
}

Scene without_group_material(Scene scene, std::string_view group) {
  std::erase_if(scene.material.groups, [&](const GroupMaterial& each) { return each.group == group; });
  return scene;
}

std::string_view preset_of(const GroupMaterial& material) {
  for (const Preset* preset : material_presets())
    if (group_material(material.group, preset->id) == material) return preset->id;
  return {};
}

std::vector<GroupMaterial> read_group_materials(const json& value) {
  if (!value.is_object() || value.size() > kMostMaterials)
    throw InputError("\"materials\" must be an object with a member for each group, at most " +
                     std::to_string(kMostMaterials));
  Scene scene;
  for (const auto& [group, material] : value.items())
    scene = with_group_material(std::move(scene), read_group_material(group, material));
  return scene.material.groups;
}

std::string write_group_materials(const std::vector<GroupMaterial>& materials) {
  std::string text;
  for (const GroupMaterial& each : materials)
    text += (text.empty() ? "" : ", ") + json_text(each.group) + ": " +
            (each.is_fabric() ? text_of_values(std::get<Fabric>(each.values), kOfFabric)
                              : text_of_values(std::get<SpringStiffness>(each.values), kOfSprings));
  return text.empty() ? text : "{" + text + "}";
}

}  // namespace clothlab
