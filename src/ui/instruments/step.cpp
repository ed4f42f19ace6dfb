// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>
#include <vector>

#include "chart/axis.h"
#include "ui/instruments/instruments.h"

namespace clothlab {
namespace {

/// A constant force that the method used for a part of the step.
struct Bar {
  double from = 0, to = 0;  // [ms]
  double force = 0;         // [N]
  bool subtracted = false;  // its weight is negative
  bool rest = false;
};

/// One after the other, in the order in which the method evaluated the forces.
std::vector<Bar> bars_of(const StepPicture& step, const vec3& along) {
  std::vector<Bar> bars;
  double end = 0;
  const auto add = [&](const UsedForce& use, bool rest) {
    if (use.weight == 0) return;
    const double begin = std::exchange(end, end + 1e3 * std::abs(use.weight));
    bars.push_back({begin, end, glm::dot(use.force, along), use.weight * step.h < 0, rest});
  };
  for (const UsedForce& use : step.used) add(use, false);
  add(step.rest, true);
  return bars;
}

/// Mean over the step [N], by Simpson's rule.
double mean_along(const StepPicture& step, const vec3& along) {
  const std::size_t last = step.along.size() - 1;
  double sum = 0;
  for (std::size_t k = 0; k <= last; ++k)
    sum += (k == 0 || k == last ? 1 : k % 2 == 0 ? 2 : 4) * glm::dot(step.along[k], along);
  return sum / (3 * static_cast<double>(last));
}

double mean_used(const StepPicture& step, const vec3& along) {
  double sum = step.rest.weight * glm::dot(step.rest.force, along);
  for (const UsedForce& use : step.used) sum += use.weight * glm::dot(use.force, along);
  return sum / step.h;
}

/// The tangent at the start with which the method estimates the force at the end.
bool has_tangent(const LaneSnapshot& lane, const StepPicture& step) {
  const IntegratorInfo& info = running_method(lane);
  return step.used.empty() && info.order == 1 &&
         (info.family == IntegratorFamily::linearly_implicit ||
          solves_stages_once(info, lane.scene().solver));
}

std::string sentence(const StepPicture& step, const vec3& along) {
  const auto newton = [](double force) { return format_quantity(force, "N"); };
  const double used = mean_used(step, along), path = mean_along(step, along);
  std::string text = "Particle " + std::to_string(step.particle) + ", mean: " + newton(used) + " as used, " +
                     newton(path) + " along the path.";
  constexpr double kShare = 0.01;
  const double others = glm::dot(step.constraints, along) / step.h;
  if (std::abs(others) > kShare * std::max(std::abs(used), std::abs(path)))
    text += " Contacts, distances, rods and residuals of solvers: " + newton(others) + ".";
  return text;
}

void draw_bars(const Figure& frame, const std::vector<Bar>& bars) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (const Bar& bar : bars) {
    const ImU32 colour = bar.subtracted ? palette().failed : bar.rest ? palette().careful : palette().accent;
    const ImVec2 a = frame.at(bar.from, bar.force), b = frame.at(bar.to, 0);
    const ImVec2 low(std::min(a.x, b.x), std::min(a.y, b.y)), high(std::max(a.x, b.x), std::max(a.y, b.y));
    draw->AddRectFilled(low, high, with_alpha(colour, 0.3F));
    draw->AddRect(low, high, colour);
  }
}

void draw_path(const Figure& frame, const StepPicture& step, const vec3& along, bool tangent,
               const std::vector<Bar>& bars) {
  const double h = 1e3 * std::abs(step.h);
  std::vector<ImVec2> points;
  const std::size_t last = step.along.size() - 1;
  for (std::size_t k = 0; k <= last; ++k)
    points.push_back(
        frame.at(h * static_cast<double>(k) / static_cast<double>(last), glm::dot(step.along[k], along)));
  draw_line(points, palette().text, 2, {});
  if (tangent) draw_line({points.front(), frame.at(h, bars.back().force)}, palette().careful, 1.5F, {});
}

void draw_step(const PanelContext& context, const std::string& name, const StepPicture& step, ImVec2 at,
               ImVec2 size) {
  const vec3 along = glm::normalize(context.view.plots_layout.phase_direction);
  const std::vector<Bar> bars = bars_of(step, along);
  AxisFit fit(false);
  fit.include(0);
  for (const Bar& bar : bars) fit.include(bar.force);
  for (const vec3& force : step.along) fit.include(glm::dot(force, along));

  draw_ground(at, size);
  const std::string text = sentence(step, along);
  const float line = ImGui::GetTextLineHeight(), pad = units(8);
  ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y + units(3)));
  coloured_text(palette().muted, first_line(text, size.x - 2 * pad));
  tooltip(text);
  note_text(name + ":step", text);
  const double h = 1e3 * std::abs(step.h), end = bars.empty() ? h : std::max(h, bars.back().to);
  const Figure frame({"time in the step [ms]", {0, end}},
                     {"force along " + name_of_direction(along) + " [N]", fit.range(false)},
                     ImVec2(at.x, at.y + line + units(5)), ImVec2(size.x, size.y - line - units(5)));
  if (!frame.has_room()) return;
  frame.axes();
  frame.begin_clip();
  draw_bars(frame, bars);
  draw_path(frame, step, along, has_tangent(context.snapshot, step), bars);
  frame.end_clip();
  if (frame.hovered(name + ":step"))
    frame.tell(
        "The force on particle " + std::to_string(step.particle) +
        " during the last step. Line: along the path between its ends. Areas: as the method used it, each "
        "force for its part of the step, in the order of evaluation; orange: linearised, or of earlier "
        "steps; "
        "red: subtracted. Where the areas differ, the method does not follow the force.");
}

}  // namespace

void step_figure(const PanelContext& context, const std::string& name, std::optional<std::uint32_t> particle,
                 std::string_view how, ImVec2 at, ImVec2 size) {
  const Frame& frame = context.snapshot.frame;
  std::vector<std::uint32_t>& wanted =
      context.view.step_of ? *context.view.step_of : context.view.step_of.emplace();
  if (!particle || *particle >= frame.pinned.size()) return draw_empty(how, at, size);
  if (const auto kind = frame.pinned[*particle]; kind != 0) {
    constexpr std::array kWhy{" is pinned: forces do not move it. ", " is on a path: forces do not move it. ",
                              " is on a line, whose reaction this figure would not show. "};
    return draw_empty("Particle " + std::to_string(*particle) + kWhy[kind - 1U] + std::string(how), at, size);
  }
  if (std::ranges::count(wanted, *particle) == 0) wanted.push_back(*particle);
  auto step = std::ranges::find(frame.steps, *particle, &StepPicture::particle);
  // Cloth that moves under the mouse has another particle there in each picture: the last one stays until
  // that of the new one arrives.
  if (step == frame.steps.end()) step = frame.steps.begin();
  if (step == frame.steps.end())
    return draw_empty(context.snapshot.replay    ? "Only for the present."
                      : context.snapshot.playing ? "The forces of the last step are being measured."
                                                 : "Nothing yet: press Space to play, S for one step.",
                      at, size);
  draw_step(context, name, *step, at, size);
}

void step_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  direction_buttons(context, name, at, size);
  step_figure(context, name, context.snapshot.followed, "Alt-click a particle to follow it.", at, size);
}

}  // namespace clothlab
