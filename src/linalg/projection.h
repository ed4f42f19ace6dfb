// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "linalg/couplings.h"

namespace clothlab {

/// The constraint filter: the particles with prescribed motion, and their free directions. Entries come
/// from pins and contacts.
///
/// Every particle has a symmetric 3x3 projector S onto its free directions: the identity for a free
/// particle, 0 for a fixed one, I - n n^T for one that may only slide in a plane. Only particles with
/// S != I are stored. A linear solve with A then uses the pre-filtered form
///   (S A S + I - S) y = S (b - A z),   x = y + z,
/// with z the prescribed change [Ascher 2003].
///
/// Couplings constrain several particles together. S then is the product of both projectors. Each of their
/// particles has an entry, with S = I if nothing else constrains it.
class Projection {
 public:
  struct Entry {
    std::uint32_t particle;
    mat3 S;       ///< symmetric, S S = S; 0: the particle is fixed
    vec3 target;  ///< prescribed position at the end of the step, in m; counts along I - S only
    /// Of a contact, which may end in the next step: solvers build no lasting structure on it.
    bool passing = false;
    bool coupled = false;  ///< couplings constrain it too
  };

  Projection() = default;
  explicit Projection(std::size_t particles) : particles_(particles) {}

  /// Makes all `particles` particles free, without a change of the couplings.
  void clear(std::size_t particles);
  /// Constrains particle i in all directions; replaces its entry.
  void fix(std::size_t i, const vec3& target);
  /// Constrains many particles at once in all directions, in time linear in all entries: `fixed` is ascending
  /// and of free particles.
  void fix(std::span<const Entry> fixed) { merge(fixed, false); }
  /// Makes particle i free only along the range of S; replaces its entry, which stays passing if it was.
  void constrain(std::size_t i, const mat3& S, const vec3& target);
  /// Constrains many particles at once by contacts, in time linear in all entries: `added` is ascending and
  /// of free particles.
  void constrain(std::span<const Entry> added) { merge(added, true); }

  /// Replaces the couplings. They act after `linearise`.
  void couple(std::span<const DistanceConstraint> constraints) { couplings_.set(constraints); }
  /// Couplings::linearise with all entries, which must not change until the end of the step.
  void linearise(std::span<const double> masses, std::span<const vec3> x0, std::span<const vec3> v0, double h,
                 double part);
  const Couplings& couplings() const { return couplings_; }

  std::size_t size() const { return particles_; }
  /// The constrained particles in ascending order.
  std::span<const Entry> entries() const { return entries_; }
  /// The entry of particle i, or nullptr if it is free.
  const Entry* find(std::size_t i) const;
  /// True if particle i has no free direction.
  bool is_fixed(std::size_t i) const;

  /// f := S f, in place; f has one force or residual per particle.
  void filter(std::span<vec3> f) const;
  /// The same for a velocity or an acceleration, which couplings correct by impulses.
  void filter_motion(std::span<vec3> a) const;
  /// f := S f without couplings.
  void filter_particles(std::span<vec3> f) const;

 private:
  void merge(std::span<const Entry> added, bool passing);

  std::size_t particles_ = 0;
  std::vector<Entry> entries_;
  Couplings couplings_;
};

}  // namespace clothlab
