// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "core/error.h"

namespace clothlab {

/// The number of a lane, 0 to kMostLanes − 1; users read it as a letter, A to H.
using LaneId = std::size_t;
inline constexpr std::size_t kMostLanes = 8;
inline char lane_letter(LaneId lane) { return static_cast<char>('A' + lane); }

/// Throws InputError if the text is not one letter from A to H.
inline LaneId lane_of_letter(std::string_view text) {
  if (text.size() == 1 && text[0] >= 'A' && text[0] <= lane_letter(kMostLanes - 1))
    return static_cast<LaneId>(text[0] - 'A');
  throw InputError("A lane is one letter from A to H.");
}

}  // namespace clothlab
