// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "core/parameter.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

/// A value of the panels that is no parameter of a scene (sim/parameters.h). Its row and the command palette
/// read it from here.
struct PanelValue {
  ParameterSpec spec;
  double (*get)(const PanelContext& context);
  void (*set)(const PanelContext& context, double value);
};

std::span<const PanelValue> panel_values();
/// The one with that id; null without one.
const PanelValue* find_panel_value(std::string_view id);

/// Its row. `help`: instead of its own, with present numbers.
void panel_value_row(const PanelContext& context, std::string_view id, std::string_view help = {});

}  // namespace clothlab
