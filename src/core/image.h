// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace clothlab {

using Rgb = std::array<std::uint8_t, 3>;

/// Rows of 8-bit RGBA from the top.
struct Image {
  int width = 0;   ///< [pixel]
  int height = 0;  ///< [pixel]
  std::vector<std::uint8_t> rgba;
};

}  // namespace clothlab
