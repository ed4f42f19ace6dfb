// SPDX-License-Identifier: MIT
#pragma once

#include "core/worker_pool.h"

namespace clothlab {

/// The pool of tests to which the number of threads does not matter.
inline WorkerPool& one_thread() {
  static WorkerPool pool(1);
  return pool;
}

}  // namespace clothlab
