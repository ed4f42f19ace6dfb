// SPDX-License-Identifier: MIT
#include "ui/overlays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "core/text.h"
#include "core/text_file.h"
#include "mesh/cloth_mesh.h"
#include "ui/lanes.h"
#include "ui/plots/figure.h"
#include "ui/theme.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/parameter_row.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

// The report as sentences, without counts of 0.
std::string report_text(const LoadedScene& loaded) {
  const ClothMesh& mesh = *loaded.mesh;
  const MeshReport& found = mesh.report;
  std::string text = counted(mesh.positions.size(), "particle") + ", " +
                     counted(mesh.stretch_springs.size(), "stretch spring") + " and " +
                     counted(mesh.bend_springs.size(), "bending spring") + ".";
  const bool has_surface = mesh.triangles.size() > found.degenerate_triangles;
  if (has_surface)
    text = counted(mesh.source->vertices.size(), "vertex", "vertices") + " and " +
           counted(mesh.source->face_count(), "face") + " became " + text;
  std::string notes;
  const auto note = [&](const std::string& what) { notes += (notes.empty() ? " " : ", ") + what; };
  if (found.welded > 0) note(format_count(found.welded) + " welded at seams");
  if (found.unused_vertices > 0) note(counted(found.unused_vertices, "unused vertex", "unused vertices"));
  if (has_surface && found.degenerate_triangles > 0)
    note(counted(found.degenerate_triangles, "degenerate triangle"));
  if (found.merged_faces > 0) note(counted(found.merged_faces, "doubled face") + " merged");
  if (found.dropped_faces > 0) note(counted(found.dropped_faces, "face") + " dropped");
  if (found.dropped_springs > 0) note(counted(found.dropped_springs, "spring") + " dropped");
  if (found.nonmanifold_edges > 0) note(counted(found.nonmanifold_edges, "non-manifold edge"));
  note(counted(mesh.closed.size(), "part"));
  text += notes + ".";
  return text;
}

std::string size_text(const LoadedScene& loaded) {
  const std::string metres = format_plain(loaded.mesh->diagonal) + " m";
  if (loaded.fitted)
    return "Its diagonal is " + format_plain(loaded.file_diagonal) + " units, too " +
           (loaded.file_diagonal > loaded.mesh->diagonal ? "large" : "small") +
           " for cloth in metres, so it was scaled to " + metres + ". If you know the unit, choose it:";
  if (loaded.scene.scale != 1)
    return "Its diagonal is " + metres + " (scaled by " + format_plain(loaded.scene.scale, 4) + ").";
  return "Its diagonal is " + metres + ".";
}

/// Drawings over the view, cut at its edge, with a rim that is visible on cloth of any colour.
struct OverView {
  explicit OverView(const Area& view) { draw->PushClipRect(view.a(), view.b()); }
  ~OverView() { draw->PopClipRect(); }
  OverView(const OverView&) = delete;
  OverView& operator=(const OverView&) = delete;

  /// `width` in interface units.
  void stroke(std::span<const ImVec2> points, ImU32 colour, float width) const {
    draw_without_spikes(*draw, points, rim, units(width + 2));
    draw_without_spikes(*draw, points, colour, units(width));
  }

  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  ImU32 rim = with_alpha(palette().overlay, 0.6F);
};

// The rim of opposite brightness is visible on cloth of any colour.
void ring(ImVec2 at, float radius, ImU32 colour, ImU32 rim) {
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->AddCircle(at, radius, rim, 0, units(4));
  draw->AddCircle(at, radius, colour, 0, units(2));
}

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

void begin_card(const char* id, const std::string& heading, const Area& view, float width, ImU32 edge) {
  const float margin = units(14);
  const ImVec2 pivot(0.5F, 0.42F);
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
  card_heading(heading);
}

void end_card() {
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
}

void card_heading(const std::string& text) {
  ImGui::PushFont(fonts().heading);
  plain_text(shortened(text, ImGui::GetContentRegionAvail().x));
  ImGui::PopFont();
}

