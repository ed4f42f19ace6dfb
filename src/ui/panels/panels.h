// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "ui/overlays.h"
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

/// Height of the line reserved for notices below the view [interface units].
inline constexpr float kNoticeHeight = 28;

/// Progress of a load or a recording, a message, and hints for newcomers, on a line below the cloth. Longer
/// notices cover the row below that line, never the cloth. `room` reaches from the view's lower edge to the
/// status bar; `second_row` is the height of the row below the line, which is covered as a whole. Returns
/// false when the message was clicked away.
bool notices(const PanelContext& context, const Area& room, float second_row, const std::string& message,
             bool is_error);

/// A list of all methods by family, with mark, key, name, order, cost of a step on this scene, and use;
/// closed it shows `preview`. Returns the chosen row. Its entries are noted as `name`:`id`. ImGuiComboFlags
/// as for choice_list().
struct MethodList {
  const char* name;
  std::string preview;
  const char* help;  ///< of the closed list
  int flags = 0;
};
std::optional<std::size_t> method_list(const PanelContext& context, const MethodList& list);

}  // namespace clothlab
