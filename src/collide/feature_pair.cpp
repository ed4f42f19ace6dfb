// SPDX-License-Identifier: MIT
#include "collide/feature_pair.h"

#include <algorithm>
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

Separation separation(FeaturePair::Kind kind, const std::array<vec3, 4>& x) {
  Separation found;
  if (kind == FeaturePair::Kind::vertex_face) {
    const vec3 at = closest_on_triangle(x[0], x[1], x[2], x[3]);
    found.weight = {1, -at.x, -at.y, -at.z};
  } else {
    const auto [s, t] = closest_on_segments(x[0], x[1], x[2], x[3]);
    found.weight = {1 - s, s, t - 1, -t};
  }
  // Of differences: the positions themselves may be large.
  found.apart =
      found.weight[1] * (x[1] - x[0]) + found.weight[2] * (x[2] - x[0]) + found.weight[3] * (x[3] - x[0]);
  found.distance = glm::length(found.apart);
  return found;
}

double side(FeaturePair::Kind kind, const std::array<vec3, 4>& x) {
  const vec3 normal = kind == FeaturePair::Kind::vertex_face ? glm::cross(x[2] - x[1], x[3] - x[1])
                                                             : glm::cross(x[1] - x[0], x[3] - x[2]);
  return glm::dot(normal, x[0] - x[2]);
}

double approach_bound(FeaturePair::Kind kind, const std::array<vec3, 4>& displacement) {
  const vec3 mean = (displacement[0] + displacement[1] + displacement[2] + displacement[3]) / 4.0;
  std::array<double, 4> length{};
  for (std::size_t k = 0; k < 4; ++k) length[k] = glm::length(displacement[k] - mean);
  return kind == FeaturePair::Kind::vertex_face
             ? length[0] + std::max({length[1], length[2], length[3]})
             : std::max(length[0], length[1]) + std::max(length[2], length[3]);
}

double free_share(FeaturePair::Kind kind, std::array<vec3, 4> x, std::array<vec3, 4> displacement,
                  double least) {
  constexpr int kMostSteps = 1000;
  const vec3 mean = (displacement[0] + displacement[1] + displacement[2] + displacement[3]) / 4.0;
  for (vec3& each : displacement) each -= mean;
  const double bound = approach_bound(kind, displacement), kept = least / 2;
  double distance = separation(kind, x).distance, t = 0;
  if (!(bound > 0) || bound < distance - kept) return 1;
  for (int step = 0; step < kMostSteps && distance > kept; ++step) {
    const double share = (distance - kept) / bound;
    if (!(t + share < 1)) return 1;
    t += share;
    for (std::size_t k = 0; k < 4; ++k) x[k] += share * displacement[k];
    distance = separation(kind, x).distance;
    if (distance < least) return t;
  }
  return t;
}

}  // namespace clothlab
