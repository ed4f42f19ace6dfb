// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/candidate_list.h"
#include "contact/contact_pair.h"
#include "contact/surfaces.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/couplings.h"

namespace clothlab {

/// Bounds displacements of a cloth so that nothing passes through anything. No pair of features gets nearer
/// than a fifth of its distance, or of `distance` if that is less; the same bound applies to the height of
/// particles above surfaces.
class DisplacementBound {
 public:
  /// Share of the contact distance, far above rounding: nearer pairs may only separate.
  static constexpr double kLeast = 1e-6;

  /// What limits displacements.
  struct Obstruction {
    CandidateList& features;
    const Surfaces& surfaces;  ///< its meshes collide with features, all others with particles
    double distance = 0;       ///< contact distance; pairs farther apart are not near [m]
    bool moves = false;  ///< surfaces move during the displacement; else they are at the end of the step
  };

  /// The common fraction in [0, 1] of all displacements from x [m] without a collision. 0 if there are too
  /// many pairs, or if a surface that moves collides.
  double fraction(WorkerPool& pool, const Obstruction& obstruction, std::span<const vec3> x,
                  std::span<const vec3> displacement);

  /// Shortens the displacements of particles that would get too near, with surfaces at rest, to fractions()
  /// of them; returns the least fraction. A conservative bound by additive continuous collision detection [Li
  /// 2021], in rounds: a shortened displacement may bring another particle into a collision. Groups of
  /// couplings keep a common fraction.
  double limit(WorkerPool& pool, const Obstruction& obstruction, const Couplings& couplings,
               std::span<const vec3> x, std::span<vec3> displacement);
  std::span<const double> fractions() const { return fractions_; }

  /// The contact that limited the last `fraction`.
  struct LimitingContact {
    std::uint32_t particle = 0;
    std::uint32_t surface = kClothItself;  ///< as in ContactPair
  };
  const LimitingContact& limiting_contact() const { return limiting_contact_; }

 private:
  struct Blocked {
    FeaturePair pair;
    double fraction;
  };
  /// Finds pairs and particles that get too near; false if there are too many pairs.
  bool find_blocked(WorkerPool& pool, const Obstruction& obstruction, std::span<const vec3> x,
                    std::span<const vec3> displacement, CandidateList::Search search);

  std::vector<std::vector<Blocked>> by_chunk_;
  std::vector<Blocked> blocked_;
  std::vector<double> on_surfaces_;        // fractions of single particles
  std::vector<std::uint32_t> surface_of_;  // that limited them
  std::vector<double> fractions_, next_;
  LimitingContact limiting_contact_;
};

}  // namespace clothlab
