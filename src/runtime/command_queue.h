// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "runtime/control.h"
#include "sim/command.h"

namespace clothlab {

/// Something sent to the simulation thread. Stamps grow by one, in the order of application.
struct Request {
  std::uint64_t stamp = 0;
  std::variant<Command, Control> what;
};

/// The one ordered queue into the simulation thread. Any thread may push; one thread takes.
class CommandQueue {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns the request's stamp; the first one is 1.
  std::uint64_t push(std::variant<Command, Control> what);

  /// Ends every wait from now on, and answers urgent() and scene_waits() with true.
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  /// The oldest request, if there is one.
  std::optional<Request> pop();

  /// Waits until something is in the queue, wake() or close() was called, or `until` has come.
  void wait_until(Clock::time_point until);
  void wait();
  /// Ends one wait without a request.
  void wake();

  /// Whether what waits makes the step that is running worthless: an urgent command, RunAgain, UseScene, or a
  /// close. Lock-free, for a stop probe.
  bool urgent() const { return urgent_.load(std::memory_order_acquire) > 0 || closed(); }
  /// Whether what waits makes the scene that is being built worthless: UseScene, or a close. Lock-free.
  bool scene_waits() const { return scenes_.load(std::memory_order_acquire) > 0 || closed(); }

 private:
  void count(const Request& request, int change);  // of what waits
  bool ready() const { return !requests_.empty() || woken_ || closed(); }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> requests_;
  std::uint64_t last_stamp_ = 0;
  bool woken_ = false;
  std::atomic<int> urgent_{0};
  std::atomic<int> scenes_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace clothlab
