// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <vector>

#include "chart/axis.h"
#include "ui/instruments/instruments.h"
#include "ui/widgets/parameter_row.h"

namespace clothlab {
namespace {

constexpr std::array kAxisNames{"x", "y", "z"};
constexpr double kPhaseSeconds = 10;      // as long as a curve can still be followed
constexpr double kShortestVector = 1e-6;  // that is a direction

struct PhaseCurve {
  const LaneSnapshot* lane;
  std::vector<ChartPoint> points;  // velocity over position
};

std::vector<PhaseCurve> phase_curves(const Snapshot& now, const vec3& direction) {
  std::vector<PhaseCurve> curves;
  for (const LaneSnapshot* lane : now.lanes()) {
    PhaseCurve curve{lane, {}};
    const double end = lane->plot->empty() ? 0 : lane->plot->back().time;
    for (const PlotSample& sample : *lane->plot) {
      const double x = glm::dot(sample.position, direction), v = glm::dot(sample.velocity, direction);
      if (sample.time < end - kPhaseSeconds || !std::isfinite(x) || !std::isfinite(v)) continue;
      curve.points.push_back({x, v});
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

AxisRange range_of(const std::vector<PhaseCurve>& curves, double ChartPoint::*value) {
  const bool all_stand = std::ranges::all_of(curves, [](const auto& curve) { return curve.lane->frozen; });
  AxisFit fit(false);
  for (const PhaseCurve& curve : curves)
    if (all_stand || !curve.lane->frozen)
      for (const ChartPoint& point : curve.points) fit.include(point.*value);
  return fit.range(false);
}

vec3 unit_vector(int axis) {
  vec3 e(0);
  e[axis] = 1;
  return e;
}

// The axis that it equals, if any.
std::optional<std::size_t> axis_of(const vec3& direction) {
  for (int k = 0; k < 3; ++k)
    if (direction == unit_vector(k)) return static_cast<std::size_t>(k);
  return std::nullopt;
}

/// The direction of the particle's largest motion: the first principal axis of its last positions. None if it
/// has not moved.
std::optional<vec3> main_direction(const LaneSnapshot& lane) {
  std::vector<vec3> positions;
  for (const PlotSample& sample : *lane.plot)
    if (sample.time >= lane.plot->back().time - kPhaseSeconds && std::isfinite(sample.position.x))
      positions.push_back(sample.position);
  vec3 mean(0), direction(1, 0.7, 0.4);  // no direction that a scene is likely to avoid
  for (const vec3& x : positions) mean += x / static_cast<double>(positions.size());
  constexpr int kPowers = 100;
  for (int k = 0; k < kPowers; ++k) {
    vec3 next(0);
    for (const vec3& x : positions) next += glm::dot(x - mean, direction) * (x - mean);
    if (!(glm::length(next) > 0)) return std::nullopt;
    direction = glm::normalize(next);
  }
  return glm::round(1e4 * direction) / 1e4;  // as it is shown
}

void direction_menu(const PanelContext& context, const std::string& name) {
  vec3& direction = context.view.plots_layout.phase_direction;
  ImGui::SetNextWindowSize(ImVec2(units(330), 0));
  if (!ImGui::BeginPopup("##direction")) return;
  const TooltipsThere there(TooltipSide::side);
  if (const auto changed = vector_row(
          "direction", "Direction", "Shows position and velocity along this vector, of any length; y is up.",
          direction, 1, "")) {
    if (glm::length(*changed) > kShortestVector)
      direction = *changed;
    else
      refuse_typed_number("A direction needs a component that is not 0.");
  }
  if (text_button(name + ":main-direction", "Along its main motion",
                  "The direction in which the particle of this lane moved most in the last 10 s. Use it for "
                  "a pendulum that swings at an angle.",
                  {.width = -1}))
    if (const auto main = main_direction(context.snapshot)) direction = *main;
  ImGui::EndPopup();
}

}  // namespace

std::string name_of_direction(const vec3& direction) {
  if (const auto axis = axis_of(direction)) return kAxisNames[*axis];
  const auto number = [&](int k) { return format_plain(direction[k], 2); };
  return "(" + number(0) + ", " + number(1) + ", " + number(2) + ")";
}

void direction_buttons(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  vec3& direction = context.view.plots_layout.phase_direction;
  const std::optional<std::size_t> chosen = axis_of(glm::normalize(direction));
  for (std::size_t k = 0; k < kAxisNames.size(); ++k) {
    const std::string letter = kAxisNames[k];
    if (text_button(name + ":axis:" + letter, letter, "Position and velocity along " + letter + "; y is up.",
                    {.active = chosen == k}))
      direction = unit_vector(static_cast<int>(k));
    ImGui::SameLine(0, units(2));
  }
  const char* other = has_room_for("Other", at, size) ? "Other" : "...";
  if (text_button(name + ":direction", other, "Along any direction.", {.active = !chosen}))
    ImGui::OpenPopup("##direction");
  direction_menu(context, name);
}

void phase_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  const Snapshot& now = context.snapshot;
  direction_buttons(context, name, at, size);
  const vec3 direction = glm::normalize(context.view.plots_layout.phase_direction);
  const std::vector<PhaseCurve> curves =
      now.followed ? phase_curves(now, direction) : std::vector<PhaseCurve>();
  if (curves.empty())
    return draw_empty(now.followed ? "Nothing yet: press Space to play, S for one step."
                                   : "Alt-click a particle to follow it.",
                      at, size);
  draw_ground(at, size);
  const std::string along = name_of_direction(direction);
  const Figure frame({along + " [m]", range_of(curves, &ChartPoint::x)},
                     {"velocity [m/s]", range_of(curves, &ChartPoint::y)}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  frame.begin_clip();
  const bool alone = now.others.empty();
  for (const PhaseCurve& curve : curves) {
    std::vector<ImVec2> points;
    for (const auto& [x, v] : curve.points) points.push_back(frame.at(x, v));
    const ImU32 colour = alone ? palette().accent_strong : lane_colour(curve.lane->lane);
    draw_line(points, colour, curve.lane->lane == now.lane ? 2 : 1.2F, {});
    ImGui::GetWindowDrawList()->AddCircleFilled(points.back(), units(4), colour);
  }
  frame.label(
      frame.a(), palette().muted,
      "velocity along " + along + " [m/s], particle " + std::to_string(*now.followed) + ", last 10 s");
  frame.end_clip();
  frame.hovered(name + ":phase");
}

}  // namespace clothlab
