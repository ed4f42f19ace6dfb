// SPDX-License-Identifier: MIT

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "integrate/registry.h"
#include "ui/instruments/instruments.h"
#include "ui/panels/panels.h"
#include "ui/plots/figure.h"
#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr float kDialogWidth = 760, kPlaneHeight = 190;  // [units]
constexpr AxisRange kPlaneRe{-6, 2}, kPlaneIm{0, 5};

std::string kind_text(StageKind kind, std::size_t stages) {
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

std::string stability_text(const TableauFacts& facts) {
  std::string text;
  if (std::isinf(facts.limit))
    text = "Undamped oscillations stay bounded at every h";
  else if (facts.limit == 0)
    text = "Undamped oscillations grow at every h";
  else
    text = "Undamped oscillations stay bounded for h·ω up to " + format_plain(facts.limit, 4);
  text += std::isinf(facts.at_infinity) ? "; |R(∞)| is infinite."
                                        : "; |R(∞)| = " + format_plain(facts.at_infinity, 4) + ".";
  if (facts.l_stable)
    text += " L-stable.";
  else if (facts.a_stable)
    text += " A-stable.";
  if (facts.symplectic) text += " Symplectic.";
  return text;
}

void copy(std::string_view text, std::span<char> to) {
  std::snprintf(to.data(), to.size(), "%.*s", static_cast<int>(text.size()), text.data());
}

}  // namespace

void TableauDialog::open(const ButcherTableau& tableau) {
  open_ = true;
  accept_ = false;
  write(tableau);
}

bool TableauDialog::on_key(const KeyPress& press) {
  if (!open_) return false;
  if (press.key == Key::escape) close();
  if (press.key == Key::enter) accept_ = true;
  return press.key != Key::none || !press.ctrl;
}

ButcherTableau TableauDialog::written() const {
  ButcherTableau tableau;
  tableau.name = printable(trimmed(name_.data()), kLongestTableauName);
  for (std::size_t i = 0; i < stages_; ++i) {
    auto& row = tableau.a.emplace_back();
    for (std::size_t j = 0; j < stages_; ++j) row.emplace_back(trimmed(a_[i][j].data()));
    tableau.b.emplace_back(trimmed(b_[i].data()));
  }
  return tableau;
}

void TableauDialog::write(const ButcherTableau& tableau) {
  stages_ = tableau.b.size();
  copy(tableau.name, name_);
  for (std::size_t i = 0; i < kMostStages; ++i)
    for (std::size_t j = 0; j < kMostStages; ++j)
      copy(i < stages_ && j < stages_ ? std::string_view(tableau.a[i][j]) : "0", a_[i][j]);
  for (std::size_t j = 0; j < kMostStages; ++j)
    copy(j < stages_ ? std::string_view(tableau.b[j]) : "0", b_[j]);
}

void TableauDialog::update() {
  ButcherTableau now = written();
  if (known_ == now) return;
  try {
    const RungeKuttaTable table(now);
    facts_ = table.facts();
    measured_order_ = measured_order(table);
    info_ = *find_integrator(kTableauIntegrator);
    values_ = table.values();
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
      "A known tableau, to use or to change.",
      [&] {
        for (const TableauPreset& preset : tableau_presets()) {
          const TableauFacts& facts = tableau_method(preset.tableau).facts;
          if (list_item("tableau-preset:" + std::string(preset.id), preset.tableau.name,
                        kind_text(facts.kind, preset.tableau.b.size()) + " " + stability_text(facts),
                        same(preset)))
            write(preset.tableau);
        }
      },
      ImGuiComboFlags_HeightLarge);
  ImGui::SameLine(0, units(14));
  plain_text("Name");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(units(170));
  ImGui::InputText("##tableau-name", name_.data(), name_.size());
  note_item("tableau-name");
  tooltip("Name of the method in lanes and files. Plots call every tableau Runge–Kutta tableau.");
}

void TableauDialog::choose_stages() {
  ImGui::SameLine(0, units(14));
  plain_text("Stages");
  ImGui::SameLine();
  const float size = ImGui::GetFrameHeight();
  ImGui::BeginDisabled(stages_ == 1);
  if (text_button("fewer-stages", "−", "Removes the last stage.", size)) --stages_;
  ImGui::EndDisabled();
  ImGui::SameLine(0, units(5));
  plain_text(std::to_string(stages_));
  ImGui::SameLine(0, units(5));
  ImGui::BeginDisabled(stages_ == kMostStages);
  if (text_button("more-stages", "+", "Adds a stage.", size)) {
    for (std::size_t i = 0; i <= stages_; ++i) {
      copy("0", a_[i][stages_]);
      copy("0", a_[stages_][i]);
    }
    copy("0", b_[stages_++]);
  }
  ImGui::EndDisabled();
}

