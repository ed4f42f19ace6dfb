// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "core/vec.h"

namespace clothlab {

inline bool is_finite(const vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace clothlab
