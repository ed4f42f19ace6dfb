// SPDX-License-Identifier: MIT
#include "ui/widgets/widgets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "integrate/registry.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

constexpr double kTooltipDelay = 0.45;  // [s]

TooltipSide g_tooltip_side = TooltipSide::below;
bool g_tooltips_hidden = false;  // until the mouse moves

// Upper left corner of a tooltip for a control from `a` to `b`: on the wanted side, or on the next one where
// it fits into the window.
ImVec2 place_of_tooltip(ImVec2 size, ImVec2 a, ImVec2 b) {
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const float gap = units(4);
  const float x = std::clamp(a.x, 0.0F, std::max(room.x - size.x, 0.0F));
  const float y = std::clamp(a.y, 0.0F, std::max(room.y - size.y, 0.0F));
  const ImVec2 below(x, b.y + gap), above(x, a.y - gap - size.y);
  const ImVec2 left(a.x - gap - size.x, y), right(b.x + gap, y);
  std::array corners{below, above, left, right};
  if (g_tooltip_side == TooltipSide::above) corners = {above, below, left, right};
  if (g_tooltip_side == TooltipSide::side) corners = {left, right, below, above};
  const auto fits = [&](const ImVec2& at) {
    return at.x >= 0 && at.y >= 0 && at.x + size.x <= room.x && at.y + size.y <= room.y;
  };
  const auto* const found = std::ranges::find_if(corners, fits);
  return found != corners.end() ? *found : corners.front();
}

void show_tooltip(const std::string& shown, ImVec2 a, ImVec2 b) {
  const ImVec2 padding(units(10), units(8)), text = ImGui::CalcTextSize(shown.c_str());
  ImGui::SetNextWindowPos(place_of_tooltip(ImVec2(text.x + 2 * padding.x, text.y + 2 * padding.y), a, b));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(shown.c_str());
  note_item("tooltip");
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void draw_icon(ImDrawList* draw, Icon icon, ImVec2 centre, float r, ImU32 colour) {
  const auto at = [&](float x, float y) { return ImVec2(centre.x + x * r, centre.y + y * r); };
  const float line = std::max(1.0F, r * 0.28F);
  const auto triangle = [&](float x0, float x1) {
    draw->AddTriangleFilled(at(x0, -0.85F), at(x1, 0), at(x0, 0.85F), colour);
  };
  switch (icon) {
    case Icon::play:
      triangle(-0.6F, 0.95F);
      break;
    case Icon::pause:
      draw->AddRectFilled(at(-0.75F, -0.85F), at(-0.2F, 0.85F), colour);
      draw->AddRectFilled(at(0.2F, -0.85F), at(0.75F, 0.85F), colour);
      break;
    case Icon::step:
      triangle(-0.8F, 0.4F);
      draw->AddRectFilled(at(0.5F, -0.85F), at(0.85F, 0.85F), colour);
      break;
    case Icon::rewind:
      draw->AddTriangleFilled(at(0.05F, -0.8F), at(-0.95F, 0), at(0.05F, 0.8F), colour);
      draw->AddTriangleFilled(at(0.95F, -0.8F), at(-0.05F, 0), at(0.95F, 0.8F), colour);
      break;
    case Icon::reset:
    case Icon::fallback: {
      // An open circle with an arrow head at its upper left end.
      const float radius = r * 0.8F;
      const auto pi = std::numbers::pi_v<float>;
      draw->PathArcTo(centre, radius, -0.75F * pi, 0.85F * pi, 20);
      draw->PathStroke(colour, 0, line);
      const ImVec2 tip(centre.x + radius * std::cos(-0.75F * pi), centre.y + radius * std::sin(-0.75F * pi));
      const float h = r * 0.62F;
      draw->AddTriangleFilled(ImVec2(tip.x - h * 0.75F, tip.y - h * 0.55F),
                              ImVec2(tip.x - h * 0.55F, tip.y + h),
                              ImVec2(tip.x + h * 0.95F, tip.y + h * 0.45F), colour);
      break;
    }
    case Icon::undo:
    case Icon::redo: {
      // Half a circle, its arrow head at the left end, or mirrored.
      const float side = icon == Icon::undo ? -1 : 1;
      const auto pi = std::numbers::pi_v<float>;
      draw->PathArcTo(at(0, 0.3F), r * 0.65F, -pi, 0, 16);
      draw->PathStroke(colour, 0, line);
      draw->AddTriangleFilled(at(side * 1.1F, 0.1F), at(side * 0.65F, 0.85F), at(side * 0.2F, 0.1F), colour);
      break;
    }
    case Icon::previous:
    case Icon::next: {
      const float tip = icon == Icon::next ? 0.4F : -0.4F, ends = icon == Icon::next ? -0.35F : 0.35F;
      draw->AddPolyline(std::array{at(ends, -0.7F), at(tip, 0), at(ends, 0.7F)}.data(), 3, colour, 0, line);
      break;
    }
    case Icon::close:
      draw->AddLine(at(-0.6F, -0.6F), at(0.6F, 0.6F), colour, line);
      draw->AddLine(at(-0.6F, 0.6F), at(0.6F, -0.6F), colour, line);
      break;
  }
}

// The first lines of a wrapped text, with dots where it is cut.
std::string cut_to_lines(std::string text, int lines, float width) {
  std::size_t end = 0, start = 0;
  for (int line = 0; line < lines; ++line) {
    start = end;
    end = text.find('\n', end);
    if (end == std::string::npos) return text;
    ++end;
  }
  text.resize(end - 1);
  const std::string more = " ...";
  const auto too_wide = [&] { return ImGui::CalcTextSize((text.substr(start) + more).c_str()).x > width; };
  for (std::size_t space = text.rfind(' '); too_wide() && space != std::string::npos && space > start;
       space = text.rfind(' '))
    text.resize(space);
  return text + more;
}

constexpr int kNever = -2;
int choice_open_in = kNever;  // frames
int choice_closed_in = kNever;

// Active also under the mouse, so that a press shows its effect.
void push_active_look() {
  ImGui::PushStyleColor(ImGuiCol_Button, with_alpha(palette().accent, 0.45F));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, with_alpha(palette().accent, 0.6F));
}

