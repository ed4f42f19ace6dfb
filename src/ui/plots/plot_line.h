// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <span>
#include <vector>

#include "chart/dash.h"

namespace clothlab {

/// A whole line through the points, `width` pixels wide, without mitres that stick out where it turns back.
void draw_without_spikes(ImDrawList& draw, std::span<const ImVec2> points, ImU32 colour, float width);

/// A line through the points [window coordinates], dashed where asked, in the window that is being drawn.
/// `thickness` and the dashes in interface units.
void draw_line(const std::vector<ImVec2>& points, ImU32 colour, float thickness, const Dash& dash);

}  // namespace clothlab
