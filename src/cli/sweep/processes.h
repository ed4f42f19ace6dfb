// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace clothlab {

/// "killed by signal 9 (Killed)." for the status of a process that ended without a result.
std::string failure_text(int status);

/// Calls `work` for each of `tasks` tasks in a process of its own, `at_once` of them at a time, and `ended`
/// in this process when one has ended: with the value of `work`, or 128 and the number of the signal that
/// ended it. On Ctrl-C starts no more and passes the signal on. The processes end with this one (on Linux).
/// This process may have no other thread. Without fork() (Windows) `work` runs in this process.
/// Throws SystemError, and what `ended` throws.
void run_processes(std::size_t tasks, int at_once, const std::function<int(std::size_t task)>& work,
                   const std::function<void(std::size_t task, int status)>& ended);

}  // namespace clothlab
