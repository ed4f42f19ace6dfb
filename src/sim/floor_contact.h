// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cloth/cloth_system.h"
#include "cloth/steady_force.h"
#include "core/compute_context.h"
#include "dynamics/state.h"
#include "sim/floor.h"

namespace clothlab {

/// Contact with the floor by projection: a particle in contact is held along n = (0, 1, 0), S = I − n nᵀ
/// (model.md, "The floor"), for every method.
///
/// A step of h begins with the particles held that the floor supports: y ≤ height, and
/// y + h v_y + h² a < height with a = f_y/m, limited to [−|g|, 0]. Free particles that end below the floor
/// have landed: the step is repeated, at most twice, with them held as well, so that no particle is put on
/// the floor that its springs keep above it. What is still below then is put on the floor. Impacts are
/// inelastic.
///
/// Coulomb friction uses the impulse J = −m v_y − h f_y ≥ 0. Where it can stop the particle, |v_t + h f_t/m|
/// ≤ μ J/m, the particle sticks: it is held in all directions. Otherwise it slides, with the force μ J/h
/// against that velocity throughout the step; where the step reverses that velocity, the particle sticks. J
/// is at least the impulse that kept the particle above the floor.
///
/// Pinned particles follow their pins, below the floor as well. Cloth that is below the floor when that is
/// switched on or raised is lifted at 1 m/s.
///
/// Members taking a StopProbe throw Cancelled and leave partial results.
class FloorContact {
 public:
  /// Before a step from `state`: adds the supported particles to the system's projection, which holds the
  /// pins, and the friction to its forces. True when the set of contacts has changed since the step before.
  bool hold(const Floor& floor, double h, const State& state, ClothSystem& system,
            const ComputeContext& context);
  /// After it: holds particles that have landed, and those that friction would push along their motion. True
  /// when the step from `before` has to be repeated.
  bool land(const Floor& floor, double h, const State& before, const State& after, ClothSystem& system,
            const ComputeContext& context);
  /// Ends the step. True when particles had to be put on the floor.
  bool settle(const Floor& floor, State& state, const ClothSystem& system, const StopProbe& stop);

  /// Whether the floor lifted particles in the last step: from below it, or onto it at the end.
  bool lifts() const { return lifts_; }

  /// Adds what was held in the last step and still lies on the floor to a projection that holds the pins.
  void add_to(Projection& projection, const Floor& floor, std::span<const vec3> x) const;

  struct Contact {
    std::uint32_t particle = 0;
    bool sticks = false;
    bool operator==(const Contact&) const = default;
  };
  /// The contacts of the last step, the only state of this class.
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
  std::vector<Projection::Entry> added_;  // for the projection
  std::vector<SteadyForce::Push> friction_;
  std::vector<vec3> force_;  // at the beginning of the step, without friction
};

}  // namespace clothlab
