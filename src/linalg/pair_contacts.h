// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <span>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/pair_contact.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

// The pairs of a solve by the augmented Lagrangian [Alart 1991]. With the multiplier λ of a pair, the
// stiffness κ = 1/(J D⁻¹ Jᵀ), and g = J v − (c n + T u),
//
//   y = λ − κ g,   force = max(0, n·y) n + T y shortened to μ max(0, n·λ)
//
// is the force of a spring with friction. Its bound comes from λ, so that the force has a potential. λ :=
// force when the rest of the system is solved; the solution has λ = force.

class PairContacts {
 public:
  bool empty() const { return pairs_.empty(); }

  /// Adopts the pairs of a solve; `diagonal_of(particle)` is the size of the diagonal block D of the matrix
  /// [kg].
  template <class DiagonalOf>
  void start(std::span<PairContact> pairs, const DiagonalOf& diagonal_of) {
    pairs_ = pairs;
    stencils_.clear();
    stiffness_.resize(pairs.size());
    for (std::vector<vec3>* each : {&y_, &force_, &change_}) each->resize(pairs.size());
    bound_.resize(pairs.size());
    state_.assign(pairs.size(), ContactState::open);
    for (std::size_t q = 0; q < pairs.size(); ++q) {
      double compliance = 0;
      for (std::uint32_t k = 0; k < pairs[q].count; ++k)
        compliance += pairs[q].weight[k] * pairs[q].weight[k] / diagonal_of(pairs[q].particle[k]);
      stiffness_[q] = 1 / compliance;
    }
  }

  /// Computes the forces at velocities velocity_of(particle); `freeze` adopts the bounds of λ for friction.
  template <class VelocityOf>
  void evaluate(WorkerPool& pool, const VelocityOf& velocity_of, bool freeze) {
    for_each(pool, pairs_.size(), kGrain, [&](std::size_t q) {
      y_[q] = multiplier(q, pairs_[q].blend(velocity_of));
      if (freeze) bound_[q] = glm::dot(pairs_[q].normal, y_[q]) > 0 ? bound_of(q) : 0;
      force_[q] = force(q, y_[q]);
    });
  }
  /// Calls add(particle, force) for all forces, in order.
  template <class Add>
  void for_forces(const Add& add) const {
    for (std::size_t q = 0; q < pairs_.size(); ++q) {
      if (force_[q] == vec3(0)) continue;
      for (std::uint32_t k = 0; k < pairs_[q].count; ++k)
        add(pairs_[q].particle[k], pairs_[q].weight[k] * force_[q]);
    }
  }
  /// Calls add(particle, C) with blocks whose sum bounds that of the derivatives, for pairs in any state.
  template <class Add>
  void for_bounds(const Add& add) const {
    for (std::size_t q = 0; q < pairs_.size(); ++q) {
      const PairContact& pair = pairs_[q];
      const mat3 C = bound_[q] > 0 ? mat3(1.0) : glm::outerProduct(pair.normal, pair.normal);
      // (a + b + c + d)² ≤ 4 (a² + b² + c² + d²)
      for (std::uint32_t k = 0; k < pair.count; ++k)
        add(pair.particle[k], 4 * stiffness_[q] * pair.weight[k] * pair.weight[k] * C);
    }
  }
  /// |λ − force| of all pairs [N·s].
  double residual(WorkerPool& pool) const;
  /// λ := force
  void adopt();
  /// The derivatives of the forces, as stencils; returns the number of pairs in another state than at the
  /// last call. Pairs that closing_of(particle), a change of velocity, would close count as closed.
  template <class ChangeOf>
  std::size_t linearize(const ChangeOf& closing_of) {
    stencils_.clear();
    std::size_t changes = 0;
    for (std::size_t q = 0; q < pairs_.size(); ++q) {
      const vec3 then = y_[q] - stiffness_[q] * pairs_[q].blend(closing_of);
      changes += add_derivative(q, glm::dot(pairs_[q].normal, then) > 0) ? 1U : 0U;
    }
    return changes;
  }
  std::span<const SpringMatrix::Stencil> stencils() const { return stencils_; }

  /// The potential of the forces, a function of velocities.
  double energy(WorkerPool& pool) const;
  /// Σ force · J of these changes of velocity.
  template <class ChangeOf>
  double work(const ChangeOf& change_of) const {
    double sum = 0;
    for (std::size_t q = 0; q < pairs_.size(); ++q) sum += glm::dot(force_[q], pairs_[q].blend(change_of));
    return sum;
  }
  /// Prepares `slope` for a line of velocities from here along change_of(particle).
  template <class ChangeOf>
  void begin_line(WorkerPool& pool, const ChangeOf& change_of) {
    for_each(pool, pairs_.size(), kGrain, [&](std::size_t q) { change_[q] = pairs_[q].blend(change_of); });
  }
  /// Σ force · change, of the forces at the start of the line.
  double slope_of_forces() const {
    double sum = 0;
    for (std::size_t q = 0; q < pairs_.size(); ++q) sum += glm::dot(force_[q], change_[q]);
    return sum;
  }
  /// The derivative of the potential at this share of the line.
  double slope(WorkerPool& pool, double share) const;
  /// Stores λ and the states in the pairs.
  void finish();

 private:
  static constexpr std::size_t kGrain = 512;

  /// y
  vec3 multiplier(std::size_t q, const vec3& moved) const {
    const PairContact& pair = pairs_[q];
    const vec3 g = moved - pair.velocity - (pair.least - glm::dot(pair.normal, pair.velocity)) * pair.normal;
    return pair.impulse - stiffness_[q] * g;
  }
  double bound_of(std::size_t q) const {
    return pairs_[q].friction * std::max(0.0, glm::dot(pairs_[q].normal, pairs_[q].impulse));
  }
  vec3 force(std::size_t q, const vec3& y) const;
  bool add_derivative(std::size_t q, bool closes);

  std::span<PairContact> pairs_;
  std::vector<double> stiffness_, bound_;  // κ [kg], and of friction [N·s]
  std::vector<vec3> y_, force_, change_;
  std::vector<ContactState> state_;  // at the last linearization
  std::vector<SpringMatrix::Stencil> stencils_;
};

}  // namespace clothlab
