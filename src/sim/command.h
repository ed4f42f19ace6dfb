// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/vec.h"
#include "dynamics/state.h"
#include "mesh/pins.h"
#include "sim/pin_set.h"
#include "sim/scene.h"

namespace clothlab {

struct Checkpoint;

// Every change that a user can make to a running simulation. Commands are applied between steps, in
// order; the same commands between the same steps give the same bits.

/// A scene parameter or an integrator's own parameter (sim/parameters.h). x and v do not change.
struct SetParameter {
  std::string id;
  double value = 0;
};
struct SetGravity {
  vec3 gravity{0};  ///< [m/s²]
};
struct SetIntegrator {
  std::string id;
};
/// Pins particles where they are, or frees them.
struct SetPinned {
  std::vector<std::uint32_t> particles;
  bool pinned = true;
};
struct SetPinPreset {
  PinPreset preset = PinPreset::none;
};
/// Takes over all that may change while a scene runs: parameters, gravity, integrator and pins. What a run
/// starts from (mesh, scale, initial state) stays. x and v do not change; a particle that stays pinned stays
/// where its pin is, one that becomes pinned is held where it is.
struct SetScene {
  std::shared_ptr<const Scene> scene;
};
/// Moves pins in straight lines, over `duration` of simulated time [s], at the soonest by the end of the next
/// step. With a duration of 0 the particles are there at once, between two steps, and at rest.
struct MovePins {
  std::vector<PinPlace> pins;
  double duration = 0;
};
/// Takes hold of the point Σ wᵢ xᵢ of a triangle with the mouse spring (model.md). Stiffness and damping
/// are part of the command so that a replay does not depend on an estimate that arrived in between.
struct Grab {
  std::array<std::uint32_t, 3> particles{};
  vec3 weights{0};
  vec3 cursor{0};
  double stiffness = 0;  ///< [N/m]
  double damping = 0;    ///< [N·s/m]
  double strength = 1;   ///< share of the largest force that a grab may have (model.md), in (0, 1]
};
/// Nothing happens when the grab has ended meanwhile.
struct MoveCursor {
  vec3 cursor{0};
};
struct Release {};
/// Back to the start: initial state and time, with the pins in force where that state has them; the grab
/// go. Parameters, integrator and pins stay as they are.
struct Reset {};
/// Goes on from a moment of the past as it went on then, to the last bit, where nothing has been set since:
/// what was set stays. Pins stay where that moment has them; the grab ends.
struct GoBack {
  std::shared_ptr<const Checkpoint> moment;
};
/// Continues from a state that no step of this run may have led to. Pins stay where it has them; the grab
/// lets go.
struct RestoreState {
  std::shared_ptr<const State> state;
  std::uint64_t step = 0;
};

using Command = std::variant<SetParameter, SetGravity, SetIntegrator, SetPinned, SetPinPreset, SetScene,
                             MovePins, Grab, MoveCursor, Release, Reset, GoBack, RestoreState>;

}  // namespace clothlab
