// SPDX-License-Identifier: MIT
#include "ui/panels/panels.h"

#include <imgui.h>

namespace clothlab {
namespace {

float right_edge() { return ImGui::GetWindowContentRegionMax().x; }

void load_notice(const PanelContext& context) {
  const LoadStatus& load = context.load;
  if (!load.running) return;
  const char* cancel = "Cancel (Esc)";
  const float gap = units(10), button = button_width(cancel);
  const float room = right_edge() - ImGui::GetCursorPosX() - button - gap;
  ImGui::AlignTextToFramePadding();
  plain_text(shortened("Loading " + load.name, room * 0.5F));
  ImGui::SameLine(0, gap);
  const float bar = units(8), start = ImGui::GetCursorPosX(), y = ImGui::GetCursorPosY();
  const std::string stage = load.stage.empty() ? "starting" : load.stage;
  const float rest = right_edge() - start - button - gap;
  const bool with_stage = text_width(stage) + units(80) < rest;
  ImGui::SetCursorPosY(y + (ImGui::GetFrameHeight() - bar) / 2);
  ImGui::ProgressBar(static_cast<float>(load.fraction), ImVec2(with_stage ? units(70) : rest - gap, bar), "");
  if (with_stage) {
    ImGui::SameLine(0, gap);
    ImGui::SetCursorPosY(y);
    ImGui::AlignTextToFramePadding();
    small_text(stage, 1);
  }
  ImGui::SameLine(right_edge() - button);
  ImGui::SetCursorPosY(y);
  if (text_button("cancel-load", cancel, "Stop loading; the running scene stays as it is."))
    context.request(CancelLoad{});
}

// A disc in the colour of the kind of message, and the wrapped sentence.
bool message_notice(const std::string& message, bool is_error) {
  const float button = ImGui::GetFrameHeight(), disc = units(4);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + disc, at.y + button / 2), disc,
                                              is_error ? palette().failed : palette().accent, 16);
  const float y = ImGui::GetCursorPosY(), left = ImGui::GetCursorPosX() + 2 * disc + units(8);
  const float room = right_edge() - button - units(8);
  ImGui::SetCursorPosX(left);
  ImGui::PushTextWrapPos(room);
  ImGui::AlignTextToFramePadding();
  plain_text(broken_lines(message, room - left));
  note_item("message");
  ImGui::PopTextWrapPos();
  const float below = ImGui::GetCursorPosY();
  ImGui::SameLine(right_edge() - button);
  ImGui::SetCursorPosY(y);
  const bool closed = icon_button("close-message", Icon::close, "Close (Esc)", {.width = button});
  if (below > ImGui::GetCursorPosY()) ImGui::SetCursorPosY(below);
  return !closed;
}

// First hints: each disappears once it has been done, all with the button.
void hint_notice(const PanelContext& context) {
  constexpr std::array<std::pair<Hint, const char*>, kHintNames.size()> kTexts{
      {{Hint::drag, "Left-drag pulls the cloth"},
       {Hint::orbit, "drag next to the cloth to orbit"},
       {Hint::integrator, "1 to 9 switch the integrator"},
       {Hint::keys, "F1 lists all keys, Ctrl-K finds commands"}}};
  const float button = ImGui::GetFrameHeight();
  const float room = right_edge() - ImGui::GetCursorPosX() - button - units(8);
  std::string text;
  for (const auto& [hint, words] : kTexts) {
    if (context.view.hints_done[static_cast<std::size_t>(hint)]) continue;
    const std::string longer = text.empty() ? words : text + "   ·   " + words;
    if (text_width(longer) < room) text = longer;
  }
  if (text.empty()) return;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  const float y = ImGui::GetCursorPosY();
  ImGui::AlignTextToFramePadding();
  coloured_text(palette().muted, text);
  ImGui::SameLine(right_edge() - button);
  ImGui::SetCursorPosY(y);
  if (icon_button("close-hints", Icon::close, "Do not show these hints again.", {.width = button}))
    context.view.hints_done.fill(true);
}

}  // namespace

bool notices(const PanelContext& context, const Area& room, const std::string& message, bool is_error,
             float& height) {
  const float padding = (units(kNoticeHeight) - ImGui::GetFrameHeight()) / 2;
  begin_fixed("##notices", room, ImVec2(units(12), padding), kFixedPart & ~ImGuiWindowFlags_NoScrollbar);
  const bool open = message.empty() || message_notice(message, is_error);
  load_notice(context);
  recording_notice(context);
  const bool idle = message.empty() && !context.load.running && !context.recording.shown;
  if (idle && context.snapshot.blow_up_text.empty()) hint_notice(context);
  height = ImGui::GetCursorPosY() + ImGui::GetScrollY() - ImGui::GetStyle().ItemSpacing.y + padding;
  end_fixed();
  return open;
}

}  // namespace clothlab
