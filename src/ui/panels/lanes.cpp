// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "integrate/registry.h"
#include "ui/lanes.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

// Keeps one lane and replaces the others; all begin at the start.
void sets(const PanelContext& context) {
  ImGui::SetNextItemWidth(ImGui::GetFrameHeight());
  const auto entries = [&] {
    for (const LaneSet& set : lane_sets())
      if (list_item(std::string("lane-set:") + set.title, set.title, set.help))
        use_lanes(context, set.choose(context));
    ImGui::Separator();
    for (const bool from_start : {true, false}) {
      const std::string where = from_start ? "start" : "here";
      if (!list_item("reference-from-" + where,
                     from_start ? "Reference from the start" : "Reference from here",
                     std::string("Adds RK4 with substeps of a fifth of the explicit limit as the reference "
                                 "lane. It ") +
                         (from_start ? "repeats the run from the start in the background."
                                     : "continues from the current state of this lane.")))
        continue;
      NewLane lane = reference_lane(context);
      lane.from_start = from_start;
      lane.is_reference = true;
      context.send(Control(lane));
    }
  };
  choice_list("lane-sets", "", "Sets of methods to compare from the start.", entries,
              ImGuiComboFlags_NoPreview | ImGuiComboFlags_HeightLargest);
}

// A letter on the lane's colour; the active one has a frame.
void chip(const PanelContext& context, const LaneSnapshot& lane, float side) {
  const std::string name = std::string("lane:") + lane_letter(lane.lane);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (ImGui::InvisibleButton(name.c_str(), ImVec2(side, side))) context.select_lane(lane.lane);
  explain_item(name, lane_name(lane) + ". " + read_lane(lane).help);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 b(at.x + side, at.y + side);
  const bool active = lane.lane == context.snapshot.lane;
  draw_lane_letter(lane.lane, at, side, active ? 1 : 0.55F);
  if (active) draw->AddRect(at, b, palette().text, units(4), 0, units(2));
  if (lane.frozen)
    draw->AddLine(ImVec2(at.x + units(3), b.y - units(3)), ImVec2(b.x - units(3), at.y + units(3)),
                  palette().failed, units(2));
}

struct LayoutButton {
  const char* name;
  const char* label;
  const char* help;
  LaneLayout layout;
};
constexpr std::array kLayouts{
    LayoutButton{"lanes-tiles", "Tiles", "Each lane in its own tile (L).", LaneLayout::tiles},
    LayoutButton{"lanes-overlay", "Over", "All lanes in one picture, in the colours of their letters (L).",
                 LaneLayout::overlay},
    LayoutButton{"lanes-alone", "One", "The active lane alone (L).", LaneLayout::alone},
};

// The menu of the active lane and the others.
void lane_menu(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  const std::string active(1, lane_letter(now.lane));
  if (list_item("lane-duplicate", "Duplicate " + active,
                "Adds a lane with the same method, from the current state."))
    context.add_lane(now.integrator);
  if (list_item("lane-copy-to-all", "Copy the state of " + active + " to all",
                "All other lanes continue from the current state of this one, each with its own method."))
    for (const LaneSnapshot& other : now.others)
      context.send(Control(ChangeLanes{JoinLane{other.lane, now.lane}}));
  for (const LaneSnapshot& other : now.others)
    if (list_item(std::string("lane-join:") + lane_letter(other.lane),
                  "Join " + active + " to " + lane_letter(other.lane),
                  "This lane continues from the current state of that one, with its own method."))
      context.send(Control(ChangeLanes{JoinLane{now.lane, other.lane}}));
  const bool is_reference = now.reference == now.lane;
  if (list_item("lane-reference", is_reference ? "No reference" : active + " is the reference",
                is_reference
                    ? "Stops comparing the other lanes with this one."
                    : "Compares the other lanes with this one: plots Distance and Largest distance."))
    context.send(Control(SetReference{is_reference ? std::nullopt : std::optional(now.lane)}));
  if (now.reference &&
      list_item(
          "lane-distances", std::string("Distances from ") + lane_letter(*now.reference) + " as colours",
          "The heat map (H) shows the distance of every particle from its position in the reference lane.")) {
    context.view.heat_map = true;
    context.view.heat_of = HeatQuantity::distance;
  }
  if (now.frozen) {
    if (list_item("lane-revive", "Resume " + active,
                  "Catches up in the background from the last good state of this lane, with its current "
                  "method and h."))
      context.send(Control(ReviveLane{now.lane}));
  } else if (list_item(
                 "lane-hold", "Freeze " + active,
                 "Stops this lane while the others continue. Use it for a lane that slows them down.")) {
    context.send(Control(ChangeLanes{HoldLane{now.lane}}));
  }
  if (list_item("lanes-from-start", "All from the start", "Resets every lane to the start (R)."))
    context.send(Command(Reset{}));
  if (list_item("lane-remove", "Remove " + active, "Removes this lane (Del).")) context.remove_lane(now.lane);
  if (list_item("lane-remove-others", "Remove all but " + active, "Keeps only this lane."))
    for (const LaneSnapshot& other : now.others) context.remove_lane(other.lane);
}

}  // namespace

