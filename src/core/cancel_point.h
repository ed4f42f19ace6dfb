// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/error.h"
#include "core/stop_probe.h"

namespace clothlab {

/// For long loops: polls the probe regularly and throws Cancelled if cancellation is requested. The probe
/// must outlive this.
class CancelPoint {
 public:
  explicit CancelPoint(const StopProbe& stop) : stop_(stop) {}

  /// For every iteration of a short loop: polls the probe about once per 16,000 calls.
  void pass() {
    if (calls_++ % kPollEvery == 0) poll();
  }
  /// Polls the probe; for use between two stages.
  void poll() const {
    if (stop_requested(stop_)) throw Cancelled();
  }

 private:
  static constexpr std::size_t kPollEvery = std::size_t{1} << 14;

  const StopProbe& stop_;
  std::size_t calls_ = 0;
};

}  // namespace clothlab
