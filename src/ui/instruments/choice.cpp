// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/choice_chart.h"
#include "experiments/choice_search.h"
#include "sim/parameters.h"
#include "ui/instruments/instruments.h"

namespace clothlab {
namespace {

constexpr double kLeastError = 1e-3, kMostError = 1, kLeastBudget = 1e-3, kMostBudget = 100;
constexpr std::array kDurations{0.25, 0.5, 1.0, 2.0};  // [s]
constexpr float kRoomForAnswer = 120;                  // of height, for two lines [interface units]

/// A search without a particle has no error of its path.
ErrorMeasure shown_measure(const ChoiceView& view, const ChoiceFigures& found) {
  const bool is_known = view.measure != ErrorMeasure::path || found.script.particle;
  return is_known ? view.measure : ErrorMeasure::rms;
}

ChoiceGoal goal_of(const ChoiceView& view, const ChoiceFigures& found) {
  ChoiceGoal goal;
  goal.measure = shown_measure(view, found);
  goal.error = view.by_error ? std::optional(view.error) : std::nullopt;
  goal.budget = view.budget;
  return goal;
}

bool has_room_for_lane(const PanelContext& context) {
  return context.snapshot.others.size() + 1 < kMostLanes;
}

std::string words_of_point(const PanelContext& context, const ChoiceFigures& found,
                           const ChoicePoint& point) {
  const auto percent = [&](ErrorMeasure measure) {
    return format_plain(100 * found.error_of(point, measure)) + " %";
  };
  std::string text = found.variants[point.variant].title + " at h = " + format_quantity(point.h, "s") + ": ";
  if (point.failure.empty())
    text += "RMS " + percent(ErrorMeasure::rms) + ", the worst particle " + percent(ErrorMeasure::largest) +
            ", energy " + percent(ErrorMeasure::energy) +
            (found.script.particle ? ", path of particle " + std::to_string(*found.script.particle) + " " +
                                         percent(ErrorMeasure::path)
                                   : std::string());
  else
    text += point.failure;
  text += "\n" + format_plain(point.processor) + " s of processor time per second, strain up to " +
          format_plain(100 * point.max_strain) + " %";
  if (point.not_converged > 0) text += ", " + format_count(point.not_converged) + " steps not converged";
  if (point.gains_energy) text += ", spurious energy";
  return text + (has_room_for_lane(context)
                     ? std::string("\nClick to add it as a lane.")
                     : "\nThere are " + std::to_string(kMostLanes) + " lanes, which are the most.");
}

/// The lane divides the scene's step; its own parameters follow, because it is the active lane then.
void add_lane(const PanelContext& context, const ChoiceFigures& found, const ChoicePoint& point) {
  if (!has_room_for_lane(context)) return;
  const Method& method = found.variants[point.variant].method;
  const double parts = std::ceil(std::abs(context.scene().dt) / point.h - 1e-9);
  context.send(Control(NewLane{.integrator = method.integrator,
                               .substeps = static_cast<int>(std::clamp(parts, 1.0, 1000.0)),
                               .stages = method.solver.stage_solve}));
  for (const auto& [id, value] : method.integrator_parameters) context.send(Command(SetParameter{id, value}));
  for (const char* id : {"newton-tolerance", "cg-tolerance"}) {
    const SceneParameter& row = *find_scene_parameter(id);
    const double value = row.get(with_method(context.scene(), method));
    if (value != row.get(context.scene())) context.send(Command(SetParameter{id, value}));
  }
}

/// A line that the mouse drags; true while it does.
bool drag_line(const std::string& name, ImVec2 a, ImVec2 b) {
  const float reach = units(4);
  ImGui::SetCursorScreenPos(ImVec2(a.x - reach, a.y - reach));
  ImGui::InvisibleButton(name.c_str(), ImVec2(b.x - a.x + 2 * reach, b.y - a.y + 2 * reach));
  note_item(name);
  const bool held = ImGui::IsItemActive();
  if (held || ImGui::IsItemHovered())
    ImGui::SetMouseCursor(a.x == b.x ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  ImGui::GetWindowDrawList()->AddLine(a, b, held ? palette().accent : palette().careful, units(1.5F));
  return held;
}

void draw_goal(const std::string& name, const Figure& frame, ChoiceView& view) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (view.by_error) {
    const float y = frame.py(100 * view.error);
    if (drag_line(name + ":goal", ImVec2(frame.a().x, y), ImVec2(frame.b().x, y)))
      view.error = std::clamp(frame.y_at(mouse.y) / 100, kLeastError, kMostError);
    frame.label(ImVec2(frame.b().x, y - ImGui::GetTextLineHeight()), palette().careful,
                format_plain(100 * view.error) + " %");
    return;
  }
  const float x = frame.px(view.budget);
  if (drag_line(name + ":goal", ImVec2(x, frame.a().y), ImVec2(x, frame.b().y)))
    view.budget = std::clamp(frame.x_at(mouse.x), kLeastBudget, kMostBudget);
  frame.label(ImVec2(x + units(4), frame.a().y), palette().careful,
              format_plain(1 / view.budget) + "× real time");
}

void draw_points(const PanelContext& context, const std::string& name, const Figure& frame,
                 const ChoiceFigures& found, const ChoiceGoal& goal) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  frame.begin_clip();
  // Runs below the axis are at its lower edge.
  const double lowest = frame.y_at(frame.b().y - units(4));
  const auto percent = [&](const ChoicePoint& point) {
    return std::max(lowest, 100 * found.error_of(point, goal.measure));
  };
  if (const double unknown = 100 * found.least_error(goal.measure); unknown > 0)
    draw->AddRectFilled(ImVec2(frame.a().x, frame.py(unknown)), frame.b(),
                        with_alpha(palette().muted, 0.15F));
  std::vector<ImVec2> front;
  for (const std::size_t k : pareto_front(found.points, goal))
    front.push_back(frame.at(found.points[k].processor, percent(found.points[k])));
  draw_line(front, palette().muted, 1.5F, {});
  const Chosen chosen = best_for(found, goal);
  const ChoicePoint* nearest = nullptr;
  float distance = units(9);
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    const ChoicePoint& point = found.points[k];
    const MethodVariant& variant = found.variants[point.variant];
    const Method& method = variant.method;
    const float size = variant.is_tuned ? 0.6F : 1;
    // Runs that failed are crosses at the upper edge.
    const double error = point.failure.empty() ? percent(point) : frame.y_at(frame.a().y);
    const ImVec2 p = frame.at(point.processor, error);
    const ImU32 colour = integrator_colour(integrator_row(method_info(method)));
    if (!point.failure.empty()) {
      const float r = units(3);
      draw->AddLine(ImVec2(p.x - r, p.y), ImVec2(p.x + r, p.y + 2 * r), palette().failed, units(1.5F));
      draw->AddLine(ImVec2(p.x - r, p.y + 2 * r), ImVec2(p.x + r, p.y), palette().failed, units(1.5F));
    } else if (method.solver.stage_solve == StageSolve::linear) {
      draw->AddCircle(p, units(3.5F * size), colour, 0, units(1.5F));
    } else {
      draw->AddCircleFilled(p, units(4 * size), colour);
    }
    if (chosen.best == k || chosen.runner_up == k)
      draw->AddCircle(p, units(7), palette().text, 0, units(chosen.best == k ? 2.0F : 1.0F));
    if (chosen.best == k) note_rect(name + ":best", p, p);
    const float away = std::hypot(mouse.x - p.x, mouse.y - p.y);
    if (away < distance) {
      distance = away;
      nearest = &point;
    }
  }
  frame.end_clip();
  if (nearest == nullptr || !frame.hovered(name + ":points")) return;
  frame.tell(words_of_point(context, found, *nearest));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) add_lane(context, found, *nearest);
}

