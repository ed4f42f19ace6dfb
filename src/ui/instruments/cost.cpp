// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/instruments/instruments.h"

namespace clothlab {
namespace {

constexpr double kMeanOver = 1;  // [s]

struct CostPoint {
  const LaneSnapshot* lane;
  double cost = 0;   // seconds per simulated second
  double error = 0;  // [m]
};

/// Root mean square of the distances of the last second; none without any.
std::optional<double> error_of(const LaneSnapshot& lane) {
  double sum = 0;
  std::size_t count = 0;
  for (auto s = lane.plot->rbegin(); s != lane.plot->rend() && s->time > lane.plot->back().time - kMeanOver;
       ++s) {
    if (!std::isfinite(s->distance)) continue;
    sum += s->distance * s->distance;
    ++count;
  }
  if (count == 0 || sum == 0) return std::nullopt;
  return std::sqrt(sum / static_cast<double>(count));
}

std::vector<CostPoint> points_of(const Snapshot& now) {
  std::vector<CostPoint> points;
  for (const LaneSnapshot* lane : now.lanes()) {
    if (lane->lane == now.reference || lane->frozen || !(lane->step_ms.median > 0)) continue;
    if (const auto error = error_of(*lane))
      points.push_back({lane, 1e-3 * lane->step_ms.median / std::abs(lane->frame.scene->dt), *error});
  }
  return points;
}

AxisRange decades(const std::vector<CostPoint>& points, double CostPoint::*value) {
  double low = points.front().*value, high = low;
  for (const CostPoint& point : points) {
    low = std::min(low, point.*value);
    high = std::max(high, point.*value);
  }
  return whole_decades(low, high);
}

std::string why_empty(const Snapshot& now) {
  if (!now.reference)
    return "Error over cost: add a reference in the menu next to \"+\", or choose one in the menu \"...\" "
           "next to the letters of the lanes.";
  return "Nothing yet: no lane differs from the reference.";
}

}  // namespace

void cost_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  const std::vector<CostPoint> points = points_of(context.snapshot);
  if (points.empty()) return draw_empty(why_empty(context.snapshot), at, size);
  draw_ground(at, size);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float pad = units(8), line = ImGui::GetTextLineHeight();
  ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y + units(3)));
  coloured_text(palette().muted,
                first_line(std::string("RMS distance from lane ") + lane_letter(*context.snapshot.reference) +
                               " over the last second [m]",
                           size.x - 2 * pad));
  const Figure frame({"seconds per simulated second", decades(points, &CostPoint::cost), true},
                     {"error [m]", decades(points, &CostPoint::error), true},
                     ImVec2(at.x, at.y + line + units(4)), ImVec2(size.x, size.y - line - units(4)));
  if (!frame.has_room()) return;
  frame.axes();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = frame.hovered(name + ":cost");
  std::vector<ImVec2> labels;
  for (const CostPoint& point : points) {
    const ImVec2 p = frame.at(point.cost, point.error);
    const ImU32 colour = lane_colour(point.lane->lane);
    draw->AddCircleFilled(p, units(5), colour);
    if (point.lane->lane == context.snapshot.lane)
      draw->AddCircle(p, units(7), palette().text, 0, units(1.5F));
    // Moved below labels that it would cover.
    const float width = text_width(lane_name(*point.lane));
    ImVec2 label(std::min(p.x + units(9), frame.b().x - width - units(2)), p.y - line / 2);
    const auto covers = [&](const ImVec2& other) {
      return std::abs(other.y - label.y) < line && std::abs(other.x - label.x) < width;
    };
    while (label.y + 2 * line < frame.b().y && std::ranges::any_of(labels, covers)) label.y += line / 2;
    labels.push_back(label);
    frame.label(label, colour, lane_name(*point.lane));
    note_rect(name + ":point:" + lane_letter(point.lane->lane), p, p);
    if (!hovered || std::hypot(mouse.x - p.x, mouse.y - p.y) > units(8)) continue;
    frame.tell(lane_name(*point.lane) + ": " + format_quantity(point.error, "m") + ", " +
               format_plain(point.cost) + " s per simulated second");
  }
}

}  // namespace clothlab
