// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "integrate/registry.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

// In front of the method's name.
void mark(std::size_t row) {
  const float height = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = method_mark_size();
  draw_method_mark(ImGui::GetWindowDrawList(), ImVec2(at.x, at.y + (height - size.y) / 2), row);
  ImGui::Dummy(ImVec2(size.x, height));
  ImGui::SameLine(0, units(7));
}

void divider() {
  ImGui::SameLine(0, units(10));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x, at.y + units(1)), ImVec2(at.x, at.y + height),
                                      palette().line);
  ImGui::Dummy(ImVec2(units(1), height));
  ImGui::SameLine(0, units(10));
}

// An item after a divider, at least as wide as `usual`, so that the items after it do not move with every
// number. False where the window is too narrow.
bool item(ImU32 colour, const std::string& text, const std::string& usual) {
  const float width = std::max(text_width(text), text_width(usual));
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + units(21) + width > right) return false;
  divider();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(width, ImGui::GetTextLineHeight()));
  draw_text(at, colour, text);
  return true;
}

// h·ω_max relative to the method's limit, as a small bar.
void gauge(double share, ImU32 colour) {
  const float height = ImGui::GetTextLineHeight(), width = units(54);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_gauge(ImVec2(at.x, at.y + height / 2), width, share, colour);
  ImGui::Dummy(ImVec2(width, height));
  ImGui::SameLine(0, units(7));
}

// At the right, over other items in a narrow window, as it matters most during a grab; but right of `least`,
// where the verdict ends, and without the last parts that do not fit.
void grab_item(const PanelContext& context, std::string text, float least) {
  const float room = ImGui::GetWindowContentRegionMax().x - least - units(14);
  while (text_width(text) > room && text.find(',') != std::string::npos) text.resize(text.rfind(','));
  const std::string usual = "grab 00.00 N, lag 00.00 cm, 00 cm in front";
  const float width = std::min(std::max(text_width(text), text_width(usual)), room) + units(14);
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - units(8), at.y),
                                            ImVec2(at.x + width, at.y + height), palette().panel);
  const float middle = at.y + height / 2;
  ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + units(4), middle), units(4),
                                              rgb(context.legend.grab));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + units(14));
  coloured_text(palette().text, text);
  note_item("grab-force");
}

void strain_and_time(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  const std::string strain = "largest strain " + format_steady(now.frame.record.max_strain * 100) + " %";
  if (item(palette().text, strain, "largest strain 00.00 %"))
    tooltip("Largest strain of any stretch spring, longer or shorter than at rest.");
  const bool is_long = context.running_step_seconds > 0.25, is_timed = now.step_ms.median > 0;
  const std::string time = is_long
                               ? "step running for " + format_plain(context.running_step_seconds, 2) + " s"
                           : is_timed ? format_steady(now.step_ms.median) + " ms per step"
                                      : std::string("no step timed");
  if (item(is_long ? palette().careful : palette().text, time, "0.000 ms per step")) {
    note_item("step-time");
    if (!is_long && is_timed)
      tooltip("Cost: median processor time of the last steps; 95 % took less than " +
              format_plain(now.step_ms.p95) + " ms.");
  }
}

// The number of notices of the run, with all sentences in the tooltip.
void notices_item(const NoticeLog::List& notices) {
  const std::string text = counted(notices.size(), "notice");
  if (!item(palette().careful, text, "0 notices")) return;
  note_item("notices");
  std::string all;
  for (const Notice& notice : notices) {
    if (!all.empty()) all += "\n";
    all += text_with_step(notice);
  }
  note_text("notices", all);
  tooltip(all);
}

// How far copies are ahead: the nearest one.
void ahead_item(const Snapshot& now) {
  const LaneSnapshot* nearest = nullptr;
  for (const LaneSnapshot* lane : now.lanes())
    if (lane->ahead && (nearest == nullptr || *lane->ahead < *nearest->ahead)) nearest = lane;
  if (nearest == nullptr) return;
  const std::string text = format_plain(std::round(100 * *nearest->ahead) / 100) +
                           (nearest->ahead_ends ? " s to a blow-up" : " s ahead");
  const bool is_late = now.playing && !nearest->ahead_ends && *nearest->ahead < kLeastLookAhead;
  if (!item(is_late || nearest->ahead_ends ? palette().careful : palette().text, text, "0.00 s ahead"))
    return;
  note_item("ahead");
  note_text("ahead", text);
  tooltip(
      is_late
          ? "Copies that run ahead are less than 0.2 s ahead: they have just begun, or steps cost more than "
            "the time they simulate. Until then signs in past steps give the warnings."
          : "Simulated time from the run to its copy that runs ahead, for warnings (View tab); of the lane "
            "whose copy is nearest.");
}

void particles_and_rate(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  // Without changes the window is idle.
  const bool rests = !now.playing && !now.replay && context.frames_per_second < 15;
  const std::string particles = format_count(now.frame.positions.size()) + " particles · ";
  const std::string right =
      particles +
      (rests ? std::string("idle") : format_plain(std::round(context.frames_per_second)) + " fps");
  const float width = text_width(particles + "000 fps");
  ImGui::SameLine();
  const float at = ImGui::GetWindowContentRegionMax().x - width;
  if (at > ImGui::GetCursorPosX() + units(10)) {
    ImGui::SetCursorPosX(at);
    coloured_text(palette().muted, right);
  } else {
    ImGui::NewLine();
  }
}

}  // namespace

void status_bar(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  const StepRecord& record = now.frame.record;
  // Of the shown moment if it is in the past; otherwise the chosen ones, which the run may not have applied
  // yet.
  const bool is_past = now.scene_then != nullptr;
  const IntegratorInfo& info = is_past ? shown_method(now) : context.method();
  const IntegratorParameters values =
      is_past ? integrator_parameters(*now.scene_then) : context.own_parameters();
  const double h = is_past ? now.scene_then->h() : context.step_size();
  StabilityReading stability = is_past ? read_stability(now) : read_stability(info, values, h, now.stability);
  const auto [trouble, converged] = trouble_of(now, info);
  if (!is_past && context.integrator() == now.integrator)
    stability = judged_by_run(std::move(stability), now);
  if (!now.blow_up_sentence.empty()) {
    stability.level = StabilityLevel::unstable;
    stability.verdict = "frozen: blown up";
  }

  ImGui::BeginGroup();
  mark(method_row(info.id));
  plain_text(title_with(info, is_past ? now.scene_then->solver : context.scene().solver));
  divider();
  if (stability.largest_step) gauge(h / *stability.largest_step, level_colour(stability.level));
  plain_text(stability.number);
  ImGui::SameLine(0, units(8));
  coloured_text(level_colour(stability.level), stability.verdict);
  ImGui::EndGroup();
  note_item("stability");
  note_text("stability", stability.number + " " + stability.verdict);
  const float end = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + units(16);
  tooltip(stability.help);

  strain_and_time(context);
  if (now.notices && !now.notices->empty()) notices_item(*now.notices);
  ahead_item(now);
  const std::string what = converged ? "warning" : "not converged";
  if (!trouble.empty() && stability.verdict != what)
    if (item(palette().careful, what, what)) tooltip(trouble);
  if (const auto figure = step_figure(info, values, record);
      figure && item(palette().text, figure->text, figure->usual)) {
    explain_item("step-figure", figure->help, figure->text);
  }

  if (const std::optional<Frame::Grab>& grab = now.frame.grab)
    return grab_item(context, grab_reading(*grab, context.legend.grab_depth), end);
  particles_and_rate(context);
}

}  // namespace clothlab
