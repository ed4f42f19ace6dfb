// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <string>

#include "ui/instruments/growth_region.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

// One function per instrument, each in a file of its own, with its row in plot_kinds.cpp. Called with the
// cursor beside the chooser, in the row of buttons; draws into the given size at `at`, below that row.
// Controls are noted under names that begin with `name`.

/// Whether another button with that label has room at the cursor, beside *More* at the right end of the row.
bool has_room_for(const char* label, ImVec2 at, ImVec2 size);

/// The figures of all lanes as a table to sort; a click selects a lane.
void lanes_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The modes of the cloth under the growth per step of the active lane's method.
void stability_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);

/// Velocity over position of the particle that is followed, along an axis.
void phase_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// A point per lane: its distance from the reference over what a simulated second costs.
void cost_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The last linear solve of every lane by CG, the iterations of the active lane's last steps, and the
/// solver's settings.
void solver_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);

/// The largest stable h of every method, and what it costs and does there: searched when asked.
void limits_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The steps h and stiffnesses k_s that the active lane's method holds: searched when asked.
void map_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);

}  // namespace clothlab
