// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/vec.h"

namespace clothlab {

/// Weights of the corners a, b, c in the point of their triangle that is closest to p: not negative, with
/// sum 1. In a triangle without area a closest point of its longest edge.
vec3 closest_on_triangle(const vec3& p, const vec3& a, const vec3& b, const vec3& c);

/// Shares of b and of d, from 0 to 1, in the closest points of the segments from a to b and from c to d; for
/// parallel segments of one such pair.
std::array<double, 2> closest_on_segments(const vec3& a, const vec3& b, const vec3& c, const vec3& d);

/// Two features of triangle meshes that may collide and share no particle: a vertex and a triangle, or two
/// edges.
struct FeaturePair {
  enum class Kind : std::uint8_t { vertex_face, edge_edge };

  /// The vertex, then the corners; or the ends of one edge, then those of the other.
  std::array<std::uint32_t, 4> particle{};
  Kind kind = Kind::vertex_face;

  auto operator<=>(const FeaturePair&) const = default;
  std::array<vec3, 4> of(std::span<const vec3> a) const {
    return {a[particle[0]], a[particle[1]], a[particle[2]], a[particle[3]]};
  }
  /// Upper bound of how much nearer the features can come while no particle moves farther than its room [m].
  double approach_within(std::span<const double> room) const {
    const auto of = [&](std::size_t k) { return room[particle[k]]; };
    return kind == Kind::vertex_face ? of(0) + std::max({of(1), of(2), of(3)})
                                     : std::max(of(0), of(1)) + std::max(of(2), of(3));
  }
};

/// The closest points of two features: their relative position is Σ w x, with Σ w = 0.
struct Separation {
  std::array<double, 4> weight{};
  vec3 apart{0};        ///< Σ w x [m]
  double distance = 0;  ///< its length

  /// True if the points lie within the triangle, or within both edges.
  bool is_within(FeaturePair::Kind kind) const {
    return weight[1] * weight[2] * weight[3] != 0 &&
           (kind == FeaturePair::Kind::vertex_face || weight[0] != 0);
  }
  vec3 blend(const std::array<vec3, 4>& a) const {
    return weight[0] * a[0] + weight[1] * a[1] + weight[2] * a[2] + weight[3] * a[3];
  }
};
Separation separation(FeaturePair::Kind kind, const std::array<vec3, 4>& x);

/// The side of the triangle on which the vertex lies, or of one edge the other, as the sign; 0: neither.
double side(FeaturePair::Kind kind, const std::array<vec3, 4>& x);

/// Upper bound of how much nearer two features can come on the displacements of their particles [m].
double approach_bound(FeaturePair::Kind kind, const std::array<vec3, 4>& displacement);

/// Additive continuous collision detection [Li 2021, section 4]. Returns a fraction t in [0, 1] of the
/// displacements of four particles, up to which two features are at least `least` / 2 apart. Less than 1 only
/// if they are nearer than `least` at t [m], or the search did not end. `least` is above 0, at most their
/// distance at x, and above rounding: 1e-13 of the largest coordinate of x and the displacement.
double free_share(FeaturePair::Kind kind, std::array<vec3, 4> x, std::array<vec3, 4> displacement,
                  double least);

}  // namespace clothlab
