// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/worker_pool.h"
#include "session/look_ahead_state.h"
#include "session/mailbox.h"
#include "sim/look_ahead.h"

namespace clothlab {

/// Runs a copy kLookAhead ahead of a lane on a thread of its own (LookAhead), so that no step waits for it.
class LookAheadMonitor {
 public:
  /// A lane at present, of which a copy begins.
  struct Start {
    std::shared_ptr<const Checkpoint> from;
    std::shared_ptr<const ClothMesh> mesh;
    std::shared_ptr<const ClothModel> model;
    bool alone = false;     ///< see Simulation::step
    std::uint64_t tag = 0;  ///< returned with what is found
  };
  struct Found {
    std::uint64_t tag = 0;
    Prediction prediction;
  };

  /// `found` is called on the monitor's thread when found() has something new.
  explicit LookAheadMonitor(std::function<void()> found);
  ~LookAheadMonitor();
  LookAheadMonitor(const LookAheadMonitor&) = delete;
  LookAheadMonitor& operator=(const LookAheadMonitor&) = delete;

  /// Ends the copy before it. Without a checkpoint it starts none. Does not wait.
  void begin(Start start);
  /// The lane has reached a time [s] without a change.
  void follow(double time);
  /// The newest; null before the first.
  std::shared_ptr<const Found> found() const { return newest_.get(); }
  /// Why the copy of the newest start failed; null: it has not.
  std::exception_ptr error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  /// Ends the thread soon; does not wait.
  void close();

 private:
  void run();
  void advance(const std::optional<Start>& start, double until);

  const std::function<void()> found_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Start> waiting_;
  double until_ = 0;                      // how far the copy has to run [s]
  std::atomic<bool> interrupted_{false};  // another start waits, or the end
  bool closing_ = false;
  std::exception_ptr error_;
  Mailbox<Found> newest_;

  // The thread's own.
  WorkerPool pool_{1};
  LookAhead copy_;
  std::uint64_t tag_ = 0;
  bool runs_ = false;   // the copy can take a step
  double reached_ = 0;  // [s]
  double told_ = 0;     // what found() had reached [s]

  std::thread thread_;  // last: it uses the other members
};

}  // namespace clothlab
