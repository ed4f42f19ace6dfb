// SPDX-License-Identifier: MIT
#include "ui/plots/figure.h"

#include <algorithm>
#include <cmath>

#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr double kWheelStep = 0.8;  // of the range, per notch
constexpr float kLeastBox = 5;      // [interface units]

// Whether the path from a over b to c turns by more than a right angle.
bool turns_back(ImVec2 a, ImVec2 b, ImVec2 c) {
  return (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0;
}

ChartPoint chart_point(ImVec2 p) { return {static_cast<double>(p.x), static_cast<double>(p.y)}; }

// From 0 to 1 in the frame, y upwards.
ChartPoint position_in(const Figure& frame, ImVec2 at) {
  return {static_cast<double>((at.x - frame.a().x) / frame.width()),
          static_cast<double>((frame.b().y - at.y) / frame.height())};
}

void zoom_by_wheel(const Figure& frame, AxesView& view, ImVec2 mouse, bool as_plane) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0) return;
  const double factor = std::pow(kWheelStep, static_cast<double>(io.MouseWheel));
  const ChartPoint at = position_in(frame, mouse);
  const bool of_y = io.KeyCtrl || mouse.x < frame.a().x;
  if (of_y || as_plane) view.y = frame.y().zoomed(at.y, factor);
  if (!of_y) view.x = frame.x().zoomed(at.x, factor);
}

void pan_by_drag(const Figure& frame, AxesView& view, bool as_plane) {
  const ImVec2 motion = ImGui::GetIO().MouseDelta;
  if (motion.x != 0) view.x = frame.x().panned(-static_cast<double>(motion.x / frame.width()));
  // A fitted y range follows the curves; only a zoomed one is panned.
  if (motion.y != 0 && (view.y || as_plane))
    view.y = frame.y().panned(static_cast<double>(motion.y / frame.height()));
}

void zoom_to_box(const Figure& frame, AxesView& view, ImVec2 mouse) {
  const auto inside = [a = frame.a(), b = frame.b()](ImVec2 p) {
    return ImVec2(std::clamp(p.x, a.x, b.x), std::clamp(p.y, a.y, b.y));
  };
  const ImVec2 from = inside(*view.box);
  const ImVec2 to = inside(mouse);
  if (ImGui::IsMouseDown(ImGuiMouseButton_Right)) {
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(from, to, with_alpha(palette().accent, 0.2F));
    draw->AddRect(from, to, palette().accent);
    return;
  }
  view.box.reset();
  if (std::abs(to.x - from.x) < units(kLeastBox) || std::abs(to.y - from.y) < units(kLeastBox)) return;
  const ChartPoint p = position_in(frame, from), q = position_in(frame, to);
  view.x = frame.x().stretch(p.x, q.x);
  view.y = frame.y().stretch(p.y, q.y);
}

}  // namespace

void draw_without_spikes(ImDrawList& draw, std::span<const ImVec2> points, ImU32 colour, float width) {
  // Split at sharp turns: Dear ImGui draws their mitres far beyond the points.
  std::size_t start = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (k + 1 < points.size() && !turns_back(points[k - 1], points[k], points[k + 1])) continue;
    draw.AddPolyline(&points[start], static_cast<int>(k + 1 - start), colour, 0, width);
    start = k;
  }
}

void draw_line(const std::vector<ImVec2>& points, ImU32 colour, float thickness, const Dash& dash) {
  if (points.size() < 2) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  // Whole pixels: Dear ImGui then needs a third of the triangles.
  const float width = std::max(1.0F, std::round(units(thickness)));
  if (dash.whole()) return draw_without_spikes(*draw, points, colour, width);
  std::vector<ChartPoint> through;
  through.reserve(points.size());
  for (const ImVec2 p : points) through.push_back(chart_point(p));
  const auto pixel = [](ChartPoint p) { return ImVec2(static_cast<float>(p.x), static_cast<float>(p.y)); };
  const ChartPoint low = chart_point(draw->GetClipRectMin()), high = chart_point(draw->GetClipRectMax());
  for_dashes(through, dash.scaled(static_cast<double>(units(1))), {low.x, low.y, high.x, high.y},
             [&](ChartPoint a, ChartPoint b) { draw->AddLine(pixel(a), pixel(b), colour, width); });
}

void draw_ground(ImVec2 at, ImVec2 size) {
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), palette().overlay,
                                            units(5));
}

void draw_empty(std::string_view words, ImVec2 at, ImVec2 size) {
  draw_ground(at, size);
  const float pad = units(8);
  ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y + pad));
  coloured_text(palette().muted, broken_lines(words, size.x - 2 * pad));
}

