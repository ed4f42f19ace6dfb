// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace clothlab {

/// The number of a lane, 0 to kMostLanes − 1; users read it as a letter, A to H.
using LaneId = std::size_t;
inline constexpr std::size_t kMostLanes = 8;
inline char lane_letter(LaneId lane) { return static_cast<char>('A' + lane); }

}  // namespace clothlab
