// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/vec.h"
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
/// Replaces all obstacles.
struct SetObstacles {
  std::vector<Obstacle> bodies;
};
/// Moves the centre of an obstacle, of a plane the point nearest to the origin, in a straight line over
/// `duration` of simulated time [s], but over one step at least, and no faster than cloth can follow
/// (model.md). With a duration of 0 it jumps there. A plane may also move along itself.
struct MoveObstacle {
  std::uint32_t obstacle = 0;
  vec3 to{0};
  double duration = 0;
};
struct SetIntegrator {
  std::string id;
};
/// Switches to the integrator of tableaux, with this one.
struct SetTableau {
  const TableauMethod* tableau = nullptr;
};
/// Pins particles where they are, or frees them.
struct SetPinned {
  std::vector<std::uint32_t> particles;
  bool pinned = true;
};
struct SetPinPreset {
  PinPreset preset = PinPreset::none;
};
/// Adopts everything that may change while a scene runs: parameters, gravity, integrator and pins. Mesh,
/// scale and initial state stay. x and v do not change; a particle that stays pinned stays at its pin, a
/// newly pinned one is fixed where it is.
struct SetScene {
  std::shared_ptr<const Scene> scene;
};
/// Moves pins in straight lines over `duration` of simulated time [s], but over one step at least. With a
/// duration of 0 the particles jump there between two steps and are at rest.
struct MovePins {
  std::vector<PinTarget> pins;
  double duration = 0;
};
/// Grabs the point Σ wᵢ xᵢ of a triangle (model.md). Stiffness and damping are part of
/// the command, so that a replay does not depend on when a stability estimate arrived.
struct Grab {
  std::array<std::uint32_t, 3> particles{};
  vec3 weights{0};
  vec3 cursor{0};
  double stiffness = 0;  ///< [N/m]
  double damping = 0;    ///< [N·s/m]
  double strength = 1;   ///< share of the largest force that a grab may have (model.md), in (0, 1]
};
/// No effect if the grab has ended.
struct MoveCursor {
  vec3 cursor{0};
};
struct Release {};
/// Returns to the initial state and time. The current pins fix their particles where that state has them; the
/// grab ends. Parameters, integrator and the set of pins stay.
struct Reset {};
/// Continues from a moment of the past, with the same bits as then if no value changed since: values stay as
/// they are now. Pins stay where that moment has them; the grab ends.
struct GoBack {
  std::shared_ptr<const Checkpoint> moment;
};
/// Continues from the last good state of the run (Simulation::last_good_state), after a blow-up. Pins
/// stay where it has them; the grab ends.
struct RestoreGoodState {};
/// Reverses all velocities: v becomes −v. A method that is symmetric in time then retraces its path. Moving
/// pins continue to their targets; the grab stays.
struct ReverseVelocities {};
/// Switches a driver of the scene on or off, by its index. The particles of a path are free while it is off.
/// When it is switched on they jump to it between two steps, and are at rest until the next one.
struct SetDriver {
  std::uint32_t driver = 0;
  bool on = true;
};
/// One step of −h from the current state, by the current method: an adjoint step, no undo. Refused where
/// why_only_forward() has a reason, and if the step blows up.
struct StepBack {};

using Command = std::variant<SetParameter, SetGravity, SetObstacles, MoveObstacle, SetIntegrator, SetTableau,
                             SetPinned, SetPinPreset, SetScene, MovePins, Grab, MoveCursor, Release, Reset,
                             GoBack, RestoreGoodState, ReverseVelocities, SetDriver, StepBack>;

}  // namespace clothlab
