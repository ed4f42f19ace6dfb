// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "experiments/stability_map.h"
#include "io/csv.h"
#include "sim/parameters.h"
#include "ui/instruments/instruments.h"

namespace clothlab {
namespace {

using Verdict = MapNode::Verdict;

constexpr std::size_t kMapSide = MapProgress::kSide;
constexpr float kRoomForDots = 7;       // of a node [interface units]
constexpr float kRoomForMapNames = 60;  // of height, for the name of the axis [interface units]

struct VerdictLook {
  Verdict verdict;
  const char* name;     // in the key
  const char* in_file;  // in the table
  ImU32 Palette::*colour;
};
// In the key from right to left.
constexpr std::array kVerdicts{
    VerdictLook{Verdict::unstable, "grows", "unstable", &Palette::failed},
    VerdictLook{Verdict::unconverged, "not converged", "unconverged", &Palette::careful},
    VerdictLook{Verdict::bounded, "bounded", "bounded", &Palette::accent},
};

const VerdictLook& look_of(Verdict verdict) {
  return *std::ranges::find(kVerdicts, verdict, &VerdictLook::verdict);
}

ImU32 shade_of(Verdict verdict) {
  return verdict == Verdict::unknown ? 0 : with_alpha(palette().*look_of(verdict).colour, 0.45F);
}

/// The largest step of all lanes at which the others are stable with this k_s, and the lane that limits it.
/// Their limits fall as 1/√k_s where it is higher.
std::optional<RealTimeLag::Limit> stable_step(const PanelContext& context, double stiffness) {
  constexpr double kBelowLimit = 0.9;  // which changes as the cloth moves
  std::optional<RealTimeLag::Limit> limit = limit_of_others(context.snapshot);
  if (!limit) return limit;
  const double softer = context.snapshot.frame.scene->material.stretch_scale() / stiffness;
  limit->step *= kBelowLimit * std::sqrt(std::min(1.0, softer));
  return limit;
}

/// The user's scene with this k_s and this h of the active lane: as many substeps as keep the step of all
/// lanes nearest to the original step of the scene, or below the limits of the other lanes, and the step that
/// makes the substep exact.
Scene scene_at(const PanelContext& context, double stiffness, double h) {
  const double own = std::abs(context.snapshot.loaded->scene.dt);
  double parts = std::clamp(std::round(own / h), 1.0, 1000.0);
  if (const auto limit = stable_step(context, stiffness))
    parts = std::clamp(std::floor(limit->step / h), 1.0, parts);
  const ParameterSpec& dt = find_scene_parameter("dt")->spec;
  Scene scene = context.scene();
  scene.material.set_stretch_scale(stiffness);
  scene.substeps = static_cast<int>(parts);
  scene.dt = std::clamp(parts * h, dt.min, dt.max);
  return scene;
}

/// The map covers all of them.
void with_same_stiffness(Scene& then, const Scene& now) {
  then.material.set_stretch_scale(now.material.stretch_scale());
}

std::string words_of_map(const PanelContext& context, const MapProgress& map, bool running) {
  const std::string trials = format_count(map.tried) + " trials";
  if (running) return map.spacing == 0 ? map.under_way : map.under_way + ": " + trials;
  return trials + " from " + origin_of(context, map);
}

std::string csv_of_map(const MapProgress& map) {
  std::string text =
      "stretch_stiffness_N_per_m,h_s,verdict,good_steps,unconverged_steps,newton_per_step,cg_per_step,ms_per_"
      "step,omega_max_rad_per_s,linear_limit_s\n";
  for (std::size_t c = 0; c < kMapSide; ++c)
    for (std::size_t k = 0; k < kMapSide; ++k) {
      const MapNode& node = map.at(c, k);
      if (!node.tried) continue;
      const MapColumn& column = map.columns[c];
      text +=
          format_number(column.stiffness) + ',' + format_number(map.h[k]) + ',' +
          look_of(node.verdict).in_file + ',' +
          csv_row(node.steps, node.unconverged, node.newton_iterations, node.linear_iterations, node.step_ms,
                  column.omega_max, column.limit.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  return text;
}

// Names of the colours, from the right end of the first line; returns their width.
float draw_key(const MapProgress& map, ImVec2 at, float width) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight(), box = std::round(0.6F * line);
  float x = at.x + width - units(8);
  for (const VerdictLook& look : kVerdicts) {
    if (std::ranges::none_of(map.nodes, [&](const MapNode& n) { return n.verdict == look.verdict; }))
      continue;
    x -= text_width(look.name);
    draw->AddText(ImVec2(x, at.y + units(3)), palette().muted, look.name);
    x -= box + units(4);
    const float top = std::round(at.y + units(3) + (line - box) / 2);
    draw->AddRectFilled(ImVec2(x, top), ImVec2(x + box, top + box), shade_of(look.verdict));
    x -= units(10);
  }
  return at.x + width - x;
}

// The area of a node reaches half way to its neighbours; equal nodes above each other are one rectangle. A
// dot marks a trial, if there is room.
void draw_nodes(const Figure& frame, const MapProgress& map) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 a = frame.a(), b = frame.b();
  const float wide = frame.width() / (kMapSide - 1), high = frame.height() / (kMapSide - 1);
  const auto x = [&](std::size_t k) {
    return std::round(std::clamp(a.x + (static_cast<float>(k) - 0.5F) * wide, a.x, b.x));
  };
  const auto y = [&](std::size_t k) {
    return std::round(std::clamp(b.y - (static_cast<float>(k) - 0.5F) * high, a.y, b.y));
  };
  for (std::size_t c = 0; c < kMapSide; ++c)
    for (std::size_t begin = 0, end = 0; begin < kMapSide; begin = end) {
      const Verdict verdict = map.at(c, begin).verdict;
      for (end = begin + 1; end < kMapSide && map.at(c, end).verdict == verdict;) ++end;
      draw->AddRectFilled(ImVec2(x(c), y(end)), ImVec2(x(c + 1), y(begin)), shade_of(verdict));
    }
  if (std::min(wide, high) < units(kRoomForDots)) return;
  for (std::size_t c = 0; c < kMapSide; ++c)
    for (std::size_t k = 0; k < kMapSide; ++k)
      if (map.at(c, k).tried)
        draw->AddCircleFilled(frame.at(map.columns[c].stiffness, map.h[k]), units(1.2F),
                              with_alpha(palette().text, 0.4F), 8);
}

void draw_linear_limit(const Figure& frame, const MapProgress& map) {
  std::vector<ImVec2> points;
  for (const MapColumn& column : map.columns)
    if (column.limit) points.push_back(frame.at(column.stiffness, *column.limit));
  draw_line(points, palette().text, 1.4F, kShortDash);
}

// A ring at the active lane's values, or at the edge if they lie outside.
void draw_ring(const Figure& frame, const Scene& scene) {
  const float x = std::clamp(frame.px(scene.material.stretch_scale()), frame.a().x, frame.b().x);
  const float y = std::clamp(frame.py(std::abs(scene.h())), frame.a().y, frame.b().y);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddCircle(ImVec2(x, y), units(5), palette().overlay, 0, units(4));
  draw->AddCircle(ImVec2(x, y), units(5), palette().text, 0, units(2));
}

std::string words_of_trial(const MapNode& node) {
  const std::string steps = counted(node.steps, "step");
  if (node.verdict == Verdict::unknown) return "Not tried yet.";
  if (!node.tried) return std::string("Not tried: ") + look_of(node.verdict).name + ", like its neighbours.";
  if (node.steps < StabilityMap::kSteps) return "Blew up after " + steps + ".";
  if (node.verdict == Verdict::unstable) return "Its energy grew within " + steps + ".";
  std::string words = "Bounded for " + steps;
  if (node.verdict == Verdict::unconverged)
    words += ", " + format_count(node.unconverged) + " of them not converged";
  return words + ".";
}

std::string words_of_cost(const MapNode& node) {
  std::string words;
  if (node.newton_iterations > 0) words += format_plain(node.newton_iterations) + " Newton iterations, ";
  if (node.linear_iterations > 0) words += format_plain(node.linear_iterations) + " CG iterations, ";
  return words + format_quantity(1e-3 * node.step_ms, "s") + " per step.";
}

/// Why a click there has no effect; empty if it has one.
std::string why_forbidden(const PanelContext& context, double stiffness, double h) {
  const auto limit = stable_step(context, stiffness);
  if (!limit || h <= limit->step) return {};
  return std::string("Lane ") + lane_letter(limit->lane) + " is stable only below " +
         format_quantity(limit->step, "s") + " here: give it more substeps, or freeze it.";
}

std::string words_of_click(const PanelContext& context, double stiffness, double h) {
  if (const std::string why = why_forbidden(context, stiffness, h); !why.empty()) return why;
  const Scene then = scene_at(context, stiffness, h);
  const std::string step = format_quantity(then.dt, "s");
  const std::string parts = counted(static_cast<unsigned>(then.substeps), "substep");
  if (context.snapshot.others.empty()) return "Click: this k_s and this h, " + parts + " of " + step + ".";
  return "Click: this k_s and a step of " + step + " for all lanes, " + parts + " for lane " +
         std::string(1, lane_letter(context.snapshot.lane)) + ".";
}

void tell_node(const PanelContext& context, const Figure& frame, const MapProgress& map, std::size_t c,
               std::size_t k) {
  const MapColumn& column = map.columns[c];
  const MapNode& node = map.at(c, k);
  begin_tooltip_above(frame.a().y - units(4));
  plain_text("h " + format_quantity(map.h[k], "s") + ", k_s " + format_plain(column.stiffness) + " N/m");
  plain_text(words_of_trial(node));
  if (node.tried && node.steps > 0) plain_text(words_of_cost(node));
  if (column.omega_max > 0)
    plain_text("hω_max " + format_plain(map.h[k] * column.omega_max) +
               (column.limit ? "; linear limit of this k_s: h " + format_quantity(*column.limit, "s") : ""));
  coloured_text(palette().muted, words_of_click(context, column.stiffness, map.h[k]));
  ImGui::EndTooltip();
}

std::size_t nearest_node(double share) {
  return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * (kMapSide - 1)));
}

