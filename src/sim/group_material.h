// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/presets.h"
#include "sim/scene.h"

namespace clothlab {

/// The presets that are materials: fabrics and springs.
std::vector<const Preset*> material_presets();

/// The material of a group with the values of one of these. Throws InputError, naming all, for another id.
GroupMaterial group_material(const std::string& group, std::string_view preset);

/// The scene with that material of a group, in place of another one of this group.
Scene with_group_material(Scene scene, const GroupMaterial& material);
/// The scene in which a group has the material of the cloth.
Scene without_group_material(Scene scene, std::string_view group);

/// The id of the preset with these values; empty: of none.
std::string_view preset_of(const GroupMaterial& material);

/// "materials" of a scene file (docs/scene-format.md). Throws InputError for a value of the wrong type, an
/// unknown key or preset, and a value out of its range.
std::vector<GroupMaterial> read_group_materials(const nlohmann::json& value);
/// The text from which the same materials are read; empty for none.
std::string write_group_materials(const std::vector<GroupMaterial>& materials);

}  // namespace clothlab
