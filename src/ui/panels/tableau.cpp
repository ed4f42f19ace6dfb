// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "integrate/registry.h"
#include "integrate/two_step.h"
#include "ui/instruments/instruments.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

constexpr float kDialogWidth = 760, kPlaneHeight = 190;  // [units]
constexpr AxisRange kPlaneRe{-6, 2}, kPlaneIm{0, 5};

std::string kind_text(StageKind kind, std::size_t stages, bool two_step) {
  if (two_step)
    return kind == StageKind::explicit_stages
               ? "Explicit, two steps: one evaluation of the forces, with a largest stable h."
               : "Implicit, two steps: one nonlinear solve.";
  const std::string count = stages == 1 ? "1 stage" : std::to_string(stages) + " stages";
  switch (kind) {
    case StageKind::explicit_stages:
      return "Explicit, " + count + ": cheap steps, with a largest stable h.";
    case StageKind::diagonal:
      return "Diagonally implicit, " + count + ": one nonlinear solve for each stage that has a diagonal.";
    case StageKind::full:
      break;
  }
  return "Fully implicit, " + count + " that depend on each other: sweeps of nonlinear solves.";
}

std::string order_text(const TableauFacts& facts, double measured) {
  std::string text = "Order " + std::to_string(facts.order);
  if (facts.order == 5) text += " or more";
  text += " by the order conditions, ";
  return text + (std::isfinite(measured) ? format_plain(measured, 3) + " measured on a pendulum."
                                         : "not measurable on a pendulum.");
}

std::string stability_text(const TableauFacts& facts, bool two_step) {
  std::string text;
  if (std::isinf(facts.limit))
    text = "Undamped oscillations stay bounded at every h";
  else if (facts.limit == 0)
    text = "Undamped oscillations grow at every h";
  else
    text = "Undamped oscillations stay bounded for h·ω up to " + format_plain(facts.limit, 4);
  text += two_step ? "; |ζ(∞)| " : "; |R(∞)| ";
  text += std::isinf(facts.at_infinity) ? "is infinite." : "= " + format_plain(facts.at_infinity, 4) + ".";
  if (facts.l_stable)
    text += " L-stable.";
  else if (facts.a_stable)
    text += " A-stable.";
  if (facts.symplectic) text += " Symplectic.";
  return text;
}

}  // namespace

void TableauDialog::open(const Tableau& tableau) {
  open_now();
  edited_ = tableau;
}

Tableau TableauDialog::written() const {
  Tableau tableau = edited_;
  tableau.name = printable(trimmed(edited_.name), kLongestTableauName);
  const auto trim = [](std::vector<std::string>& cells) {
    for (std::string& cell : cells) cell = std::string(trimmed(cell));
  };
  std::ranges::for_each(tableau.a, trim);
  for (auto* cells : {&tableau.b, &tableau.alpha, &tableau.beta}) trim(*cells);
  const auto has_name = [&](const TableauPreset& preset) { return preset.tableau.name == tableau.name; };
  if (preset_id(tableau).empty() && std::ranges::any_of(tableau_presets(), has_name))
    tableau.name += ", changed";
  return tableau;
}

void TableauDialog::update() {
  Tableau now = written();
  if (known_ == now) return;
  try {
    if (now.is_two_step()) {
      const TwoStepTable table(now);
      facts_ = table.facts();
      values_ = table.values();
    } else {
      const RungeKuttaTable table(now);
      facts_ = table.facts();
      values_ = table.values();
    }
    measured_order_ = measured_order(now);
    info_ = *find_integrator(now.is_two_step() ? kTwoStepIntegrator : kRungeKuttaIntegrator);
    fault_.clear();
  } catch (const InputError& error) {
    fault_ = error.what();
  }
  known_ = std::move(now);
}

void TableauDialog::choose_preset() {
  ImGui::AlignTextToFramePadding();
  plain_text("Begin with");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(units(170));
  const auto same = [&](const TableauPreset& preset) { return preset.tableau == known_; };
  const auto known = std::ranges::find_if(tableau_presets(), same);
  choice_list(
      "tableau-preset", known == tableau_presets().end() ? "your own" : known->tableau.name,
      "A known method, to use or to change. For a two-step method of your own begin with Adams–Bashforth 2 "
      "or one after it.",
      [&] {
        for (const TableauPreset& preset : tableau_presets()) {
          const TableauFacts& facts = tableau_method(preset.tableau).facts;
          if (list_item("tableau-preset:" + std::string(preset.id), preset.tableau.name,
                        kind_text(facts.kind, preset.tableau.b.size(), preset.tableau.is_two_step()) + " " +
                            stability_text(facts, preset.tableau.is_two_step()),
                        same(preset)))
            edited_ = preset.tableau;
        }
      },
      ImGuiComboFlags_HeightLarge);
  ImGui::SameLine(0, units(14));
  plain_text("Name");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(units(170));
  text_input("##tableau-name", edited_.name);
  explain_item("tableau-name", "Name of the method in lanes, plots and files.");
}