void draw_map(const PanelContext& context, const std::string& name, const MapProgress& map, ImVec2 at,
              ImVec2 size) {
  const Figure frame({"k_s [N/m]", {map.columns.front().stiffness, map.columns.back().stiffness}, true},
                     {"h [s]", {map.h.front(), map.h.back()}, true}, at, size);
  if (!frame.has_room()) return;
  frame.axes();
  frame.begin_clip();
  draw_nodes(frame, map);
  draw_linear_limit(frame, map);
  if (frame.height() > units(kRoomForMapNames)) frame.label(frame.a(), palette().muted, "h [s]");
  frame.end_clip();
  draw_ring(frame, context.scene());
  ImGui::SetCursorScreenPos(frame.a());
  const bool clicked = ImGui::InvisibleButton("##map", ImVec2(frame.width(), frame.height()));
  note_item(name + ":map");
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::size_t c = nearest_node(static_cast<double>((mouse.x - frame.a().x) / frame.width()));
  const std::size_t k = nearest_node(static_cast<double>((frame.b().y - mouse.y) / frame.height()));
  tell_node(context, frame, map, c, k);
  const double stiffness = map.columns[c].stiffness;
  if (clicked && why_forbidden(context, stiffness, map.h[k]).empty())
    context.set_scene(scene_at(context, stiffness, map.h[k]));
}

}  // namespace

