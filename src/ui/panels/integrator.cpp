// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>

#include "integrate/registry.h"
#include "session/real_time.h"
#include "ui/lanes.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

// Least height of the explanation.
constexpr float kLeastLines = 3;

void integrator_choice(const PanelContext& context) {
  const std::size_t current = context.integrator();
  const float height = ImGui::GetFrameHeight();
  const float gap = units(5);
  if (icon_button("previous-integrator", Icon::previous, "Previous integrator of the list ( , )",
                  {.width = height}))
    context.step_integrator(-1);
  ImGui::SameLine(0, gap);
  const bool alone = context.snapshot.others.empty();
  const float lanes = alone ? new_lane_buttons_width() + gap : 0;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - 2 * (height + gap) - lanes);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), mark = method_mark_size();
  // Room for the mark in front of the name.
  const auto spaces = static_cast<std::size_t>((mark.x + units(6)) / text_width(" ")) + 1;
  const std::string preview =
      std::string(spaces, ' ') + displayable(title_with(context.method(), context.scene().solver));
  if (const auto row =
          method_list(context, {.name = "integrator",
                                .preview = preview,
                                .help = "The method that advances the cloth. Switching keeps positions, "
                                        "velocities and h. Keys 1 to 9, comma and full stop."}))
    context.set_integrator(*row);
  draw_method_mark(ImGui::GetWindowDrawList(), ImVec2(origin.x + units(6), origin.y + (height - mark.y) / 2),
                   current);
  ImGui::SameLine(0, gap);
  if (icon_button("next-integrator", Icon::next, "Next integrator of the list ( . )", {.width = height}))
    context.step_integrator(1);
  ImGui::SameLine(0, gap);
  if (text_button("explain-button", "?", "Explain this method below: formula, order, cost and stability (E).",
                  {.width = height, .active = context.view.explain}))
    context.view.explain = !context.view.explain;
  if (!alone) return;
  ImGui::SameLine(0, gap);
  new_lane_buttons(context);
}

// "1.9 ms per step, 0.4× real time" of the slowest running lane, as in its head and in the table; of several
// lanes, with its letter.
std::string times_of_lanes(const Snapshot& now) {
  const LaneSnapshot* slowest = nullptr;
  for (const LaneSnapshot* lane : now.lanes())
    if (!lane->frozen && (slowest == nullptr || lane->step_ms.wall > slowest->step_ms.wall)) slowest = lane;
  if (slowest == nullptr || !(slowest->step_ms.wall > 0)) return "no step timed";
  const std::string name =
      now.others.empty() ? "" : std::string("slowest lane by itself: ") + lane_letter(slowest->lane) + ", ";
  return name + format_quantity(1e-3 * slowest->step_ms.median, "s") + " per step, " +
         factor_text(slowest->step_ms.real_time_factor(now.frame.scene->dt)) + " real time";
}

// "lane B (RK4) is stable below 3.6 ms", or the only method.
std::string limit_of(const Snapshot& now, const RealTimeLag::Limit& limit) {
  const LaneSnapshot* lane = find_lane(now, limit.lane);
  const std::string title(running_method(lane != nullptr ? *lane : now).title);
  const std::string name =
      now.others.empty() ? title : std::string("lane ") + lane_letter(limit.lane) + " (" + title + ")";
  return name +
         (limit.step > 0 ? " is stable below " + format_quantity(limit.step, "s") : " is stable at no h");
}

// Replaces the line below h if steps take longer than the time they simulate.
void lag_line(const PanelContext& context, const RealTimeLag& lag) {
  const double speed = context.snapshot.speed;
  const std::string goal = speed == 1 ? "real time" : format_plain(speed) + "×";
  std::string text = times_of_lanes(context.snapshot);
  if (lag.step && *lag.step > 0) {
    ImGui::PushFont(fonts().small);
    const std::string label = "h = " + format_quantity(*lag.step, "s") + " for " + goal;
    if (ImGui::SmallButton(displayable(label).c_str())) context.set_parameter("dt", *lag.step);
    ImGui::PopFont();
    explain_item("real-time",
                 "Sets h so that the simulation runs at " + goal +
                     " with 25 % headroom and all lanes are stable" +
                     (lag.limit ? ": " + limit_of(context.snapshot, *lag.limit) : std::string()) +
                     ". A larger h increases damping and errors. Ctrl-Z reverts it.");
    ImGui::SameLine(0, units(8));
  } else if (lag.step) {
    const std::string longest = format_quantity(kLongestRealTimeStep, "s");
    text = context.snapshot.others.empty()
               ? "No stable h up to " + longest + " reaches " + goal
               : "At no stable h up to " + longest + " do all lanes together reach " + goal;
    if (lag.limit) text += ": " + limit_of(context.snapshot, *lag.limit);
  }
  small_text(text, 1);
  explain_item(
      "lag",
      text +
          ".\n\nSteps take longer than the time they simulate, so the cloth moves more slowly than "
          "requested. Simulated time is never skipped, and h never changes by itself. Of several lanes, you "
          "can freeze the slowest (menu with the dots) or reduce its substeps.\n\nThe cost of a step is the "
          "median processor time of the last steps, and its factor is simulated time over wall-clock time of "
          "that lane alone, as in its head. The proposed h accounts for all lanes; the line with the speed "
          "shows what all reach together.",
      text);
}

