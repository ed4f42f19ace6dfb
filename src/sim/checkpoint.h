// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "contact/contact_response.h"
#include "contact/surfaces.h"
#include "core/memory.h"
#include "dynamics/grab_spring.h"
#include "dynamics/state.h"
#include "sim/energy_account.h"
#include "sim/notice.h"
#include "sim/pin_set.h"
#include "sim/scene.h"
#include "sim/step_control.h"
#include "sim/step_record.h"

namespace clothlab {

/// Hash of positions, velocities and time, bit by bit.
std::uint64_t state_hash(const State& state);

/// A run as a value: everything that its next step depends on, to the last bit, and the figures of the last
/// step. Simulation::save makes it, Simulation::load continues from it. Derived data (masses, factors,
/// hierarchies, patterns) is left out.
struct Checkpoint {
  std::shared_ptr<const Scene> scene;  ///< the values in force
  State state;
  Memory memory;         ///< the integrator's
  bool entering = true;  ///< the state was set from outside: Integrator::enter comes first
  double last_h = 0;     ///< of the last substep [s]
  StepControl control;
  std::vector<ActiveContact> contacts;  ///< of the last step
  std::vector<ActivePair> pairs;        ///< of the last step
  /// True while contact moves out cloth that was inside a surface when it appeared, or that a surface pushed
  /// inside.
  bool lifting = true;
  double stiffened = 1;  ///< factor of a barrier's automatic stiffness: a power of 2

  PinSet pins;
  ObstacleMoves moves;
  std::optional<GrabSpring> grab;
  double grab_strength = 1;  ///< see Grab

  std::optional<Measurement> measured;  ///< of the state; none: measured on load
  EnergyAccount account;
  EnergyWatch watch;
  NoticeLog notices;
  WarningTimes warnings;
  std::vector<std::uint32_t> behind;  ///< see ContactWatch::behind
  StepRecord record;
  std::vector<double> residuals;  ///< of every CG iteration of the last linear solve
  std::optional<BlowUp> blow_up;
  std::shared_ptr<const State> last_good;  ///< the last good state, if `state` is not good; immutable
  std::uint64_t last_good_step = 0;
};

/// Appends every number that the next step depends on, without the scene, the measurements and the texts of
/// notices.
void write_checkpoint(const Checkpoint& checkpoint, Memory& to);
/// Reads a checkpoint of n particles, without its scene, from the rest of the numbers. Of its notices only
/// spurious energy is known, without figures. Throws InputError if they do not fit.
Checkpoint read_checkpoint(MemoryReader& from, std::size_t n);

}  // namespace clothlab
