// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <glm/vec2.hpp>
#include <span>

namespace clothlab::test {

/// Four states (x, v/ω) of one oscillator, one step apart.
using FourStates = std::array<glm::dvec2, 4>;

/// A step with a history as a linear map on w_k = (u_k, u_{k−1}), which holds the memory of every method
/// here, fitted to two runs from different starts. Without a history the w lie in a plane; then the map on
/// that plane is fitted, and `rank` is 2. Values below `threshold` count as rounding.
struct FittedStep {
  double radius;  ///< spectral
  int rank;
};
FittedStep fitted_step(std::span<const FourStates, 2> runs, double threshold);

}  // namespace clothlab::test
