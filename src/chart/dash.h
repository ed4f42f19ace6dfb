// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "core/image.h"
#include "core/lane_id.h"

namespace clothlab {

/// Lengths of dash and gap in the units of the drawing; without a dash the line is solid.
struct Dash {
  double on = 0;
  double off = 0;

  bool whole() const { return on == 0; }
  Dash scaled(double factor) const { return {factor * on, factor * off}; }
  bool operator==(const Dash&) const = default;
};

struct ChartPoint {
  double x = 0, y = 0;
};

/// A rectangle; y downwards.
struct ChartBox {
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// The part [first, last] of the segment from a to b, in lengths from a, that lies in the box; may be empty.
inline std::pair<double, double> part_within(ChartPoint a, ChartPoint b, double length, const ChartBox& box) {
  double first = 0, last = length;
  const auto keep_between = [&](double from, double to, double low, double high) {
    const double slope = (to - from) / length;
    if (slope == 0) {
      if (from < low || from > high) last = first;
      return;
    }
    const double enter = ((slope > 0 ? low : high) - from) / slope;
    const double leave = ((slope > 0 ? high : low) - from) / slope;
    first = std::max(first, enter);
    last = std::max(first, std::min(last, leave));
  };
  if (length > 0) {
    keep_between(a.x, b.x, box.left, box.right);
    keep_between(a.y, b.y, box.top, box.bottom);
  }
  return {first, last};
}

/// Calls draw(from, to) for every dash of the line through the points within the box, in order. A zoomed
/// curve reaches far out of it.
template <class Draw>
void for_dashes(std::span<const ChartPoint> points, const Dash& dash, const ChartBox& box, const Draw& draw) {
  const double period = dash.on + dash.off;
  double along = 0;  // of the period
  for (std::size_t k = 1; k < points.size(); ++k) {
    const ChartPoint a = points[k - 1], b = points[k];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const auto at = [&](double s) {
      return ChartPoint{a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length};
    };
    const auto [first, last] = part_within(a, b, length, box);
    along = std::fmod(along + first, period);
    for (double s = first; s < last;) {
      const bool drawn = along < dash.on;
      const double end = std::min(last, s + std::max((drawn ? dash.on : period) - along, 0.5));
      if (drawn) draw(at(s), at(end));
      along += end - s;
      if (along >= period) along = 0;
      s = end;
    }
    along = std::fmod(along + (length - last), period);
  }
}

/// How curves of a lane look: colours of Okabe and Ito, which colour-blind readers can tell apart on dark and
/// on light ground, without their yellow and black; and a dash of its own for print without colour.
struct LaneStyle {
  Rgb colour;
  Dash dash;  ///< [pixel]
};

/// Lanes A to H.
inline constexpr std::array<LaneStyle, kMostLanes> kLaneStyles{{
    {{0, 114, 178}, {}},
    {{213, 94, 0}, {12, 4}},
    {{0, 158, 115}, {4, 4}},
    {{204, 121, 167}, {18, 6}},
    {{230, 159, 0}, {8, 8}},
    {{86, 180, 233}, {2, 5}},
    {{127, 127, 127}, {24, 4}},
    {{140, 86, 75}, {4, 10}},
}};

}  // namespace clothlab
