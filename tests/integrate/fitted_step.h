// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <glm/vec2.hpp>
#include <span>

namespace clothlab::test {

/// Four states (x, v/ω) of one oscillator, one step apart.
using FourStates = std::array<glm::dvec2, 4>;

/// A step as a linear map, once it has taken up its history: on w_k = (u_k, u_{k−1}), which holds all that
/// any method here remembers, from two runs that start apart. Methods without history leave the w in a plane;
/// a map on that plane is all that is asked for, and `rank` is then 2. What is below `threshold` is rounding.
struct FittedStep {
  double radius;  ///< spectral
  int rank;
};
FittedStep fitted_step(std::span<const FourStates, 2> runs, double threshold);

}  // namespace clothlab::test
