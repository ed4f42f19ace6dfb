// SPDX-License-Identifier: MIT
#pragma once

// What runs on the simulation thread. Loop, steps and snapshots: simulation_thread.cpp. Commands and
// controls: simulation_thread_requests.cpp. Loading, history and branches: simulation_thread_past.cpp.
// Stability estimates and blow-ups: simulation_thread_stability.cpp.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/worker_pool.h"
#include "runtime/command_queue.h"
#include "runtime/history.h"
#include "runtime/journaled_simulation.h"
#include "runtime/mailbox.h"
#include "runtime/mouse_grab.h"
#include "runtime/pacer.h"
#include "runtime/plot_history.h"
#include "runtime/real_time.h"
#include "runtime/revival.h"
#include "runtime/simulation_thread.h"
#include "runtime/stability_monitor.h"
#include "runtime/step_timer.h"

namespace clothlab {

struct SimulationThread::Impl {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  // ---- The loop

  Impl(std::shared_ptr<const LoadedScene> first, const Options& options);
  ~Impl();
  void run();
  /// Takes one step, shows one state of a replay or publishes, whatever is due; else sleeps until something
  /// is.
  void keep_up();
  template <class Body>
  bool guarded(Body&& body);
  /// Needs no memory.
  void refuse(std::string_view sentence) noexcept;

  // ---- Requests

  void carry_out(Request& request);
  void note_refusal(std::uint64_t stamp) noexcept;
  void apply(const Command& command);
  void steer(const StartGrab& c);
  void steer(const SetPlaying& c);
  void steer(const StepOnce&);
  void steer(const SetSpeed& c);
  void steer(const Rewind&);
  void steer(const SwapBranches&);
  void steer(const KeepMoment& c);
  void steer(const KeepJournal& c);
  void steer(const WatchAgain& c);
  void steer(const ShowPast& c);
  void steer(const StepThroughPast& c);
  void steer(const RunAgain& c);
  void steer(const ForgetGhosts&) { ghosts = std::make_shared<const std::vector<GhostRun>>(); }
  void steer(const SetHistoryMemory& c);
  void steer(const ShowMotion& c) { motion = c.wanted; }
  void steer(Record& c);
  void steer(UseScene& c);

  // ---- The run, and its past

  void use(std::shared_ptr<const LoadedScene> next, const std::shared_ptr<const Scene>& values);
  void start_over();
  void go_on_from_restored_state();
  /// The run continues from this time: later states become the other branch.
  void leave_for(double time);
  /// Shows a kept state; the newest one is the present.
  void look_back_to(std::size_t state);
  /// Continues from the shown moment (ShowPast), and retries a present that blew up. A replay that runs by
  /// itself does not count as shown.
  void continue_from_shown();
  void continue_from_newest_kept();
  void show_next_past_state(Clock::time_point now);
  /// Call before the run restarts: keeps its curves.
  void keep_ghost();
  /// Keeps the state and its figures; `milliseconds` is the step's, empty where no step led to the state.
  void remember(std::optional<double> milliseconds);

  // ---- Steps, and what becomes of them

  void step();
  void pull();
  Prospect prospect() const;
  /// For any cloth.
  bool is_stable_at_every_step() const;
  double sound_time() const { return simulation->last_sound_state().state.t; }
  /// Continues from the last sound state, playing if the run played when it blew up, and says so.
  void revive(std::string sentence);
  /// Call after a change while the run is blown up: decides whether it continues. For a method with a limit,
  /// the limit under the current values decides.
  void reconsider();
  void decide();
  void tell(std::string sentence) {
    notice = std::move(sentence);
    ++notices;
    dirty = true;
  }
  void explain();

  // ---- Stability

  /// The estimate at the current shape, else an undamped one; at least as stiff as at the start, scaled to
  /// the current stiffnesses and mass.
  StabilityEstimate estimate_without_grab() const;
  /// Asks for an estimate at the current state; at the last sound one after a blow-up.
  void ask_for_estimate(bool urgent = true);
  /// Discards earlier estimates: the scene is another, springs became rods, or the run blew up.
  void forget_estimate();
  void adopt_estimate();

  // ---- Snapshots

  std::uint16_t integrator_index() const {
    return static_cast<std::uint16_t>(&simulation->integrator() - integrators().data());
  }
  void publish(Clock::time_point now);
  StepTimer& timer() { return timers[integrator_index()]; }
  StepTimes note_step_times();
  std::optional<RealTimeLag> lag();

  /// The shown state of the history while it is not the present one.
  struct Past {
    std::size_t shown = 0;  // index
    std::size_t first = 0;  // index of the first one that "watch it again" shows
    Clock::duration spacing{};
    Clock::time_point next = Clock::time_point::max();  // when the next one is due; max(): not by itself
    bool by_itself() const { return next != Clock::time_point::max(); }
  };

  static constexpr Clock::rep kNoStep = 0;

  // Shared between threads.
  CommandQueue queue;
  Mailbox<Snapshot> mailbox;
  std::atomic<Clock::rep> step_start{kNoStep};

  // The simulation thread's own, once it runs.
  WorkerPool pool;
  const StopProbe stop = [this] { return queue.urgent(); };
  std::shared_ptr<const LoadedScene> loaded;
  JournaledSimulation simulation;
  std::shared_ptr<Recorder> recorder;
  bool playing = true;
  double speed = 1;
  Motion motion;
  Pacer pacer;
  std::vector<StepTimer> timers{integrators().size()};  // of each method's steps on this scene
  StepCost cost;
  std::optional<double> proposed;  // last RealTimeLag::step
  std::vector<double> method_ms = std::vector<double>(integrators().size());
  History history;
  PlotHistory plot;
  std::shared_ptr<const std::vector<PlotSample>> plot_of_other_branch;
  std::optional<Past> past;
  std::shared_ptr<const std::vector<GhostRun>> ghosts = std::make_shared<const std::vector<GhostRun>>();
  std::optional<MouseGrab> mouse_grab;
  std::optional<StabilityEstimate> stability;
  std::optional<StabilityEstimate> free_stability;  // the last that was measured without a grab
  std::shared_ptr<const StabilityMonitor::Answer> taken;
  Clock::time_point asked{};
  std::uint64_t question = 0;   // tag of the last question to the monitor
  std::uint64_t forgotten = 0;  // answers up to this one do not count
  std::optional<BlownUpRun> blown;
  bool resumes = false;  // it played until it blew up, or until a mesh came that waits
  std::string_view warning;
  bool warned_of_solve = false;  // it says why one did not converge
  Clock::time_point warned{};
  std::string error;
  std::uint64_t errors = 0;
  std::string notice;
  std::uint64_t notices = 0;
  std::uint64_t notice_of_simulation = 0;  // number of the last one
  std::uint64_t applied = 0;
  std::vector<std::uint64_t> refused;
  bool dirty = false;           // something changed since the last publish()
  bool unseen_request = false;  // a request among it
  Clock::time_point published{};

  StabilityMonitor monitor;  // its own thread calls queue.wake(): it must end before the queue does
  std::thread thread;
};

}  // namespace clothlab