Figure::Figure(const Side& x, const Side& y, float left, ImVec2 a, ImVec2 b)
    : x_side_(x),
      y_side_(y),
      x_(x.range, x.logarithmic),
      y_(y.range, y.logarithmic),
      left_(left),
      a_(a),
      b_(b) {}

Figure::Figure(const Side& x, const Side& y, ImVec2 at, ImVec2 size)
    : Figure(x, y, at.x, ImVec2(at.x, at.y + units(5)),
             ImVec2(at.x + size.x - units(8), at.y + size.y - ImGui::GetTextLineHeight() - units(7))) {
  float widest = std::max(units(26), text_width("-0.00"));
  if (height() > 0)
    for (const AxisTick& tick : y_ticks()) widest = std::max(widest, text_width(tick.label));
  a_.x += widest + units(8);
}

std::vector<AxisTick> Figure::y_ticks() const {
  const auto rows = static_cast<int>(height() / (y_side_.row * ImGui::GetTextLineHeight()));
  return y_.ticks(std::min(rows, y_side_.most_ticks), y_side_.unit, y_side_.whole ? 1 : 0);
}

bool Figure::has_room() const { return width() >= units(40) && height() >= units(16); }

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
    draw_text(ImVec2(a_.x - units(5) - text_width(tick.label), top), palette().muted, tick.label);
  }
  for (const double value : y_.minor_ticks(static_cast<double>(height() / units(1))))
    draw->AddLine(ImVec2(a_.x, py(value)), ImVec2(a_.x + units(3), py(value)), grid);
  const float axis = b_.y + units(4);
  // The title is at the right end, where numbers leave room.
  const float title_at = b_.x - text_width(x_side_.title);
  const float room = std::max(text_width("0000.00"), units(40)) + units(14);
  for (const AxisTick& tick : x_.ticks(static_cast<int>(width() / room), {}, x_side_.whole ? 1 : 0)) {
    const float at = px(tick.value);
    draw->AddLine(ImVec2(at, a_.y), ImVec2(at, b_.y), grid);
    const float half = text_width(tick.label) / 2;
    if (at + half + units(8) < title_at)
      draw_text(ImVec2(std::max(at - half, a_.x - units(10)), axis), palette().muted, tick.label);
  }
  for (const double value : x_.minor_ticks(static_cast<double>(width() / units(1))))
    draw->AddLine(ImVec2(px(value), b_.y - units(3)), ImVec2(px(value), b_.y), grid);
  draw_text(ImVec2(title_at, axis), palette().muted, x_side_.title);
}

bool Figure::hovered(const std::string& name) const {
  note_rect(name, a_, b_);
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(a_, b_);
}

bool Figure::zoom(const std::string& name, AxesView& view, bool as_plane) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ImGui::SetCursorScreenPos(ImVec2(left_, a_.y));
  ImGui::InvisibleButton(name.c_str(), ImVec2(b_.x - left_, height()),
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  note_rect(name, a_, b_);
  const bool hovered = ImGui::IsItemHovered();
  const bool active = ImGui::IsItemActive();
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) view.box = mouse;
  if (view.box) zoom_to_box(*this, view, mouse);
  if (active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) pan_by_drag(*this, view, as_plane);
  if (hovered) zoom_by_wheel(*this, view, mouse, as_plane);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view.fit();
  return hovered && !active && ImGui::IsMouseHoveringRect(a_, b_);
}

void Figure::label(ImVec2 at, ImU32 colour, const std::string& text) const {
  const float width = text_width(text), line = ImGui::GetTextLineHeight();
  at.x = std::max(std::min(at.x, b_.x - width - units(2)), a_.x + units(2));
  at.y = std::max(std::min(at.y, b_.y - line), a_.y);
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - units(2), at.y),
                                            ImVec2(at.x + width + units(2), at.y + line),
                                            with_alpha(palette().overlay, 0.8F));
  draw_text(at, colour, text);
}

void Figure::upright(float x, ImU32 colour, float thickness) const {
  ImGui::GetWindowDrawList()->AddLine(ImVec2(x, a_.y), ImVec2(x, b_.y), colour, units(thickness));
}

void Figure::tell(std::string_view text, std::string_view failed) const {
  begin_tooltip_above(a_.y - units(4));
  plain_text(text);
  note_text("tooltip", text);
  if (!failed.empty()) coloured_text(palette().failed, failed);
  ImGui::EndTooltip();
}

void Figure::begin_clip(float below) const {
  ImGui::GetWindowDrawList()->PushClipRect(ImVec2(a_.x, a_.y - units(1)),
                                           ImVec2(b_.x + units(1), b_.y + below), true);
}

void Figure::end_clip() const { ImGui::GetWindowDrawList()->PopClipRect(); }

}  // namespace clothlab
