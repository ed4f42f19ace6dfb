// SPDX-License-Identifier: MIT
#pragma once

// What runs on the simulation thread. Loop, steps and snapshots: simulation_thread.cpp. Commands and
// controls: simulation_thread_requests.cpp. Loading, history and branches: simulation_thread_past.cpp.
// Lanes, their stability estimates and blow-ups: simulation_thread_lanes.cpp.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "arena/arena.h"
#include "core/worker_pool.h"
#include "documents/journal.h"
#include "session/command_queue.h"
#include "session/history.h"
#include "session/look_ahead_monitor.h"
#include "session/mailbox.h"
#include "session/mouse_grab.h"
#include "session/plot_history.h"
#include "session/real_time.h"
#include "session/revival.h"
#include "session/simulation_thread.h"
#include "session/snapshot.h"
#include "session/stability_monitor.h"

namespace clothlab {

/// What the simulation thread keeps of a lane in addition to its run: curves, times, stability and blow-up.
struct LiveLane {
  using Clock = std::chrono::steady_clock;

  LiveLane(LaneId lane, std::function<void()> answered) : id(lane), monitor(std::move(answered)) {}

  const LaneId id;
  PlotHistory plot;
  std::optional<PlotHistory> plot_of_other_branch;
  /// Start of the method's share of the energies: the lane has this integrator, this solve of stages and this
  /// h [s].
  struct MethodOrigin {
    LaneOrigin since;
    const IntegratorInfo* integrator = nullptr;
    StageSolve stages{};
    double h = 0;
  };
  /// The origin of its energies.
  struct Origins {
    LaneOrigin common;
    MethodOrigin method;
    std::optional<MethodOrigin> before;  // the one with which steps were taken before `method`
  };
  Origins origins, origins_of_other_branch;
  std::vector<StepTimer> timers{integrators().size()};  // of each method's steps on this scene
  std::vector<double> method_ms = std::vector<double>(integrators().size());

  std::optional<StabilityEstimate> stability;
  std::shared_ptr<const MeasuredSpectrum> spectrum;
  std::optional<StabilityEstimate> free_stability;  // the last that was measured without a grab
  std::shared_ptr<const StabilityMonitor::Answer> taken;
  Clock::time_point asked{};
  double requested_at = 0;      // simulated [s]
  std::uint64_t question = 0;   // tag of the last question to the monitor
  std::uint64_t forgotten = 0;  // answers up to this one are ignored

  bool steps = false;  // takes part in the present step
  std::optional<BlownUpRun> blown;
  /// The last blow-up, from before which the run may have gone back.
  struct LastBlowUp {
    double time = 0;                     // [s]
    std::shared_ptr<const Scene> scene;  // with which it came
  };
  std::optional<LastBlowUp> last_blow_up;
  std::string_view warning;
  bool warned_of_solve = false;  // it reports why one did not converge
  Clock::time_point warned{};
  NewNotices new_notices;

  /// What a new lane becomes when it has caught up.
  enum class Arrival { stays, active, reference };
  /// It catches up from the past, or for the first time.
  struct Return {
    CatchUp run;
    double from = 0;  // [s]
    Arrival arrival = Arrival::stays;
    Origins origins_before = {};
    int substeps = 1;  // after catching up; more before that, where h was larger for a while
    /// The scene that is shown, of its own run or of the other lanes at present.
    std::shared_ptr<const Scene> shown = {}, of_run = {}, present = {};
  };
  std::optional<Return> catching_up;

  StabilityMonitor monitor;

  /// The run of which a copy runs ahead, and what it has found; `run` null: none does.
  struct Ahead {
    const Simulation* run = nullptr;
    std::uint64_t changes = 0;
    bool alone = false;
    std::uint64_t tag = 0;                         // of the last start
    std::optional<Clock::time_point> starts = {};  // the next copy, if nothing changes until then
    CopyPace pace = {};
    std::shared_ptr<const LookAheadMonitor::Found> found = {};
  } ahead;
  std::unique_ptr<LookAheadMonitor> copy;
  /// Does not wait for it.
  void end_copy() {
    if (ahead.run != nullptr) copy->begin({});
    ahead = {.tag = ahead.tag + 1};
  }
};

struct SimulationThread::Impl : RunState {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  // ---- The loop

