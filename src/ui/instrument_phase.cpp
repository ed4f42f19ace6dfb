// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "chart/axis.h"
#include "ui/figure.h"
#include "ui/instruments.h"
#include "ui/lanes.h"
#include "ui/plot_line.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

constexpr std::array kAxisNames{"x", "y", "z"};
constexpr double kPhaseSeconds = 10;  // as long as a curve can still be followed

struct PhaseCurve {
  const LaneSnapshot* lane;
  std::vector<double> position, velocity;
};

std::vector<PhaseCurve> phase_curves(const Snapshot& now, int axis) {
  std::vector<PhaseCurve> curves;
  for (const LaneSnapshot* lane : now.lanes()) {
    PhaseCurve curve{lane, {}, {}};
    const double end = lane->plot->empty() ? 0 : lane->plot->back().time;
    for (const PlotSample& sample : *lane->plot) {
      const double x = sample.place[axis], v = sample.velocity[axis];
      if (sample.time < end - kPhaseSeconds || !std::isfinite(x) || !std::isfinite(v)) continue;
      curve.position.push_back(x);
      curve.velocity.push_back(v);
    }
    if (!curve.position.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

AxisRange range_of(const std::vector<PhaseCurve>& curves, std::vector<double> PhaseCurve::*values) {
  AxisFit fit(false);
  for (const PhaseCurve& curve : curves)
    for (const double value : curve.*values) fit.include(value);
  return fit.range(false);
}

void axis_buttons(const PanelContext& context, const std::string& name) {
  int& axis = context.view.plots_layout.phase_axis;
  for (int k = 0; k < 3; ++k) {
    if (k > 0) ImGui::SameLine(0, units(2));
    const std::string letter = kAxisNames[static_cast<std::size_t>(k)];
    if (text_button(name + ":axis:" + letter, letter, "Position and velocity along " + letter + "; y is up.",
                    0, axis == k))
      axis = k;
  }
}

}  // namespace

void phase_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  const Snapshot& now = context.snapshot;
  axis_buttons(context, name);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), palette().overlay, units(5));
  const int axis = context.view.plots_layout.phase_axis;
  const std::vector<PhaseCurve> curves = now.followed ? phase_curves(now, axis) : std::vector<PhaseCurve>();
  const float pad = units(8);
  if (curves.empty()) {
    ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y + pad));
    return coloured_text(palette().muted,
                         broken_lines(now.followed ? "Nothing yet: press Space to play, S for one step."
                                                   : "Alt-click a particle to follow it.",
                                      size.x - 2 * pad));
  }
  const std::string letter = kAxisNames[static_cast<std::size_t>(axis)];
  const Figure frame({letter + " [m]", range_of(curves, &PhaseCurve::position)},
                     {"velocity [m/s]", range_of(curves, &PhaseCurve::velocity)}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  frame.begin_clip();
  const bool alone = now.others.empty();
  for (const PhaseCurve& curve : curves) {
    std::vector<ImVec2> points;
    for (std::size_t k = 0; k < curve.position.size(); ++k)
      points.emplace_back(frame.px(curve.position[k]), frame.py(curve.velocity[k]));
    const ImU32 colour = alone ? palette().accent_strong : lane_colour(curve.lane->lane);
    draw_line(points, colour, curve.lane->lane == now.lane ? 2 : 1.2F, {});
    draw->AddCircleFilled(points.back(), units(4), colour);
  }
  frame.label(
      frame.a(), palette().muted,
      "velocity along " + letter + " [m/s], particle " + std::to_string(*now.followed) + ", last 10 s");
  frame.end_clip();
  frame.hovered(name + ":phase");
}

}  // namespace clothlab
