// SPDX-License-Identifier: MIT
#pragma once

// Helpers of the camera and picking tests.

#include <limits>

#include "render/camera.h"

namespace clothlab {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline const Pixels kSize{1280, 720};

}  // namespace clothlab
