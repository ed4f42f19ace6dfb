// SPDX-License-Identifier: MIT
#include "ui/widgets/number_field.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "ui/theme.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

using Buffer = std::array<char, 64>;

// Text being typed, kept here because a field that loses the focus to an earlier control never returns its
// text (Dear ImGui 1.86).
struct Editing {
  ImGuiID id = 0;
  Buffer text{};
  std::string shown;  // before the user typed
};
Editing g_editing;

// The field that takes the keyboard with the next frame.
ImGuiID g_wanted = 0;

// What is wrong with the text of a field.
struct Note {
  ImGuiID id = 0;
  std::string text;
  std::optional<Buffer> refused;  // to be corrected, once the field has the keyboard again
  int made = 0;                   // in which frame
  int drawn = 0;
};
Note g_note;

// The last field that returned a value.
struct Typed {
  ImGuiID id = 0;
  Buffer text{};
  bool by_click = false;  // a click elsewhere ended the typing
};
Typed g_typed;

bool mouse_is_clicked() {
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right) ||
         ImGui::IsMouseClicked(ImGuiMouseButton_Middle);
}

bool escape_is_pressed() {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(ImGuiKey_Escape);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
#endif
}

void explain(const Typed& typed, std::string_view why, bool refused) {
  const int now = ImGui::GetFrameCount();
  g_note = {typed.id, std::string(why), {}, now, now};
  if (typed.by_click) return;
  g_wanted = typed.id;
  if (refused) g_note.refused = typed.text;
}

// It goes with a click elsewhere, and with the field.
bool has_note(ImGuiID id) {
  if (g_note.id != id) return false;
  const int now = ImGui::GetFrameCount();
  const bool left = now != g_note.drawn && now != g_note.drawn + 1;
  if (left || (now > g_note.made && mouse_is_clicked() && !ImGui::IsItemHovered())) g_note = {};
  g_note.drawn = now;
  return g_note.id == id;
}

// Over everything else, below the item before, or above it where there is no room.
void draw_note() {
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax(), room = ImGui::GetIO().DisplaySize;
  const std::string text = broken_lines(g_note.text, units(240));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), padding(units(8), units(5));
  const float width = size.x + 2 * padding.x, height = size.y + 2 * padding.y, gap = units(3);
  const float x = std::clamp(a.x, 0.0F, std::max(room.x - width, 0.0F));
  const float y = b.y + gap + height <= room.y ? b.y + gap : std::max(a.y - gap - height, 0.0F);
  const ImVec2 from(x, y), to(x + width, y + height);
  ImDrawList* draw = ImGui::GetForegroundDrawList();
  draw->AddRectFilled(from, to, ImGui::GetColorU32(ImGuiCol_PopupBg, 1), units(4));
  draw->AddRect(from, to, palette().failed, units(4), 0, units(1.5F));
  draw->AddText(ImVec2(x + padding.x, y + padding.y), palette().text, text.c_str());
  item_rects()["field-note"] = ImVec4(from.x, from.y, to.x, to.y);
  note_text("field-note", g_note.text);
}

// Without its unit where that does not fit.
std::string fitted(std::string shown, float width) {
  const float room = width - 2 * ImGui::GetStyle().FramePadding.x;
  const std::size_t space = shown.find(' ');
  if (space != std::string::npos && text_width(shown) > room) shown.resize(space);
  return shown;
}

// Typed text once the user is done, when it differs from what was shown.
std::optional<Typed> text_field(const char* id, const std::string& shown, float width) {
  Buffer buffer{};
  const ImGuiID full_id = ImGui::GetID(id);
  if (g_editing.id == full_id) {
    buffer = g_editing.text;
  } else if (g_note.id == full_id && g_note.refused) {
    buffer = *g_note.refused;
  } else {
    std::snprintf(buffer.data(), buffer.size(), "%s", shown.c_str());
  }
  if (g_wanted == full_id) {
    g_wanted = 0;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(width);
  // Dear ImGui keeps the undo history of the earlier text when a field is activated again, and mixes both.
  ImGui::InputText(id, buffer.data(), buffer.size(),
                   ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_NoUndoRedo);
  if (ImGui::IsItemActivated()) {
    g_editing = {full_id, buffer, shown};
    if (g_note.id == full_id) g_note.refused.reset();
  }
  if (g_editing.id != full_id) return std::nullopt;
  // When the focus was stolen, the kept text is used.
  g_editing.text = buffer;
  if (ImGui::IsItemActive() || ImGui::IsItemActivated()) return std::nullopt;
  g_editing.id = 0;
  if (g_note.id == full_id) g_note = {};
  if (escape_is_pressed() || g_editing.shown == buffer.data()) return std::nullopt;
  return Typed{full_id, buffer, mouse_is_clicked()};
}

}  // namespace

std::optional<double> number_field(const char* id, std::string_view name, const ParameterSpec& spec,
                                   double value, float width) {
  const std::optional<Typed> typed = text_field(id, fitted(shown_value(spec, value), width), width);
  note_item(name);
  std::optional<double> changed;
  if (typed) {
    const TypedNumber number = typed_number(spec, typed->text.data());
    if (!number.note.empty()) explain(*typed, number.note, !number.value);
    if (number.value) g_typed = *typed;
    changed = number.value;
  }
  if (has_note(ImGui::GetID(id))) draw_note();
  return changed;
}

void focus_number_field(const char* id) { g_wanted = ImGui::GetID(id); }

void refuse_typed_number(std::string_view why) { explain(g_typed, why, true); }

}  // namespace clothlab