void TableauDialog::choose_stages() {
  if (edited_.is_two_step()) return;
  std::size_t stages = columns();
  ImGui::SameLine(0, units(14));
  plain_text("Stages");
  ImGui::SameLine();
  const float size = ImGui::GetFrameHeight();
  if (text_button("fewer-stages", "−", "Removes the last stage.", {.width = size, .enabled = stages > 1}))
    --stages;
  ImGui::SameLine(0, units(5));
  plain_text(std::to_string(stages));
  ImGui::SameLine(0, units(5));
  if (text_button("more-stages", "+", "Adds a stage.", {.width = size, .enabled = stages < kMostStages}))
    ++stages;
  edited_.b.resize(stages, "0");
  edited_.a.resize(stages);
  for (auto& row : edited_.a) row.resize(stages, "0");
}

float TableauDialog::left_of_cell(std::size_t column) const {
  const float heads = units(64), left = ImGui::GetStyle().WindowPadding.x;
  const float room = ImGui::GetWindowWidth() - 2 * left - heads;
  return left + heads +
         static_cast<float>(column) * std::min(units(134), room / static_cast<float>(columns()));
}

void TableauDialog::edit_row(const std::string& head, std::string_view help, const std::string& item,
                             std::vector<std::string>& cells) {
  ImGui::AlignTextToFramePadding();
  coloured_text(palette().muted, head);
  tooltip(help);
  for (std::size_t j = 0; j < cells.size(); ++j) {
    ImGui::SameLine(left_of_cell(j));
    const std::string name = item + ":" + std::to_string(j + 1);
    ImGui::SetNextItemWidth(left_of_cell(1) - left_of_cell(0) - units(4));
    ImGui::PushID(name.c_str());
    text_input("##cell", cells[j], ImGuiInputTextFlags_AutoSelectAll);
    ImGui::PopID();
    explain_item(name, "A number or an expression, such as 1/6 or 1/4 - sqrt(3)/6.");
  }
}

void TableauDialog::edit_cells() {
  if (edited_.is_two_step()) {
    plain_text("α2 u1 + α1 u0 + α0 u₋₁ = h (β2 F(u1) + β1 F(u0) + β0 F(u₋₁))");
    plain_text("");
    constexpr std::array kStates{"u₋₁", "u0", "u1"};
    for (std::size_t j = 0; j < kStates.size(); ++j) {
      ImGui::SameLine(left_of_cell(j));
      coloured_text(palette().muted, kStates[j]);
    }
    edit_row("α", "Of the states u₋₁, u0 and u1. They must add up to 0.", "alpha", edited_.alpha);
    edit_row("β", "Of the forces at u₋₁, u0 and u1. They must add up to α2 − α0.", "beta", edited_.beta);
    return;
  }
  for (std::size_t i = 0; i < edited_.a.size(); ++i) {
    std::string sum = "–";
    try {
      double c = 0;
      for (const std::string& cell : edited_.a[i]) c += read_cell(std::string(trimmed(cell)), "a");
      sum = format_plain(c, 4);
    } catch (const InputError&) {
    }
    edit_row("c " + sum, "Sum of the row: the time of this stage, as a part of the step.",
             "a:" + std::to_string(i + 1), edited_.a[i]);
  }
  ImGui::Separator();
  edit_row("b", "The weights of the stages at the end of the step. They must add up to 1.", "b", edited_.b);
}

void TableauDialog::show_facts(float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, plane = 0.5F * width;
  const bool two_step = edited_.is_two_step();
  if (!fault_.empty()) {
    wrapped_text(fault_, palette().failed);
    note_text("tableau-fault", fault_);
  } else {
    const std::string text = kind_text(facts_.kind, columns(), two_step) + "\n\n" +
                             order_text(facts_, measured_order_) + "\n\n" + stability_text(facts_, two_step);
    plain_text(broken_lines(text, width - plane - units(12)));
    note_text("tableau-facts", text);
    region_.prepare(info_, values_, kPlaneRe, kPlaneIm);
    const Figure frame({"Re z", kPlaneRe}, {"Im z", kPlaneIm}, ImVec2(at.x + width - plane, at.y),
                       ImVec2(plane, height));
    frame.axes();
    frame.begin_clip();
    draw_region(frame, region_);
    frame.label(frame.a(), palette().muted, two_step ? "|ζ(z)| ≤ 1" : "|R(z)| ≤ 1");
    frame.end_clip();
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + units(6)));
}

void TableauDialog::draw(const PanelContext& context, const Area& view) {
  if (!is_open()) return;
  begin_card("##tableau", edited_.is_two_step() ? "Two-step method" : "Butcher tableau", view,
             units(kDialogWidth), palette().accent);
  choose_preset();
  choose_stages();
  ImGui::Spacing();
  edit_cells();
  update();
  ImGui::Spacing();
  show_facts(units(kPlaneHeight));
  ImGui::BeginDisabled(!fault_.empty());
  const bool use = text_button("use-tableau", "Use (Enter)", "The active lane goes on with this method.",
                               {.width = units(120)});
  ImGui::SameLine();
  const bool add =
      text_button("tableau-lane", "New lane", "Adds a lane with this method, from the current state.",
                  {.width = units(120)});
  ImGui::EndDisabled();
  ImGui::SameLine();
  const bool cancel = text_button("cancel-tableau", "Cancel (Esc)", "Back to the cloth; nothing changes.",
                                  {.width = units(120)});
  if (takes_enter(use || add) && fault_.empty()) {
    const TableauMethod& method = tableau_method(*known_);
    if (add)
      context.send(Control(NewLane{.integrator = {}, .tableau = &method}));
    else
      context.send(Command(SetTableau{&method}));
    close();
  }
  if (cancel) close();
  end_card();
}

}  // namespace clothlab
