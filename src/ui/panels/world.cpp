// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "cloth/grab_force.h"
#include "sim/recorded_drag.h"
#include "ui/panels/panel_values.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

std::string components(const vec3& v) {
  return "(" + format_plain(v.x) + ", " + format_plain(v.y) + ", " + format_plain(v.z) + ")";
}

std::string figures(const GroupPath& path) {
  const GroupSine& sine = path.sine;
  const std::string shake = sine == GroupSine()
                                ? ""
                                : components(sine.amplitude) + " m at " + format_plain(sine.frequency) +
                                      " Hz, phase " + format_plain(sine.phase) + " rad";
  if (!shake.empty() && path.keys.size() == 1) return shake;
  return (shake.empty() ? "" : shake + ", about ") + format_count(path.keys.size()) +
         (path.keys.size() == 1 ? " keyframe, " : " keyframes, ") + format_plain(path.keys.front().time) +
         " s to " + format_plain(path.keys.back().time) + " s, " + (path.smooth ? "smooth" : "linear") +
         (path.loops ? ", loops" : "");
}

std::string figures(const DriverForce& force) {
  switch (force.kind) {
    case DriverForce::Kind::constant:
      return components(force.force) + " N per particle";
    case DriverForce::Kind::harmonic:
      return components(force.force) + " N per particle at " + format_plain(force.frequency) + " Hz, phase " +
             format_plain(force.phase) + " rad";
    case DriverForce::Kind::drag:
      return format_plain(force.drag) + " N·s/m per particle, against " + components(force.velocity) + " m/s";
    case DriverForce::Kind::spring:
      return format_plain(force.stiffness) + " N/m per particle, to its position at the start";
    case DriverForce::Kind::central:
      break;
  }
  return "GM = " + format_plain(force.strength) + " m³/s², centre " + components(force.centre) + " m";
}

std::string figures(const GroupLine& line) { return "along " + components(line.along); }

std::string figures(const GroupDistance& distance) {
  return distance.length != 0 ? format_quantity(distance.length, "m") : "the distance at the start";
}

/// Of a distance that is on in the run: `index` counts these.
std::string present_figures(const Frame& frame, const DriverMark& mark, std::size_t index) {
  const double now = glm::distance(frame.positions[mark.particles[0]], frame.positions[mark.particles[1]]);
  const double error = now - mark.length;
  const std::string text =
      "Now " + format_quantity(now, "m") + ", error " +
      (std::abs(error) <= 1e-12 * mark.length ? "within rounding" : format_quantity(error, "m"));
  if (index >= frame.distance_forces.size()) return text + ".";  // before a step of this run, or in the past
  const double force = frame.distance_forces[index];
  return text + (force < 0 ? ", compression " : ", tension ") + format_quantity(std::abs(force), "N") + ".";
}

const char* help(const Driver& driver) {
  if (std::holds_alternative<GroupPath>(driver.action))
    return "Off: the particles of the group are free. On: they jump to the path and follow it.";
  if (std::holds_alternative<GroupLine>(driver.action))
    return "Keeps each particle of the group on a line through its position at the start.";
  if (std::holds_alternative<GroupDistance>(driver.action))
    return "Keeps the two particles at their distance. The linear solves of the step contain the constraint. "
           "Below: the distance now, its error, and the force of the last step: a tension pulls the "
           "particles together, a compression pushes them apart.";
  return "Switches this force on the particles of the group.";
}

/// The button appears after a pin was dragged, as long as it is a pin.
bool may_record(const PanelContext& context) {
  const std::vector<std::uint8_t>& pinned = context.snapshot.frame.pinned;
  return context.drag != nullptr && context.drag->particle < pinned.size() &&
         pinned[context.drag->particle] == 1 && context.drag->keys.size() > 1;
}

// The drivers of the scene with their switches, and a button that records the drag of a pin as a path.
void driver_rows(const PanelContext& context) {
  const std::vector<Driver>& drivers = context.scene().drivers;
  if (drivers.empty() && !may_record(context)) return;
  section("Drivers");
  if (may_record(context) && text_button("record-drag", "Record this drag as a path",
                                         "Makes the pin that was dragged a group, and its motion the path of "
                                         "the group. After a reset it moves the same way again."))
    context.set_scene(with_drag_as_path(context.scene(), *context.snapshot.frame.mesh, *context.drag));
  const Frame& frame = context.snapshot.frame;
  // The run has its own switches until it applies those of the user.
  const std::vector<Driver>& of_run = frame.scene->drivers;
  const bool are_same = frame.drivers && of_run.size() == drivers.size();
  std::size_t distance = 0;  // of those that are on in the run
  for (std::uint32_t k = 0; k < drivers.size(); ++k) {
    const Driver& driver = drivers[k];
    const std::string name = "driver" + std::to_string(k);
    const std::string label = driver.group + ": " + kind_text(driver) + "##" + name;
    bool on = driver.on;
    if (check_item(name.c_str(), label.c_str(), on, help(driver))) context.send(Command(SetDriver{k, on}));
    small_text(std::visit([](const auto& action) { return figures(action); }, driver.action) + ".");
    if (!are_same || !of_run[k].on || !std::holds_alternative<GroupDistance>(of_run[k].action)) continue;
    const std::string text = present_figures(frame, (*frame.drivers)[k], distance++);
    small_text(text);
    note_text(name, text);
  }
  ImGui::Dummy(ImVec2(0, units(4)));
}

// Strength on a slider, direction kept; the three components as typed values below it.
void gravity_rows(const PanelContext& context) {
  panel_value_row(context, "gravity");
  const vec3 gravity = context.scene().material.gravity;
  if (const auto changed = vector_row("gravity-vector", "Gravity x, y, z",
                                      "Strength and direction of gravity.", gravity, kMaxGravity, "m/s²"))
    context.set_gravity(*changed);
}

void grab_row(const PanelContext& context) {
  const Material& material = context.snapshot.frame.scene->material;
  const std::string help =
      "Largest force of the grab: a share of ten times the weight of the grabbed part of the cloth, " +
      format_quantity(grab_force_bound(material.mass_of(context.snapshot.frame.mesh->area), material.gravity),
                      "N") +
      " for all of it. A weaker grab is also softer. Used from the next grab on.";
  panel_value_row(context, "grab-strength", help);
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
