// SPDX-License-Identifier: MIT
#pragma once

#include "core/stop_probe.h"
#include "core/worker_pool.h"

namespace clothlab {

inline const StopProbe kNeverStop;

/// What each call of a computation receives: the threads that share it and the probe that cancels it.
struct ComputeContext {
  WorkerPool& pool;
  const StopProbe& stop = kNeverStop;
};

}  // namespace clothlab
