// SPDX-License-Identifier: MIT
#pragma once

#include "ui/panels/panel_context.h"

namespace clothlab {

// One function per panel, each in a file of its own, listed in user_interface.cpp. A panel draws into
// the current ImGui window, reads the context's snapshot and sends commands.

void transport_panel(const PanelContext& context);
void integrator_panel(const PanelContext& context);
void scene_panel(const PanelContext& context);
void cloth_panel(const PanelContext& context);
void world_panel(const PanelContext& context);
void contact_panel(const PanelContext& context);
void solver_panel(const PanelContext& context);
void view_panel(const PanelContext& context);
/// The explanation of the current integrator, with its current numbers.
void method_panel(const PanelContext& context);
/// The time line, and a repetition with another method, in one row.
void timeline_panel(const PanelContext& context, float width);
void plots_panel(const PanelContext& context, float width, float height);
void status_bar(const PanelContext& context);

/// A parameter's row, dimmed while the parameter has no effect.
void scene_parameter_row(const PanelContext& context, const ParameterSpec& spec, double value);
/// Those of one section of the table.
void parameter_section(const PanelContext& context, std::string_view section);

}  // namespace clothlab
