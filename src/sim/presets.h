// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/scene.h"

namespace clothlab {

/// A handful of values under one name. What it does not set stays as it is.
struct Preset {
  struct Value {
    std::string_view parameter;  ///< id of a parameter, of the scene or of an integrator
    double value = 0;            ///< in its unit
  };
  std::string_view id;
  std::string_view title;
  std::string_view about;  ///< what to expect of it, one or two sentences
  std::span<const Value> values;
  std::string_view integrator = {};  ///< empty: the one that runs
};

std::span<const Preset> presets();

/// What it sets, a value with its unit in each line.
std::string preset_text(const Preset& preset);

/// The scene with the preset's values.
Scene with_preset(Scene scene, const Preset& preset);

}  // namespace clothlab
