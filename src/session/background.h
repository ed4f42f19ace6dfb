// SPDX-License-Identifier: MIT
#pragma once

namespace clothlab {

class WorkerPool;

/// Lowers the priority of the calling thread below the window and the run, where the system supports that.
void work_in_background();

/// Processor time of the calling thread [s], or wall-clock time where the system lacks it: use differences.
double thread_seconds();
/// The same with the pool's other threads (on Linux only), unless the calling thread shares a loop with them.
double pool_seconds(WorkerPool& pool);
/// The same of all threads of the program.
double process_seconds();

}  // namespace clothlab
