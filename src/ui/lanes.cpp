// SPDX-License-Identifier: MIT
#include "ui/lanes.h"

#include <algorithm>
#include <array>

#include "chart/lane_style.h"
#include "integrate/registry.h"
#include "sim/contact.h"
#include "ui/lane_reading.h"
#include "ui/theme.h"
#include "ui/widgets/method_mark.h"

namespace clothlab {
namespace {

constexpr float kHead = 24, kFoot = 22, kTileGap = 2;  // [interface units]

struct Tiling {
  int columns = 1, rows = 1;
};
// By number of lanes.
constexpr std::array<Tiling, kMostLanes + 1> kTilings{
    {{1, 1}, {1, 1}, {2, 1}, {3, 1}, {2, 2}, {3, 2}, {3, 2}, {4, 2}, {4, 2}}};

LaneTile tile(LaneId lane, const Area& whole) {
  const float head = units(kHead), foot = units(kFoot);
  return {lane, whole, {whole.x, whole.y + head, whole.width, std::max(whole.height - head - foot, 1.0F)}};
}

bool has_lane(const Snapshot& now, std::size_t row) {
  return std::ranges::any_of(now.lanes(), [&](const LaneSnapshot* lane) { return lane->integrator == row; });
}

}  // namespace

ImU32 lane_colour(LaneId lane) {
  const ImU32 colour = rgb(kLaneStyles[lane].colour);
  // Half way to black or white, where the panel is too near.
  if (contrast(colour, palette().panel) >= 3) return colour;
  Rgb mixed = rgb_of(colour);
  const Rgb text = rgb_of(readable_on(palette().panel));
  for (std::size_t c = 0; c < mixed.size(); ++c)
    mixed[c] = static_cast<std::uint8_t>((2 * mixed[c] + text[c]) / 3);
  return rgb(mixed);
}

std::string lane_name(const LaneSnapshot& lane) {
  const int substeps = lane.scene().substeps;
  return std::string(1, lane_letter(lane.lane)) + "  " +
         (substeps > 1 ? "÷" + std::to_string(substeps) + " " : "") + std::string(shown_method(lane).title);
}

std::vector<LaneTile> lane_tiles(const Area& view, const Snapshot& now, LaneLayout layout) {
  const std::vector<const LaneSnapshot*> lanes = now.lanes();
  if (lanes.size() == 1) return {{now.lane, view, view}};
  if (layout != LaneLayout::tiles) return {tile(now.lane, view)};
  const auto [columns, rows] = kTilings[lanes.size()];
  const float gap = units(kTileGap);
  const float width = (view.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float height = (view.height - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
  std::vector<LaneTile> tiles;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(columns);
    const auto column = static_cast<float>(i % static_cast<std::size_t>(columns));
    const auto line = static_cast<float>(row);
    tiles.push_back(tile(lanes[i]->lane,
                         {view.x + column * (width + gap), view.y + line * (height + gap), width, height}));
  }
  return tiles;
}

std::size_t contrasting_method(const Snapshot& now) {
  const bool is_explicit = integrators()[now.integrator].family == IntegratorFamily::explicit_method;
  constexpr std::array<std::string_view, 3> kImplicit{"semi-implicit-euler", "backward-euler",
                                                      "implicit-midpoint"};
  constexpr std::array<std::string_view, 3> kOther{"symplectic-euler", "explicit-euler", "rk4"};
  for (const std::string_view id : is_explicit ? kImplicit : kOther)
    if (!has_lane(now, method_row(id))) return method_row(id);
  return next_new_method(now);
}

std::size_t next_new_method(const Snapshot& now) {
  std::size_t row = method_after(now.integrator, 1);
  const auto is_new = [&] {
    return !has_lane(now, row) && has_place_for(*now.frame.scene, integrators()[row]);
  };
  while (!is_new() && row != now.integrator) row = method_after(row, 1);
  return row;
}

}  // namespace clothlab
