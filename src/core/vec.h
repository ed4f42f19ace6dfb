// SPDX-License-Identifier: MIT
#pragma once

// The number types of the whole program. State and forces are in double precision; rendering, preconditioners
// and one series convert to float.

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

namespace clothlab {

using vec3 = glm::dvec3;
using mat3 = glm::dmat3;

}  // namespace clothlab
