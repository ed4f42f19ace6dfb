// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <glm/vec3.hpp>
#include <span>

#include "core/vec.h"

namespace clothlab {

/// Scale of arrows for velocities or forces: round numbers that suit most of them, changed only when they no
/// longer suit.
class ArrowScale {
 public:
  /// Adapts to the arrows of a frame on a mesh of this diagonal [m]. Values below `least` are not enlarged:
  /// noise at rest stays small.
  void update(std::span<const vec3> values, double diagonal, double least);

  double length() const { return length_; }  ///< 1, 0.1, 0.01 … m
  double value() const { return value_; }    ///< value of that length; 0 before update()
  /// Metres per unit; 0 before update().
  double metres_per_unit() const { return value_ > 0 ? length_ / value_ : 0; }

 private:
  double length_ = 0;
  double value_ = 0;
};

/// Stride between particles with arrows, so that there are at most some thousand.
std::size_t arrow_stride(std::size_t particles);

/// Entries of the strain colours, evenly spaced from no strain to ViewOptions::heat_max_strain.
inline constexpr std::size_t kHeatColours = 256;

/// The strain colours as sRGB values in [0, 1], from deep blue by magenta and orange to pale yellow: in Oklab
/// [Ottosson 2020] lightness rises evenly along them, so that equal differences of strain look equal and the
/// order survives every colour blindness and a grey print. The cloth and the legend share them.
const std::array<glm::vec3, kHeatColours>& heat_colours();

/// The colour at t, clamped to [0, 1]; the first one for NaN.
glm::vec3 heat_colour(double t);

}  // namespace clothlab
