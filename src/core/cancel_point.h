// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/error.h"
#include "core/stop_probe.h"

namespace clothlab {

/// For the loops that build something large: throws Cancelled when the probe, which is looked at now and
/// then, asks to give up. The probe must outlive this.
class CancelPoint {
 public:
  explicit CancelPoint(const StopProbe& stop) : stop_(stop) {}

  /// To be called in every iteration of a short loop body: looks at the probe once in some thousand calls.
  void pass() {
    if (calls_++ % kPollEvery == 0) look();
  }
  /// Looks at the probe at once: between two stages.
  void look() const {
    if (stop_requested(stop_)) throw Cancelled();
  }

 private:
  static constexpr std::size_t kPollEvery = std::size_t{1} << 14;

  const StopProbe& stop_;
  std::size_t calls_ = 0;
};

}  // namespace clothlab
