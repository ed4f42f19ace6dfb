// SPDX-License-Identifier: MIT
#include "collide/closest_point.h"

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>

namespace clothlab {
namespace {

constexpr double kNearlyParallel = 1e-6;  // the square of the sine of an angle

// Share of b in the closest point to p of the segment from a to b.
double closest_on_segment(const vec3& p, const vec3& a, const vec3& b) {
  const vec3 along = b - a;
  const double square = glm::dot(along, along);
  return square > 0 ? std::clamp(glm::dot(p - a, along) / square, 0.0, 1.0) : 0.0;
}

}  // namespace

vec3 closest_on_triangle(const vec3& p, const vec3& a, const vec3& b, const vec3& c) {
  const vec3 ab = b - a, ac = c - a, ap = p - a;
  const vec3 normal = glm::cross(ab, ac);
  const double square = glm::dot(normal, normal);
  if (square > 0) {
    const double of_b = glm::dot(glm::cross(ap, ac), normal) / square;
    const double of_c = glm::dot(glm::cross(ab, ap), normal) / square;
    const vec3 within(1 - of_b - of_c, of_b, of_c);
    if (within.x >= 0 && within.y >= 0 && within.z >= 0) {
      const double along = glm::dot(ac, ac);
      if (square > kNearlyParallel * glm::dot(ab, ab) * along) return within;
      // Inexact, but only along ac: recompute the share there.
      const double share = std::clamp(glm::dot(ap - of_b * ab, ac) / along, 0.0, 1 - of_b);
      return {1 - of_b - share, of_b, share};
    }
  }
  // Outside, the closest point lies on an edge.
  const std::array<vec3, 3> corner{a, b, c};
  vec3 nearest(1, 0, 0);
  double least = glm::dot(ap, ap);
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const vec3 &from = corner[static_cast<std::size_t>(k)], &to = corner[static_cast<std::size_t>(next)];
    const double share = closest_on_segment(p, from, to);
    const vec3 apart = p - (from + share * (to - from));
    const double distance = glm::dot(apart, apart);
    if (!(distance < least)) continue;
    least = distance;
    nearest = vec3(0);
    nearest[k] = 1 - share;
    nearest[next] = share;
  }
  return nearest;
}

std::array<double, 2> closest_on_segments(const vec3& a, const vec3& b, const vec3& c, const vec3& d) {
  const vec3 u = b - a, v = d - c, w = c - a;
  // The closest points of the lines if within both segments, else at an end of one.
  std::array<double, 2> nearest{0, 0};
  double least = glm::dot(w, w);
  const auto is_nearer = [&](double s, double t) {
    const vec3 apart = w + t * v - s * u;
    const double square = glm::dot(apart, apart);
    if (!(square < least)) return false;
    least = square;
    nearest = {s, t};
    return true;
  };
  const vec3 normal = glm::cross(u, v);
  if (const double square = glm::dot(normal, normal); square > 0) {
    const double s = glm::dot(glm::cross(w, v), normal) / square;
    if (square > kNearlyParallel * glm::dot(u, u) * glm::dot(v, v)) {
      const double t = glm::dot(glm::cross(w, u), normal) / square;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return {s, t};
    } else {
      // The share is inexact; the distance between the two closest points is not.
      const double t = closest_on_segment(a + std::clamp(s, 0.0, 1.0) * u, c, d);
      is_nearer(closest_on_segment(c + t * v, a, b), t);
    }
  }
  is_nearer(closest_on_segment(c, a, b), 0);
  is_nearer(closest_on_segment(d, a, b), 1);
  is_nearer(0, closest_on_segment(a, c, d));
  is_nearer(1, closest_on_segment(b, c, d));
  return nearest;
}

}  // namespace clothlab
