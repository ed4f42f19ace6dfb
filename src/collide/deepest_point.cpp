// SPDX-License-Identifier: MIT
#include "collide/deepest_point.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat2x2.hpp>
#include <glm/matrix.hpp>

namespace clothlab {
namespace {

constexpr int kIterations = 30;
constexpr int kHalvings = 30;
constexpr double kSolved = 1e-13;         // of the longest edge: decrease that ends the search
constexpr double kFlat = 1e-3;            // of the slope at the start of a line search
constexpr double kInCore = 0.05;          // of the level: lower points are as good as in the core
constexpr double kLeastCurvature = 1e-9;  // of the squared edges: keeps the quadratic model strictly convex

using Weights = glm::dvec2;  // of the second and the third corner

vec3 all_of(const Weights& w) { return {1 - w.x - w.y, w.x, w.y}; }

// The least value of ½ w·Qw + c·w in the triangle of weights.
Weights minimum_of(const glm::dmat2& Q, const Weights& c) {
  const Weights inside = -(glm::inverse(Q) * c);
  if (inside.x >= 0 && inside.y >= 0 && inside.x + inside.y <= 1) return inside;
  const auto value = [&](const Weights& w) { return glm::dot(w, 0.5 * (Q * w) + c); };
  const std::array<Weights, 3> corner{Weights(0, 0), Weights(1, 0), Weights(0, 1)};
  Weights best = corner[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const Weights from = corner[k], along = corner[(k + 1) % 3] - from;
    const double slope = glm::dot(along, Q * from + c), curve = glm::dot(along, Q * along);
    const Weights at = from + std::clamp(-slope / curve, 0.0, 1.0) * along;
    if (value(at) < value(best)) best = at;
  }
  return best;
}

// The bulged triangle above a body.
struct Bulged {
  const Obstacle& body;
  const std::array<vec3, 3>& corners;
  double bulge;
  vec3 a = corners[1] - corners[0], b = corners[2] - corners[0];

  double rise(const Weights& w) const {
    const vec3 from_centre = all_of(w) - 1.0 / 3;
    return bulge * glm::dot(from_centre, from_centre);
  }
  Weights slope_of_rise(const Weights& w) const {
    return 2 * bulge * (w + (w.x + w.y - 1));  // (w − ⅓)² has the slopes 2 w₁ − 2 w₀, 2 w₂ − 2 w₀
  }
  SurfacePoint surface_at(const Weights& w) const {
    return closest_point(body, corners[0] + w.x * a + w.y * b);
  }
  Weights slope(const Weights& w, const SurfacePoint& point) const {
    return Weights(glm::dot(a, point.normal), glm::dot(b, point.normal)) + slope_of_rise(w);
  }
  // Of ½ height², divided by the height; of the height itself in the core.
  glm::dmat2 curve(const SurfacePoint& point) const {
    const glm::dmat2 of_rise = 2 * bulge * glm::dmat2(2, 1, 1, 2);
    if (point.height < kInCore * point.level) return of_rise;
    const auto here = [&](double curvature) { return curvature / (1 + curvature * point.gap()); };
    const double most = here(point.curvature), least = here(point.least_curvature);
    const auto product = [&](const vec3& p, const vec3& q) {
      const double along = glm::dot(point.normal, p) * glm::dot(point.normal, q),
                   straight = glm::dot(point.least, p) * glm::dot(point.least, q);
      return along / point.height + most * (glm::dot(p, q) - along - straight) + least * straight;
    };
    const double mixed = product(a, b);
    return of_rise + glm::dmat2(product(a, a), mixed, mixed, product(b, b));
  }
};

}  // namespace

DeepestPoint deepest_point(const Obstacle& body, const std::array<vec3, 3>& corners, double bulge) {
  const Bulged triangle{body, corners, bulge};
  const double square = std::max(glm::dot(triangle.a, triangle.a), glm::dot(triangle.b, triangle.b));
  const double enough = kSolved * std::sqrt(square);
  Weights w(1.0 / 3);
  SurfacePoint point = triangle.surface_at(w);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    const Weights slope = triangle.slope(w, point);
    const glm::dmat2 curve =
        triangle.curve(point) + kLeastCurvature * std::sqrt(square) * glm::dmat2(1, 0, 0, 1);
    const Weights along = minimum_of(curve, slope - curve * w) - w;
    const double fall = -glm::dot(slope, along);
    if (!(fall > enough)) break;
    double low = 0, high = 1, share = 1;
    Weights at = w + along;
    point = triangle.surface_at(at);
    for (int halving = 0; halving < kHalvings; ++halving) {
      const double left = glm::dot(triangle.slope(at, point), along);
      if (!(left > kFlat * fall)) low = share;
      if (low == 1 || std::abs(left) <= kFlat * fall) break;
      if (left > 0) high = share;
      share = (low + high) / 2;
      at = w + share * along;
      point = triangle.surface_at(at);
    }
    w = at;
  }
  return {all_of(w), point, triangle.rise(w)};
}

}  // namespace clothlab
