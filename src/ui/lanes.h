// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chart/dash.h"
#include "ui/overlays.h"

namespace clothlab {

// Several lanes in the window.

/// The lane's colour, readable on the panels.
ImU32 lane_colour(LaneId lane);
/// Its dash in plots and instruments [interface units].
inline Dash lane_dash(LaneId lane) { return kLaneStyles[lane].dash.scaled(0.7); }
/// The lane's letter on a square of its colour, in the current window.
void draw_lane_letter(LaneId lane, ImVec2 at, float side, float opacity = 1);
/// "B  Implicit midpoint"; with 16 substeps "B  ÷16 Implicit midpoint".
std::string lane_name(const LaneSnapshot& lane);

/// The area of a lane in the view, in window coordinates.
struct LaneTile {
  const LaneSnapshot* lane = nullptr;
  Area whole;
  Area cloth;  ///< without head and foot
};
/// The tiles of the view; with one lane all of it without head and foot.
std::vector<LaneTile> lane_tiles(const Area& view, const Snapshot& now, LaneLayout layout);

/// Names and figures above and below each lane's cloth. A click selects a lane, a double click shows it alone
/// or all again.
void lane_frames(const PanelContext& context, const Area& view);

/// "+" and the sets of lanes, side by side.
void new_lane_buttons(const PanelContext& context);
float new_lane_buttons_width();
/// Letters, those buttons and the layout of several lanes, in one row of the panel; nothing for one lane.
void lanes_panel(const PanelContext& context);

/// Row in integrators() of a contrast to the active lane: an implicit method for an explicit one and the
/// reverse, which no lane has yet.
std::size_t contrasting_method(const Snapshot& now);
/// The next method of the list that no lane has yet.
std::size_t next_new_method(const Snapshot& now);

/// A set of lanes to compare, all from the start.
struct LaneChoices {
  std::vector<NewLane> lanes;     ///< the first one becomes the active lane
  std::optional<double> dt = {};  ///< for all [s]; none: unchanged
};

/// RK4 at a fifth of the explicit limit: far more accurate than the lanes that it is compared with.
NewLane reference_lane(const PanelContext& context);

struct LaneSet {
  const char* title;
  const char* help;
  LaneChoices (*choose)(const PanelContext& context);
};

std::span<const LaneSet> lane_sets();

/// Replaces all lanes by these and plays them from the start.
void use_lanes(const PanelContext& context, const LaneChoices& wanted);

}  // namespace clothlab
