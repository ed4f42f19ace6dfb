// SPDX-License-Identifier: MIT
#include "ui/panels/lane_sets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "sim/parameters.h"
#include "ui/widgets/method_mark.h"

namespace clothlab {
namespace {

LaneChoices methods(std::initializer_list<std::string_view> ids) {
  LaneChoices set;
  for (const std::string_view id : ids) set.lanes.push_back({method_row(id)});
  return set;
}

LaneChoices classic(const PanelContext&) {
  return methods({"explicit-euler", "symplectic-euler", "semi-implicit-euler", "implicit-midpoint"});
}

LaneChoices damping(const PanelContext&) {
  return methods({"implicit-midpoint", "generalized-alpha", "bdf2", "backward-euler"});
}

LaneChoices games(const PanelContext&) {
  return methods({"symplectic-euler", "xpbd", "projective-dynamics", "semi-implicit-euler"});
}

LaneChoices explicit_ones(const PanelContext&) {
  return methods({"explicit-euler", "symplectic-euler", "velocity-verlet", "rk4"});
}

LaneChoices in_real_time(const PanelContext& context) {
  LaneChoices set = methods({"symplectic-euler", "velocity-verlet", "rk4", "semi-implicit-euler",
                             "semi-implicit-bdf2", "backward-euler", "projective-dynamics", "rattle"});
  const double h_ms = 1e3 * context.scene().dt;
  std::erase_if(set.lanes, [&](const auto& lane) { return context.snapshot.method_ms[lane.row] > h_ms; });
  return set;
}

LaneChoices steps_of_one(const PanelContext& context) {
  const std::size_t row = context.integrator();
  double tick = std::min(16 * context.step_size(), 1.0);
  // The lane without substeps is to be stable, too.
  constexpr double kBelowLimit = 0.9;
  if (const auto& estimate = context.snapshot.stability)
    if (const auto limit = largest_stable_step(integrators()[row], context.own_parameters(), *estimate);
        limit && *limit > 0)
      tick = std::min(tick, kBelowLimit * *limit);
  return {{{row, 16}, {row, 4}, {row, 1}}, std::max(tick, find_scene_parameter("dt")->spec.min)};
}

LaneChoices with_reference(const PanelContext& context) {
  LaneChoices set;
  set.lanes = {{context.integrator(), context.scene().substeps}, reference_lane(context)};
  set.reference = 1;
  return set;
}

constexpr std::array kSets{
    LaneSet{
        "Classic four",
        "Explicit, symplectic and semi-implicit Euler and the implicit midpoint rule: what grows, what keeps "
        "its energy and what damps.",
        classic},
    LaneSet{"Damping ladder",
            "Implicit midpoint, generalized-alpha, BDF2 and backward Euler: from no numerical damping to the "
            "most.",
            damping},
    LaneSet{"Games", "What games use: symplectic Euler, XPBD, projective dynamics and semi-implicit Euler.",
            games},
    LaneSet{"Explicit four", "Explicit and symplectic Euler, velocity Verlet and RK4: who holds which h.",
            explicit_ones},
    LaneSet{"One method at h, 4 h, 16 h",
            "The active method with 16, 4 and 1 substeps of 16 times its present h, or of the largest stable "
            "one.",
            steps_of_one},
    LaneSet{
        "In real time here",
        "Eight methods, without those whose steps have taken longer on this scene than the time that they "
        "simulate.",
        in_real_time},
    LaneSet{
        "Against a reference",
        "The active method, and RK4 with substeps of a fifth of the explicit limit, which is far more exact.",
        with_reference},
};

}  // namespace

LaneChoices::Choice reference_lane(const PanelContext& context) {
  const auto& estimate = context.snapshot.stability;
  const double h = estimate ? explicit_limit(*estimate) / 5 : context.step_size() / 10;
  const double dt = context.scene().dt;
  return {method_row("rk4"), static_cast<int>(std::clamp(std::ceil(dt / h), 4.0, 1000.0))};
}

std::span<const LaneSet> lane_sets() { return kSets; }

void use_lanes(const PanelContext& context, const LaneChoices& wanted) {
  const LaneId kept = context.snapshot.lane;
  for (const LaneSnapshot& other : context.snapshot.others) context.remove_lane(other.lane);
  context.set_integrator(wanted.lanes.front().row);
  if (const int substeps = wanted.lanes.front().substeps; substeps != context.scene().substeps)
    context.set_parameter("substeps", substeps);
  for (std::size_t i = 1; i < wanted.lanes.size(); ++i) {
    const LaneChoices::Choice& lane = wanted.lanes[i];
    context.send(
        Control(NewLane{.integrator = std::string(integrators()[lane.row].id), .substeps = lane.substeps}));
  }
  if (wanted.dt) context.set_parameter("dt", *wanted.dt);
  // New lanes have the first letters that are free.
  if (wanted.reference) {
    const LaneId before = *wanted.reference - 1;
    context.send(Control(SetReference{*wanted.reference == 0 ? kept : before < kept ? before : before + 1}));
  }
  context.send(Control(SelectLane{kept}));
  context.send(Command(Reset{}));
  context.set_playing(true);
}

}  // namespace clothlab
