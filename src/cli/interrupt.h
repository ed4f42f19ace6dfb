// SPDX-License-Identifier: MIT
#pragma once

#include "core/stop_probe.h"

namespace clothlab {

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

}  // namespace clothlab
