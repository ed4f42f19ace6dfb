// SPDX-License-Identifier: MIT
#pragma once

#include "core/stop_probe.h"

namespace clothlab {

/// From construction on, the first Ctrl-C (SIGINT) or SIGTERM only sets a flag, so that what is done so
/// far can be written whole; a second one ends the program as usual. One object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
  /// What the program then ends with: 128 and the signal's number, 130 or 143. Holds beyond the object's
  /// life.
  static int exit_status();
  static StopProbe probe();
};

}  // namespace clothlab