bool in_this_frame_or_the_last(int frame) {
  const int since = ImGui::GetFrameCount() - frame;
  return since == 0 || since == 1;
}

// Corners of the marks, in the order of IntegratorFamily: cut by this share of half the height, straight or
// round.
struct Corners {
  float cut;
  bool round;
  bool lower;  // the lower two as well
};
constexpr std::array<Corners, 5> kCorners{
    {{0, false, true}, {1, true, false}, {1, true, true}, {0.75F, false, false}, {0.75F, false, true}}};

void add_plate(ImDrawList* draw, ImVec2 a, ImVec2 b, const Corners& corners, ImU32 colour) {
  const float cut = corners.cut * (b.y - a.y) / 2;
  if (corners.round || cut == 0) {
    const ImDrawFlags which = corners.lower ? ImDrawFlags_RoundCornersAll : ImDrawFlags_RoundCornersTop;
    return draw->AddRectFilled(a, b, colour, cut, which);
  }
  const float low = corners.lower ? cut : 0;
  for (const ImVec2 corner :
       {ImVec2(a.x + cut, a.y), ImVec2(b.x - cut, a.y), ImVec2(b.x, a.y + cut), ImVec2(b.x, b.y - low),
        ImVec2(b.x - low, b.y), ImVec2(a.x + low, b.y), ImVec2(a.x, b.y - low), ImVec2(a.x, a.y + cut)})
    draw->PathLineToMergeDuplicate(corner);
  draw->PathFillConvex(colour);
}

}  // namespace

ItemRects& item_rects() {
  static ItemRects rects;
  return rects;
}

