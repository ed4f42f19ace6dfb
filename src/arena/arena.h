// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

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
  /// It blew up while others went on: it stays at its last good step.
  std::optional<BlowUp> frozen = {};
  bool held = false;                     ///< it stands because somebody wanted that
  StepStatus status = StepStatus::done;  ///< of its last step
  LaneTime cost = {};                    ///< of its last step, by the clock of Arena::step

  bool runs() const { return !frozen && !held; }
  void go_on();              ///< it stands no longer
  std::string name() const;  ///< "Lane B (Implicit midpoint)"
};

/// What was done to the world of a run: what a catch-up repeats. Ascending.
struct WorldChange {
  std::uint64_t step = 0;  ///< steps before it
  Command command;
  std::uint64_t number = 0;  ///< of all changes that were made
};

/// A moment of all lanes.
struct Moment {
  struct Part {
    LaneId lane = 0;
    std::shared_ptr<Checkpoint> checkpoint;
    std::optional<BlowUp> frozen = {};
    bool held = false;
  };
  JournalPosition place;  ///< in the journal of the run that it is a moment of, where there is one
  double time = 0;        ///< [s], Arena::time()
  /// What came before it: the first `changes` of these. The run may have added some since, or have left them.
  std::shared_ptr<const std::vector<WorldChange>> past;
  std::size_t changes = 0;
  std::vector<Part> lanes;  ///< ascending

  /// The part of a lane, or else of the first that ran, or of the first.
  const Part& of(LaneId lane) const;
};

/// That of a run in one lane.
Moment moment_of_lane(LaneId lane, std::shared_ptr<Checkpoint> checkpoint);

/// A lane that goes on from the present state of another one, with its method.
struct AddLane {
  LaneId lane = 0, from = 0;
};
struct RemoveLane {
  LaneId lane = 0;
};
/// The lane goes on from the present state of another one, with its own method.
struct JoinLane {
  LaneId lane = 0, from = 0;
};
/// The lane stands from now on, and the others go on; not the last one that runs.
struct HoldLane {
  LaneId lane = 0;
};
using LaneCommand = std::variant<AddLane, RemoveLane, JoinLane, HoldLane>;

/// A run of a lane from an earlier moment, through all changes of the world since then, towards the present:
/// how a lane that blew up comes back, and how a gesture is repeated with another method. It shares nothing
/// with the lanes that it may run beside, but the model of the cloth.
class CatchUp {
 public:
  LaneId lane() const { return lane_; }
  JournalPosition from() const { return from_; }
  const Simulation& simulation() const { return *simulation_; }

 private:
  friend class Arena;
  LaneId lane_ = 0;
  JournalPosition from_;
  std::unique_ptr<Simulation> simulation_;
  std::size_t next_ = 0;  // of the changes of the world
};

/// 1 to 8 lanes: simulations of the same cloth with different methods, at the same simulated time.
///
/// What changes the world (material, pins, the hand, h) acts on all lanes or, where one refuses, on none;
/// what changes a method acts on one lane. Each lane has the bits of a run of its method alone under the same
/// commands, for any number of threads, but that a barrier's own stiffness grows in a lane alone. With more
/// than one lane, a lane that blows up is frozen and the others go on; the only lane is never frozen.
///
/// One caller at a time; no clocks, no threads but those of the pool. All but step() is called between steps.
class Arena {
 public:
  /// At least one lane, ascending. `compared`: with lanes elsewhere, which they are to have the world of
  /// (Simulation::step).
  explicit Arena(std::vector<Lane> lanes, bool compared = false);
  /// Lane A.
  explicit Arena(std::unique_ptr<Simulation> first, bool compared = false);

  std::span<const Lane> lanes() const { return lanes_; }
  const Lane* find(LaneId lane) const;
  /// Throws InputError where there is no such lane.
  const Simulation& operator[](LaneId lane) const { return *at(lane).simulation; }
  bool is_alone() const { return lanes_.size() == 1; }
  /// Whether any lane takes steps.
  bool runs() const;
  /// Of the lanes that run [s]; where none does, of the one that came farthest.
  double time() const;
  /// Of all lanes' states, bit by bit; that of the state where there is one lane.
  std::uint64_t hash() const;

  /// A command of the world to all lanes, one of a method to this lane; a scene's world to all and its method
  /// to this lane. Throws as Simulation::apply does; the sentence names the lane that refused. A lane goes
  /// back to its last sound state only where no other one runs.
  void apply(WorkerPool& pool, LaneId lane, const Command& command);
  void apply(WorkerPool& pool, const LaneCommand& command);

  /// One step of h for every lane that runs; stopped, or where it throws, for none. Blown up: no lane runs
  /// any more, or the only one blew up. `clock` is for Lane::cost. It tells the time of all threads of the
  /// pool, or where lanes are stepped side by side, in a loop of the pool, of the calling one.
  using Clock = LaneTime (*)(WorkerPool& pool);
  StepStatus step(WorkerPool& pool, const StopProbe& stop = {}, Clock clock = nullptr);

  /// Saves all but the place in the journal. Reuses the memory of `to`.
  void save(WorkerPool& pool, Moment& to) const;
  /// Goes on from a moment; values and the set of lanes stay. A lane that was not there then goes on from the
  /// state that the first lane of the moment had.
  void go_back(WorkerPool& pool, const Moment& moment);

  /// Whether the present run has gone through the moment: a lane comes back from no other.
  bool has_passed(const Moment& moment) const;
  /// The largest h [s] of a step of all lanes from a moment of the present run to now.
  double largest_step_since(const Moment& moment) const;
  /// The run of `lane`, there or not, from a moment with the method of `scene`. It begins with the lane's
  /// state, or else with that of the first lane of the moment.
  CatchUp start_catch_up(WorkerPool& pool, LaneId lane, const Scene& scene, const Moment& moment,
                         const StopProbe& stop = {}) const;
  /// One step of it.
  enum class Progress { advanced, arrived, stopped, blown_up };
  Progress advance(WorkerPool& pool, CatchUp& run, const StopProbe& stop = {}) const;
  /// The lane becomes that run, which has arrived.
  void finish(CatchUp run);
  /// Adds a lane that was frozen at the moment, as it was then, with the method of `scene` in the world of
  /// the others.
  void restore_frozen(WorkerPool& pool, LaneId lane, const Scene& scene, const Moment& moment);

 private:
  const Lane& at(LaneId lane) const;
  Lane& at(LaneId lane);
  void restore_good_state(WorkerPool& pool, Lane& lane);
  void save_before(WorkerPool& pool);
  void apply_to_all(WorkerPool& pool, LaneId lane, const Command& command);
  void carry_out(WorkerPool& pool, const AddLane& command);
  void carry_out(WorkerPool& pool, const RemoveLane& command);
  void carry_out(WorkerPool& pool, const JoinLane& command);
  void carry_out(WorkerPool& pool, const HoldLane& command);
  bool steps_side_by_side() const;
  void take_back_step(WorkerPool& pool);
  std::uint64_t steps() const;
  std::shared_ptr<std::vector<WorldChange>> past_up_to(std::uint64_t step, const Lane& lane);

  bool compared_;
  std::vector<Lane> lanes_;         // ascending; has room for all
  std::vector<Checkpoint> before_;  // the step or command, of each lane
  std::shared_ptr<std::vector<WorldChange>> past_ = std::make_shared<std::vector<WorldChange>>();
  std::uint64_t changes_made_ = 0;
};

}  // namespace clothlab
