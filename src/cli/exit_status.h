#pragma once

namespace clothlab {

// The exit status of cli.md.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFault = 1;          ///< of the program or the system, during the run
inline constexpr int kExitUsage = 2;          ///< usage, bad input, an output that cannot be written
inline constexpr int kExitBlownUp = 3;        ///< the last good state is written
inline constexpr int kExitNotConverged = 4;   ///< some steps did not converge, with --fail-on-nonconvergence
inline constexpr int kExitInterrupted = 130;  ///< Ctrl-C; what was done so far is written

}  // namespace clothlab
