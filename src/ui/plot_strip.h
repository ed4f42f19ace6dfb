#pragma once

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ui/plot_axes.h"

namespace clothlab {

/// A stretch of the x axis in which one method was at work.
struct PlotStretch {
  double x0 = 0;
  double x1 = 0;
  ImU32 colour = 0;
  std::string letters;  ///< of the method, where its name has no room
  std::string name;
};

/// A part of the strip that shows stretches: one of them, or several that are too narrow to be told apart.
struct StripPiece {
  int left = 0, right = 0;          ///< [px] from the strip's left end
  std::size_t first = 0, last = 0;  ///< the stretches, both ends included
  std::string text;                 ///< its letters; empty where they have no room
  bool merged() const { return first != last; }
};

/// Divides a strip of `width` pixels, which lies along x, among the stretches in sight, ascending. The pieces
/// never overlap, and no text is wider than its piece. A stretch narrower than `least` pixels is merged with
/// such neighbours; alone it has at least one pixel.
std::vector<StripPiece> strip_pieces(const std::vector<PlotStretch>& stretches, const PlotAxis& x, int width,
                                     int least, const std::function<float(const std::string&)>& text_width);

/// Draws the strip into the given size at `at`: letters on the methods' colours. Pointing at it names all
/// stretches in sight. Its rectangle is noted under `name`. Answers with the pieces.
std::vector<StripPiece> draw_strip(const std::string& name, const std::vector<PlotStretch>& stretches,
                                   const PlotAxis& x, ImVec2 at, ImVec2 size);

}  // namespace clothlab
