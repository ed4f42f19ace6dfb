// SPDX-License-Identifier: MIT
#include "ui/plots/plot_line.h"

#include <algorithm>
#include <cmath>

#include "ui/theme.h"

namespace clothlab {
namespace {

// Whether the way from a over b to c turns by more than a right angle.
bool turns_back(ImVec2 a, ImVec2 b, ImVec2 c) {
  return (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0;
}

ChartPoint chart_point(ImVec2 p) { return {static_cast<double>(p.x), static_cast<double>(p.y)}; }

}  // namespace

void draw_without_spikes(ImDrawList& draw, std::span<const ImVec2> points, ImU32 colour, float width) {
  // Split at sharp turns: Dear ImGui draws their mitres far beyond the points.
  std::size_t start = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (k + 1 < points.size() && !turns_back(points[k - 1], points[k], points[k + 1])) continue;
    draw.AddPolyline(&points[start], static_cast<int>(k + 1 - start), colour, 0, width);
    start = k;
  }
}

void draw_line(const std::vector<ImVec2>& points, ImU32 colour, float thickness, const Dash& dash) {
  if (points.size() < 2) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  // Whole pixels: Dear ImGui then needs a third of the triangles.
  const float width = std::max(1.0F, std::round(units(thickness)));
  if (dash.whole()) return draw_without_spikes(*draw, points, colour, width);
  std::vector<ChartPoint> through;
  through.reserve(points.size());
  for (const ImVec2 p : points) through.push_back(chart_point(p));
  const auto pixel = [](ChartPoint p) { return ImVec2(static_cast<float>(p.x), static_cast<float>(p.y)); };
  const ChartPoint low = chart_point(draw->GetClipRectMin()), high = chart_point(draw->GetClipRectMax());
  for_dashes(through, dash.scaled(static_cast<double>(units(1))), {low.x, low.y, high.x, high.y},
             [&](ChartPoint a, ChartPoint b) { draw->AddLine(pixel(a), pixel(b), colour, width); });
}

}  // namespace clothlab
