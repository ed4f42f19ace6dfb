// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/scene.h"

namespace clothlab {

/// A set of values under one name. Other values stay.
struct Preset {
  struct Value {
    std::string_view parameter;  ///< id of a parameter, of the scene or of an integrator
    double value = 0;            ///< in its unit
  };
  std::string_view id;
  std::string_view title;
  std::string_view about;  ///< its effect, in one or two sentences
  std::span<const Value> values;
  std::string_view integrator = {};  ///< empty: the current one
};

std::span<const Preset> presets();

/// Those of them that are measured fabrics (docs/model.md has the sources).
std::span<const Preset> fabrics();
/// One of these. Throws InputError, naming all, for an unknown id.
const Preset& fabric(std::string_view id);

/// Its values, one per line with its unit.
std::string preset_text(const Preset& preset);

/// The scene with the preset's values.
Scene with_preset(Scene scene, const Preset& preset);

}  // namespace clothlab
