// SPDX-License-Identifier: MIT
#pragma once

// Distances for comparison, with rounding but without a case that is left out.

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>

#include "collide/feature_pair.h"

namespace clothlab::test {

using Four = std::array<vec3, 4>;

inline double from_segment(const vec3& p, const vec3& a, const vec3& b) {
  const vec3 weights = closest_on_triangle(p, a, b, b);
  return glm::distance(p, weights.x * a + (weights.y + weights.z) * b);
}

/// Between the segments of the first two and of the last two points.
inline double between_segments(const Four& x) {
  double least = std::min({from_segment(x[0], x[2], x[3]), from_segment(x[1], x[2], x[3]),
                           from_segment(x[2], x[0], x[1]), from_segment(x[3], x[0], x[1])});
  const vec3 u = x[1] - x[0], w = x[3] - x[2], apart = x[2] - x[0], n = glm::cross(u, w);
  if (const double square = glm::dot(n, n); square > 0) {
    const double s = glm::dot(glm::cross(apart, w), n) / square,
                 t = glm::dot(glm::cross(apart, u), n) / square;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
      least = std::min(least, glm::distance(x[0] + s * u, x[2] + t * w));
  }
  return least;
}

/// Of the first point from the triangle of the others.
inline double from_face(const Four& x) {
  const vec3 weights = closest_on_triangle(x[0], x[1], x[2], x[3]);
  return glm::distance(x[0], weights.x * x[1] + weights.y * x[2] + weights.z * x[3]);
}

/// Of two triangles that do not intersect.
inline double between_triangles(const std::array<vec3, 3>& a, const std::array<vec3, 3>& b) {
  double least = from_face({a[0], b[0], b[1], b[2]});
  for (std::size_t i = 0; i < 3; ++i) {
    least = std::min({least, from_face({a[i], b[0], b[1], b[2]}), from_face({b[i], a[0], a[1], a[2]})});
    for (std::size_t j = 0; j < 3; ++j)
      least = std::min(least, between_segments({a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]}));
  }
  return least;
}

}  // namespace clothlab::test