void group_choice(const PanelContext& context, const std::string& path, std::optional<std::size_t> obstacle) {
  const MeshGroups groups = context.groups_of ? context.groups_of(path) : MeshGroups();
  if (groups.all.empty()) return;
  const std::string id = obstacle ? "obstacle" + std::to_string(*obstacle + 1) + ":group" : "mesh-group";
  const std::string all = "All " + counted(groups.all.size(), "group");
  std::string now;
  for (const std::string& name : groups.chosen) now += (now.empty() ? "Only " : ", ") + name;
  ImGui::SetNextItemWidth(-1);
  choice_list(
      id, now.empty() ? all : now,
      "Limits the mesh to the faces of a group of its file, such as a figure without helper geometry.", [&] {
        if (list_item(id + ":", all, "", groups.chosen.empty())) context.request(ChooseGroup{obstacle, {}});
        for (const std::string& name : groups.all)
          if (list_item(id + ":" + name, name, "", std::ranges::equal(groups.chosen, std::array{name})))
            context.request(ChooseGroup{obstacle, name});
      });
}

namespace {

void added_meshes(const PanelContext& context) {
  std::vector<AddedMesh> meshes = context.snapshot.loaded->scene.added_meshes;
  const std::vector<AddedMesh> before = meshes;
  for (std::size_t k = 0; k < meshes.size(); ++k) {
    AddedMesh& mesh = meshes[k];
    const std::string id = "added" + std::to_string(k + 1) + ":", name = file_name(path_of(mesh.path));
    ImGui::AlignTextToFramePadding();
    plain_text(name);
    if (row_icon_button(id + "remove", Icon::close,
                        "Remove " + name + " from the cloth, which starts again.")) {
      meshes.erase(meshes.begin() + static_cast<std::ptrdiff_t>(k));
      break;
    }
    if (const auto typed = vector_row((id + "origin").c_str(), "x, y, z",
                                      "The position of the origin of this file. The run starts again.",
                                      mesh.position, kFarthestObstacle, "m"))
      mesh.position = *typed;
    if (const auto typed = vector_row((id + "turn").c_str(), "Turned",
                                      "The rotation vector: its direction is the axis, its length the angle "
                                      "in degrees. The run starts again.",
                                      mesh.turn, kMostTurn, "°"))
      mesh.turn = *typed;
    if (const auto typed = number_row((id + "scale").c_str(), "Scale",
                                      "Multiplies this mesh, in addition to the unit. The run starts again.",
                                      mesh.scale, kMinScale, kMaxScale, 1, ""))
      mesh.scale = *typed;
  }
  if (text_button("add-to-cloth", "Add a mesh to the cloth ...",
                  "Joins an OBJ file to the cloth, in the coordinates of its file, and starts again. You can "
                  "also drop one on the window with Ctrl.",
                  {.enabled = meshes.size() < kMostAddedMeshes && !context.load.running}))
    context.request(ChooseAddedMesh());
  if (meshes != before) context.request(SetAddedMeshes{std::move(meshes)});
}

}  // namespace

void mesh_report(const PanelContext& context) {
  const LoadedScene& loaded = *context.snapshot.loaded;
  wrapped_text(report_text(loaded));
  small_text(size_text(loaded));
  const auto* file = std::get_if<FileSource>(&loaded.scene.mesh);
  if (file != nullptr) group_choice(context, file->path, std::nullopt);
  added_meshes(context);
  if (file == nullptr && loaded.scene.added_meshes.empty()) return;
  struct Row {
    UnitChoice units;
    double scale;  // 0: no fixed one
    const char* label;
    const char* help;
  };
  constexpr Row kRows[] = {
      {UnitChoice::fit, 0, "fit",
       "Scale the mesh to a diagonal of 1.5 m if its diagonal is outside 0.2 to 5 m."},
      {UnitChoice::metres, 1, "m (as is)", "One unit of the file is one metre."},
      {UnitChoice::centimetres, 0.01, "cm", "One unit of the file is one centimetre."},
      {UnitChoice::millimetres, 0.001, "mm", "One unit of the file is one millimetre."},
  };
  ImGui::AlignTextToFramePadding();
  plain_text("Unit");
  for (const Row& row : kRows) {
    const bool active =
        row.units == UnitChoice::fit ? loaded.fitted : !loaded.fitted && loaded.scene.scale == row.scale;
    if (row_button("unit-" + std::string(row.label), row.label, row.help, {.active = active}))
      context.request(ReloadMesh{row.units, loaded.scene.z_up});
  }
  next_in_row(text_width("z is up") + ImGui::GetFrameHeight() + units(8));
  bool z_up = loaded.scene.z_up;
  if (check_item("z-up", "z is up", z_up,
                 "The file has z upwards (CAD programs, Blender's own axes): turn the mesh upright."))
    context.request(ReloadMesh{loaded.fitted ? UnitChoice::fit : UnitChoice::as_is, z_up});
}

