#pragma once

#include <memory>
#include <variant>

#include "runtime/scene_loader.h"

namespace clothlab {

// What steers the simulation thread rather than the simulation. Controls and Commands share one
// ordered queue.

struct SetPlaying {
  bool playing = true;
};
/// One step, then pause.
struct StepOnce {};
/// Simulated seconds per second of the wall clock, clamped to kMinSpeed…kMaxSpeed.
struct SetSpeed {
  double speed = 1;
};
/// Back by half a second as it was watched (0.5 s × speed, at least one kept state), and pause. What
/// came after is forgotten; again goes further back.
struct Rewind {};
/// Shows the last states before the present one, step by step, within `seconds` of the wall clock;
/// then the present state again. The state itself does not change; any later request that changes or
/// advances it ends the replay.
struct WatchAgain {
  double seconds = 5;
};
/// Starts another scene from its beginning. Playing or paused stays as it is.
struct UseScene {
  std::shared_ptr<const LoadedScene> loaded;
};

using Control = std::variant<SetPlaying, StepOnce, SetSpeed, Rewind, WatchAgain, UseScene>;

inline constexpr double kMinSpeed = 0.001;
inline constexpr double kMaxSpeed = 4;

}  // namespace clothlab