void note_rect(std::string_view name, ImVec2 from, ImVec2 to) {
  item_rects()[std::string(name)] = ImVec4(from.x, from.y, to.x, to.y);
}

void note_item(std::string_view name) { note_rect(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax()); }

ShownTexts& shown_texts() {
  static ShownTexts texts;
  return texts;
}

void note_text(std::string_view name, std::string_view text) { shown_texts()[std::string(name)] = text; }

TooltipsThere::TooltipsThere(TooltipSide side) : before_(std::exchange(g_tooltip_side, side)) {}
TooltipsThere::~TooltipsThere() { g_tooltip_side = before_; }

void hide_tooltips() { g_tooltips_hidden = true; }

void tooltip(std::string_view text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  // After a delay, so that a passing cursor opens none.
  static ImVec2 hovered{-1, -1};
  static double since = 0;
  static int last_frame = 0;
  const ImVec2 item = ImGui::GetItemRectMin(), moved = ImGui::GetIO().MouseDelta;
  if (moved.x != 0 || moved.y != 0) g_tooltips_hidden = false;
  const bool same = item.x == hovered.x && item.y == hovered.y && last_frame >= ImGui::GetFrameCount() - 1;
  if (!same) since = ImGui::GetTime();
  hovered = item;
  last_frame = ImGui::GetFrameCount();
  if (g_tooltips_hidden || ImGui::GetTime() - since < kTooltipDelay) return;
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1);  // the help of a disabled control is not pale
  show_tooltip(broken_lines(text, units(320)), item, ImGui::GetItemRectMax());
  note_text("tooltip", text);
  ImGui::PopStyleVar();
}

void explain_item(std::string_view name, std::string_view help, std::string_view text) {
  note_item(name);
  if (!text.empty()) note_text(name, text);
  tooltip(help);
}

void begin_tooltip_above(float y) {
  // Next to the cursor and within the window: to its right at the left edge of the window, to its left at the
  // right edge.
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos(ImVec2(io.MousePos.x, y), ImGuiCond_Always,
                          ImVec2(io.MousePos.x / io.DisplaySize.x, 1));
  ImGui::BeginTooltip();
  const ImVec2 a = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  note_rect("tooltip", a, ImVec2(a.x + size.x, a.y + size.y));
}

std::string broken_lines(std::string_view text, float width) {
  std::string shown = displayable(text);
  const auto relates = [&](std::size_t i) { return shown[i] == '=' || shown[i] == '<'; };
  const auto may_break = [&](std::size_t i) {
    return shown[i] == ' ' && i > 0 && !relates(i - 1) && i + 1 < shown.size() && !relates(i + 1);
  };
  std::size_t line = 0, space = std::string::npos;
  for (std::size_t i = 0; i <= shown.size(); ++i) {
    const bool ends = i == shown.size() || shown[i] == '\n';
    if (!ends && !may_break(i)) continue;
    if (space != std::string::npos && ImGui::CalcTextSize(&shown[line], shown.data() + i).x > width) {
      shown[space] = '\n';
      line = space + 1;
    }
    space = i;
    if (ends) line = i + 1, space = std::string::npos;
  }
  return shown;
}

std::string first_line(std::string_view text, float width, int lines) {
  return cut_to_lines(broken_lines(text, width), lines, width);
}

std::string shortened(std::string_view name, float width) {
  std::string shown = displayable(name);
  std::ranges::replace(shown, '\n', ' ');
  const auto fits = [&](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x <= width; };
  if (fits(shown)) return shown;
  // Whole characters: no cut before a byte that continues one.
  const auto continues = [&](std::size_t i) { return i < shown.size() && (shown[i] & 0xC0) == 0x80; };
  std::string best = "...";
  for (std::size_t head = 1, tail = shown.size() - 1; head < tail; ++head, --tail) {
    if (continues(head) || continues(tail)) continue;
    const std::string text = shown.substr(0, head) + "..." + shown.substr(tail);
    if (!fits(text)) break;
    best = text;
  }
  return best;
}

