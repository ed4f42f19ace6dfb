// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "chart/dash.h"
#include "core/image.h"
#include "core/lane_id.h"

namespace clothlab {

/// How curves of a lane look: colours of Okabe and Ito, which colour-blind eyes tell apart on dark and on
/// light ground, without their yellow and black; and a dash of its own for print without colour.
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
