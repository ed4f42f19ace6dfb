// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arena/command_log.h"
#include "core/lane_id.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "sim/checkpoint.h"
#include "sim/command.h"
#include "sim/simulation.h"

namespace clothlab {

/// Wall-clock time and processor time of the threads that step a lane [s]; differences count.
struct LaneTime {
  double wall = 0, processor = 0;
};

/// One method with its own state.
struct Lane {
  LaneId id = 0;
  std::unique_ptr<Simulation> simulation;
  /// Blew up while others continued: stays at its last good step.
  std::optional<BlowUp> frozen = {};
  bool held = false;                     ///< frozen by request
  StepStatus status = StepStatus::done;  ///< of its last step
  LaneTime cost = {};                    ///< of its last step, by the clock of Arena::step

  bool runs() const { return !frozen && !held; }
  void unfreeze();           ///< ends freezing
  std::string name() const;  ///< "Lane B (Implicit midpoint)"
};

/// A moment of all lanes.
struct Moment {
  struct Part {
    LaneId lane = 0;
    std::shared_ptr<Checkpoint> checkpoint;
    std::optional<BlowUp> frozen = {};
    bool held = false;
  };
  LogPosition position;     ///< in the log of its run
  double time = 0;          ///< [s], Arena::time()
  std::vector<Part> lanes;  ///< ascending

  /// The part of a lane, otherwise of the first that ran, otherwise of the first.
  const Part& of(LaneId lane) const;
};

/// The moment of a run in one lane.
Moment moment_of_lane(LaneId lane, std::shared_ptr<Checkpoint> checkpoint);

/// What a run with another method does for an entry that CommandLog::is_repeated().
void repeat_change(WorkerPool& pool, const LogEntry& entry, Simulation& run);

/// A run of a lane from an earlier moment, through all changes of the world since then, towards the present.
/// Lanes that blew up, and gestures repeated with another method, catch up in this way. It shares only the
/// model of the cloth with the lanes.
class CatchUp {
 public:
  const Simulation& simulation() const { return *simulation_; }

 private:
  friend class Arena;
  LaneId lane_ = 0;
  LogPosition from_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<std::size_t> changes_;  // entries of the log that it repeats
  std::size_t next_ = 0;              // of them
  std::size_t read_ = 0;              // entries of the log that were looked at for changes_
};

/// 1 to 8 lanes: simulations of the same cloth with different methods, at the same simulated time.
///
/// A change of the world (material, pins, the grab, h) acts on all lanes or, if one refuses, on none; a
/// change of a method acts on one lane. Each lane has the bits of a run of its method alone under the same
/// commands, for any number of threads. Only the automatic stiffness of a barrier grows differently: in a
/// single lane only. With more than one lane, a lane that blows up is frozen and the others continue; the
/// only lane is never frozen.
///
/// One caller at a time; no clocks, no threads but those of the pool. All but step() is called between steps.
class Arena {
 public:
  struct Options {
    CommandLog log = CommandLog();
    std::uint64_t steps_per_hash = 0;  ///< from one StateHash in the log to the next; 0: none
  };
  /// At least one lane, ascending.
  explicit Arena(std::vector<Lane> lanes, Options options);
  /// Lane A; `compared`: with lanes elsewhere that have the same world (Simulation::step).
  explicit Arena(std::unique_ptr<Simulation> first, bool compared = false);

  std::span<const Lane> lanes() const { return lanes_; }
  const Lane* find(LaneId lane) const;
  /// Throws InputError if there is no such lane.
  const Simulation& operator[](LaneId lane) const { return *at(lane).simulation; }
  bool is_alone() const { return lanes_.size() == 1; }
  /// True if any lane takes steps.
  bool runs() const { return std::ranges::any_of(lanes_, &Lane::runs); }
  /// Of the lanes that run [s]; if none runs, of the one that is farthest.
  double time() const;
  /// Of all lanes' states, bit by bit; for one lane, of its state.
  std::uint64_t hash() const;
  const CommandLog& log() const { return log_; }

