// SPDX-License-Identifier: MIT
#pragma once

#include "core/stop_probe.h"

namespace clothlab {

// The exit status (docs/command-line.md).
inline constexpr int kExitDone = 0;
inline constexpr int kExitFault = 1;         ///< of the program or the system, during the run
inline constexpr int kExitUsage = 2;         ///< usage, bad input, an output that cannot be written
inline constexpr int kExitBlownUp = 3;       ///< the last good state is written
inline constexpr int kExitNotConverged = 4;  ///< some steps did not converge, with --fail-on-nonconvergence
// After Ctrl-C or SIGTERM, with the results so far written: Interrupt::exit_status().

/// From construction on, the first Ctrl-C (SIGINT) or SIGTERM only sets a flag, so that the results so far
/// can be written; a second one ends the program as usual. One object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
  /// The exit status then: 128 and the signal's number, 130 or 143. Valid beyond the object's life.
  static int exit_status();
  static StopProbe probe();
};

/// The exit status at the end of a command; `lost`: an output could not be written. After Ctrl-C reports on
/// stderr that the results so far were written; `done`: the verb.
int status_at_end(bool lost, const char* done);

}  // namespace clothlab
