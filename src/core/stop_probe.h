// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace clothlab {

/// Returns whether to stop. Long loops poll it (each CG iteration, each Newton iteration, each chunk of a
/// load); an empty probe never stops.
using StopProbe = std::function<bool()>;

inline bool stop_requested(const StopProbe& probe) { return probe && probe(); }

}  // namespace clothlab
