// SPDX-License-Identifier: MIT
#pragma once

#include "sim/scene.h"

namespace clothlab {

/// The scene of `analyze energy`: a soft undamped strip of 1 m × 0.16 m, fixed at both ends, that begins as
/// an arch with a twist and falls [Ascher 2022, figure 6] (docs/analysis.md).
Scene energy_strip();

}  // namespace clothlab
