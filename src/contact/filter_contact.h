// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cloth/steady_force.h"
#include "contact/contact_response.h"
#include "core/compute_context.h"
#include "dynamics/state.h"

namespace clothlab {

/// Contact with the floor and the obstacles by projection (model.md, "The floor", "Obstacles"): a particle in
/// contact is constrained along the contact normal n, S = I − n nᵀ, or along the span of two or three
/// normals, for every method.
///
///     begin_step             the method's step     needs_repeat            end_step
///     which are supported?                         which have landed?      the rest is put on the surface,
///     stick or slide? ─────► S in every solve ───► which reverse? ───────► reactions become impulses
///                                   ▲                     │
///                                   └── at most twice ────┘
///
/// All decisions precede the solve, so they are guesses about the step.
///
/// A step of h begins with the supported particles constrained: those on a surface, and those that
/// h v_n + h² (a + κ v_t²) would move below it, with a = f_n/m, limited to [−|g|, 0], and κ the curvature.
/// Free particles that end below a surface have landed: the step is repeated, at most twice, with them
/// constrained as well. So no particle is put on a surface that its springs keep above it. Particles that are
/// still below are then put on it. Impacts are inelastic.
///
/// Coulomb friction uses the impulse J = −m v_n − h f_n ≥ 0. Where it can stop the particle, |v_t + h f_t/m|
/// ≤ μ J/m, the particle sticks: it is constrained in all directions. Otherwise it slides, with the force μ
/// J/h against that velocity throughout the step; where the step reverses that velocity, the particle sticks.
/// J is at least the impulse that kept the particle above the surface.
///
/// Contact by impulses uses the reactions of the step before (uses_reactions) for a particle with one
/// contact: a contact that pressed stays active, and one that stuck sticks, as the forces of a stiff cloth at
/// the beginning tell little about those in the step. Contacts with negative reactions are released, and
/// those that needed more than μ times the push slide. A step is not repeated for a penetration, or a
/// reversal by friction, within a fifth of the thickness: these are corrected at the end.
///
/// All of this is relative to the velocity of the surface in the step; a constrained particle moves with it.
///
/// Pinned particles follow their pins, also below a surface. Cloth below a surface that appears or rises is
/// lifted at 1 m/s. Contact by impulses derives from this class.
class FilterContact : public ContactResponse {
 public:
  void configure(const ContactInput& input, const Surfaces& /*surfaces*/) override {
    has_surfaces_ = input.has_surfaces();
  }
  bool constrains() const override { return has_surfaces_; }
  bool corrects_steps() const override { return has_surfaces_; }
  /// Constrains the supported particles, and adds friction to the forces of the system.
  bool begin_step(const ContactStep& step) override;
  /// Constrains particles that have landed, and those that friction would push along their motion.
  bool needs_repeat(const ContactStep& step, const State& after) override;
  End end_step(const ContactStep& step, std::span<const vec3> reactions, State& after) override;
  bool lifts() const override { return lifts_; }
  void undo_step() override { FilterContact::set_contacts(before_); }

  /// With the forces of the constraints, J/h; none after set_contacts.
  std::span<const ContactPair> pairs(std::span<const vec3> /*v*/) override {
    return has_surfaces_ ? pairs_ : std::span<const ContactPair>();
  }
  void add_constraints(Projection& projection, const Surfaces& surfaces,
                       std::span<const vec3> x) const override;
  /// By particle and surface: the only memory of this class.
  const std::vector<ActiveContact>& contacts() const override { return contacts_; }
  void set_contacts(const std::vector<ActiveContact>& contacts) override {
    contacts_ = contacts;
    sorted_ = contacts.size();
    pairs_.clear();
  }

 protected:
  bool has_surfaces_ = false;
  std::vector<ContactPair> pairs_;  // of the step

 private:
  bool has_contact(std::uint32_t particle, std::uint32_t surface) const;
  /// The contacts of a particle at the beginning of the step, or after landing.
  std::span<const ActiveContact> contacts_of(std::uint32_t particle) const;
  /// Adds a contact at a surface point of the beginning, with an impulse of at least `pressed` [N s]; returns
  /// its constraint.
  Projection::Entry add(ActiveContact contact, const SurfacePoint& point, double pressed,
                        const Surfaces& surfaces, double h, const State& state, const ClothSystem& system);
  /// Free particles that end below a surface.
  void find_landed(const Surfaces& surfaces, const State& after, const Projection& projection,
                   WorkerPool& pool);
  /// Puts a particle on all surfaces that it is below, except those that lift it.
  void put_on_surfaces(const Surfaces& surfaces, std::uint32_t particle, vec3& x, vec3& v) const;
  /// The longest displacement of particles whose sliding friction has reversed [m].
  double reversed_displacement(const Surfaces& surfaces, double h, const State& before,
                               const State& after) const;
  void stick_reversed(const Surfaces& surfaces, double h, const State& before, const State& after,
                      Projection& projection);
  /// The contact of the step before, of a particle with exactly one; `from` advances with the particles.
  const ActiveContact* last_contact_of(std::uint32_t particle, std::size_t& from) const;
  /// Releases contacts with negative reactions, and finds the sticking ones.
  void apply_reactions(const Surfaces& surfaces, double h, std::span<const vec3> reactions,
                       const State& state, const ClothSystem& system);

  bool lifts_ = false;
  struct Landed {
    std::uint32_t particle, surface;
    double depth;  // [m]
  };

  std::vector<ActiveContact> contacts_, before_;
  std::vector<Landed> landed_;
  std::vector<std::vector<Landed>> landed_by_chunk_;
  std::size_t sorted_ = 0;                // how many contacts at the front are sorted
  std::vector<Projection::Entry> added_;  // constraints for the projection
  std::vector<SteadyForce::Push> friction_;
  std::vector<std::uint32_t> friction_surfaces_;  // the surface of each
  std::vector<vec3> force_;                       // at the beginning of the step, without friction
};

}  // namespace clothlab