void new_lane_buttons(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  if (text_button("add-lane", "+",
                  "Adds a lane with another method, from the current state and under the same grab (C). "
                  "Shift with a digit adds that method.",
                  {.width = ImGui::GetFrameHeight(), .enabled = now.others.size() + 1 < kMostLanes}))
    context.add_lane(contrasting_method(now));
  ImGui::SameLine(0, units(2));
  sets(context);
}

float new_lane_buttons_width() { return 2 * ImGui::GetFrameHeight() + units(2); }

void lanes_panel(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  if (now.others.empty()) return;
  const float gap = units(4), side = ImGui::GetFrameHeight();
  for (const LaneSnapshot* lane : now.lanes()) {
    chip(context, *lane, side);
    ImGui::SameLine(0, gap);
  }
  new_lane_buttons(context);
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(units(34));
  choice_list(
      "lane-more", "...", "Duplicate, join, freeze or remove lanes.", [&] { lane_menu(context); },
      ImGuiComboFlags_HeightLargest);
  // The layouts, where there is room for them.
  const float left = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + gap;
  const float room = ImGui::GetWindowContentRegionMax().x - left;
  const float each = std::min(units(44), (room - 2 * gap) / static_cast<float>(kLayouts.size()));
  if (each < units(34)) return;
  ImGui::PushFont(fonts().small);
  for (const LayoutButton& button : kLayouts) {
    ImGui::SameLine(0, gap);
    if (text_button(button.name, button.label, button.help,
                    {.width = each, .active = context.view.lanes == button.layout}))
      context.view.lanes = button.layout;
  }
  ImGui::PopFont();
}

