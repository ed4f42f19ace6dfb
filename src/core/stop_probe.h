// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace clothlab {

/// Returns true if cancellation is requested. Long loops poll it (each CG iteration, each Newton iteration,
/// each chunk of a load); an empty probe never requests it.
using StopProbe = std::function<bool()>;

inline bool stop_requested(const StopProbe& probe) { return probe && probe(); }

}  // namespace clothlab
