// SPDX-License-Identifier: MIT
#pragma once

namespace clothlab {

class WorkerPool;

/// Lets the window and the run go first: lowers the priority of the calling thread, where the system knows
/// such a thing of threads.
void work_in_background();

/// Processor time of the calling thread [s], where the system tells it, or else wall-clock time: differences
/// count.
double thread_seconds();
/// The same with the pool's other threads, unless the calling thread shares a loop with them. Only on Linux
/// are the others known.
double pool_seconds(WorkerPool& pool);
/// The same of all threads of the program.
double process_seconds();

}  // namespace clothlab