void map_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  const bool running = context.map != nullptr && !context.map->done();
  search_button(context, name, Search::Of::map, running,
                "Tries the active lane's method with many h and stretch stiffnesses k_s from the current "
                "state, or from the last good state if a strain exceeds 10 %. It uses copies and one "
                "processor, while the lanes run on.");
  const std::string title(running_method(context.snapshot).title);
  if (context.map == nullptr)
    return draw_empty("Stable steps h of " + title +
                          " over the stretch stiffness, from the current state. A map takes seconds to "
                          "minutes and runs on copies.",
                      at, size);
  const std::shared_ptr<const MapProgress> map = context.map->progress();
  ImGui::SameLine(0, units(4));
  if (has_room_for("CSV", at, size) && text_button(name + ":csv", "CSV", "Save the trials as a table."))
    context.request(SaveTable{"stability-map", csv_of_map(*map)});
  draw_ground(at, size);
  const float key = map->spacing > 0 ? draw_key(*map, at, size.x) : 0;
  const std::string outdated = why_outdated(context, *map, with_same_stiffness);
  const float head = draw_search_head(name, *map, running, words_of_map(context, *map, running), outdated, at,
                                      size.x, size.x - key);
  tooltip((outdated.empty() ? outdated : outdated + "\n\n") + "Shows where trials of " +
          format_count(StabilityMap::kSteps) +
          " steps stay bounded, grow or blow up; a dot marks a trial. Dashed: the limit of linear theory, "
          "measured for every k_s. Ring: the active lane. Click to set h and k_s.");
  if (map->spacing > 0)
    draw_map(context, name, *map, ImVec2(at.x, at.y + head), ImVec2(size.x, size.y - head));
}

}  // namespace clothlab