// How the lanes divide the step that they share: "Substeps: A 1, B 4 of 2.5 ms."
void shared_step(const PanelContext& context, double h) {
  std::string substeps;
  bool divided = false;
  for (const LaneSnapshot* lane : context.snapshot.lanes()) {
    const bool is_shown = lane->lane == context.snapshot.lane;
    const int count = is_shown ? context.scene().substeps : lane->frame.scene->substeps;
    substeps += (substeps.empty() ? "" : ", ") + std::string(1, lane_letter(lane->lane)) + " " +
                std::to_string(count);
    if (count > 1) substeps += " of " + format_quantity(h / count, "s");
    divided |= count > 1;
  }
  const std::string text = divided ? "Substeps: " + substeps + "." : "No lane uses substeps.";
  small_text(text, 1);
  explain_item(
      "shared-step",
      text +
          "\n\nAll lanes take steps of the same h, so that they stay at the same simulated time. Each lane "
          "may divide them into substeps (Solver tab).",
      text);
}

void step_size(const PanelContext& context, const IntegratorInfo& info) {
  const SceneParameter* dt = find_scene_parameter("dt");
  const double h = context.scene().dt;
  const int substeps = context.scene().substeps;
  const StabilityReading stability =
      read_stability(info, context.own_parameters(), context.step_size(), context.snapshot.stability);
  std::optional<SliderMark> mark;
  if (stability.largest_step) {
    mark = SliderMark{*stability.largest_step * substeps, palette().failed,
                      "The mark: the linear limit of " + std::string(info.title) + " at this shape, " +
                          format_quantity(*stability.largest_step, "s") +
                          (substeps > 1 ? " per substep." : ".")};
  } else if (stability.level == StabilityLevel::unstable) {
    mark = SliderMark{
        dt->spec.min, palette().failed,
        std::string(info.title) + " " + stability.verdict + "; the growth per second decreases with h."};
  }
  const std::optional<StabilityEstimate>& estimate = context.snapshot.stability;
  const auto span =
      step_size_span(std::abs(h), estimate ? std::optional(explicit_limit(*estimate)) : std::nullopt);
  ParameterSpec spec = dt->spec;
  const bool several = !context.snapshot.others.empty();
  if (several) spec.title = "Step h, all lanes";
  if (const auto changed = parameter_row(spec, h, mark, span)) context.set_parameter("dt", *changed);
  if (several) shared_step(context, h);
  if (context.snapshot.lag) return lag_line(context, *context.snapshot.lag);
  const std::string steps = format_plain(1.0 / 60 / std::abs(h), 4);
  const std::string in = substeps > 1 ? " of " + std::to_string(substeps) + " substeps" : "";
  const std::string pace = std::abs(h) > 1 ? "1 step" + in + " per " + format_quantity(std::abs(h), "s")
                                           : steps + (steps == "1" ? " step" : " steps") + in + " per 1/60 s";
  small_text(pace + " · " + stability.number, 1);
  tooltip(stability.help);
}

// As many lines of the method's formula and summary as fit above `bottom`.
void short_explanation(const IntegratorInfo& info, const SolverSettings& solver, float bottom) {
  const float line = fonts().small->FontSize, spacing = ImGui::GetStyle().ItemSpacing.y;
  const auto fitting = [&] { return static_cast<int>((bottom - ImGui::GetCursorPosY()) / line); };
  ImGui::BeginGroup();
  if (fitting() > 3) small_text(formula_with(info, solver), 1);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - spacing / 2);
  if (fitting() > 0) small_text(summary_with(info, solver), fitting());
  ImGui::EndGroup();
  explain_item("explain", "The beginning of the explanation. E or the question mark opens all of it.");
}

// Height of the part of the panel that differs between methods, for the method with most parameters, so that
// nothing below moves when another is chosen. Methods with more than two parameters have less explanation.
float own_height() {
  std::size_t most = 0;
  for (const IntegratorInfo& info : integrators()) most = std::max(most, info.parameters.size());
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  const float width = ImGui::GetContentRegionAvail().x;
  const float row = parameter_row_height(width) + spacing;
  return std::max(static_cast<float>(most) * row, static_cast<float>(std::min<std::size_t>(most, 2)) * row +
                                                      kLeastLines * fonts().small->FontSize);
}

}  // namespace

void integrator_panel(const PanelContext& context) {
  integrator_choice(context);
  const IntegratorInfo& info = context.method();
  step_size(context, info);
  const float bottom = ImGui::GetCursorPosY() + own_height();
  const IntegratorParameters values = context.own_parameters();
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    scene_parameter_row(context, info.parameters[i], values[i]);
  }
  if (!info.table.empty() &&
      text_button("edit-tableau", "Tableau ...",
                  "Edits the coefficients of this method, or makes a lane from others."))
    context.view.edit_tableau = true;
  if (!context.view.explain)
    short_explanation(info, context.scene().solver, bottom);  // the Method tab has all of it
  ImGui::SetCursorPosY(bottom);
  ImGui::Dummy(ImVec2(0, 0));
}

void solver_panel(const PanelContext& context) {
  section("Linear and nonlinear solves");
  parameter_section(context, "Solver");
  section("Stepping");
  parameter_section(context, "Stepping");
}

}  // namespace clothlab
