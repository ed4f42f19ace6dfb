// SPDX-License-Identifier: MIT
#include "ui/overlays.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "core/text.h"
#include "ui/plots/figure.h"
#include "ui/theme.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr ImGuiWindowFlags kCard = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

std::string counted(std::size_t count, const char* one, const char* many) {
  return format_count(count) + " " + (count == 1 ? one : many);
}

// The report as sentences, without counts of 0.
std::string report_text(const LoadedScene& loaded) {
  const MeshReport& found = loaded.mesh->report;
  std::string text = counted(found.particles, "particle", "particles") + ", " +
                     counted(found.stretch_springs, "stretch spring", "stretch springs") + " and " +
                     counted(found.bend_springs, "bending spring", "bending springs") + ".";
  const bool has_surface = found.triangles > found.degenerate_triangles;
  if (has_surface)
    text = counted(found.vertices, "vertex", "vertices") + " and " + counted(found.faces, "face", "faces") +
           " became " + text;
  std::string notes;
  const auto note = [&](const std::string& what) { notes += (notes.empty() ? " " : ", ") + what; };
  if (found.welded > 0) note(format_count(found.welded) + " welded at seams");
  if (found.unused_vertices > 0) note(counted(found.unused_vertices, "unused vertex", "unused vertices"));
  if (has_surface && found.degenerate_triangles > 0)
    note(counted(found.degenerate_triangles, "degenerate triangle", "degenerate triangles"));
  if (found.merged_faces > 0) note(counted(found.merged_faces, "doubled face", "doubled faces") + " merged");
  if (found.dropped_faces > 0) note(counted(found.dropped_faces, "face", "faces") + " dropped");
  if (found.dropped_springs > 0) note(counted(found.dropped_springs, "spring", "springs") + " dropped");
  if (found.nonmanifold_edges > 0)
    note(counted(found.nonmanifold_edges, "non-manifold edge", "non-manifold edges"));
  note(counted(found.parts, "part", "parts"));
  text += notes + ".";
  return text;
}

std::string size_text(const LoadedScene& loaded) {
  const std::string metres = format_plain(loaded.mesh->diagonal) + " m";
  if (loaded.fitted) {
    return "Its diagonal is " + format_plain(loaded.file_diagonal) + " units, too " +
           (loaded.file_diagonal > loaded.mesh->diagonal ? "large" : "small") +
           " for cloth in metres, so it was scaled to " + metres + ". If you know the unit, choose it:";
  }
  if (loaded.scene.scale != 1)
    return "Its diagonal is " + metres + " (scaled by " + format_plain(loaded.scene.scale, 4) + ").";
  return "Its diagonal is " + metres + ".";
}

}  // namespace

void begin_card(const char* id, const Area& view, ImVec2 pivot, float width, ImU32 edge) {
  const float margin = units(14);
  width = std::min(width, view.width - 2 * margin);
  const ImVec2 at(view.x + margin + pivot.x * (view.width - 2 * margin),
                  view.y + margin + pivot.y * (view.height - 2 * margin));
  ImGui::SetNextWindowPos(at, ImGuiCond_Always, pivot);
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0),
                                      ImVec2(width, std::max(view.height - 2 * margin, units(40))));
  // Opaque: a card may cover the panel's text.
  ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(palette().overlay, 1));
  ImGui::PushStyleColor(ImGuiCol_Border, edge);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(14), units(12)));
  ImGui::Begin(id, nullptr, kCard);
}

void end_card() {
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
}

void card_heading(ImU32 colour, const std::string& text) {
  ImGui::PushFont(fonts().heading);
  coloured_text(colour, shortened(text, ImGui::GetContentRegionAvail().x));
  ImGui::PopFont();
}

void card_text(const std::string& text) { wrapped_text(text); }

void mesh_report(const PanelContext& context) {
  const LoadedScene& loaded = *context.snapshot.loaded;
  card_text(report_text(loaded));
  small_text(size_text(loaded));
  if (!std::holds_alternative<FileSource>(loaded.scene.mesh)) return;
  struct Row {
    UnitChoice units;
    double scale;  // 0: no fixed one
    const char* label;
    const char* help;
  };
  constexpr Row kRows[] = {
      {UnitChoice::fit, 0, "fit", "Scale a mesh whose diagonal lies outside 0.2 to 5 m to 1.5 m."},
      {UnitChoice::metres, 1, "m (as is)", "One unit of the file is one metre."},
      {UnitChoice::centimetres, 0.01, "cm", "One unit of the file is one centimetre."},
      {UnitChoice::millimetres, 0.001, "mm", "One unit of the file is one millimetre."},
  };
  ImGui::AlignTextToFramePadding();
  plain_text("Unit");
  for (const Row& row : kRows) {
    const bool active =
        row.units == UnitChoice::fit ? loaded.fitted : !loaded.fitted && loaded.scene.scale == row.scale;
    if (row_button("unit-" + std::string(row.label), row.label, row.help, active))
      context.request(ReloadMesh{row.units, loaded.scene.z_up});
  }
  next_in_row(text_width("z is up") + ImGui::GetFrameHeight() + units(8));
  bool z_up = loaded.scene.z_up;
  if (check_item("z-up", "z is up", z_up,
                 "The file was written with z upwards (CAD programs, Blender's own axes): turn it upright."))
    context.request(ReloadMesh{loaded.fitted ? UnitChoice::fit : UnitChoice::as_is, z_up});
}

