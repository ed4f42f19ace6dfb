// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <string>

#include "core/text.h"
#include "ui/lanes.h"
#include "ui/overlays.h"
#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

std::string heat_text(const HeatLegend& heat, double value) {
  return heat.from ? format_quantity(value, "m", 2) : format_plain(value * 100, 2) + " %";
}

// The colours, their ends, and the current largest strain.
void heat_scale(const PanelContext& context) {
  const HeatLegend& heat = context.legend.heat;
  const double most = heat.most, now = heat.now;
  const std::string what =
      heat.from ? std::string("Distance from lane ") + lane_letter(*heat.from) : std::string("Strain");
  note_text("heat", what);
  plain_text(what + (std::isfinite(now) ? ", at most " + heat_text(heat, now) + " now" : ""));
  const float width = std::max(units(170), ImGui::GetItemRectSize().x), height = units(10);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  constexpr int kSteps = 64;
  for (int i = 0; i < kSteps; ++i) {
    const auto edge = [&](int step) { return at.x + std::round(width * static_cast<float>(step) / kSteps); };
    draw->AddRectFilled(ImVec2(edge(i), at.y), ImVec2(edge(i + 1), at.y + height),
                        rgb(context.heat_colour((i + 0.5) / kSteps)));
  }
  const float line = ImGui::GetTextLineHeight();
  const float text_y = at.y + height + units(4);
  const auto tick = [&](double share, const std::string& label) {
    const float x = at.x + width * static_cast<float>(share);
    const float wide = text_width(label);
    draw->AddLine(ImVec2(x, at.y + height), ImVec2(x, at.y + height + units(3)), palette().muted);
    draw->AddText(ImVec2(std::clamp(x - wide / 2, at.x, at.x + width - wide), text_y), palette().muted,
                  label.c_str());
  };
  tick(0, "0");
  tick(0.5, heat_text(heat, most / 2));
  tick(1, (now > most ? "> " : "") + heat_text(heat, most));
  if (std::isfinite(now)) {
    const float x = at.x + width * static_cast<float>(std::clamp(now / most, 0.0, 1.0));
    draw->AddTriangleFilled(ImVec2(x, at.y + height * 0.45F), ImVec2(x + units(4), at.y - units(3)),
                            ImVec2(x - units(4), at.y - units(3)), palette().text);
  }
  ImGui::Dummy(ImVec2(width, height + units(4) + line));
}

void row(const glm::vec3& colour, const std::string& text) {
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float middle = std::round(at.y + line / 2);
  ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x, middle), ImVec2(at.x + units(16), middle), rgb(colour),
                                      units(2));
  ImGui::Dummy(ImVec2(units(16), line));
  ImGui::SameLine(0, units(8));
  plain_text(text);
}

std::string scale_of(const ArrowLegend& arrows, const char* unit) {
  return format_quantity(arrows.length * 100, "cm") + " = " + format_quantity(arrows.value, unit);
}

}  // namespace

void view_legend(const PanelContext& context, const Area& view) {
  const ViewSettings& shown = context.view;
  const ViewLegend& legend = context.legend;
  const bool velocities = shown.velocities && legend.velocity.value > 0;
  const bool forces = shown.forces && legend.force.value > 0;
  const bool contacts = shown.contacts && legend.contact.value > 0;
  const ClothIntersections& crossed = context.snapshot.frame.intersections;
  if (!shown.heat_map && !shown.stretch_springs && !shown.bend_springs && !velocities && !forces &&
      !contacts && !shown.intersections && crossed.pairs == 0)
    return;
  const float margin = units(14);
  const float top = lane_tiles(view, context.snapshot, shown.lanes).front().cloth.y;  // below the heads
  ImGui::SetNextWindowPos(ImVec2(view.x + view.width - margin, top + margin), ImGuiCond_Always, ImVec2(1, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().overlay);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(12), units(9)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(units(8), units(5)));
  ImGui::Begin("##legend", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoInputs |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PushFont(fonts().small);
  if (shown.heat_map) heat_scale(context);
  if (shown.stretch_springs) row(legend.stretch_spring, "stretch springs");
  if (shown.bend_springs) row(legend.bend_spring, "bending springs");
  if (velocities) row(legend.velocity.colour, "velocity: " + scale_of(legend.velocity, "m/s"));
  if (forces) row(legend.force.colour, "net force: " + scale_of(legend.force, "N"));
  if (contacts) {
    const std::string text = "contact that sticks: " + scale_of(legend.contact, "N");
    note_text("legend:contacts", text);
    row(legend.contact.colour, text);
    row(legend.sliding, "contact that slides");
  }
  if (shown.intersections || crossed.pairs > 0) {
    const std::string text =
        crossed.pairs == 0 ? std::string("no triangles intersect") : text_of(crossed, "now");
    note_text("legend:intersections", text);
    row(legend.intersection, text);
  }
  if ((velocities || forces) && legend.stride > 1)
    plain_text("arrows at one particle in " + std::to_string(legend.stride));
  ImGui::PopFont();
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace clothlab
