#pragma once

#include <imgui.h>

#include <span>
#include <vector>

namespace clothlab {

/// Lengths of dash and gap [interface units]; without a dash the line is whole.
struct PlotDash {
  float on = 0;
  float off = 0;
};

/// A whole line through the points, `width` pixels wide, without mitres that stick out where it turns back.
void draw_without_spikes(ImDrawList& draw, std::span<const ImVec2> points, ImU32 colour, float width);

/// A line through the points [window coordinates], dashed where asked, in the window that is being drawn.
/// `thickness` in interface units.
void draw_line(const std::vector<ImVec2>& points, ImU32 colour, float thickness, const PlotDash& dash);

}  // namespace clothlab
