// SPDX-License-Identifier: MIT
#include "ui/grab_marks.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/text.h"
#include "ui/theme.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

// The rim of opposite brightness is visible on cloth of any colour.
void ring(ImVec2 at, float radius, ImU32 colour, ImU32 rim) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->AddCircle(at, radius, rim, 0, units(4));
  draw->AddCircle(at, radius, colour, 0, units(2));
}

}  // namespace

void draw_grab_marks(const GrabMarks& marks, const Area& view) {
  const ImU32 colour = rgb(marks.colour), rim = with_alpha(readable_on(colour), 0.5F);
  if (marks.target) {
    ring(marks.target->at, units(marks.target->is_pin ? 10 : 6), colour, rim);
    item_rects()["grab-target"] = {marks.target->at.x, marks.target->at.y, marks.target->at.x,
                                   marks.target->at.y};
  }
  if (!marks.held || marks.held->depth == 0) return;

  // A depth scale beside the cursor: the tick is the plane where the grab began, up is away from the viewer.
  const float half = units(24), aside = units(22);
  const bool left = marks.held->at.x + 2 * aside > view.x + view.width;
  const ImVec2 middle(marks.held->at.x + (left ? -aside : aside),
                      std::clamp(marks.held->at.y, view.y + half, view.y + view.height - half));
  const double share = marks.held->depth / (std::abs(marks.held->depth) + marks.held->half_depth);
  const float end = middle.y - half * static_cast<float>(share);
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  const auto line = [&](ImVec2 from, ImVec2 to, float width) {
    draw->AddLine(from, to, rim, units(width + 2));
    draw->AddLine(from, to, colour, units(width));
  };
  line(ImVec2(middle.x, middle.y - half), ImVec2(middle.x, middle.y + half), 1);
  line(ImVec2(middle.x - units(6), middle.y), ImVec2(middle.x + units(6), middle.y), 2);
  line(middle, ImVec2(middle.x, end), 3);
  draw->AddCircleFilled(ImVec2(middle.x, end), units(4.5F), rim);
  draw->AddCircleFilled(ImVec2(middle.x, end), units(3.5F), colour);
}

std::string grab_reading(const Frame::Grab& grab, double depth) {
  std::string text = "grab " + format_steady(glm::length(grab.force)) + " N, lag " +
                     format_steady(glm::distance(grab.cursor, grab.point) * 100) + " cm";
  if (std::abs(depth) >= 0.0005)
    text += ", " + format_plain(std::abs(depth) * 100, 2) + " cm " + (depth > 0 ? "behind" : "in front");
  return text;
}

}  // namespace clothlab
