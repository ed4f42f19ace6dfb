// SPDX-License-Identifier: MIT
#include "ui/plots/figure.h"

#include <algorithm>
#include <cmath>

#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr int kMostTicks = 8;  // of y

float shown_width(const std::string& text) { return ImGui::CalcTextSize(displayable(text).c_str()).x; }

void put_text(ImVec2 at, ImU32 colour, const std::string& text) {
  ImGui::GetWindowDrawList()->AddText(at, colour, displayable(text).c_str());
}

}  // namespace

Figure::Figure(const Side& x, const Side& y, ImVec2 at, ImVec2 size)
    : x_side_(x),
      y_side_(y),
      x_(x.range, x.logarithmic),
      y_(y.range, y.logarithmic),
      left_(at.x),
      a_(at.x, at.y + units(5)),
      b_(at.x + size.x - units(8), at.y + size.y - ImGui::GetTextLineHeight() - units(7)) {
  float widest = std::max(units(26), shown_width("-0.00"));
  if (b_.y > a_.y)
    for (const AxisTick& tick : y_ticks()) widest = std::max(widest, shown_width(tick.label));
  a_.x += widest + units(8);
}

std::vector<AxisTick> Figure::y_ticks() const {
  const float rows = (b_.y - a_.y) / (1.8F * ImGui::GetTextLineHeight());
  return y_.ticks(std::clamp(static_cast<int>(rows), 2, kMostTicks), {}, y_side_.whole ? 1 : 0);
}

bool Figure::has_room() const { return b_.x - a_.x >= units(40) && b_.y - a_.y >= units(16); }

void Figure::axes() const {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const ImU32 grid = with_alpha(palette().line, 0.7F);
  float below = b_.y + line;  // top of the last number; one that does not fit above it is left out
  for (const AxisTick& tick : y_ticks()) {
    const float at = py(tick.value);
    draw->AddLine(ImVec2(a_.x, at), ImVec2(b_.x, at), grid);
    const float top = std::clamp(at - line / 2, a_.y - units(3), b_.y - line + units(2));
    if (top > below - line) continue;
    below = top;
    put_text(ImVec2(a_.x - units(5) - shown_width(tick.label), top), palette().muted, tick.label);
  }
  const float axis = b_.y + units(4);
  const float title_at = b_.x - shown_width(x_side_.title);
  const float room = shown_width("0000.00") + units(14);
  for (const AxisTick& tick :
       x_.ticks(std::max(2, static_cast<int>((b_.x - a_.x) / room)), {}, x_side_.whole ? 1 : 0)) {
    const float at = px(tick.value);
    draw->AddLine(ImVec2(at, a_.y), ImVec2(at, b_.y), grid);
    const float half = shown_width(tick.label) / 2;
    if (at + half + units(8) < title_at)
      put_text(ImVec2(std::max(at - half, a_.x - units(10)), axis), palette().muted, tick.label);
  }
  for (const double value : x_.minor_ticks(static_cast<double>((b_.x - a_.x) / units(1))))
    draw->AddLine(ImVec2(px(value), b_.y - units(3)), ImVec2(px(value), b_.y), grid);
  put_text(ImVec2(title_at, axis), palette().muted, x_side_.title);
}

bool Figure::hovered(const std::string& name) const {
  item_rects()[name] = ImVec4(a_.x, a_.y, b_.x, b_.y);
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(a_, b_);
}

bool Figure::zoom(const std::string& name, AxesView& view, bool as_plane) const {
  return zoom_by_mouse(name, {x_, y_, a_, b_, left_, as_plane}, view);
}

void Figure::label(ImVec2 at, ImU32 colour, const std::string& text) const {
  const float width = shown_width(text), line = ImGui::GetTextLineHeight();
  at.x = std::max(std::min(at.x, b_.x - width - units(2)), a_.x + units(2));
  at.y = std::max(std::min(at.y, b_.y - line), a_.y);
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - units(2), at.y),
                                            ImVec2(at.x + width + units(2), at.y + line),
                                            with_alpha(palette().overlay, 0.8F));
  put_text(at, colour, text);
}

void Figure::begin_clip() const {
  ImGui::GetWindowDrawList()->PushClipRect(ImVec2(a_.x, a_.y - units(1)), ImVec2(b_.x + units(1), b_.y),
                                           true);
}

void Figure::end_clip() const { ImGui::GetWindowDrawList()->PopClipRect(); }

}  // namespace clothlab