namespace {

LaneChoices methods(std::initializer_list<const char*> ids) {
  LaneChoices set;
  for (const char* id : ids) set.lanes.push_back({.integrator = id, .substeps = 1});
  return set;
}

LaneChoices in_real_time(const PanelContext& context) {
  LaneChoices set = methods({"symplectic-euler", "velocity-verlet", "rk4", "semi-implicit-euler",
                             "semi-implicit-bdf2", "backward-euler", "projective-dynamics", "rattle"});
  const double h_ms = 1e3 * std::abs(context.scene().dt);
  std::erase_if(set.lanes, [&](const NewLane& lane) {
    return context.snapshot.method_ms[method_row(lane.integrator)] > h_ms;
  });
  return set;
}

LaneChoices steps_of_one(const PanelContext& context) {
  double dt = std::min(16 * std::abs(context.step_size()), 1.0);
  // The lane without substeps must be stable too.
  constexpr double kBelowLimit = 0.9;
  if (const auto& estimate = context.snapshot.stability)
    if (const auto limit = largest_stable_step(context.method(), context.own_parameters(), *estimate);
        limit && *limit > 0)
      dt = std::min(dt, kBelowLimit * *limit);
  LaneChoices set{.lanes = {}, .dt = std::max(dt, find_scene_parameter("dt")->spec.min)};
  for (const int substeps : {16, 4, 1})
    set.lanes.push_back({.integrator = context.scene().integrator, .substeps = substeps});
  return set;
}

LaneChoices stages_of_one(const PanelContext& context) {
  const bool implicit =
      context.method().family == IntegratorFamily::implicit && !context.method().always_newton;
  const std::string id = implicit ? context.scene().integrator : "backward-euler";
  const int substeps = context.scene().substeps;
  return {.lanes = {{.integrator = id, .substeps = substeps, .stages = StageSolve::newton},
                    {.integrator = id, .substeps = substeps, .stages = StageSolve::linear}}};
}

LaneChoices with_reference(const PanelContext& context) {
  const Scene& scene = context.scene();
  NewLane reference = reference_lane(context);
  reference.is_reference = true;
  return {.lanes = {{.integrator = scene.integrator, .substeps = scene.substeps}, reference}};
}

constexpr std::array kSets{
    LaneSet{
        "Classic four",
        "Explicit, symplectic and semi-implicit Euler and the implicit midpoint rule: growth, energy "
        "conservation and damping compared.",
        [](const PanelContext&) {
          return methods({"explicit-euler", "symplectic-euler", "semi-implicit-euler", "implicit-midpoint"});
        }},
    LaneSet{"Damping ladder",
            "Implicit midpoint, generalized-alpha, BDF2 and backward Euler: from no numerical damping to the "
            "most.",
            [](const PanelContext&) {
              return methods({"implicit-midpoint", "generalized-alpha", "bdf2", "backward-euler"});
            }},
    LaneSet{"Games",
            "Methods used in games: symplectic Euler, XPBD, projective dynamics and semi-implicit Euler.",
            [](const PanelContext&) {
              return methods({"symplectic-euler", "xpbd", "projective-dynamics", "semi-implicit-euler"});
            }},
    LaneSet{"Explicit four",
            "Explicit and symplectic Euler, velocity Verlet and RK4: compare their largest stable h.",
            [](const PanelContext&) {
              return methods({"explicit-euler", "symplectic-euler", "velocity-verlet", "rk4"});
            }},
    LaneSet{"One method at h, 4 h, 16 h",
            "The active method with 16, 4 and 1 substeps of a step of 16 times the current h, or of the "
            "largest stable step.",
            steps_of_one},
    LaneSet{"Newton's method or one linear solve",
            "The active method if it is implicit, otherwise backward Euler: its full form, by Newton's "
            "method, and its semi-implicit form, by one linear solve per stage (S-).",
            stages_of_one},
    LaneSet{"In real time here", "Eight methods, without those that ran slower than real time on this scene.",
            in_real_time},
    LaneSet{"Against a reference",
            "The active method, compared with RK4 with substeps of a fifth of the explicit limit.",
            with_reference},
};

}  // namespace

NewLane reference_lane(const PanelContext& context) {
  const auto& estimate = context.snapshot.stability;
  const double dt = std::abs(context.scene().dt);
  const double h = estimate ? explicit_limit(*estimate) / 5 : dt / context.scene().substeps / 10;
  return {.integrator = "rk4", .substeps = static_cast<int>(std::clamp(std::ceil(dt / h), 4.0, 1000.0))};
}

std::span<const LaneSet> lane_sets() { return kSets; }

void use_lanes(const PanelContext& context, const LaneChoices& wanted) {
  const LaneId kept = context.snapshot.lane;
  for (const LaneSnapshot& other : context.snapshot.others) context.remove_lane(other.lane);
  const NewLane& first = wanted.lanes.front();
  context.set_integrator(method_row(first.integrator));
  if (first.substeps && *first.substeps != context.scene().substeps)
    context.set_parameter("substeps", *first.substeps);
  if (first.stages && *first.stages != context.scene().solver.stage_solve)
    context.set_parameter("stage-solve", static_cast<double>(*first.stages));
  for (const NewLane& lane : std::span(wanted.lanes).subspan(1)) context.send(Control(lane));
  if (wanted.dt) context.set_parameter("dt", *wanted.dt);
  context.send(Control(SelectLane{kept}));
  context.send(Command(Reset{}));
  context.set_playing(true);
}

}  // namespace clothlab
