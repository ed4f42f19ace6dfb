// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "core/vec.h"

namespace clothlab {

/// Weights of the corners a, b, c in the point of their triangle that is nearest to p: none negative, their
/// sum is 1. Of a triangle without area a point of its longest edge that is nearest.
vec3 closest_on_triangle(const vec3& p, const vec3& a, const vec3& b, const vec3& c);

/// Shares of b and of d in the points of the segments from a to b and from c to d that are nearest to each
/// other; of parallel ones in two such points. Both from 0 to 1.
std::array<double, 2> closest_on_segments(const vec3& a, const vec3& b, const vec3& c, const vec3& d);

}  // namespace clothlab
