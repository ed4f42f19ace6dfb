// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include "session/control.h"
#include "sim/command.h"

namespace clothlab {

/// A request to the simulation thread. Stamps grow by one, in the order of application.
struct Request {
  std::uint64_t stamp = 0;
  std::variant<Command, Control> what;
};

/// The ordered queue into the simulation thread. Any thread may push; one thread pops.
class CommandQueue {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns the request's stamp; the first one is 1.
  std::uint64_t push(std::variant<Command, Control> what);

  /// Ends all waits; urgent() and scene_waits() then return true.
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  /// The oldest request, if there is one.
  std::optional<Request> pop();

  /// Waits until something is in the queue, wake() or close() was called, or `until` has come.
  void wait(Clock::time_point until);
  /// Ends one wait without a request.
  void wake();

  /// Whether a waiting request abandons the running step: an urgent command, UseScene, or a close. Lock-free,
  /// for a stop probe.
  bool urgent() const { return urgent_.load(std::memory_order_acquire) > 0 || closed(); }
  /// Whether a waiting request abandons the scene being built: UseScene, or a close. Lock-free.
  bool scene_waits() const { return scenes_.load(std::memory_order_acquire) > 0 || closed(); }

 private:
  void count(const Request& request, int change);  // of the waiting requests
  /// Makes a change under the lock, then wakes a waiting thread.
  template <class Change>
  void change(const Change& change);
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
