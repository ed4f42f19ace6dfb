// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/contact_response.h"
#include "linalg/coulomb.h"

namespace clothlab {

/// Contact of particles with the floor and the obstacles, solved by the method within its step: Coulomb's law
/// at the end of the step (linalg/contact_solver.h).
///
/// A step begins with the contacts that it may close: particles nearer to a surface than they can move, each
/// with at most three surfaces, one of those that are nearly parallel there. A surface is replaced by its
/// tangent plane at the closest point, which moves with the surface to the end of the step. The step is
/// repeated, at most twice, if a particle passes a surface that was not among its contacts. Particles that
/// still end below a curved surface are put on it.
///
/// Pinned particles follow their pins, also below a surface. Cloth below a surface that appears or rises is
/// lifted at 1 m/s. Contact by impulses derives from this class.
///
/// At the end of the step impacts return the fraction e of their normal velocity (Newton's impact law).
///
/// Triangles that are more than a tenth of a millimetre deep in a body are pushed out by a penalty force.
class NodalContactResponse : public ContactResponse {
 public:
  void configure(const ContactInput& input, const Surfaces& surfaces) override;
  bool corrects_steps() const override { return has_surfaces_; }
  bool begin_step(const ContactStep& step) override;
  std::span<NodalContact> solved() override { return solved_; }
  bool needs_repeat(const ContactStep& step, const State& after) override;
  End end_step(const ContactStep& step, State& after) override;
  bool lifts() const override { return lifts_; }
  void undo_step() override { NodalContactResponse::set_contacts(before_); }

  std::span<const ContactPair> pairs(std::span<const vec3> v) override;
  /// Those of contacts(), without forces, which only a step knows, and those of triangles.
  std::vector<ContactPair> pairs_at(WorkerPool& pool, const Surfaces& surfaces, const State& state) override;
  void add_constraints(Projection& projection, const Surfaces& surfaces,
                       std::span<const vec3> x) const override;
  const std::vector<ActiveContact>& contacts() const override { return contacts_; }
  void set_contacts(const std::vector<ActiveContact>& contacts) override {
    contacts_ = contacts;
    pairs_.clear();
  }

 protected:
  /// Slower impacts are what gravity does within two steps [m/s].
  static double least_impact(const ContactStep& step);

  bool has_surfaces_ = false;
  std::vector<ContactPair> pairs_;  // of the last step, without those of triangles
  /// Adds the directions along which the last step kept particles on surfaces.
  void add_closed(Projection& projection);

 private:
  struct Sunk {
    std::uint32_t particle, surface;
  };

  NodalContact contact_at(const ContactStep& step, std::uint32_t surface, std::uint32_t particle,
                          const SurfacePoint& point) const;
  void do_not_follow_turn(const ContactStep& step, NodalContact& contact) const;
  void remember(const ContactStep& step);
  bool have_changed() const;
  bool stop_on_surfaces(const ContactStep& step, std::span<NodalContact> contacts, vec3& x, vec3& v);
  double rebound(const ContactStep& step, const NodalContact& contact) const;
  void find_sunk(const ContactStep& step, const State& after);
  void put_on_surfaces(const ContactStep& step, std::uint32_t particle, vec3& x, vec3& v) const;
  std::span<const NodalContact> contacts_of(std::uint32_t particle) const {
    const auto first = std::ranges::lower_bound(solved_, particle, {}, &NodalContact::particle);
    return {first, std::ranges::upper_bound(first, solved_.end(), particle, {}, &NodalContact::particle)};
  }

  double restitution_ = 0;  // e
  bool lifts_ = false, jumped_ = false;
  std::vector<ContactPair> all_pairs_;
  std::vector<ActiveContact> contacts_, before_;  // closed after the last step, and after the one before
  std::vector<NodalContact> solved_, added_;
  std::vector<Projection::Entry> closed_;
  std::vector<std::vector<NodalContact>> found_by_task_;
  std::vector<Sunk> sunk_;
  std::vector<std::vector<Sunk>> sunk_by_task_;
};

}  // namespace clothlab