  /// A command of the world to all lanes, one of a method to this lane; a scene's world to all and its method
  /// to this lane. Throws as Simulation::apply does; the sentence names the lane that refused. A lane returns
  /// to its last good state only if no other one runs.
  void apply(WorkerPool& pool, LaneId lane, const Command& command, const StopProbe& stop = {});
  void apply(WorkerPool& pool, const LaneCommand& command);

  /// Warnings of a lane come from a copy that runs ahead of it (LookAhead); null: from signs in past steps.
  void warn(LaneId lane, const Prediction* found);

  /// Every lane watches its steps (Simulation::watch).
  void watch(bool on) { watches_ = on; }

  /// Takes one step of h for every lane that runs, or for none if it is cancelled or throws. blown_up: no
  /// lane runs any more, or the only one blew up. `clock` is for Lane::cost. It returns the time of all
  /// threads of the pool, or of the calling one if lanes step in parallel in a loop of the pool.
  using Clock = LaneTime (*)(WorkerPool& pool);
  StepStatus step(WorkerPool& pool, const StopProbe& stop = {}, Clock clock = nullptr);

  /// Reuses the memory of `to`.
  void save(WorkerPool& pool, Moment& to) const;
  /// Continues from a moment; values and the set of lanes stay. A lane that did not exist then continues from
  /// the state of the moment's first lane.
  void go_back(WorkerPool& pool, const Moment& moment);

  /// True if the present run passed through the moment; lanes catch up only from such moments.
  bool has_passed(const Moment& moment) const { return log_.has_passed(moment.position); }
  /// The largest h [s] of a step of all lanes from a moment of the present run to now.
  double largest_step_since(const Moment& moment) const;
  /// The run of `lane`, existing or new, from a moment with the method of `scene`. It begins with the lane's
  /// state, otherwise with the state of the moment's first lane.
  CatchUp start_catch_up(WorkerPool& pool, LaneId lane, const Scene& scene, const Moment& moment,
                         const StopProbe& stop = {}) const;
  /// One step of it; none if it has caught up.
  std::optional<StepStatus> advance(WorkerPool& pool, CatchUp& run, const StopProbe& stop = {}) const;
  /// The lane becomes that run, which has caught up.
  void finish(CatchUp run);
  /// Adds a lane that was frozen at the moment, as it was then, with the method of `scene` in the world of
  /// the others.
  void restore_frozen(WorkerPool& pool, LaneId lane, const Scene& scene, const Moment& moment);

 private:
  const Lane& at(LaneId lane) const;
  Lane& at(LaneId lane);
  void insert(Lane lane);
  void restore_good_state(WorkerPool& pool, Lane& lane, LogEntry entry);
  template <class Change>
  void change_all(WorkerPool& pool, const Change& change);
  void apply_to_all(WorkerPool& pool, LaneId lane, const Command& command, const StopProbe& stop);
  void carry_out(WorkerPool& pool, const AddLane& command);
  void carry_out(WorkerPool& pool, const RemoveLane& command);
  void carry_out(WorkerPool& pool, const JoinLane& command);
  void carry_out(WorkerPool& pool, const HoldLane& command);
  void take_back_step(WorkerPool& pool);
  std::uint64_t steps() const;
  StepStatus step_lanes(WorkerPool& pool, const StopProbe& stop, Clock clock);
  LogEntry next_entry(LogEntry::What what);
  LogEntry return_to(std::uint64_t step, const Lane& lane, LogEntry entry) const;

  bool watches_ = false;
  bool compared_ = false;
  std::uint64_t steps_per_hash_ = 0;
  std::vector<Lane> lanes_;         // ascending; has room for all
  std::vector<Checkpoint> before_;  // the step or command, of each lane
  CommandLog log_;
};

}  // namespace clothlab
