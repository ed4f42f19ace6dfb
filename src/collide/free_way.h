// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collide/near_pairs.h"
#include "collide/obstacle.h"
#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

/// How far the particles of a cloth may go without anything passing through anything: no pair of features
/// gets nearer than a fifth of what it was, or of `distance` where that is less, and no particle gets lower
/// above a surface.
class FreeWay {
 public:
  /// Of the contact distance, far above rounding: what is nearer only goes apart.
  static constexpr double kLeast = 1e-6;

  /// What features meet, the surfaces that particles meet, and the contact distance [m] from which on
  /// nothing is near.
  struct Fence {
    NearPairs& features;
    std::span<const Obstacle> surfaces;
    double distance = 0;
    /// Whether surfaces and meshes move on the way, the surfaces from where they were before, in their order.
    bool moves = false;
    std::span<const Obstacle> before = {};
  };

  /// The share in [0, 1] of ways from x [m] up to which all is free, all going on alike. 0 where more may
  /// meet than can be listed. Above surfaces that move only the ends are looked at.
  double share(WorkerPool& pool, const Fence& fence, std::span<const vec3> x, std::span<const vec3> way);

  /// With bodies at rest, shortens the ways of those particles alone that would get too near, to shares() of
  /// them; answers the least share. A conservative bound by additive continuous collision detection [Li
  /// 2021], in rounds: what one particle no longer does may bring another into its way.
  double shorten(WorkerPool& pool, const Fence& fence, std::span<const vec3> x, std::span<vec3> way);
  std::span<const double> shares() const { return shares_; }

  /// What the last `share` ended at: a particle, and one of the fence's surfaces or, where `by_feature`, the
  /// body of a mesh among those of the features; nothing: the cloth itself.
  struct End {
    std::uint32_t particle = 0;
    std::optional<std::uint32_t> on = {};
    bool by_feature = false;
  };
  const End& end() const { return end_; }

 private:
  struct Blocked {
    FeaturePair pair;
    double share;
  };
  /// blocked_ := what is too near on the ways; false where there are too many pairs.
  bool find_blocked(WorkerPool& pool, const Fence& fence, std::span<const vec3> x, std::span<const vec3> way,
                    NearPairs::Looks looks);

  std::vector<std::vector<Blocked>> by_chunk_;
  std::size_t chunks_ = 0;                 // of them in use
  std::vector<double> on_surfaces_;        // shares of single particles
  std::vector<std::uint32_t> surface_of_;  // that ended them
  std::vector<double> shares_, next_;
  End end_;
};

}  // namespace clothlab