void edge_overlay(std::span<const ImVec2> line, bool closed, bool under_mouse, const Area& view) {
  const OverView over(view);
  std::vector<ImVec2> points(line.begin(), line.end());
  if (closed && !points.empty()) points.push_back(points.front());
  over.stroke(points, palette().careful, under_mouse ? 4 : 2);
}

void trail_overlay(const std::vector<ImVec2>& trail, ImVec2 at, ImU32 colour, const Area& view) {
  const OverView over(view);
  if (trail.size() > 1) over.stroke(trail, colour, 2);
  over.draw->AddCircleFilled(at, units(5), over.rim);
  over.draw->AddCircleFilled(at, units(4), colour);
  note_rect("followed", at, at);
}

void failure_overlay(ImVec2 from, ImVec2 to, const Area& view) {
  const OverView over(view);
  const ImVec2 middle((from.x + to.x) / 2, (from.y + to.y) / 2);
  const float half = std::hypot(to.x - from.x, to.y - from.y) / 2;
  const float radius = std::clamp(half + units(6), units(12), units(60));
  for (const auto& [colour, width] : {std::pair(over.rim, units(5)), std::pair(palette().failed, units(3))}) {
    over.draw->AddLine(from, to, colour, width);
    over.draw->AddCircle(middle, radius, colour, 0, width);
  }
  note_rect("failed-spring", middle, middle);
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
  note_rect(text, low, high);
}

void begin_fixed(const char* id, const Area& area, ImVec2 padding, ImGuiWindowFlags flags) {
  ImGui::SetNextWindowPos(area.a());
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
  draw->AddRectFilled(box.a(), box.b(), with_alpha(palette().accent, 0.16F));
  draw->AddRect(box.a(), box.b(), palette().accent, 0, 0, std::max(1.0F, units(1)));
}

void draw_grab_marks(const GrabMarks& marks, const Area& view) {
  const ImU32 colour = rgb(marks.colour), rim = with_alpha(readable_on(colour), 0.5F);
  if (marks.target) {
    ring(marks.target->at, units(marks.target->is_pin ? 10 : 6), colour, rim);
    note_rect("grab-target", marks.target->at, marks.target->at);
  }
  if (marks.particle) ring(*marks.particle, units(3), colour, rim);
  if (!marks.held || marks.held->depth == 0) return;

  // A depth scale next to the cursor: the tick is the plane where the grab began, up is away from the viewer.
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

void view_legend(const PanelContext& context, const Area& view) {
  const ViewSettings& shown = context.view;
  const ViewLegend& legend = context.legend;
  const bool velocities = shown.velocities && legend.velocity.value > 0;
  const bool forces = shown.forces && legend.force.value > 0;
  const bool contacts = shown.contacts && legend.contact.value > 0;
  const Frame& frame = context.snapshot.frame;
  const bool seams = shown.pins && seam_gaps(frame.seams, frame.positions).open > 0;
  const ClothIntersections& crossed = context.snapshot.frame.intersections;
  if (!shown.heat_map && !shown.stretch_springs && !shown.bend_springs && !velocities && !forces &&
      !contacts && !seams && !shown.intersections && crossed.pairs == 0)
    return;
  const float margin = units(14);
  const float top = lane_tiles(view, context.snapshot, shown.lanes).front().cloth.y;  // below the heads
  ImGui::SetNextWindowPos(ImVec2(view.x + view.width - margin, top + margin), ImGuiCond_Always, ImVec2(1, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().overlay);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(units(12), units(9)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(units(8), units(5)));
  ImGui::Begin("##legend", nullptr,
               kCard | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PushFont(fonts().small);
  if (shown.heat_map) heat_scale(context);
  if (shown.stretch_springs) row(legend.stretch_spring, "stretch springs");
  if (shown.bend_springs) row(legend.bend_spring, "bending springs");
  if (velocities) row(legend.velocity.colour, "velocity: " + scale_of(legend.velocity, "m/s"));
  if (forces) row(legend.force.colour, "net force: " + scale_of(legend.force, "N"));
  if (contacts) {
    const std::string text = "sticking contact: " + scale_of(legend.contact, "N");
    note_text("legend:contacts", text);
    row(legend.contact.colour, text);
    row(legend.sliding, "sliding contact");
  }
  if (seams) {
    note_text("legend:seams", "open seams");
    row(legend.seam, "open seams");
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