  Impl(std::shared_ptr<const LoadedScene> begin, const Options& options);
  ~Impl();
  void run();
  /// Takes one step, shows one state of a replay or publishes, whatever is due; else sleeps until something
  /// is.
  void keep_up();
  template <class Body>
  bool guarded(Body&& body);
  /// True if something happened that is not in the file of the session.
  bool has_unwritten() const;
  /// Passes it on, and a moment of the present if the file must begin again.
  void write_session(Clock::time_point now);
  /// Needs no memory.
  void refuse(std::string_view sentence) noexcept;

  // ---- Requests

  void carry_out(Request& request);
  void apply(const Command& command);
  /// The same for another lane than the active one.
  void apply_to(LaneId lane, const Command& command);
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
  void steer(const SelectLane& c);
  void steer(const SetReference& c);
  void steer(const FollowParticle& c);
  void steer(const NewLane& c);
  void steer(const ChangeLanes& c);
  void steer(const SetLanes& c);
  void steer(const ReviveLane& c);
  void steer(const SetHistoryMemory& c);
  void steer(const ShowMotion& c) { motion = c.wanted; }
  void steer(const ShowSpectrum& c);
  void steer(const SetLookAhead& c) {
    look_ahead.choice = c.choice;
    look_ahead.failure.clear();
  }
  void steer(Record& c);
  void end_recording();
  std::vector<RunningLane> lanes_of(const Record::Recording& recording) const;
  void record_step(bool all_blew_up);
  void steer(UseScene& c);

  // ---- The run, and its past

  /// `begin`: UseScene::lanes.
  void use(std::shared_ptr<const LoadedScene> next, LaneScenes begin);
  void start_over();
  /// The same with the lanes that were catching up for the first time.
  void start_all_over();
  /// `failed`: from before a blow-up, which is not kept if there is another branch.
  void continue_from_restored_state(bool failed = false);
  /// remember(true) after a step of h < 0: later states leave the past.
  void remember_step_back();
  /// The run continues from this time: later states become the other branch.
  void branch_at_time(double time, bool failed = false);
  /// The same without a change of the plots and of lanes that catch up.
  void branch_history_at(double time, bool failed);
  /// The energies of all lanes count from now on.
  void begin_origin(std::string why);
  /// The figures of a lane at present and their origin: for a frozen lane the common one.
  LaneOrigin present_figures(const LiveLane& lane) const;
  /// Starts the method's share of the energies now.
  LiveLane::MethodOrigin method_from_now(const LiveLane& lane) const;
  /// Makes its present figures the origin of its energies.
  void set_origin(LiveLane& lane);
  /// The share of a method starts when its lane got the method or its h, unless that was undone before the
  /// next step.
  void follow_methods();
  /// Restarts the share of every method, as the ledger keeps the gains of abandoned steps.
  void restart_methods();
  /// Notes that the run has gone back to this time.
  void note_return(double time);
  /// Shows a kept state; the newest one is the present.
  void show_past_state(std::size_t state);
  /// Continues from the shown moment (ShowPast), and retries a present that blew up. A replay that runs by
  /// itself does not count as shown.
  void continue_from_shown();
  void continue_from_newest_kept();
  void show_next_past_state(Clock::time_point now);
  /// Keeps the state and its figures; `stepped`: a step led to it.
  void remember(bool stepped);
  /// A point of the lane's curves; `milliseconds` of the step, NaN if no step led here.
  void add_sample(LiveLane& lane, double milliseconds);
  /// Measures distances from that lane from the present on.
  void refer_to(std::optional<LaneId> lane);
  /// Sets the distances of a sample of the present; NaN if no reference runs.
  void measure_distances(const LiveLane& lane, PlotSample& sample) const;

  // ---- Lanes

