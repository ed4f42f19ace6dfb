// SPDX-License-Identifier: MIT
#pragma once

#include "core/stop_probe.h"
#include "core/worker_pool.h"

namespace clothlab {

inline const StopProbe kNeverStop;

/// What a computation is lent for the time of a call: the threads that share it and the probe that ends it.
struct ComputeContext {
  WorkerPool& pool;
  const StopProbe& stop = kNeverStop;
};

}  // namespace clothlab
