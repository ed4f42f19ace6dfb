// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <glm/vec3.hpp>

namespace clothlab {

/// Entries of the strain colours, evenly spaced from no strain to ViewOptions::heat_max_strain.
inline constexpr std::size_t kHeatColours = 256;

/// The strain colours as sRGB values in [0, 1], from deep blue by magenta and orange to pale yellow: in Oklab
/// [Ottosson 2020] lightness rises evenly along them, so that equal differences of strain look equal and the
/// order survives every colour blindness and a grey print. The cloth and the legend share them.
const std::array<glm::vec3, kHeatColours>& heat_colours();

/// The colour at t, clamped to [0, 1]; the first one for NaN.
glm::vec3 heat_colour(double t);

}  // namespace clothlab
