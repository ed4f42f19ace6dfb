// SPDX-License-Identifier: MIT
#pragma once

#include "core/vec.h"

namespace clothlab {

/// Weights of the corners a, b, c in the point of their triangle that is nearest to p: none negative, their
/// sum is 1. Of a triangle without area a point of its longest edge that is nearest.
vec3 closest_on_triangle(const vec3& p, const vec3& a, const vec3& b, const vec3& c);

}  // namespace clothlab