void TableauDialog::edit_cell(const char* name, Cell& cell, float width) {
  ImGui::SetNextItemWidth(width);
  ImGui::PushID(name);
  ImGui::InputText("##cell", cell.data(), cell.size(), ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopID();
  note_item(name);
  tooltip("A number or an expression, such as 1/6 or 1/4 - sqrt(3)/6.");
}

void TableauDialog::edit_cells() {
  const float sums = units(64), gap = units(4);
  const float width =
      std::min(units(130), (ImGui::GetContentRegionAvail().x - sums) / static_cast<float>(stages_) - gap);
  const float left = ImGui::GetCursorPosX();
  const auto head = [&](const std::string& text, std::string_view help) {
    ImGui::SetCursorPosX(left);
    ImGui::AlignTextToFramePadding();
    coloured_text(palette().muted, text);
    tooltip(help);
  };
  for (std::size_t i = 0; i < stages_; ++i) {
    std::string sum = "–";
    try {
      double c = 0;
      for (std::size_t j = 0; j < stages_; ++j) c += read_cell(std::string(trimmed(a_[i][j].data())), "a");
      sum = format_plain(c, 4);
    } catch (const InputError&) {
    }
    head("c " + sum, "Sum of the row: the time of this stage, as a part of the step.");
    for (std::size_t j = 0; j < stages_; ++j) {
      ImGui::SameLine(left + sums + static_cast<float>(j) * (width + gap));
      edit_cell(("a:" + std::to_string(i + 1) + ":" + std::to_string(j + 1)).c_str(), a_[i][j], width);
    }
  }
  ImGui::Separator();
  head("b", "The weights of the stages at the end of the step. They must add up to 1.");
  for (std::size_t j = 0; j < stages_; ++j) {
    ImGui::SameLine(left + sums + static_cast<float>(j) * (width + gap));
    edit_cell(("b:" + std::to_string(j + 1)).c_str(), b_[j], width);
  }
}

void TableauDialog::show_facts(float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, plane = 0.5F * width;
  if (!fault_.empty()) {
    wrapped_text(fault_, palette().failed);
    note_text("tableau-fault", fault_);
  } else {
    const std::string text = kind_text(facts_.kind, stages_) + "\n\n" + order_text(facts_, measured_order_) +
                             "\n\n" + stability_text(facts_);
    plain_text(broken_lines(text, width - plane - units(12)));
    note_text("tableau-facts", text);
    region_.prepare(info_, values_, kPlaneRe, kPlaneIm);
    const Figure frame({"Re z", kPlaneRe}, {"Im z", kPlaneIm}, ImVec2(at.x + width - plane, at.y),
                       ImVec2(plane, height));
    frame.axes();
    frame.begin_clip();
    draw_region(frame, region_);
    frame.label(frame.a(), palette().muted, "|R(z)| ≤ 1");
    frame.end_clip();
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + units(6)));
}

void TableauDialog::draw(const PanelContext& context, const Area& view) {
  if (!open_) return;
  begin_card("##tableau", view, ImVec2(0.5F, 0.42F), units(kDialogWidth), palette().accent);
  card_heading("Butcher tableau");
  choose_preset();
  choose_stages();
  ImGui::Spacing();
  edit_cells();
  update();
  ImGui::Spacing();
  show_facts(units(kPlaneHeight));
  ImGui::BeginDisabled(!fault_.empty());
  const bool use =
      text_button("use-tableau", "Use (Enter)", "The active lane goes on with this method.", units(120));
  ImGui::SameLine();
  const bool add = text_button("tableau-lane", "New lane",
                               "Adds a lane with this method, from the current state.", units(120));
  ImGui::EndDisabled();
  ImGui::SameLine();
  const bool cancel =
      text_button("cancel-tableau", "Cancel (Esc)", "Back to the cloth; nothing changes.", units(120));
  if (fault_.empty() && (std::exchange(accept_, false) || use || add)) {
    const TableauMethod& method = tableau_method(*known_);
    if (add)
      context.send(Control(NewLane{.integrator = {}, .tableau = &method}));
    else
      context.send(Command(SetTableau{&method}));
    close();
  }
  accept_ = false;
  if (cancel) close();
  end_card();
}

}  // namespace clothlab
