// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <glm/geometric.hpp>

#include "cloth/grab_force.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

// Strength on a slider, direction kept; the three components as typed values below it.
void gravity_rows(const PanelContext& context) {
  const vec3 gravity = context.scene().material.gravity;
  const double strength = glm::length(gravity);
  if (const auto changed = number_row("gravity", "Gravity",
                                      "Strength of gravity; its direction is kept. At 0 the cloth floats.",
                                      strength, 0, kMaxGravity, 9.8, "m/s²")) {
    const vec3 direction = strength > 0 ? gravity / strength : vec3(0, -1, 0);
    // The slider ends at the length of a vector of three largest components.
    context.set_gravity(direction * std::min(*changed, kMaxGravity));
  }
  if (const auto changed = vector_row("gravity-vector", "Gravity x, y, z",
                                      "Strength and direction of gravity.", gravity, kMaxGravity, "m/s²"))
    context.set_gravity(*changed);
}

void grab_row(const PanelContext& context) {
  const Material& material = context.snapshot.frame.scene->material;
  const std::string help =
      "Largest force of the grab: a share of ten times the weight of the grabbed part of the cloth, " +
      format_quantity(grab_force_bound(material.mass, material.gravity), "N") +
      " for all of it. A weaker grab is also softer. Used from the next grab on.";
  if (const auto changed =
          number_row("grab-strength", "Grab strength", help, context.view.grab_strength * 100,
                     kLeastGrabStrength * 100, 100, 100, "%"))
    context.view.grab_strength = *changed / 100;
}

void volume_text(const PanelContext& context) {
  const StepRecord& record = context.snapshot.frame.record;
  if (record.volume == 0) return;
  const ClothMesh& mesh = *context.snapshot.frame.mesh;
  std::string text = "Filled: " + format_quantity(1000 * record.volume, "L", 3);
  if (mesh.report.closed_parts < mesh.closed.size())
    text += " in " + format_count(mesh.report.closed_parts) + " of " + format_count(mesh.closed.size()) +
            " parts";
  small_text(text + ".");
}

void wind_work(const PanelContext& context) {
  const EnergyLedger& ledger = context.snapshot.frame.record.ledger;
  if (ledger.wind == 0 && ledger.wind_given == 0) return;
  small_text("Since the start: work of the wind " + format_quantity(ledger.wind_given, "J", 3) +
             ", lost to the air " + format_quantity(ledger.lost_to_air(), "J", 3) + ".");
}

}  // namespace

// The switch of each group names it.
void world_panel(const PanelContext& context) {
  const ImVec2 gap(0, units(4));
  driver_rows(context);
  gravity_rows(context);
  grab_row(context);
  parameter_section(context, "Pressure");
  volume_text(context);
  ImGui::Dummy(gap);
  parameter_section(context, "Wind");
  wind_work(context);
}

}  // namespace clothlab
