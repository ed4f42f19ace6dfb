// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/lanes.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

constexpr double kMegabyte = 1 << 20;

std::string seconds(double value) { return format_plain(std::max(0.0, value), 3) + " s"; }

// The slider of the shown time.
void scrub_bar(const PanelContext& context, float width) {
  const KeptPast& kept = context.snapshot.kept;
  const bool looks_back = context.snapshot.replay.has_value();
  const float height = ImGui::GetFrameHeight();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##scrub", ImVec2(width, height));
  note_item("scrub");
  const float knob = units(6);
  const float left = origin.x + knob;
  const float length = width - 2 * knob;
  const double span = kept.to - kept.from;
  float position = 1;
  if (looks_back && span > 0)
    position = std::clamp(static_cast<float>((context.snapshot.replay->time - kept.from) / span), 0.0F, 1.0F);

  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActive() && span > 0) {
    position = std::clamp((io.MousePos.x - left) / length, 0.0F, 1.0F);
    if (ImGui::IsItemActivated() || io.MouseDelta.x != 0) {
      const double time = kept.from + static_cast<double>(position) * span;
      context.send(Control(ShowPast{position < 1 ? time : std::numeric_limits<double>::infinity()}));
    }
  } else {
    tooltip(
        "Drag to show an earlier moment of the last seconds in cloth and plots. Left and Right move by one "
        "kept state, with Shift by ten; Home and End go to the ends.\n\nSpace or S continue exactly from the "
        "moment shown, with the integrator's history. The current pins stay, at their positions of that "
        "moment. Ctrl-Backspace returns to the later states.");
  }
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = origin.y + height / 2;
  const float track = units(2);
  const float x = left + position * length;
  draw_bar(left, left + length, middle, track, palette().field, track);
  draw_bar(left, x, middle, track, with_alpha(palette().accent, looks_back ? 0.9F : 0.45F), track);
  const bool touched = ImGui::IsItemActive() || ImGui::IsItemHovered();
  draw->AddCircleFilled(ImVec2(x, middle), knob, touched ? palette().accent_strong : palette().accent, 20);
}

// Of the texts of scrub_label(), so that the slider does not move while it is dragged.
float label_width(const KeptPast& kept, double h) {
  float width = text_width("0.0000 s back");
  for (const double time : {kept.to - kept.from, std::abs(h)})
    width = std::max(width, text_width(seconds(time) + " back"));
  return width + units(6);
}

// Text on the slider: the time back, or the length of the past.
void scrub_label(const PanelContext& context, float width) {
  const KeptPast& kept = context.snapshot.kept;
  const bool looks_back = context.snapshot.replay.has_value();
  const float start = ImGui::GetCursorPosX();
  const std::string text = looks_back ? seconds(kept.to - context.snapshot.replay->time) + " back"
                                      : "last " + seconds(kept.to - kept.from);
  ImGui::AlignTextToFramePadding();
  coloured_text(looks_back ? palette().accent : palette().muted, text);
  note_item("kept");
  note_text("kept", text);
  const double spacing = kept.states > 1 ? (kept.to - kept.from) / static_cast<double>(kept.states - 1) : 0;
  tooltip(format_count(kept.states) + " states of the last " + seconds(kept.to - kept.from) + " are kept" +
          (spacing > 0 ? ", one every " + format_quantity(spacing, "s") + " on average" : std::string()) +
          ", in " + format_plain(static_cast<double>(kept.bytes) / kMegabyte) + " MB of the " +
          format_plain(context.view.history_megabytes) +
          " MB that the View tab allows. The newest are kept step by step; with little memory, older ones "
          "are farther apart.");
  ImGui::SameLine(start + width);
}

// Undoes a continuation from the past.
void left_button(const PanelContext& context, float gap, float width) {
  const std::string time = seconds(*context.snapshot.left);
  if (text_button("left", ("Back to " + time).c_str(),
                  "You continued from an earlier moment. This returns to the present that you left, with the "
                  "states before it (Ctrl-Backspace). Click again to return here.",
                  {.width = width}))
    context.send(Control(SwapBranches{}));
  ImGui::SameLine(0, gap);
}

// Repeats the run with another integrator, as a new lane.
void comparison_buttons(const PanelContext& context, float gap) {
  constexpr const char* kHelp =
      "Repeats the run from the start with the next integrator of the list (N), as a new lane: the same "
      "grabs, pins and values. It catches up in the background.";
  if (text_button("run-again", "Repeat with next", kHelp))
    context.add_lane(next_new_method(context.snapshot), true);
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(ImGui::GetFrameHeight());
  if (const auto row =
          method_list(context, {.name = "run-again-with",
                                .preview = "",
                                .help = "The same with an integrator of your choice, as a new lane.",
                                .flags = ImGuiComboFlags_NoPreview}))
    context.add_lane(*row, true);
}

}  // namespace

void timeline_panel(const PanelContext& context, float width) {
  const float gap = units(6);
  const float label = label_width(context.snapshot.kept, context.step_size());
  const float padding = 2 * ImGui::GetStyle().FramePadding.x;
  const float wanted = text_width("Repeat with next") + padding + ImGui::GetFrameHeight() + 2 * gap;
  // No room in a narrow window, where the keys remain.
  const bool with_buttons = width - wanted - label > units(160);
  // Times below a second have more digits than most.
  const std::string left = context.snapshot.left ? "Back to " + seconds(*context.snapshot.left) : "";
  const float back = std::max(text_width("Back to 000.0 s"), text_width(left)) + padding + gap;
  const bool with_left =
      context.snapshot.left && width - (with_buttons ? wanted : 0) - label - back > units(80);
  scrub_label(context, label);
  if (with_left) left_button(context, gap, back - gap);
  scrub_bar(context,
            std::max(width - label - (with_left ? back : 0) - (with_buttons ? wanted : 0), units(40)));
  if (!with_buttons) return;
  ImGui::SameLine(0, gap);
  comparison_buttons(context, gap);
}

}  // namespace clothlab
