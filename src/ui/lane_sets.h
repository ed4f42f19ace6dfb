// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace clothlab {

/// Lanes that show something together, all from the start.
struct LaneSet {
  std::string_view title;
  std::string_view help;
  std::span<const std::string_view> integrators;  ///< ids
};

std::span<const LaneSet> lane_sets();

}  // namespace clothlab
