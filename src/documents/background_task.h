// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include "core/stop_probe.h"

namespace clothlab {

/// Computes a value on a thread of its own.
template <class T>
class BackgroundTask {
 public:
  /// `work` polls the probe for cancellation. What it throws, result() throws.
  explicit BackgroundTask(std::function<T(const StopProbe& stop)> work)
      : result_(std::async(std::launch::async, [this, work = std::move(work)] {
          return work([this] { return cancelled_.load(std::memory_order_relaxed); });
        })) {}
  /// Cancels, and waits for the thread.
  ~BackgroundTask() { cancel(); }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  /// Waits until it ends, for at most this time. True if it has ended.
  bool done(std::chrono::milliseconds time = {}) const {
    return result_.wait_for(time) == std::future_status::ready;
  }
  /// Waits until it ends.
  decltype(auto) result() const { return result_.get(); }

 private:
  std::atomic<bool> cancelled_{false};
  std::shared_future<T> result_;  // last: its destructor waits for the thread
};

}  // namespace clothlab
