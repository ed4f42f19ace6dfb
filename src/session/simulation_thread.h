// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include "session/control.h"
#include "session/session_journal.h"
#include "session/snapshot.h"
#include "sim/command.h"

namespace clothlab {

/// Runs one Simulation on its own thread, paced against the wall clock. Requests are carried out between
/// steps, in the order in which they were sent.
///
/// h never depends on speed: when steps take longer than h / speed, simulated time falls behind and is not
/// caught up. A refused request (InputError) or any other error becomes Snapshot::error; only the destructor
/// ends the thread.
///
/// All members may be called from any thread and never wait for a step, except construction and
/// destruction. The destructor ends within 0.2 s, however long the step (later with a million
/// particles, see docs/limits.md): it is abandoned. So is it on
/// Reset and UseScene; other requests wait for its end.
class SimulationThread {
 public:
  struct Options {
    int threads = 0;   ///< of the worker pool; 0: all cores
    int hardware = 0;  ///< hardware threads, for LookAheadState; 0: those of the computer
    bool playing = true;
    double speed = 1;
    std::shared_ptr<SessionJournal> session_journal =
        nullptr;  ///< writes the session to a file; null: no file
  };

  /// latest() is valid when the constructor returns. Throws what Simulation's constructor throws.
  explicit SimulationThread(std::shared_ptr<const LoadedScene> loaded)
      : SimulationThread(std::move(loaded), Options{}) {}
  SimulationThread(std::shared_ptr<const LoadedScene> loaded, const Options& options);
  ~SimulationThread();
  SimulationThread(const SimulationThread&) = delete;
  SimulationThread& operator=(const SimulationThread&) = delete;

  /// Queues a request and returns its stamp: it has been carried out (or refused) once
  /// latest()->applied has reached it.
  std::uint64_t send(Command command);
  std::uint64_t send(Control control);

  /// The shown moment, available at the end of the running step at the latest.
  std::shared_future<KeepMoment::Kept> keep_moment() { return keep<KeepMoment, KeepMoment::Kept>(); }

  /// The same for the journal of the whole session.
  std::shared_future<KeepJournal::Whole> keep_journal() { return keep<KeepJournal, KeepJournal::Whole>(); }

  /// The newest snapshot; never null.
  std::shared_ptr<const Snapshot> latest() const;

  /// Duration of the running step so far [s]; 0 between steps. For "busy" in the window.
  double running_step_seconds() const;

 private:
  template <class Keep, class Kept>
  std::shared_future<Kept> keep() {
    const auto kept = std::make_shared<std::promise<Kept>>();
    send(Control(Keep{[kept](Kept what) { kept->set_value(std::move(what)); }}));
    return kept->get_future().share();
  }

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
