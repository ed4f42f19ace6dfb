// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace clothlab {

/// Answers whether to give up. Long loops poll it (each CG iteration, each Newton iteration, each
/// chunk of a load); an empty probe never stops. Nothing below the runtime layer knows why.
using StopProbe = std::function<bool()>;

inline bool stop_requested(const StopProbe& probe) { return probe && probe(); }

}  // namespace clothlab
