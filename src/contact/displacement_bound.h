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

namespace clothlab {

/// How far the particles of a cloth may move without anything passing through anything: no pair of features
/// gets nearer than a fifth of what it was, or of `distance` where that is less, and no particle gets lower
/// above a surface.
class DisplacementBound {
 public:
  /// Of the contact distance, far above rounding: what is nearer only goes apart.
  static constexpr double kLeast = 1e-6;

  /// What limits displacements.
  struct Obstruction {
    CandidateList& features;
    const Surfaces& surfaces;  ///< its meshes collide with features, all others with particles
    double distance = 0;       ///< contact distance, from which on nothing is near [m]
    bool moves = false;        ///< surfaces move during the displacement; else they are at their end
  };

  /// The fraction in [0, 1] of displacements from x [m] up to which all is free, all moving together. 0 where
  /// there are more pairs than can be listed. Of surfaces that move only the ends count.
  double fraction(WorkerPool& pool, const Obstruction& obstruction, std::span<const vec3> x,
                  std::span<const vec3> displacement);

  /// With surfaces at rest, shortens the displacements of those particles alone that would get too near, to
  /// fractions() of them; returns the least fraction. A conservative bound by additive continuous collision
  /// detection [Li 2021], in rounds: a shortened displacement may bring another particle into a collision.
  double limit(WorkerPool& pool, const Obstruction& obstruction, std::span<const vec3> x,
               std::span<vec3> displacement);
  std::span<const double> fractions() const { return fractions_; }

  /// What the last `fraction` ended at.
  struct End {
    std::uint32_t particle = 0;
    std::uint32_t surface = kClothItself;  ///< as in ContactPair
  };
  const End& end() const { return end_; }

 private:
  struct Blocked {
    FeaturePair pair;
    double fraction;
  };
  /// Finds what gets too near; false where there are too many pairs.
  bool find_blocked(WorkerPool& pool, const Obstruction& obstruction, std::span<const vec3> x,
                    std::span<const vec3> displacement, CandidateList::Search search);

  std::vector<std::vector<Blocked>> by_chunk_;
  std::size_t chunks_ = 0;                 // of them in use
  std::vector<double> on_surfaces_;        // fractions of single particles
  std::vector<std::uint32_t> surface_of_;  // that ended them
  std::vector<double> fractions_, next_;
  End end_;
};

}  // namespace clothlab
