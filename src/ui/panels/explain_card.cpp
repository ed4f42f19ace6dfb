// SPDX-License-Identifier: MIT
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

#include "integrate/registry.h"
#include "ui/instruments/instruments.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

void muted(std::string_view text) { coloured_text(palette().muted, text); }

// The parts of a formula, one per line.
std::string in_lines(std::string text) {
  for (std::size_t at = text.find("; "); at != std::string::npos; at = text.find("; ", at))
    text.replace(at, 2, "\n");
  return text;
}

void lines(const IntegratorInfo& info, const IntegratorParameters& values, const SolverSettings& solver) {
  if (!ImGui::BeginTable("lines", 2)) return;
  ImGui::TableSetupColumn("title", ImGuiTableColumnFlags_WidthFixed, units(78));
  ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthStretch);
  for (const CardLine& line : card_lines(info, values, solver)) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    muted(line.title);
    ImGui::TableNextColumn();
    wrapped_text(line.title == "Step" ? in_lines(line.text) : line.text);
    note_item("explain:" + std::string(line.title));
  }
  ImGui::EndTable();
}

// A factor near 1 as its difference from 1.
std::string factor(double value) {
  const double change = std::abs(value - 1);
  if (change < 1e-12) return "1";
  if (change < 0.01) return (value > 1 ? "1 + " : "1 − ") + format_plain(change, 2);
  if (value < 1e-12) return "below 1e-12";
  if (value > 1e12) return "above 1e12";
  return format_plain(value);
}

// The amplitude of three oscillations after one step and after a second.
void amplitudes(const PanelContext& context, const IntegratorInfo& info, const StabilityEstimate& estimate) {
  struct Row {
    std::string name;
    double growth;
  };
  const IntegratorParameters values = context.own_parameters();
  const double h = context.step_size(), turn = 2 * std::numbers::pi;
  const std::array rows{
      Row{"1 Hz", slow_growth(info, h * turn, values)},
      Row{"10 Hz", slow_growth(info, 10 * h * turn, values)},
      Row{"the fastest, " + format_quantity(estimate.omega_max() / turn, "Hz"),
          info.growth(h * estimate.omega_max(), 0, values)},
  };
  small_text("Amplitude of an undamped oscillation, as a factor:");
  if (!ImGui::BeginTable("amplitudes", 3, ImGuiTableFlags_BordersInnerH)) return;
  ImGui::TableSetupColumn("oscillation", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableSetupColumn("step", ImGuiTableColumnFlags_WidthStretch, 1.4F);
  ImGui::TableSetupColumn("second", ImGuiTableColumnFlags_WidthStretch, 1.4F);
  for (const char* title : {"oscillation", "per step", "per second"}) {
    ImGui::TableNextColumn();
    muted(title);
  }
  for (const Row& row : rows) {
    ImGui::TableNextColumn();
    plain_text(row.name);
    ImGui::TableNextColumn();
    plain_text(factor(row.growth));
    ImGui::TableNextColumn();
    plain_text(factor(std::pow(row.growth, 1 / h)));
  }
  ImGui::EndTable();
}

std::string last_step(const PanelContext& context, const IntegratorInfo& info) {
  const StepRecord& record = context.snapshot.frame.record;
  std::string text = "Last step: ";
  if (solves_by_newton(info, context.snapshot.frame.scene->solver))
    text += std::to_string(record.newton_iterations) + " Newton iterations, ";
  const bool iterates = info.uses_linear_solver ? context.snapshot.frame.scene->solver.linear.kind ==
                                                      LinearSolverSettings::Kind::cg
                                                : info.inextensible;
  if (iterates) text += std::to_string(record.cg_iterations) + " CG iterations, ";
  text += format_quantity(context.snapshot.step_ms.last / 1000, "s");
  if (const auto figure = step_figure(info, context.own_parameters(), record))
    text += ", " + figure->text + ". " + figure->help;
  else
    text += ".";
  if (!record.converged) text += "\nNot converged: " + std::string(record.reason) + ".";
  return text;
}

void present_limit(const PanelContext& context, const IntegratorInfo& info) {
  const std::optional<StabilityEstimate>& estimate = context.snapshot.stability;
  std::string text = read_stability(info, context.own_parameters(), context.step_size(), estimate).help;
  if (estimate) text += " ω_max = " + format_plain(estimate->omega_max(), 4) + " rad/s.";
  wrapped_text(text);
  note_item("explain:now");
  note_text("explain:now", text);
}

void present_numbers(const PanelContext& context, const IntegratorInfo& info) {
  section("At the current settings");
  if (context.snapshot.stability) amplitudes(context, info, *context.snapshot.stability);
  if (context.snapshot.frame.record.integrator == info.id && context.snapshot.step_ms.last > 0)
    wrapped_text(last_step(context, info));
}

// Of the particle under the mouse, or of the followed one.
void last_step_figure(const PanelContext& context) {
  constexpr float kHeight = 150;
  const bool open = ImGui::CollapsingHeader("One step, at one particle", ImGuiTreeNodeFlags_DefaultOpen);
  explain_item("explain:figure",
               "The force on the particle under the mouse during the last step: as it was, and as the method "
               "used it. The instrument \"One step\" shows the followed particle.");
  if (!open) return;
  const bool under_mouse = context.under_mouse.has_value();
  const std::optional<std::uint32_t> particle = under_mouse ? context.under_mouse : context.snapshot.followed;
  const std::string along = name_of_direction(glm::normalize(context.view.plots_layout.phase_direction));
  const std::string line = (under_mouse ? "Under the mouse: particle " : "Followed: particle ") +
                           std::to_string(particle.value_or(0)) + ", force along " + along + " [N]";
  small_text(particle ? line : "No particle under the mouse", 1);
  note_text("explain:particle", particle ? line : "");
  const ImVec2 at = ImGui::GetCursorScreenPos(), size(ImGui::GetContentRegionAvail().x, units(kHeight));
  step_figure(context, "explain", particle,
              "Move the mouse over the cloth, or Alt-click a particle to follow it.", at, size);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(size);
}

}  // namespace

void method_panel(const PanelContext& context) {
  const IntegratorInfo& info = context.method();
  const SolverSettings& solver = context.scene().solver;
  card_heading(title_with(info, solver));
  wrapped_text(summary_with(info, solver) +
               (solves_stages_once(info, solver)
                    ? " Choose Newton's method under Solver or in the Solver instrument."
                    : ""));
  note_item("explain:summary");
  present_limit(context, info);
  last_step_figure(context);
  lines(info, context.own_parameters(), solver);
  present_numbers(context, info);
}

}  // namespace clothlab
