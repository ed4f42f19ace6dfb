// SPDX-License-Identifier: MIT
#pragma once

// The number types of the whole program. State and forces are in double precision; rendering, preconditioners
// and one series convert to float.

#include <cmath>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

namespace clothlab {

using vec3 = glm::dvec3;
using mat3 = glm::dmat3;

inline bool is_finite(const vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// √(a² + b²) with the same bits on every machine. std::hypot has other ones where the C library fuses
/// operations.
inline double root_of_squares(double a, double b) { return std::sqrt(a * a + b * b); }

}  // namespace clothlab
