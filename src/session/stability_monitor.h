// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "analysis/stability_meter.h"
#include "cloth/cloth_system.h"
#include "core/worker_pool.h"
#include "session/mailbox.h"
#include "session/snapshot.h"

namespace clothlab {

/// Measures stability on its own thread and on copies, so that no step waits for it. Only the newest question
/// is answered; measurements are warm-started. Unless a question is urgent, it rests after each measurement,
/// to leave most of its core to the simulation.
///
/// Eigenvalues of J follow if the method needs them: in the same answer up to kSoon free directions;
/// above, up to kExactDirections, in a second answer once no new question has come for a while, as they take
/// seconds. The spectrum follows every answer if the question wants it; if it takes long, an urgent one
/// ends it.
class StabilityMonitor {
 public:
  struct Question {
    std::shared_ptr<const ClothModel> model;
    Material material;
    Wind wind;
    ContactSettings contact;
    Surfaces surfaces;
    std::optional<GrabSpring> grab;
    Projection held;  ///< pins and contacts
    State state;
    const IntegratorInfo* integrator = nullptr;
    JacobianMode mode = JacobianMode::clamped;
    bool without_distances = false;
    bool spectrum = false;     ///< wanted
    bool eigenvalues = false;  ///< with those of J
    std::uint64_t tag = 0;     ///< returned with the answer
    bool urgent = false;       ///< the first of something new
  };
  struct Answer {
    std::uint64_t tag = 0;  ///< the question's
    StabilityEstimate estimate;
    bool held = false;  ///< the question had a grab
    /// The last one measured, for this or an earlier question; null: not wanted, or not yet.
    std::shared_ptr<const MeasuredSpectrum> spectrum;
  };
  static constexpr std::size_t kSoon = 150;

  /// `answered` is called on the monitor's thread after every new answer.
  explicit StabilityMonitor(std::function<void()> answered);
  ~StabilityMonitor();
  StabilityMonitor(const StabilityMonitor&) = delete;
  StabilityMonitor& operator=(const StabilityMonitor&) = delete;

  /// Abandons the current measurement and answers no more; does not wait.
  void close();
  void ask(Question question);
  /// The newest answer; null before the first.
  std::shared_ptr<const Answer> answer() const { return newest_.get(); }

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  std::optional<Question> next();
  /// True if close() or a question (`only_urgent`: an urgent one) comes within `time`.
  bool interrupts(Clock::duration time, bool only_urgent);
  bool is_superseded() { return interrupts({}, false); }
  bool has_urgent() { return interrupts({}, true); }
  void measure(const Question& question);
  void measure_spectrum(const Question& question, const StabilityMeter::Subject& subject);
  void answer_to(const Question& question);

  const std::function<void()> answered_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Question> waiting_;
  std::atomic<bool> closing_{false};
  Mailbox<Answer> newest_;

  // The thread's own.
  WorkerPool pool_{1};
  Surfaces surfaces_;  // of the question
  ContactForce contact_;
  std::optional<ClothSystem> system_;
  StabilityMeter meter_;
  std::optional<StabilityEstimate> estimate_;  // the last one
  std::shared_ptr<const MeasuredSpectrum> spectrum_;
  Clock::duration in_spectra_{};              // of the time of the last measurement
  const IntegratorInfo* measured_ = nullptr;  // its method

  std::thread thread_;  // last: it uses the other members
};

}  // namespace clothlab
