// SPDX-License-Identifier: MIT
#include "ui/plots/plot_strip.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "integrate/registry.h"
#include "ui/theme.h"
#include "ui/widgets/method_mark.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

constexpr float kLeastPiece = 5;             // [interface units]
constexpr float kStripLine = 4;              // [interface units]
constexpr std::size_t kMostStripNames = 12;  // in the tooltip

bool is_narrow(const StripPiece& piece, int least) { return piece.right - piece.left < least; }

// Every piece gets at least a pixel, taken from its wide neighbours.
void widen_lone_ones(std::vector<StripPiece>& pieces, int width) {
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    StripPiece& piece = pieces[k];
    if (k > 0) piece.left = std::max(piece.left, pieces[k - 1].right);
    piece.left = std::min(piece.left, width - 1);
    piece.right = std::max(piece.right, piece.left + 1);
    if (k > 0) pieces[k - 1].right = std::min(pieces[k - 1].right, piece.left);
  }
}

// The stretches of the pieces, the one at `pointed` among them and set off.
void name_stretches(const std::vector<PlotStretch>& stretches, const std::vector<StripPiece>& pieces,
                    double pointed, float above) {
  const std::size_t begin = pieces.front().first, end = pieces.back().last + 1;
  std::size_t at = begin;
  while (at + 1 < end && stretches[at].x1 <= pointed) ++at;
  const std::size_t shown = std::min(end - begin, kMostStripNames);
  const std::size_t first = std::clamp(at - std::min(at, shown / 2), begin, end - shown);
  const auto more = [](std::size_t count, const char* where) {
    if (count > 0) ImGui::TextDisabled("%zu %s", count, where);
  };
  begin_tooltip_above(above);
  more(first - begin, "before");
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(units(5), units(1)));
  if (ImGui::BeginTable("##stretches", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoHostExtendX)) {
    for (std::size_t k = first; k < first + shown; ++k) {
      const PlotStretch& stretch = stretches[k];
      const auto cell = [](const std::string& text, ImU32 colour) {
        ImGui::TableNextColumn();
        coloured_text(colour, text);
      };
      const ImU32 colour = k == at ? palette().text : palette().muted;
      ImGui::TableNextColumn();
      draw_method_mark(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), stretch.method);
      ImGui::Dummy(method_mark_size());
      cell(std::string(integrators()[stretch.method].title), colour);
      cell(format_plain(stretch.x0, 4) + " s to " + format_plain(stretch.x1, 4) + " s", colour);
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  more(end - first - shown, "after");
  ImGui::EndTooltip();
}

}  // namespace

std::vector<StripPiece> strip_pieces(const std::vector<PlotStretch>& stretches, const Axis& x, int width,
                                     int least) {
  std::vector<StripPiece> pieces;
  const AxisRange seen = x.range();
  const auto pixel = [&](double value) {
    return static_cast<int>(std::lround(std::clamp(x.position(value), 0.0, 1.0) * width));
  };
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    if (stretches[k].x1 < seen.low || stretches[k].x0 > seen.high) continue;
    const StripPiece piece{pixel(stretches[k].x0), pixel(stretches[k].x1), k, k};
    const bool merges = !pieces.empty() && is_narrow(piece, least) &&
                        (pieces.back().merged() || is_narrow(pieces.back(), least));
    if (merges) {
      pieces.back().right = piece.right;
      pieces.back().last = k;
    } else {
      pieces.push_back(piece);
    }
  }
  widen_lone_ones(pieces, width);
  return pieces;
}

ImU32 colour_of(const StripPiece& piece, const std::vector<PlotStretch>& stretches) {
  return piece.merged() ? palette().muted : integrator_colour(stretches[piece.first].method);
}

std::vector<StripPiece> draw_strip(const std::string& name, const std::vector<PlotStretch>& stretches,
                                   const Axis& x, ImVec2 at, ImVec2 size) {
  std::vector<StripPiece> pieces =
      strip_pieces(stretches, x, static_cast<int>(size.x), static_cast<int>(units(kLeastPiece)));
  if (pieces.empty()) return pieces;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 mark = method_mark_size();
  const float line = std::round(std::min(size.y, units(kStripLine)));
  const float top = std::round(at.y + (size.y - line) / 2);
  for (const StripPiece& piece : pieces) {
    const auto left = at.x + static_cast<float>(piece.left), right = at.x + static_cast<float>(piece.right);
    draw->AddRectFilled(ImVec2(left, top), ImVec2(right, top + line), colour_of(piece, stretches));
    if (piece.has_room_for(mark.x) && mark.y <= size.y)
      draw_method_mark(draw, ImVec2(std::round((left + right - mark.x) / 2), at.y + (size.y - mark.y) / 2),
                       stretches[piece.first].method);
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("##strip", size);
  note_item(name);
  if (ImGui::IsItemHovered())
    name_stretches(stretches, pieces,
                   x.value(static_cast<double>((ImGui::GetIO().MousePos.x - at.x) / size.x)),
                   at.y - units(4));
  return pieces;
}

}  // namespace clothlab
