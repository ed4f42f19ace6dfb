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
/// A step of h begins with the particles constrained that a surface supports: those on it, and those that h
/// v_n
/// + h² (a + κ v_t²) would move below it, with a = f_n/m, limited to [−|g|, 0], and κ the curvature. Free
/// particles that end below a surface have landed: the step is repeated, at most twice, with them constrained
/// as well, so that no particle is put on a surface that its springs keep above it. Particles that are still
/// below are then put on it. Impacts are inelastic.
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
/// Pinned particles follow their pins, below a surface as well. Cloth that is below a surface when that
/// appears or comes up is lifted at 1 m/s. Contact by impulses adds to this class.
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
  void take_back() override { FilterContact::set_contacts(before_); }

  /// With what constrained them, the impulse J over h; none after set_contacts.
  std::span<const ContactPair> pairs(std::span<const vec3> /*v*/) override {
    return has_surfaces_ ? pairs_ : std::span<const ContactPair>();
  }
  std::vector<ContactPair> pairs_at(WorkerPool& pool, const Surfaces& surfaces, const State& state) override;
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

 private:
  bool holds(std::uint32_t particle, std::uint32_t surface) const;
  /// Those of a particle at the beginning of the step, or after landing.
  std::span<const ActiveContact> contacts_of(std::uint32_t particle) const;
  /// The projection of a new contact at a place of the beginning, with an impulse of at least `pressed` [N
  /// s].
  Projection::Entry add(ActiveContact contact, const SurfacePoint& place, double pressed,
                        const Surfaces& surfaces, double h, const State& state, const ClothSystem& system);
  /// Free particles that end below a surface.
  void find_landed(const Surfaces& surfaces, const State& after, const Projection& projection,
                   WorkerPool& pool);
  /// On all that it is below, but for those that lift it.
  void put_on_surfaces(const Surfaces& surfaces, std::uint32_t particle, vec3& x, vec3& v) const;
  /// The longest displacement of particles that friction has reversed [m].
  double turned_back(const Surfaces& surfaces, double h, const State& before, const State& after) const;
  void stop_what_turns_back(const Surfaces& surfaces, double h, const State& before, const State& after,
                            Projection& projection);
  /// That of the step before, of a particle with one alone; `from` goes along with the particles.
  const ActiveContact* last_of(std::uint32_t particle, std::size_t& from) const;
  /// Releases contacts with negative reactions, and finds which stick.
  void weigh(const Surfaces& surfaces, double h, std::span<const vec3> reactions, const State& state,
             const ClothSystem& system);

  bool lifts_ = false;
  struct Landed {
    std::uint32_t particle, surface;
    double depth;  // [m]
  };

  std::vector<ActiveContact> contacts_, before_;
  std::vector<Landed> landed_;
  std::vector<std::vector<Landed>> landed_by_chunk_;
  std::size_t sorted_ = 0;                // of the contacts, at the front
  std::vector<Projection::Entry> added_;  // for the projection
  std::vector<SteadyForce::Push> friction_;
  std::vector<std::uint32_t> rubbed_;  // the surface of each
  std::vector<vec3> force_;            // at the beginning of the step, without friction
  std::vector<ContactPair> pairs_;
};

}  // namespace clothlab
