// SPDX-License-Identifier: MIT
#include "ui/lanes.h"

#include <algorithm>
#include <array>

#include "integrate/registry.h"
#include "sim/contact.h"
#include "sim/parameters.h"
#include "ui/readings.h"
#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

// Near the colours in files (chart/dash.h), but readable on the panel and told apart with every colour
// blindness.
struct LaneColours {
  Rgb dark, light;
};
constexpr std::array<LaneColours, kMostLanes> kLaneColours{{
    {{0, 114, 178}, {0, 114, 178}},
    {{212, 94, 0}, {188, 44, 5}},
    {{98, 176, 126}, {59, 157, 99}},
    {{197, 127, 183}, {179, 121, 167}},
    {{234, 163, 10}, {186, 128, 2}},
    {{93, 186, 239}, {1, 81, 113}},
    {{134, 134, 134}, {119, 119, 119}},
    {{150, 95, 84}, {123, 71, 60}},
}};

constexpr float kHead = 24, kFoot = 22, kTileGap = 2;  // [interface units]
// In a narrower tile the foot has two lines: the verdict, and the energy of the method.
constexpr float kLeastOneLineFoot = 380, kFootOfTwoLines = 38;

constexpr std::size_t kMostInOneRow = 3;

LaneTile tile(const LaneSnapshot* lane, const Area& whole) {
  const float head = units(kHead),
              foot = units(whole.width < units(kLeastOneLineFoot) ? kFootOfTwoLines : kFoot);
  return {lane, whole, {whole.x, whole.y + head, whole.width, std::max(whole.height - head - foot, 1.0F)}};
}

bool has_lane(const Snapshot& now, std::size_t row) {
  return std::ranges::any_of(now.lanes(), [&](const LaneSnapshot* lane) { return lane->integrator == row; });
}

}  // namespace

ImU32 lane_colour(LaneId lane) {
  const LaneColours& colours = kLaneColours.at(lane);
  return rgb(&palette() == &palette_of(Theme::light) ? colours.light : colours.dark);
}

void draw_lane_letter(LaneId lane, ImVec2 at, float side, float opacity) {
  const ImU32 colour = lane_colour(lane);
  const std::string text(1, lane_letter(lane));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + side, at.y + side), with_alpha(colour, opacity),
                                            units(4));
  draw_text(ImVec2(at.x + (side - size.x) / 2, at.y + (side - size.y) / 2), readable_on(colour), text);
}

std::string lane_name(const LaneSnapshot& lane) {
  const int substeps = lane.scene().substeps;
  return std::string(1, lane_letter(lane.lane)) + "  " +
         (substeps > 1 ? "÷" + std::to_string(substeps) + " " : "") +
         title_with(shown_method(lane), lane.scene().solver);
}