float button_width(std::string_view label) {
  return text_width(label) + 2 * ImGui::GetStyle().FramePadding.x;
}

float text_width(std::string_view text) { return ImGui::CalcTextSize(displayable(text).c_str()).x; }

void draw_text(ImVec2 at, ImU32 colour, std::string_view text) {
  ImGui::GetWindowDrawList()->AddText(at, colour, displayable(text).c_str());
}

void plain_text(std::string_view text) { ImGui::TextUnformatted(displayable(text).c_str()); }

void coloured_text(ImU32 colour, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  plain_text(text);
  ImGui::PopStyleColor();
}

void wrapped_text(std::string_view text, std::optional<ImU32> colour, std::optional<int> lines) {
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string shown = broken_lines(text, width);
  ImGui::PushTextWrapPos(0);  // for a word that is longer than a line
  coloured_text(colour.value_or(palette().text), lines ? cut_to_lines(shown, *lines, width) : shown);
  ImGui::PopTextWrapPos();
}

void small_text(std::string_view text, std::optional<int> lines) {
  ImGui::PushFont(fonts().small);
  wrapped_text(text, palette().muted, lines);
  ImGui::PopFont();
}

void section(std::string_view title) {
  ImGui::Dummy(ImVec2(0, units(1)));
  ImGui::PushFont(fonts().small);
  coloured_text(palette().muted, title);
  const ImVec2 end = ImGui::GetItemRectMax();
  const float middle = (ImGui::GetItemRectMin().y + end.y) / 2;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  ImGui::GetWindowDrawList()->AddLine(ImVec2(end.x + units(8), middle), ImVec2(right, middle),
                                      palette().line);
  ImGui::PopFont();
}

void choice_list(const std::string& name, const std::string& preview, std::string_view help,
                 const std::function<void()>& entries, ImGuiComboFlags flags) {
  const bool open = ImGui::BeginCombo(("##" + name).c_str(), preview.c_str(), flags);
  note_item(name);
  if (!open) return tooltip(help);
  if (in_this_frame_or_the_last(choice_closed_in)) {
    choice_closed_in = kNever;
    ImGui::CloseCurrentPopup();
  } else {
    choice_open_in = ImGui::GetFrameCount();
  }
  const TooltipsThere there(TooltipSide::side);
  entries();
  ImGui::EndCombo();
}

bool list_item(const std::string& name, std::string_view label, std::string_view help, bool selected) {
  const bool chosen = ImGui::Selectable(displayable(label).c_str(), selected);
  explain_item(name, help);
  return chosen;
}

bool check_item(const char* name, const char* label, bool& value, std::string_view help) {
  const bool changed = ImGui::Checkbox(label, &value);
  explain_item(name, help);
  return changed;
}

bool text_input(const char* id, std::string& text, ImGuiInputTextFlags flags, const char* hint) {
  const auto resize = [](ImGuiInputTextCallbackData* data) {
    auto& edited = *static_cast<std::string*>(data->UserData);
    edited.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = edited.data();
    return 0;
  };
  return ImGui::InputTextWithHint(id, hint, text.data(), text.capacity() + 1,
                                  flags | ImGuiInputTextFlags_CallbackResize, resize, &text);
}

bool close_choice() {
  if (!in_this_frame_or_the_last(choice_open_in)) return false;
  choice_closed_in = ImGui::GetFrameCount();
  return true;
}

void draw_bar(float from, float to, float middle, float half, ImU32 colour, float rounding) {
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(from, middle - half), ImVec2(to, middle + half), colour,
                                            rounding);
}

void draw_gauge(ImVec2 middle, float width, double share, ImU32 colour) {
  const auto bar = [&](float length, ImU32 fill) {
    draw_bar(middle.x, middle.x + length, middle.y, units(3), fill, units(3));
  };
  bar(width, palette().field);
  if (share > 0) bar(width * static_cast<float>(std::min(share, 1.0)), colour);
}

