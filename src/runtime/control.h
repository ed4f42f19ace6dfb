// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "runtime/recorder.h"
#include "runtime/scene_loader.h"
#include "sim/checkpoint.h"
#include "sim/command.h"
#include "sim/frame.h"

namespace clothlab {

// What steers the simulation thread rather than the simulation. Controls and Commands share one
// ordered queue.

struct SetPlaying {
  bool playing = true;
};
/// One step, then pause.
struct StepOnce {};
/// A Grab whose spring and pull are those of a MouseGrab (runtime/mouse_grab.h) until it ends.
struct StartGrab {
  Grab hold;
};
// After a blow-up the cloth is frozen. What acts on it (playing, a step, the grab, pins, a recording)
// continues from the last sound state (Simulation::last_sound_state), and so does a change of values with
// which the method is stable there; it plays if the run played when it blew up. Snapshot::notice says so.
/// Simulated seconds per second of the wall clock, clamped to kMinSpeed…kMaxSpeed.
struct SetSpeed {
  double speed = 1;
};
/// Back by half a second of viewing time (0.5 s × speed, at least one kept state), and pause; again goes
/// further back. What came after is left (SwapBranches).
struct Rewind {};
/// Undoes that the run went on from a moment of the past: pauses at the present that was left, with what is
/// kept of the way there; the same again is back. What was set stays set. Refused where Snapshot::left is
/// empty.
struct SwapBranches {};
/// Shows the last states before the present one, step by step, within `seconds` of the wall clock;
/// then the present state again. The state itself does not change; any later request that changes or
/// advances it ends the replay.
struct WatchAgain {
  double seconds = 5;
};
/// Pauses, and shows the kept state nearest to a simulated time [s]; the newest one is the present. While a
/// state of the past is shown, the simulation's own stays the present one. To play, to step, to take hold of
/// the cloth and to change pins continue from the state that is shown, with its very bits and the
/// integrator's memory of then: what came after is left (SwapBranches), pins hold where that state has them,
/// and the grab ends.
struct ShowPast {
  double time = 0;
};
/// The same, so many kept states later (earlier when negative) than the one that is shown.
struct StepThroughPast {
  int states = 0;
};
/// The scene again from its start, with this integrator and the parameters and pins in force, playing. The
/// curves of the run that ends stay in Snapshot::ghosts.
struct RunAgain {
  std::string integrator;
};
struct ForgetGhosts {};
/// How much the kept states may take [byte].
struct SetHistoryMemory {
  std::size_t bytes = 0;
};
/// Whether snapshots carry velocities and forces.
struct ShowMotion {
  Motion wanted;
};
/// Adds every step from now on to a recording; null: to none any more. Another scene ends it.
struct Record {
  std::shared_ptr<Recorder> recorder;
};
/// Starts another scene from its beginning, or from the moment that it was loaded with. Playing or paused
/// stays as it is; a run that blew up or a mesh that waited counts as playing if the run before it was.
struct UseScene {
  std::shared_ptr<const LoadedScene> loaded;
  /// With these values (SetScene) from the first moment on; null: with its own. One request, so that
  /// a later UseScene cannot come between the two.
  std::shared_ptr<const Scene> values = nullptr;
  /// Paused at its start until it is played, as a moment is.
  bool waits = false;
};

/// Hands out the moment that is shown, with the values that it had, on the simulation thread.
struct KeepMoment {
  struct Moment {
    std::shared_ptr<const Checkpoint> checkpoint;
    std::shared_ptr<const LoadedScene> loaded;
  };
  std::function<void(Moment)> receive;  ///< must not throw
};

using Control = std::variant<SetPlaying, StepOnce, StartGrab, SetSpeed, Rewind, SwapBranches, KeepMoment,
                             WatchAgain, ShowPast, StepThroughPast, RunAgain, ForgetGhosts, SetHistoryMemory,
                             ShowMotion, Record, UseScene>;

inline constexpr double kMinSpeed = 0.001;
inline constexpr double kMaxSpeed = 4;

}  // namespace clothlab
