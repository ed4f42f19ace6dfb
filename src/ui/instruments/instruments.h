// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "experiments/moment_search.h"
#include "ui/instruments/stability_figure.h"
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

// What the instruments that search in the background have in common.

/// The button that begins a search, or cancels it while it runs.
void search_button(const PanelContext& context, const std::string& name, Search::Of of, bool running,
                   std::string_view help);

/// The state from which it searches: "lane B at t = 1.2 s, the last good state".
std::string origin_of(const PanelContext& context, const SearchProgress& found);
/// Why what was found no longer holds, as a sentence; empty while it does. The integrator and its h do not
/// count, and neither does what `same` sets in the first scene to what the second one has.
std::string why_outdated(const PanelContext& context, const SearchProgress& found,
                         void (*same)(Scene& then, const Scene& now) = nullptr);

/// On the ground, the words of the search in one line of `text_width`, and below a bar while it runs. What is
/// outdated is marked. Answers with the height that they take.
float draw_search_head(const std::string& name, const SearchProgress& found, bool running,
                       const std::string& words, const std::string& outdated, ImVec2 at, float width,
                       float text_width);

}  // namespace clothlab