void draw_choice(const PanelContext& context, const std::string& name, const ChoiceFigures& found, ImVec2 at,
                 ImVec2 size) {
  ChoiceView& view = context.view.plots_layout.choice;
  const ChoiceGoal goal = goal_of(view, found);
  double low_x = view.by_error ? INFINITY : view.budget, high_x = view.by_error ? 0 : view.budget;
  double low_y = view.by_error ? view.error : INFINITY, high_y = view.by_error ? view.error : 0;
  for (const ChoicePoint& point : found.points) {
    low_x = std::min(low_x, point.processor);
    high_x = std::max(high_x, point.processor);
    const double error = found.error_of(point, goal.measure);
    if (!point.failure.empty() || error == 0) continue;
    low_y = std::min(low_y, error);
    high_y = std::max(high_y, error);
  }
  if (!(low_x > 0 && high_y > 0)) return;
  const Figure frame({"processor seconds per simulated second", whole_decades(low_x, high_x), true},
                     {found.axis_title(goal.measure),
                      whole_decades(100 * std::max(low_y, 0.1 * kLeastError), 100 * high_y), true},
                     at, size);
  if (!frame.has_room()) return;
  frame.axes();
  frame.label(ImVec2(frame.a().x, frame.a().y + units(8)), palette().muted, found.axis_title(goal.measure));
  note_text(name + ":axis", found.axis_title(goal.measure));
  draw_goal(name, frame, view);
  draw_points(context, name, frame, found, goal);
}

