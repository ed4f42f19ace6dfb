// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arena/arena.h"
#include "documents/journal.h"
#include "documents/recorder.h"
#include "documents/scene_loader.h"
#include "session/lane_scenes.h"
#include "session/look_ahead_state.h"
#include "sim/checkpoint.h"
#include "sim/command.h"
#include "sim/frame.h"

namespace clothlab {

// Requests to the simulation thread rather than the simulation. Controls and Commands share one ordered
// queue.

struct SetPlaying {
  bool playing = true;
};
/// One step, then pause.
struct StepOnce {};
/// A Grab whose spring and pull are those of a MouseGrab (session/mouse_grab.h) until it ends.
struct StartGrab {
  Grab hold;
};
// After a blow-up the cloth is frozen. Playing, a step, a grab, pins and a recording continue from the last
// good state (Simulation::last_good_state), and so does a change of values that makes the method stable
// there. It plays if the run played when it blew up. Snapshot::message reports it.
/// Simulated seconds per second of the wall clock, clamped to kMinSpeed…kMaxSpeed.
struct SetSpeed {
  double speed = 1;
};
/// Goes back by half a second of viewing time (0.5 s × speed, at least one kept state), and pauses. If the
/// active lane blew up while others ran on, counts from its last good state. Refused if that state is no
/// longer kept. Later states become the other branch (SwapBranches).
struct Rewind {};
/// Undoes a continuation from the past: pauses at the abandoned present, with the kept states before it. A
/// second one swaps back. Values stay. Refused if Snapshot::left is empty.
struct SwapBranches {};
/// Shows the last states before the present one, step by step, within `seconds` of the wall clock, then the
/// present state. The run does not change; any later request that changes or advances it ends this.
struct WatchAgain {
  double seconds = 5;
};
/// Pauses, and shows the kept state nearest to a simulated time [s]; the newest one is the present. The
/// simulation itself stays at the present. Playing, a step, a grab and a change of pins continue from the
/// shown state, with its bits and the integrator's memory: later states become the other branch
/// (SwapBranches), pins stay where that state has them, and the grab ends.
struct ShowPast {
  double time = 0;
};
/// The same, by a number of kept states later (earlier when negative) than the shown one.
struct StepThroughPast {
  int states = 0;
};
/// The panels act on this lane from now on.
struct SelectLane {
  LaneId lane = 0;
};
/// A new lane that continues from the present state of the active one with this integrator, or with the same
/// if the name is empty. It becomes the active one. `from_start`: it repeats the run from the start in the
/// background and becomes active when it has caught up.
struct NewLane {
  std::string integrator;
  bool from_start = false;
  std::optional<int> substeps = {};       ///< none: those of the active lane
  std::optional<StageSolve> stages = {};  ///< the same
  bool is_reference = false;        ///< it becomes the reference (SetReference) instead of the active one
  std::optional<LaneId> lane = {};  ///< none: the first letter that is free
  const TableauMethod* tableau = nullptr;  ///< instead of an integrator
};
/// The reference of distances from now on (PlotSample::distance); none: no distances.
struct SetReference {
  std::optional<LaneId> lane;
};
/// Follows a particle: its position and velocity are sampled in every lane (PlotSample); none: no particle.
struct FollowParticle {
  std::optional<std::uint32_t> particle;
};
/// Removes or freezes a lane or lets it join another one; NewLane adds lanes.
struct ChangeLanes {
  LaneCommand command;
};
/// Restores these lanes and values: an undo. A removed lane is computed from its removal to the present, in
/// the background, or from the start if nothing of it is kept.
struct SetLanes {
  LaneScenes lanes;
};
/// A frozen lane catches up with the present, in the background.
struct ReviveLane {
  LaneId lane = 0;
};
/// Memory for the kept states [byte].
struct SetHistoryMemory {
  std::size_t bytes = 0;
};
/// Whether snapshots carry velocities, forces and contacts.
struct ShowMotion {
  Motion wanted;
};
/// Whether snapshots carry the spectrum of the active lane.
struct ShowSpectrum {
  bool wanted = false;
  bool eigenvalues = false;  ///< with those of J, up to a limit of their number
  bool operator==(const ShowSpectrum&) const = default;
};
/// Whether a copy of every lane runs ahead of it, for warnings. Tries again after a failure.
struct SetLookAhead {
  LookAheadChoice choice = LookAheadChoice::automatic;
};
/// Adds every following step of these lanes to their recordings; empty: ends that. Another scene ends it too,
/// and the removal of a lane ends those in which it is.
struct Record {
  struct Recording {
    std::vector<LaneId> lanes;  ///< several of a comparison only
    std::shared_ptr<Recorder> recorder;
  };
  std::vector<Recording> recordings;
};
/// Starts another scene from its beginning, or from the moment it was loaded with. Stays playing or paused; a
/// run that blew up or a waiting mesh counts as playing if the run before it was.
struct UseScene {
  std::shared_ptr<const LoadedScene> loaded;
  /// Lanes and values from the start on; empty: those of initial_lanes(). One request, so that no other
  /// UseScene comes between the two.
  LaneScenes lanes = {};
  /// Paused at its start, as a moment is.
  bool waits = false;
};

/// Passes the shown moment of all lanes, with its values, to `receive` on the simulation thread.
struct KeepMoment {
  struct Kept {
    Moment moment;
    std::shared_ptr<const LoadedScene> loaded;
    LaneId lane = 0;          ///< the active one
    std::size_t returns = 0;  ///< number of Snapshot::returns

    /// Of the active lane.
    const Checkpoint& checkpoint() const { return *moment.of(lane).checkpoint; }
  };
  std::function<void(Kept)> receive;  ///< must not throw
};

/// Passes on the journal since the program began, and the current state, to which it leads.
struct KeepJournal {
  struct Whole {
    Journal journal;
    CommandLog log;         ///< of the present scene
    std::uint64_t now = 0;  ///< Arena::hash
    Moment moment;
    std::shared_ptr<const LoadedScene> loaded;
  };
  std::function<void(Whole)> receive;  ///< must not throw
};

using Control = std::variant<SetPlaying, StepOnce, StartGrab, SetSpeed, Rewind, SwapBranches, KeepMoment,
                             KeepJournal, WatchAgain, ShowPast, StepThroughPast, SelectLane, NewLane,
                             SetReference, FollowParticle, ChangeLanes, SetLanes, ReviveLane,
                             SetHistoryMemory, ShowMotion, ShowSpectrum, SetLookAhead, Record, UseScene>;

inline constexpr double kMinSpeed = 0.001;
inline constexpr double kMaxSpeed = 4;

}  // namespace clothlab
