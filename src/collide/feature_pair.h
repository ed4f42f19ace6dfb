// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/vec.h"

namespace clothlab {

/// Two features of triangle meshes that may meet and share no particle: a vertex and a triangle, or two
/// edges.
struct FeaturePair {
  enum class Kind : std::uint8_t { vertex_face, edge_edge };

  /// The vertex, then the corners; or the ends of one edge, then those of the other.
  std::array<std::uint32_t, 4> particle{};
  Kind kind = Kind::vertex_face;

  std::array<vec3, 4> of(std::span<const vec3> a) const {
    return {a[particle[0]], a[particle[1]], a[particle[2]], a[particle[3]]};
  }
  /// How much nearer the features can come while no particle goes farther than its room, at most [m].
  double approach_within(std::span<const double> room) const {
    const auto of = [&](std::size_t k) { return room[particle[k]]; };
    return kind == Kind::vertex_face ? of(0) + std::max({of(1), of(2), of(3)})
                                     : std::max(of(0), of(1)) + std::max(of(2), of(3));
  }
};

/// The points of two features that are nearest to each other: their relative position is Σ w x, with
/// Σ w = 0.
struct Separation {
  std::array<double, 4> weight{};
  vec3 apart{0};        ///< Σ w x [m]
  double distance = 0;  ///< its length

  /// Whether the points lie within the triangle, or within both edges.
  bool is_within(FeaturePair::Kind kind) const {
    return weight[1] * weight[2] * weight[3] != 0 &&
           (kind == FeaturePair::Kind::vertex_face || weight[0] != 0);
  }
  vec3 blend(const std::array<vec3, 4>& a) const {
    return weight[0] * a[0] + weight[1] * a[1] + weight[2] * a[2] + weight[3] * a[3];
  }
};
Separation separation(FeaturePair::Kind kind, const std::array<vec3, 4>& x);

/// On which side of the triangle the vertex is, or of one edge the other: of either sign, 0 between.
double side(FeaturePair::Kind kind, const std::array<vec3, 4>& x);

/// How much nearer two features can come on the ways of their particles, at most [m].
double approach_bound(FeaturePair::Kind kind, const std::array<vec3, 4>& way);

/// Additive continuous collision detection [Li 2021, section 4]: the share t of the ways of four particles,
/// x + t · way, up to which two features surely are at least `least` / 2 apart; 1 where they are so all the
/// way. Less than 1 only where they are nearer than `least` at t [m], or where no end is in sight. `least`
/// is above 0, at most their distance at x, and above rounding: 1e-13 of the largest coordinate of x and way.
double free_share(FeaturePair::Kind kind, std::array<vec3, 4> x, std::array<vec3, 4> way, double least);

}  // namespace clothlab
