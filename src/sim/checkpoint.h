// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory.h"
#include "dynamics/grab_spring.h"
#include "dynamics/state.h"
#include "sim/energy_account.h"
#include "sim/floor_contact.h"
#include "sim/pin_set.h"
#include "sim/scene.h"
#include "sim/step_control.h"
#include "sim/step_record.h"

namespace clothlab {

/// A run as a value: all that its next step depends on, to the last bit, and what is shown of the last one.
/// Simulation::save makes it, Simulation::load goes on from it. What can be computed anew from that (masses,
/// factors, hierarchies, patterns) is no part of it.
struct Checkpoint {
  std::shared_ptr<const Scene> scene;  ///< the values in force
  State state;
  Memory memory;         ///< the integrator's
  bool entering = true;  ///< the integrator has not come to the state itself
  double last_h = 0;     ///< of the last substep [s]
  StepControl control;
  std::vector<FloorContact::Contact> contacts;  ///< of the last step

  PinSet pins;
  std::optional<GrabSpring> grab;
  double grab_strength = 1;  ///< see Grab

  std::optional<Measurement> measured;  ///< of the state; none: to be measured, as the record's energies are
  EnergyAccount account;
  EnergyWatch watch;
  bool said_energy = false;  ///< that the method makes energy from nothing
  StepRecord record;
  std::vector<double> residuals;  ///< of every CG iteration of the last linear solve
  std::optional<BlowUp> blow_up;
  std::shared_ptr<const State> last_sound;  ///< the newest sound state, where `state` is none; never changed
  std::uint64_t last_sound_step = 0;
};

/// Appends every number that the next step depends on. The scene and what was measured are not among them.
void write_checkpoint(const Checkpoint& checkpoint, Memory& to);
/// A checkpoint from all the numbers that are left, of a cloth of n particles, without its scene. Throws
/// InputError where they are none.
Checkpoint read_checkpoint(MemoryReader& from, std::size_t n);

}  // namespace clothlab