/// The next one for which there are figures, or will be after a search.
void choose_next_measure(const PanelContext& context, const ChoiceFigures& found, ChoiceView& view) {
  const auto next = (static_cast<std::size_t>(shown_measure(view, found)) + 1) % kErrorMeasureNames.size();
  view.measure = static_cast<ErrorMeasure>(next);
  const auto& particle = found.points.empty() ? context.snapshot.followed : found.script.particle;
  if (view.measure == ErrorMeasure::path && !particle) view.measure = ErrorMeasure::rms;
}

void measure_button(const PanelContext& context, const std::string& name, const ChoiceFigures& found,
                    ImVec2 at, ImVec2 size) {
  ChoiceView& view = context.view.plots_layout.choice;
  constexpr std::array<const char*, kErrorMeasureNames.size()> kLabels{"RMS", "Largest", "Energy", "Path"};
  const char* label =
      kLabels[static_cast<std::size_t>(found.points.empty() ? view.measure : shown_measure(view, found))];
  if (!has_room_for(label, at, size)) return;
  if (text_button(
          name + ":measure", label,
          "The measure of the error. RMS: of the positions at the end, root mean square over the "
          "particles. Largest: of the worst particle then. Energy: the largest difference of the total "
          "energy, in per cent of the energy that the reference exchanges. Path: of the free particle that "
          "was followed (Alt-click) when the search began, root mean square over the time. Click for "
          "the next.",
          {}))
    choose_next_measure(context, found, view);
  ImGui::SameLine(0, units(4));
}

void goal_buttons(const std::string& name, ChoiceView& view, ImVec2 at, ImVec2 size) {
  if (!has_room_for("Error", at, size)) return;
  if (text_button(name + ":by-error", "Error",
                  "The cheapest run with at most the error at the line, in per cent of the displacement of "
                  "the particles or of the exchanged energy. Drag the line.",
                  {.active = view.by_error}))
    view.by_error = true;
  ImGui::SameLine(0, units(4));
  if (!has_room_for("Time", at, size)) return;
  if (text_button(name + ":by-time", "Time",
                  "The most accurate run within the computing time at the line. Drag the line.",
                  {.active = !view.by_error}))
    view.by_error = false;
  ImGui::SameLine(0, units(4));
  const std::string label = format_quantity(view.runs.duration, "s");
  const bool has_duration = view.runs.from != ChoiceStart::journal;
  if (has_duration && !has_room_for(label.c_str(), at, size)) return;
  if (has_duration &&
      text_button(name + ":duration", label,
                  "Simulated time of the runs of the next search: 0.25, 0.5, 1 or 2 s. Cloth that flaps or "
                  "buckles needs a short one. Click for the next.")) {
    double& duration = view.runs.duration;
    const auto* now = std::ranges::find(kDurations, duration);
    duration = now == kDurations.end() || now + 1 == kDurations.end() ? kDurations.front() : *(now + 1);
  }
  if (has_duration) ImGui::SameLine(0, units(4));
  constexpr std::array kStarts{"Start", "Now", "Journal"};
  const auto start = static_cast<std::size_t>(view.runs.from);
  const char* from = kStarts[start];
  if (!has_room_for(from, at, size)) return;
  if (text_button(
          name + ":from", from,
          "Start: the next search runs from the start of the scene with the present values. Now: from "
          "the present state; cloth at rest has no errors to measure. Journal: from the start to the "
          "present, and every run repeats your drags, pins and changes of values at their times. Click "
          "to change."))
    view.runs.from = static_cast<ChoiceStart>((start + 1) % kStarts.size());
  ImGui::SameLine(0, units(4));
}