void edge_overlay(std::span<const ImVec2> line, bool closed, bool under_mouse, const Area& view) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->PushClipRect(ImVec2(view.x, view.y), ImVec2(view.x + view.width, view.y + view.height));
  const float width = units(under_mouse ? 4 : 2);
  std::vector<ImVec2> points(line.begin(), line.end());
  if (closed && !points.empty()) points.push_back(points.front());
  const auto stroke = [&](ImU32 colour, float wide) { draw_without_spikes(*draw, points, colour, wide); };
  // Visible on cloth of any colour.
  stroke(with_alpha(palette().overlay, 0.6F), width + units(2));
  stroke(palette().careful, width);
  draw->PopClipRect();
}

void trail_overlay(const std::vector<ImVec2>& way, ImVec2 at, ImU32 colour, const Area& view) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->PushClipRect(ImVec2(view.x, view.y), ImVec2(view.x + view.width, view.y + view.height));
  // Visible on cloth of any colour.
  const ImU32 rim = with_alpha(palette().overlay, 0.6F);
  if (way.size() > 1)
    for (const auto& [stroke, width] : {std::pair(rim, units(4)), std::pair(colour, units(2))})
      draw_without_spikes(*draw, way, stroke, width);
  draw->AddCircleFilled(at, units(5), rim);
  draw->AddCircleFilled(at, units(4), colour);
  item_rects()["followed"] = {at.x, at.y, at.x, at.y};
  draw->PopClipRect();
}

void failure_overlay(ImVec2 from, ImVec2 to, const Area& view) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->PushClipRect(ImVec2(view.x, view.y), ImVec2(view.x + view.width, view.y + view.height));
  const ImVec2 middle((from.x + to.x) / 2, (from.y + to.y) / 2);
  const float half = std::hypot(to.x - from.x, to.y - from.y) / 2;
  const float radius = std::clamp(half + units(6), units(12), units(60));
  const ImU32 rim = with_alpha(palette().overlay, 0.7F);
  for (const auto& [colour, width] : {std::pair(rim, units(5)), std::pair(palette().failed, units(3))}) {
    draw->AddLine(from, to, colour, width);
    draw->AddCircle(middle, radius, colour, 0, width);
  }
  item_rects()["failed-spring"] = {middle.x, middle.y, middle.x, middle.y};
  draw->PopClipRect();
}

void part_overlay(std::size_t number, ImVec2 at, const Area& view) {
  const std::string text = "Part " + format_count(number);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), pad(units(6), units(2));
  // Within the view, where the part may not be.
  const float x = std::clamp(at.x - size.x / 2, view.x + pad.x, view.x + view.width - size.x - pad.x);
  const float y = std::clamp(at.y + units(10), view.y + pad.y, view.y + view.height - size.y - pad.y);
  const ImVec2 low(x - pad.x, y - pad.y), high(x + size.x + pad.x, y + size.y + pad.y);
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->AddRectFilled(low, high, with_alpha(palette().overlay, 0.85F), units(4));
  draw->AddText(ImVec2(x, y), palette().careful, text.c_str());
  item_rects()[text] = ImVec4(low.x, low.y, high.x, high.y);
}

void begin_fixed(const char* id, const Area& area, ImVec2 padding, ImGuiWindowFlags flags) {
  ImGui::SetNextWindowPos(ImVec2(area.x, area.y));
  ImGui::SetNextWindowSize(ImVec2(std::max(area.width, 1.0F), std::max(area.height, 1.0F)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::Begin(id, nullptr, flags);
}

void end_fixed() {
  ImGui::End();
  ImGui::PopStyleVar(4);
}

void selection_overlay(const Area& box) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  const ImVec2 low(box.x, box.y), high(box.x + box.width, box.y + box.height);
  draw->AddRectFilled(low, high, with_alpha(palette().accent, 0.16F));
  draw->AddRect(low, high, palette().accent, 0, 0, std::max(1.0F, units(1)));
}

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
