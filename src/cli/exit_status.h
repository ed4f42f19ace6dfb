// SPDX-License-Identifier: MIT
#pragma once

namespace clothlab {

// The exit status (docs/command-line.md).
inline constexpr int kExitDone = 0;
inline constexpr int kExitFault = 1;         ///< of the program or the system, during the run
inline constexpr int kExitUsage = 2;         ///< usage, bad input, an output that cannot be written
inline constexpr int kExitBlownUp = 3;       ///< the last good state is written
inline constexpr int kExitNotConverged = 4;  ///< some steps did not converge, with --fail-on-nonconvergence
// After Ctrl-C or SIGTERM, with what was done so far written: Interrupt::exit_status().

}  // namespace clothlab
