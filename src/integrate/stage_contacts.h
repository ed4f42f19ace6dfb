// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/coulomb.h"
#include "linalg/pair_contacts.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// The contacts of one implicit stage, for Newton's method (implicit_stage.h): the residual that no impulse
/// of contacts balances, and the smooth problem with fixed states.
///
/// In the smooth problem closed contacts constrain their particles, and a slipping one has a constant
/// friction −μ p ŵ. Pairs have the forces of their multipliers (linalg/pair_contacts.h), which have a
/// potential.
class StageContacts {
 public:
  /// Begins a stage; contacts ascend by particle. The pairs are those of the solver that finds the states.
  void begin(std::span<NodalContact> contacts, PairContacts* pairs = nullptr) {
    contacts_ = contacts;
    pairs_ = pairs;
    fixed_ = false;
  }
  bool empty() const { return contacts_.empty() && !has_pairs(); }
  bool are_fixed() const { return fixed_; }

  /// Changes v as little as possible so that it satisfies n·v ≥ c, with closed contacts still closed.
  void put_on(std::span<vec3> v) const;

  /// The part of r, one vector per particle, that no impulse of the contacts balances at v [N·s]: the natural
  /// residual, and that of the pairs. Stores the nearest impulses in the contacts. r is filtered by the pins.
  double natural_residual(WorkerPool& pool, const Projection& pins, std::span<const vec3> v,
                          std::span<const vec3> r);

  /// The same without pairs.
  double nodal_residual(std::span<const vec3> v, std::span<const vec3> r) const;

  /// Fixes the states and the friction that natural_residual has stored.
  void fix(const Projection& pins);
  /// Ends the smooth problem at v: multipliers become the forces there.
  void release(WorkerPool& pool, std::span<const vec3> v);
  /// The pins and the closed contacts of the fixed states.
  const Projection& projection() const { return projection_; }
  /// r −= the friction and the forces of pairs of the fixed states at v
  void subtract_forces(WorkerPool& pool, std::span<const vec3> v, std::span<vec3> r);
  /// Adds the derivatives of the forces of pairs at v to the matrix.
  void add_derivatives(WorkerPool& pool, std::span<const vec3> v, SpringMatrix& A);
  /// The potential of friction and the forces of pairs at v; 0 if nothing is fixed.
  double potential(WorkerPool& pool, std::span<const vec3> v);
  /// The work of the forces at v along the change to `to`.
  double work(WorkerPool& pool, std::span<const vec3> v, std::span<const vec3> to);

 private:
  // Of a particle, in the fixed states.
  struct Friction {
    std::uint32_t particle;
    vec3 impulse;  // [N·s]
  };
  bool has_pairs() const { return pairs_ != nullptr && !pairs_->empty(); }
  void evaluate_pairs(WorkerPool& pool, std::span<const vec3> v, bool freeze) {
    pairs_->evaluate(
        pool, [&](std::uint32_t i) { return v[i]; }, freeze);
  }
  void subtract_pairs(std::span<vec3> r) const {
    pairs_->for_forces([&](std::uint32_t i, const vec3& force) { r[i] -= force; });
  }

  std::span<NodalContact> contacts_;
  PairContacts* pairs_ = nullptr;
  bool fixed_ = false;
  Projection projection_;
  std::vector<Projection::Entry> added_;
  std::vector<Friction> friction_;
  std::vector<vec3> rest_;  // scratch of natural_residual
};

}  // namespace clothlab
