#include "ui/plot_line.h"

#include <algorithm>
#include <cmath>

#include "ui/theme.h"

namespace clothlab {
namespace {

// Narrows [first, last], a part of the way from a to b of that length, to what lies between low and high.
void keep_between(float a, float b, float length, float low, float high, float& first, float& last) {
  const float slope = (b - a) / length;
  if (slope == 0) {
    if (a < low || a > high) last = first;
    return;
  }
  const float enter = ((slope > 0 ? low : high) - a) / slope, leave = ((slope > 0 ? high : low) - a) / slope;
  first = std::max(first, enter);
  last = std::max(first, std::min(last, leave));
}

// Whether the way from a over b to c turns by more than a right angle.
bool turns_back(ImVec2 a, ImVec2 b, ImVec2 c) {
  return (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0;
}

}  // namespace

void draw_without_spikes(ImDrawList& draw, std::span<const ImVec2> points, ImU32 colour, float width) {
  // In parts that end at sharp turns: Dear ImGui would draw their mitres far beyond the points.
  std::size_t start = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (k + 1 < points.size() && !turns_back(points[k - 1], points[k], points[k + 1])) continue;
    draw.AddPolyline(&points[start], static_cast<int>(k + 1 - start), colour, 0, width);
    start = k;
  }
}

void draw_line(const std::vector<ImVec2>& points, ImU32 colour, float thickness, const PlotDash& dash) {
  if (points.size() < 2) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  // Whole pixels: Dear ImGui then draws a third of the triangles.
  const float width = std::max(1.0F, std::round(units(thickness)));
  if (dash.on == 0) return draw_without_spikes(*draw, points, colour, width);
  const float on = units(dash.on);
  const float period = on + units(dash.off);
  float along = 0;  // of the period
  for (std::size_t k = 1; k < points.size(); ++k) {
    const ImVec2 a = points[k - 1], b = points[k];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    const auto at = [&](float s) {
      return ImVec2(a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length);
    };
    // Only what is seen: a curve that is zoomed into reaches far out of the frame.
    const ImVec2 low = draw->GetClipRectMin(), high = draw->GetClipRectMax();
    float first = 0, last = length;
    if (length > 0) keep_between(a.x, b.x, length, low.x, high.x, first, last);
    if (length > 0) keep_between(a.y, b.y, length, low.y, high.y, first, last);
    along = std::fmod(along + first, period);
    for (float s = first; s < last;) {
      const bool drawn = along < on;
      const float end = std::min(last, s + std::max((drawn ? on : period) - along, 0.5F));
      if (drawn) draw->AddLine(at(s), at(end), colour, width);
      along += end - s;
      if (along >= period) along = 0;
      s = end;
    }
    along = std::fmod(along + (length - last), period);
  }
}

}  // namespace clothlab