  const Simulation& simulation() const { return (*arena)[active]; }
  /// The run that is shown: of a lane that catches up, the catch-up run.
  const Simulation& simulation_of(const LiveLane& lane) const {
    return lane.catching_up ? lane.catching_up->run.simulation() : (*arena)[lane.id];
  }
  /// Than the active lane, except for the substeps that it needs to catch up.
  bool has_other_method(const LiveLane::Return& lane) const;
  /// The data of an existing lane or of one that catches up for the first time; null: there is none.
  LiveLane* find_live(LaneId lane) const;
  LiveLane& live(LaneId lane) const { return *find_live(lane); }
  LiveLane& live() const { return live(active); }
  /// True if it takes steps with the others: neither frozen nor catching up.
  bool runs(const LiveLane& lane) const {
    const Lane* found = arena->find(lane.id);
    return found != nullptr && found->runs();
  }
  /// The active lane, otherwise the first that runs.
  LaneId running_lane() const;
  /// True if no lane can take a step before one is revived.
  bool stands() const { return arena->is_alone() ? live().blown.has_value() : !arena->runs(); }
  /// Inserts a lane, with the data of a removed one or without; keeps them ascending.
  LiveLane& insert_lane(std::vector<std::unique_ptr<LiveLane>>& to, LaneId lane,
                        std::unique_ptr<LiveLane> data = nullptr);
  /// Drops the data of lanes that neither exist nor catch up; carry_out() calls it after every request, even
  /// a failed one. Needs no memory.
  void follow_lanes() noexcept;
  /// Calls do_it(LiveLane&) for all lanes, though it may drop others.
  template <class Do>
  void for_each_lane(const Do& do_it) {
    for (LaneId lane = 0; lane < kMostLanes; ++lane)
      if (LiveLane* found = find_live(lane)) do_it(*found);
  }
  /// Starts the curves and estimates of a lane.
  void begin_lane(LiveLane& lane);
  /// After the run went back: adopts the frozen lanes of the arena.
  void follow_blow_ups();
  /// Why a lane is frozen.
  BlownUpRun describe_blow_up(LaneId lane, const BlowUpFacts& facts) const;
  /// Why the lane was frozen at a moment of the past; none if it did not blow up before that.
  std::optional<BlownUpRun> blow_up_at(const LiveLane& lane, const Moment::Part& then) const;
  /// Begins to catch up from a moment; the arena may not have the lane yet. A lane that existed then takes no
  /// larger steps than now while it catches up: damage by a larger h would remain.
  void start_catch_up(LiveLane& lane, const Scene& method, const Moment& moment,
                      LiveLane::Arrival arrival = LiveLane::Arrival::stays);
  /// Removes a lane, and keeps it for an undo.
  void remove(LaneId lane);
  /// Undoes that, or starts the lane from the beginning.
  void restore(const LaneScene& lane);
  /// The newest kept moment in which the lane is good, otherwise the first of the run.
  const Moment& good_moment(LaneId lane) const;
  bool is_catching_up() const;
  /// Steps of the lanes that catch up until this time, at least so many of each.
  void catch_up(Clock::time_point until, int least = 1);
  /// One step of a lane that catches up; true if it was done. If it fails, the lane stays where it is.
  bool advance_catch_up(LiveLane& lane);
  void arrive(LiveLane& lane);
  /// The lane stays frozen where it was.
  void cancel_catch_up(LiveLane& lane);
  /// Restarting or going back ends every catch-up.
  void give_up_returns();

  // ---- Steps and their results

  void step();
  void adopt_step(LiveLane& lane, Clock::time_point end);
  /// Lets copies run ahead of the lanes where SetLookAhead wants that, and warns of what they have found.
  void look_ahead_of_lanes();
  /// The same for a lane. Throws what a copy fails with.
  void look_ahead_of(LiveLane& lane);
  void start_copy(LiveLane& lane);
  /// Reports the new notices of the lane's run since the last call.
  void tell_notices(LiveLane& lane);
  void pull();
  /// The lane lane whose method bounds the grab.
  LaneId softest_grab_lane(const Grab& hold);
  /// Warns if the current grab, chosen for earlier lanes, exceeds the limit of this one.
  void warn_of_grab(LaneId lane);
  Prospect prospect(const LiveLane& lane) const;
  /// For any cloth.
  bool is_stable_at_every_step(const LiveLane& lane) const;
  double good_time(const LiveLane& lane) const { return simulation_of(lane).last_good_state().state.t; }
  void blow_up(LiveLane& lane);
  /// Continues from the last good state, playing if the run played when it blew up, and reports it. If other
  /// lanes run, catches up with the present in the background.
  void revive(LiveLane& lane, std::string sentence);
  /// Call after a change while the lane is blown up: decides whether it continues. For a method with a limit,
  /// the limit under the current values decides.
  void reconsider(LiveLane& lane);
  void decide(LiveLane& lane);
  /// Also an answer to the user, who needs time to read it.
  void tell(std::string sentence) {
    last_answer = sentence;
    answered = Clock::now();
    show_message(std::move(sentence));
  }
  void show_message(std::string text) {
    message = std::move(text);
    ++messages;
    dirty = true;
  }
  void explain(LiveLane& lane);