void save_buttons(const PanelContext& context, const std::string& name, const ChoiceProgress& found,
                  const ChoiceGoal& goal, ImVec2 at, ImVec2 size) {
  if (has_room_for("CSV", at, size) && text_button(name + ":csv", "CSV", "Save the runs as a table."))
    context.request(SaveTable{"choice", csv_of(found.figures, *found.values, goal)});
  for (const bool svg : {false, true}) {
    ImGui::SameLine(0, units(4));
    const char* label = svg ? "SVG" : "PNG";
    if (!has_room_for(label, at, size)) return;
    if (!text_button(name + (svg ? ":svg" : ":png"), label,
                     svg ? "Save the figure as a vector picture." : "Save the figure as a picture."))
      continue;
    const auto colour = [](const MethodVariant& variant) {
      return rgb_of(integrator_colour(integrator_row(method_info(variant.method))));
    };
    context.request(SaveChart{"choice",
                              std::make_shared<const Chart>(chart_of(found.figures, goal, found.runs.duration,
                                                                     chart_colours(), colour)),
                              svg});
  }
}

}  // namespace

void choice_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  ChoiceView& view = context.view.plots_layout.choice;
  const bool running = context.choice != nullptr && !context.choice->done();
  ChoiceRuns runs = view.runs;
  runs.particle = context.snapshot.followed;
  search_button(
      context, name, Search::Of::choice, running,
      "Runs every method with h = 1/60 s, the half, and so on, and compares the ends with a reference. It "
      "uses copies and one processor, while the lanes run on.",
      runs);
  ImGui::SameLine(0, units(4));
  const std::shared_ptr<const ChoiceProgress> found =
      context.choice == nullptr ? std::make_shared<const ChoiceProgress>() : context.choice->progress();
  measure_button(context, name, found->figures, at, size);
  goal_buttons(name, view, at, size);
  if (context.choice == nullptr)
    return draw_empty(
        "Which method, at which h? Error over computing time of every method on this scene. A search takes "
        "seconds to minutes and runs on copies.",
        at, size);
  const ChoiceGoal goal = goal_of(view, found->figures);
  if (!found->figures.points.empty()) save_buttons(context, name, *found, goal, at, size);
  draw_ground(at, size);
  const std::string answer = found->figures.points.empty() ? "" : text_of(found->figures, goal);
  std::string words = found->error.empty() ? answer : found->error;
  if (running) words = found->under_way + (answer.empty() ? "" : ". So far: " + answer);
  const std::string outdated = why_outdated(context, *found);
  const int lines = size.y < units(kRoomForAnswer) ? 1 : 2;
  const float head = draw_search_head(name, *found, running, words, outdated, at, size.x, size.x, lines);
  tooltip(
      (outdated.empty() ? "" : outdated + "\n\n") + words + "\n\nFrom " + origin_of(context, *found) +
      (found->runs.from == ChoiceStart::journal ? " with the recorded changes, " : ", ") +
      format_quantity(found->runs.duration, "s") +
      ". Rings: methods whose stages are one linear solve. Small: other tolerances or substeps. Crosses: "
      "runs that blew up. The line connects the best runs; in the grey part the reference is not accurate "
      "enough.");
  if (!found->figures.points.empty())
    draw_choice(context, name, found->figures, ImVec2(at.x, at.y + head), ImVec2(size.x, size.y - head));
}

}  // namespace clothlab
