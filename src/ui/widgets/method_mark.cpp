// SPDX-License-Identifier: MIT
#include "ui/widgets/method_mark.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "integrate/registry.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

// Corners of a family's marks: cut by this share of half the height, straight or round.
struct Corners {
  float cut;
  bool round;
  bool lower;  // the lower two as well
};
Corners corners_of(IntegratorFamily family) {
  switch (family) {
    case IntegratorFamily::explicit_method:
      return {0, false, true};
    case IntegratorFamily::linearly_implicit:
      return {1, true, false};
    case IntegratorFamily::implicit:
      return {1, true, true};
    case IntegratorFamily::exponential:
      return {0.75F, false, false};
    case IntegratorFamily::position_based:
      break;
  }
  return {0.75F, false, true};
}

void add_plate(ImDrawList* draw, ImVec2 a, ImVec2 b, const Corners& corners, ImU32 colour) {
  const float cut = corners.cut * (b.y - a.y) / 2;
  if (corners.round || cut == 0) {
    const ImDrawFlags which = corners.lower ? ImDrawFlags_RoundCornersAll : ImDrawFlags_RoundCornersTop;
    return draw->AddRectFilled(a, b, colour, cut, which);
  }
  const float low = corners.lower ? cut : 0;
  for (const ImVec2 corner :
       {ImVec2(a.x + cut, a.y), ImVec2(b.x - cut, a.y), ImVec2(b.x, a.y + cut), ImVec2(b.x, b.y - low),
        ImVec2(b.x - low, b.y), ImVec2(a.x + low, b.y), ImVec2(a.x, b.y - low), ImVec2(a.x, a.y + cut)})
    draw->PathLineToMergeDuplicate(corner);
  draw->PathFillConvex(colour);
}

}  // namespace

std::span<const std::size_t> methods_by_family() {
  static const std::vector<std::size_t> rows = [] {
    std::vector<std::size_t> all(integrators().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::ranges::stable_sort(all, {}, [](std::size_t row) { return integrators()[row].family; });
    return all;
  }();
  return rows;
}

std::size_t method_row(std::string_view id) {
  return static_cast<std::size_t>(find_integrator(id) - integrators().data());
}

std::size_t method_after(std::size_t row, int steps) {
  const std::span<const std::size_t> rows = methods_by_family();
  const auto count = static_cast<std::ptrdiff_t>(rows.size());
  const std::ptrdiff_t at = std::ranges::find(rows, row) - rows.begin();
  return rows[static_cast<std::size_t>(((at + steps) % count + count) % count)];
}

ImVec2 method_mark_size() {
  // One size for all letters.
  return {std::round(ImGui::GetFontSize() * 1.75F), std::round(ImGui::GetFontSize() * 1.1F)};
}

void draw_method_mark(ImDrawList* draw, ImVec2 at, std::size_t row) {
  const IntegratorInfo& info = integrators()[row];
  const ImU32 colour = integrator_colour(row);
  const ImVec2 size = method_mark_size();
  const float text_size = ImGui::GetFontSize() * 0.85F;
  const std::string letters(info.letters);
  const ImVec2 text = ImGui::GetFont()->CalcTextSizeA(text_size, size.x, 0, letters.c_str());
  add_plate(draw, at, ImVec2(at.x + size.x, at.y + size.y), corners_of(info.family), colour);
  draw->AddText(ImGui::GetFont(), text_size,
                ImVec2(at.x + (size.x - text.x) / 2, at.y + (size.y - text.y) / 2), readable_on(colour),
                letters.c_str());
}

}  // namespace clothlab