  // ---- Stability

  /// The estimate at the current shape, else an undamped one; at least as stiff as at the start, scaled to
  /// the current stiffnesses and mass.
  StabilityEstimate estimate_without_grab(const LiveLane& lane) const;
  /// Requests an estimate at the current state, or at the last good state after a blow-up.
  void request_estimate(LiveLane& lane, bool urgent = true);
  void request_estimates();
  /// Discards earlier estimates: the scene changed, springs became rods, or the run blew up.
  void forget_estimate(LiveLane& lane);
  void adopt_estimate(LiveLane& lane);

  // ---- Snapshots

  void publish(Clock::time_point now);
  void show(LiveLane& lane, Clock::time_point now, LaneSnapshot& to);
  /// Of a lane that catches up, the scene it will have then: its method in the world of the others.
  std::shared_ptr<const Scene> shown_scene(LiveLane& lane) const;
  static void show_blow_up(const BlownUpRun& blown, LaneSnapshot& to);
  StepTimer& timer(LiveLane& lane) { return lane.timers[integrator_row(simulation_of(lane).integrator())]; }
  StepTimes note_step_times(LiveLane& lane);
  std::optional<RealTimeLag> lag();

  /// The shown state of the history while it is not the present one.
  struct Past {
    std::size_t shown = 0;  // index
    std::size_t first = 0;  // index of the first one that "watch it again" shows
    Clock::duration spacing{};
    Clock::time_point next = Clock::time_point::max();  // when the next one is due; max(): never by itself
    bool by_itself() const { return next != Clock::time_point::max(); }
  };

  static constexpr Clock::rep kNoStep = 0;
  /// The time of a step, for running_step_seconds().
  struct StepRuns {
    explicit StepRuns(std::atomic<Clock::rep>& since) : start(since) {
      start.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    }
    ~StepRuns() { start.store(kNoStep, std::memory_order_relaxed); }
    StepRuns(const StepRuns&) = delete;
    std::atomic<Clock::rep>& start;
  };

  // Shared between threads.
  CommandQueue queue;
  Mailbox<Snapshot> mailbox;
  std::atomic<Clock::rep> step_start{kNoStep};

  // The simulation thread's own, once it runs.
  WorkerPool pool;
  const StopProbe stop = [this] { return queue.urgent(); };
  std::unique_ptr<Arena> arena;  // replaced by every load
  Journal journal;
  std::vector<std::unique_ptr<LiveLane>>
      lanes;  // ascending: the arena's lanes and those that catch up for the first time
  struct RemovedLane {
    Moment moment;  // of its removal
    std::unique_ptr<LiveLane> lane;
  };
  std::vector<RemovedLane> removed;  // the last one of each letter
  LaneId active = 0;
  std::vector<Record::Recording> recordings;
  Motion motion;
  ShowSpectrum spectrum;
  Pacer pacer;
  StepCost cost;                   // of a step of all lanes
  std::optional<double> proposed;  // last RealTimeLag::step
  History history;
  Moment first;  // of the run
  CommonOrigin origin_of_other_branch;
  std::optional<Past> past;
  std::optional<MouseGrab> mouse_grab;
  LaneId grab_lane = 0;  // lane whose method bounds the grab
  bool resumes = false;  // it played until it blew up, or until a mesh that waits was loaded
  std::vector<std::uint64_t> refused;
  std::string last_answer;  // of tell()
  Clock::time_point answered{};
  bool dirty = false;           // something changed since the last publish()
  bool unseen_request = false;  // one of the changes is a request
  Clock::time_point published{};
  const std::shared_ptr<SessionJournal> session_journal;
  struct Written {
    std::shared_ptr<const LoadedScene> loaded = {};  // null: the file must begin again
    LogPosition end = {};
    std::uint64_t earlier = 0;  // steps of the log that are not steps of the run
    std::size_t entries = 0;    // of the log
    Clock::time_point at{};
  } written;

  std::thread thread;
};

}  // namespace clothlab
