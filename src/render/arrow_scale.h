// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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

}  // namespace clothlab
