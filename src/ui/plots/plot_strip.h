// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <cstddef>
#include <string>
#include <vector>

#include "chart/axis.h"

namespace clothlab {

/// An interval of x with one method.
struct PlotStretch {
  double x0 = 0;
  double x1 = 0;
  std::size_t method = 0;  ///< its row in integrators()
};

/// A piece of the strip: one stretch, or several that are too narrow to be told apart.
struct StripPiece {
  int left = 0, right = 0;          ///< [px] from the strip's left end
  std::size_t first = 0, last = 0;  ///< the stretches, both ends included
  bool merged() const { return first != last; }
  /// Whether a mark of that width [px] has room on it.
  bool has_room_for(float mark) const { return !merged() && mark <= static_cast<float>(right - left); }
};

/// Divides a strip of `width` pixels, which lies along x, among the visible stretches, ascending. The pieces
/// never overlap. A stretch narrower than `least` pixels is merged with such neighbours; alone it has at
/// least one pixel.
std::vector<StripPiece> strip_pieces(const std::vector<PlotStretch>& stretches, const Axis& x, int width,
                                     int least);
/// The method's colour, or that of merged ones.
ImU32 colour_of(const StripPiece& piece, const std::vector<PlotStretch>& stretches);

/// Draws the strip into the given size at `at`: the methods' marks on lines of their colours. The tooltip
/// names all visible stretches. Its rectangle is noted under `name`. Returns the pieces.
std::vector<StripPiece> draw_strip(const std::string& name, const std::vector<PlotStretch>& stretches,
                                   const Axis& x, ImVec2 at, ImVec2 size);

}  // namespace clothlab
