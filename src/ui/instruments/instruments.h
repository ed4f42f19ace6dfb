// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chart/axis.h"
#include "core/text.h"
#include "experiments/moment_search.h"
#include "ui/instruments/stability_figure.h"
#include "ui/lanes.h"
#include "ui/panels/panel_context.h"
#include "ui/plots/figure.h"
#include "ui/readings.h"
#include "ui/theme.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/widgets.h"

namespace clothlab {

// One function per instrument, each in its own file, with its row in plot_kinds.cpp. Called with the
// cursor next to the chooser, in the row of buttons; draws into the given size at `at`, below that row.
// Controls are noted under names that begin with `name`. This header also brings what most instruments use:
// figures, widgets, theme, texts of numbers and readings.

/// Whole decades around positive values, so that a logarithmic axis seldom changes.
AxisRange whole_decades(double low, double high);

/// Whether another button with that label fits at the cursor, next to *More* at the right end of the row.
bool has_room_for(const char* label, ImVec2 at, ImVec2 size);

/// The figures of all lanes as a table to sort; a click selects a lane.
void lanes_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The modes of the cloth under the growth per step of the active lane's method.
void stability_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);

/// Velocity over position of the particle that is followed, along an axis.
void phase_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The force on that particle during the last step: as it was, and as the method used it.
void step_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The same of any particle; `how` tells how to get one if there is none.
void step_figure(const PanelContext& context, const std::string& name, std::optional<std::uint32_t> particle,
                 std::string_view how, ImVec2 at, ImVec2 size);
/// Buttons for PlotsLayout::phase_direction.
void direction_buttons(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// "x", "(0.6, 0.8, 0)".
std::string name_of_direction(const vec3& direction);
/// A point per lane: its distance from the reference over the cost of a simulated second.
void cost_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The last linear solve of every lane by CG, the iterations of the active lane's last steps, and the
/// solver's settings.
void solver_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);

/// The largest stable h of every method, with cost and error there, searched on request.
void limits_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// The steps h and stiffnesses k_s at which the active lane's method is stable, searched on request.
void map_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);
/// Error over computing time of every method with many h, and the best one for a goal, searched on request.
void choice_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size);

/// The growth per step over the plane of z, as shades.
void draw_region(const Figure& frame, const GrowthRegion& region);

// What the instruments that search in the background have in common.

/// The button that begins a search, or cancels it while it runs. `runs`: Search::runs.
void search_button(const PanelContext& context, const std::string& name, Search::Of of, bool running,
                   std::string_view help, const ChoiceRuns& runs = {});

/// The state from which the search starts: "lane B at t = 1.2 s, the last good state".
std::string origin_of(const PanelContext& context, const SearchProgress& found);
/// Why the results are outdated, as a sentence; empty while they are not. The integrator, its h and the
/// values that `same` copies to the first scene are not compared.
std::string why_outdated(const PanelContext& context, const SearchProgress& found,
                         void (*same)(Scene& then, const Scene& now) = nullptr);

/// Draws the words of the search in that number of lines of `text_width`, with a mark if it is outdated, and
/// below a bar while it runs. Returns their height.
float draw_search_head(const std::string& name, const SearchProgress& found, bool running,
                       const std::string& words, const std::string& outdated, ImVec2 at, float width,
                       float text_width, int lines = 1);

}  // namespace clothlab
