// SPDX-License-Identifier: MIT
#include "ui/plots/axes_view.h"

#include <algorithm>
#include <cmath>

#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr double kWheelStep = 0.8;  // of the range, per notch
constexpr float kLeastBox = 5;      // [interface units]

struct Place {
  double x = 0, y = 0;  // from 0 to 1 in the frame
};

Place place_in(const AxesFrame& frame, ImVec2 at) {
  return {static_cast<double>((at.x - frame.a.x) / (frame.b.x - frame.a.x)),
          static_cast<double>((frame.b.y - at.y) / (frame.b.y - frame.a.y))};
}

void zoom_by_wheel(const AxesFrame& frame, AxesView& view, ImVec2 mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0) return;
  const double factor = std::pow(kWheelStep, static_cast<double>(io.MouseWheel));
  const Place place = place_in(frame, mouse);
  const bool of_y = io.KeyCtrl || mouse.x < frame.a.x;
  if (of_y || frame.as_plane) view.y = frame.y.zoomed(place.y, factor);
  if (!of_y) view.x = frame.x.zoomed(place.x, factor);
}

void pan_by_drag(const AxesFrame& frame, AxesView& view) {
  const ImVec2 motion = ImGui::GetIO().MouseDelta;
  if (motion.x != 0) view.x = frame.x.panned(-static_cast<double>(motion.x / (frame.b.x - frame.a.x)));
  // A fitted y range follows the curves; only a zoomed one is panned.
  if (motion.y != 0 && (view.y || frame.as_plane))
    view.y = frame.y.panned(static_cast<double>(motion.y / (frame.b.y - frame.a.y)));
}

void zoom_to_box(const AxesFrame& frame, AxesView& view, ImVec2 mouse) {
  const auto inside = [&](ImVec2 p) {
    return ImVec2(std::clamp(p.x, frame.a.x, frame.b.x), std::clamp(p.y, frame.a.y, frame.b.y));
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
  const Place p = place_in(frame, from), q = place_in(frame, to);
  view.x = frame.x.stretch(p.x, q.x);
  view.y = frame.y.stretch(p.y, q.y);
}

}  // namespace

bool zoom_by_mouse(const std::string& name, const AxesFrame& frame, AxesView& view) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ImGui::SetCursorScreenPos(ImVec2(frame.left, frame.a.y));
  ImGui::InvisibleButton(name.c_str(), ImVec2(frame.b.x - frame.left, frame.b.y - frame.a.y),
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  item_rects()[name] = ImVec4(frame.a.x, frame.a.y, frame.b.x, frame.b.y);
  const bool hovered = ImGui::IsItemHovered();
  const bool active = ImGui::IsItemActive();
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) view.box = mouse;
  if (view.box) zoom_to_box(frame, view, mouse);
  if (active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) pan_by_drag(frame, view);
  if (hovered) zoom_by_wheel(frame, view, mouse);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view.fit();
  return hovered && !active && ImGui::IsMouseHoveringRect(frame.a, frame.b);
}

}  // namespace clothlab
