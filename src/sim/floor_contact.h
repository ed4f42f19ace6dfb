// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cloth/cloth_system.h"
#include "cloth/steady_force.h"
#include "core/stop_probe.h"
#include "dynamics/state.h"
#include "sim/floor.h"

namespace clothlab {

/// Puts cloth on the floor, as the simplest projection of single directions: a particle in contact is held
/// along n = (0, 1, 0), S = I − n nᵀ [model.md, "The floor"], whatever method integrates.
///
/// A step of h begins with those held that lie on the floor and are pressed on it: y ≤ height, and
/// y + h v_y + h² a < height with a = f_y/m, but never upwards and no faster than gravity. The rest is free:
/// what the step takes below the floor has landed, and the step is taken again with that held as well.
/// So nothing is put on the floor that its springs would have kept above it. After the second time whatever
/// is still below is put on the floor. An impact is inelastic.
///
/// Friction [Coulomb] has the impulse J = −m v_y − h f_y ≥ 0 to go by. Where it can stop the particle,
/// |v_t + h f_t/m| ≤ μ J/m, the particle is held in all directions: it sticks. Where not, it slides, with the
/// force μ J/h against that velocity all through the step. Where the step turns that velocity round, friction
/// would push along it: there the particle sticks. J is at least what kept the particle above the floor.
///
/// Particles that are pinned go where their pins do, below the floor as well. Cloth that is below the floor
/// when that is switched on or raised comes up at 1 m/s.
///
/// Members taking a StopProbe throw Cancelled and leave partial results.
class FloorContact {
 public:
  /// Before a step from `state`: holds what lies on the floor, in the projection of the system, which holds
  /// the pins, and in its forces. True when what is held is not what was held in the step before.
  bool hold(const Floor& floor, double h, const State& state, ClothSystem& system, const StopProbe& stop);
  /// After it: holds what has landed too, and what friction would have pushed along its motion. True when the
  /// step from `before` has to be taken again.
  bool land(const Floor& floor, double h, const State& before, const State& after, ClothSystem& system,
            const StopProbe& stop);
  /// At last. True when something had to be put on the floor.
  bool settle(const Floor& floor, State& state, const ClothSystem& system, const StopProbe& stop);

  /// Whether the floor lifted anything in the last step: what lay below it, or was put on it at last.
  bool lifts() const { return lifts_; }

  /// Adds what was held in the last step and still lies on the floor to a projection that holds the pins.
  void add_to(Projection& projection, const Floor& floor, std::span<const vec3> x) const;

  struct Contact {
    std::uint32_t particle = 0;
    bool sticks = false;
    bool operator==(const Contact&) const = default;
  };
  /// What was held in the last step: all that this remembers of it.
  const std::vector<Contact>& contacts() const { return contacts_; }
  void set_contacts(const std::vector<Contact>& contacts) { contacts_ = contacts; }

 private:
  static Projection::Entry entry(const Contact& contact, const vec3& target);
  /// With an impulse of at least `pressed` [N s].
  void add(std::uint32_t particle, double pressed, const Floor& floor, double h, const State& state,
           const ClothSystem& system);
  bool stop_what_turns_back(const State& after, Projection& projection);

  bool lifts_ = false;
  std::vector<Contact> contacts_, before_;
  std::vector<Projection::Entry> added_;  // what the projection is still to hold
  std::vector<SteadyForce::Push> friction_;
  std::vector<vec3> force_;  // at the beginning of the step, without friction
};

}  // namespace clothlab
