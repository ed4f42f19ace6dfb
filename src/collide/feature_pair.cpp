// SPDX-License-Identifier: MIT
#include "collide/feature_pair.h"

#include <algorithm>
#include <glm/geometric.hpp>

#include "collide/closest_point.h"

namespace clothlab {

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
