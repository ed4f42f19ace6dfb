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

  /// For every iteration of a short loop, or for several at once: polls the probe about once per 16,000.
  void pass(std::size_t iterations = 1) {
    if (iterations < left_) {
      left_ -= iterations;
    } else {
      left_ = kPollEvery;
      poll();
    }
  }
  /// Polls the probe; for use between two stages.
  void poll() const {
    if (stop_requested(stop_)) throw Cancelled();
  }

 private:
  static constexpr std::size_t kPollEvery = std::size_t{1} << 14;

  const StopProbe& stop_;
  std::size_t left_ = 0;  // until the next poll
};

/// Runs work(). False if it threw Cancelled.
template <class Work>
bool run_unless_cancelled(const Work& work) {
  try {
    work();
    return true;
  } catch (const Cancelled&) {
    return false;
  }
}

}  // namespace clothlab
