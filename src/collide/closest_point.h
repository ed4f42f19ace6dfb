// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "core/vec.h"

namespace clothlab {

/// Weights of the corners a, b, c in the point of their triangle that is closest to p: not negative, with
/// sum 1. In a triangle without area a closest point of its longest edge.
vec3 closest_on_triangle(const vec3& p, const vec3& a, const vec3& b, const vec3& c);

/// Shares of b and of d, from 0 to 1, in the closest points of the segments from a to b and from c to d; for
/// parallel segments of one such pair.
std::array<double, 2> closest_on_segments(const vec3& a, const vec3& b, const vec3& c, const vec3& d);

}  // namespace clothlab