bool icon_button(std::string_view name, Icon icon, std::string_view help, const ButtonOptions& options) {
  const float height = ImGui::GetFrameHeight();
  const float width = options.width != 0 ? options.width : units(34);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const bool plain = icon == Icon::fallback || icon == Icon::close;
  ImGui::BeginDisabled(!options.enabled);
  if (options.active) push_active_look();
  if (plain) ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32(0, 0, 0, 0));
  const bool pressed = ImGui::Button(std::string("##icon").append(name).c_str(), ImVec2(width, height));
  if (plain) ImGui::PopStyleColor();
  if (options.active) ImGui::PopStyleColor(2);
  const float r = units(plain ? 5.5F : 6.5F);
  const ImU32 colour = plain && !ImGui::IsItemHovered() ? palette().muted : palette().text;
  draw_icon(ImGui::GetWindowDrawList(), icon, ImVec2(origin.x + width / 2, origin.y + height / 2), r,
            ImGui::GetColorU32(ImGui::ColorConvertU32ToFloat4(colour)));
  explain_item(name, help);
  ImGui::EndDisabled();
  return pressed;
}

bool text_button(std::string_view name, std::string_view label, std::string_view help,
                 const ButtonOptions& options) {
  ImGui::BeginDisabled(!options.enabled);
  if (options.active) push_active_look();
  const bool pressed = ImGui::Button(displayable(label).c_str(), ImVec2(options.width, 0));
  if (options.active) ImGui::PopStyleColor(2);
  explain_item(name, help);
  ImGui::EndDisabled();
  return pressed;
}

void next_in_row(float width) {
  const float gap = units(6);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + gap + width <= right) ImGui::SameLine(0, gap);
}

bool row_button(std::string_view name, std::string_view label, std::string_view help, ButtonOptions options) {
  if (options.width == 0) options.width = button_width(label);
  next_in_row(options.width);
  return text_button(name, label, help, options);
}

bool row_icon_button(std::string_view name, Icon icon, std::string_view help) {
  next_in_row(units(34));
  return icon_button(name, icon, help);
}

std::span<const std::size_t> methods_by_family() {
  static const std::vector<std::size_t> rows = [] {
    std::vector<std::size_t> all(integrators().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::ranges::stable_sort(all, {}, [](std::size_t row) { return integrators()[row].family; });
    return all;
  }();
  return rows;
}

std::size_t method_row(std::string_view id) {
  return static_cast<std::size_t>(find_integrator(id) - integrators().data());
}

std::size_t method_after(std::size_t row, int steps) {
  const std::span<const std::size_t> rows = methods_by_family();
  const auto count = static_cast<std::ptrdiff_t>(rows.size());
  const std::ptrdiff_t at = std::ranges::find(rows, row) - rows.begin();
  return rows[static_cast<std::size_t>(((at + steps) % count + count) % count)];
}

ImVec2 method_mark_size() {
  // One size for all letters.
  return {std::round(ImGui::GetFontSize() * 1.75F), std::round(ImGui::GetFontSize() * 1.1F)};
}

void draw_method_mark(ImDrawList* draw, ImVec2 at, std::size_t row) {
  const IntegratorInfo& info = integrators()[row];
  const ImU32 colour = integrator_colour(row);
  const ImVec2 size = method_mark_size();
  const float text_size = ImGui::GetFontSize() * 0.85F;
  const std::string letters(info.letters);
  const ImVec2 text = ImGui::GetFont()->CalcTextSizeA(text_size, size.x, 0, letters.c_str());
  add_plate(draw, at, ImVec2(at.x + size.x, at.y + size.y),
            kCorners.at(static_cast<std::size_t>(info.family)), colour);
  draw->AddText(ImGui::GetFont(), text_size,
                ImVec2(at.x + (size.x - text.x) / 2, at.y + (size.y - text.y) / 2), readable_on(colour),
                letters.c_str());
}

}  // namespace clothlab