std::vector<LaneTile> lane_tiles(const Area& view, const Snapshot& now, LaneLayout layout) {
  const std::vector<const LaneSnapshot*> lanes = now.lanes();
  if (lanes.size() == 1) return {{&now, view, view}};
  if (layout != LaneLayout::tiles) return {tile(&now, view)};
  const std::size_t rows = lanes.size() > kMostInOneRow ? 2 : 1, columns = (lanes.size() + rows - 1) / rows;
  const float gap = units(kTileGap);
  const float width = (view.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float height = (view.height - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
  std::vector<LaneTile> tiles;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::size_t line = i / columns;
    const auto column = static_cast<float>(i % columns), row = static_cast<float>(line);
    tiles.push_back(
        tile(lanes[i], {view.x + column * (width + gap), view.y + row * (height + gap), width, height}));
  }
  return tiles;
}

std::size_t contrasting_method(const Snapshot& now) {
  const bool is_explicit = running_method(now).family == IntegratorFamily::explicit_method;
  constexpr std::array<std::string_view, 3> kImplicit{"semi-implicit-euler", "backward-euler",
                                                      "implicit-midpoint"};
  constexpr std::array<std::string_view, 3> kOther{"symplectic-euler", "explicit-euler", "rk4"};
  for (const std::string_view id : is_explicit ? kImplicit : kOther)
    if (!has_lane(now, method_row(id))) return method_row(id);
  return next_new_method(now);
}

std::size_t next_new_method(const Snapshot& now) {
  std::size_t row = method_after(now.integrator, 1);
  const auto is_new = [&] { return !has_lane(now, row) && supports(*now.frame.scene, integrators()[row]); };
  while (!is_new() && row != now.integrator) row = method_after(row, 1);
  return row;
}

namespace {

void noted(const char* part, const LaneSnapshot& lane, ImVec2 at, ImU32 colour, const std::string& text) {
  draw_text(at, colour, text);
  note_text(std::string(part) + lane_letter(lane.lane), text);
}

// Shortened to that width: whole words, or one word cut in the middle.
std::string cut(const std::string& text, float room) {
  const std::string words = first_line(text, room);
  return text_width(words) <= room ? words : shortened(text, room);
}

// Returns the upper edge of the first of so many centred lines of text.
float begin_bar(const char* part, LaneId lane, const Area& area, ImU32 ground, int lines = 1) {
  begin_fixed((std::string("##lane-") + part + lane_letter(lane)).c_str(), area, ImVec2(0, 0));
  ImGui::PushFont(fonts().small);
  ImGui::GetWindowDrawList()->AddRectFilled(area.a(), area.b(), ground);
  return area.y + (area.height - static_cast<float>(lines) * ImGui::GetTextLineHeight()) / 2;
}

void end_bar() {
  ImGui::PopFont();
  end_fixed();
}

// The names of all lanes that are drawn over each other, as many as fit.
void all_names(const PanelContext& context, ImVec2 at, float right) {
  for (const LaneSnapshot* lane : context.snapshot.lanes()) {
    const std::string name = lane_name(*lane);
    if (at.x + text_width(name) > right) return;
    draw_text(at, lane_colour(lane->lane), name);
    at.x += text_width(name) + units(14);
  }
}

// Click: the panels edit this lane; double click: show it alone, or all lanes again.
void choose(const PanelContext& context, LaneId lane, const char* part, ImVec2 size) {
  const std::string name = std::string("lane-") + part + ":" + lane_letter(lane);
  ImGui::SetCursorPos(ImVec2(0, 0));
  if (ImGui::InvisibleButton(name.c_str(), size)) context.select_lane(lane);
  note_item(name);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    context.select_lane(lane);
    context.view.lanes = context.view.lanes == LaneLayout::alone ? LaneLayout::tiles : LaneLayout::alone;
  }
}

void head(const PanelContext& context, const LaneSnapshot& lane, const Area& area) {
  const bool active = lane.lane == context.snapshot.lane;
  const bool overlay = context.view.lanes == LaneLayout::overlay;
  const float top =
      begin_bar("head-", lane.lane, area, active && !overlay ? palette().chosen : palette().panel);
  const ImVec2 a = area.a(), b = area.b();
  const float pad = units(6), side = ImGui::GetTextLineHeight() + units(3);
  draw_lane_letter(lane.lane, ImVec2(a.x + pad, top - units(1.5F)), side);
  const LaneReading now = read_lane(lane);
  const float left = a.x + 2 * pad + side;
  // In a narrow tile the name has priority over the text of the state, and the title over a factor.
  const float room = b.x - left - 2 * pad, usual = text_width("0.00×");
  const auto fits = [&](std::string_view name, float beside) { return text_width(name) + beside <= room; };
  std::string right = now.state;
  if (!overlay && !fits(now.name, text_width(right))) right = now.short_state;
  if (!overlay && right.ends_with("×") && !fits(shown_method(lane).title, usual)) right.clear();
  // At least the usual width, so that the name does not change with the digits.
  const float right_at = b.x - pad - (right.empty() ? 0 : std::max(text_width(right), usual));
  draw_text(ImVec2(b.x - pad - text_width(right), top), now.colour, right);
  if (overlay)
    all_names(context, ImVec2(left, top), right_at - pad);
  else
    noted("lane-head:", lane, ImVec2(left, top), palette().text,
          shortened(now.name, std::max(right_at - left - pad, 0.0F)));
  note_text(std::string("lane-state:") + lane_letter(lane.lane), right);
  choose(context, lane.lane, "head", area.size());
  tooltip(now.help +
          " Click to edit this lane in the panels; double-click to show it alone, or all lanes again.");
  end_bar();
}

void foot(const PanelContext& context, const LaneSnapshot& lane, const Area& area) {
  const bool has_two_lines = area.height > units(kFoot) + 1;
  const float top = begin_bar("foot-", lane.lane, area, palette().panel, has_two_lines ? 2 : 1);
  const ImVec2 a = area.a(), b = area.b();
  const float line = ImGui::GetTextLineHeight(), pad = units(6);
  const LaneReading now = read_lane(lane);
  // The method's share of all energy exchanged: dissipated to the left, gained to the right.
  const float half = units(18), bar_at = b.x - pad - half, second = has_two_lines ? top + line : top;
  const float bar_middle = second + line / 2;
  const float end = bar_at + half * static_cast<float>(now.method_share);
  draw_bar(bar_at - half, bar_at + half, bar_middle, units(3), palette().field, units(2));
  draw_bar(std::min(bar_at, end), std::max(bar_at, end), bar_middle, units(3),
           now.method_share > 0 ? palette().failed : palette().accent);
  ImGui::GetWindowDrawList()->AddLine(ImVec2(bar_at, bar_middle - units(5)),
                                      ImVec2(bar_at, bar_middle + units(5)), palette().muted);
  // The verdict has priority, then its gauge; the energy also has its bar.
  float x = a.x + pad, right = has_two_lines ? b.x - pad : bar_at - half - pad;
  const float gauge = units(40), verdict = text_width(now.verdict);
  if (now.limit_share && x + gauge + pad + verdict <= right) {
    draw_gauge(ImVec2(x, top + line / 2), gauge, *now.limit_share, now.level_colour);
    x += gauge + pad;
  }
  const float room = has_two_lines ? bar_at - half - 2 * pad - a.x : right - x - verdict - 2 * pad;
  std::string energy = "method " + now.method;
  if (const std::string since = energy + ' ' + now.method_since;
      !now.method_since.empty() && text_width(since) <= room)
    energy = since;
  if (has_two_lines) {
    noted("lane-energy:", lane, ImVec2(a.x + pad, second), palette().muted, energy);
  } else if (text_width(energy) <= room) {
    right -= text_width(energy);
    noted("lane-energy:", lane, ImVec2(right, top), palette().muted, energy);
    right -= pad;
  }
  noted("lane-foot:", lane, ImVec2(x, top), now.level_colour, cut(now.verdict, std::max(right - x, 0.0F)));
  choose(context, lane.lane, "foot", area.size());
  tooltip(now.help +
          " The bar on the right is the method's share of all energy exchanged: dissipated to the left, "
          "spurious gain to the right.");
  end_bar();
}

}  // namespace

void lane_frames(const PanelContext& context, const Area& view) {
  if (context.snapshot.others.empty()) return;
  ImDrawList* behind = ImGui::GetBackgroundDrawList();
  for (const LaneTile& tile : lane_tiles(view, context.snapshot, context.view.lanes)) {
    const LaneSnapshot& lane = *tile.lane;
    const Area& cloth = tile.cloth;
    if (lane.frozen || lane.catching_up)
      behind->AddRectFilled(cloth.a(), cloth.b(), with_alpha(palette().panel, 0.45F));
    if (lane.frozen) behind->AddRect(cloth.a(), cloth.b(), palette().failed, 0, 0, units(2));
    head(context, lane, {tile.whole.x, tile.whole.y, tile.whole.width, cloth.y - tile.whole.y});
    const float below = cloth.y + cloth.height;
    foot(context, lane, {tile.whole.x, below, tile.whole.width, tile.whole.y + tile.whole.height - below});
  }
}

}  // namespace clothlab
