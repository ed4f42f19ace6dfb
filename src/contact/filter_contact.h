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

/// Contact with the floor and the obstacles by projection: a particle in contact is held along the normal n
/// of the surface at its place, S = I − n nᵀ, of two or three surfaces along their span (model.md, "The
/// floor", "Obstacles"), for every method.
///
/// A step of h begins with the particles held that a surface supports: those on it, and h v_n + h² (a + κ
/// v_t²) leads below it, with a = f_n/m, limited to [−|g|, 0], and κ the curvature. Free particles that end
/// below a surface have landed: the step is repeated, at most twice, with them held as well, so that no
/// particle is put on a surface that its springs keep above it. What is still below then is put on it.
/// Impacts are inelastic.
///
/// Coulomb friction uses the impulse J = −m v_n − h f_n ≥ 0. Where it can stop the particle, |v_t + h f_t/m|
/// ≤ μ J/m, the particle sticks: it is held in all directions. Otherwise it slides, with the force μ J/h
/// against that velocity throughout the step; where the step reverses that velocity, the particle sticks. J
/// is at least the impulse that kept the particle above the surface.
///
/// Contact by impulses holds what is alone on a surface by what it did in the step before (uses_reactions):
/// what pressed on it stays held, and what stuck sticks, as the forces of a stiff cloth at the beginning say
/// little of those in the step; what the surface had to pull is let go, and slides where it held more than μ
/// times that. A step is not repeated for what lands, or is turned round by friction, within a fifth of what
/// surfaces are thicker: that is put on the surface, or stopped, at the end.
///
/// On a surface that moves all of this holds relative to its velocity in the step: what it holds goes with
/// it.
///
/// Pinned particles follow their pins, below a surface as well. Cloth that is below one when that appears or
/// comes up is lifted at 1 m/s.
///
/// Impulses add to it.
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
  Projection::Entry add(ActiveContact contact, const SurfacePlace& place, double pressed,
                        const Surfaces& surfaces, double h, const State& state, const ClothSystem& system);
  /// Free particles that end below a surface.
  void find_landed(const Surfaces& surfaces, const State& after, const Projection& projection,
                   WorkerPool& pool);
  /// On all that it is below, but for those that lift it.
  void put_on_surfaces(const Surfaces& surfaces, std::uint32_t particle, vec3& x, vec3& v) const;
  /// The longest way of those that friction has turned round [m].
  double turned_back(const Surfaces& surfaces, double h, const State& before, const State& after) const;
  void stop_what_turns_back(const Surfaces& surfaces, double h, const State& before, const State& after,
                            Projection& projection);
  /// That of the step before, of a particle with one alone; `from` goes along with the particles.
  const ActiveContact* last_of(std::uint32_t particle, std::size_t& from) const;
  /// Forgets what pulls, and finds what sticks.
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
