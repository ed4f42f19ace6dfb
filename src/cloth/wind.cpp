// SPDX-License-Identifier: MIT
#include "cloth/wind.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

#include "linalg/pseudo_random.h"

namespace clothlab {

namespace {

constexpr double kGustLength = 1.5;  // [m]
constexpr double kFarthest = 1e15;   // in gusts: beyond, p has no fractional digits

// Value noise: a random number at every whole p, and a smooth curve through them, level at each.
double noise(std::uint64_t stream, double p) {
  const double whole = std::floor(p), s = p - whole;
  const auto at = [&](std::int64_t k) {
    return pseudo_random((stream << 40) + static_cast<std::uint64_t>(static_cast<std::int64_t>(whole) + k));
  };
  return at(0) + (3 - 2 * s) * s * s * (at(1) - at(0));
}

vec3 mean_direction(const Wind& wind) {
  constexpr double kDegree = std::numbers::pi / 180;
  const double along = std::cos(wind.elevation * kDegree);
  return {along * std::cos(wind.azimuth * kDegree), std::sin(wind.elevation * kDegree),
          along * std::sin(wind.azimuth * kDegree)};
}

}  // namespace

vec3 air_velocity(const Wind& wind, const vec3& x, double t) {
  const vec3 direction = mean_direction(wind);
  const vec3 mean = wind.speed * direction;
  if (wind.gusts == 0) return mean;
  const double p = (wind.speed * t - glm::dot(direction, x)) / kGustLength;
  if (!(std::abs(p) < kFarthest)) return mean;
  const std::uint64_t stream = 3 * std::uint64_t{wind.seed};
  const vec3 gust(noise(stream, p), noise(stream + 1, p), noise(stream + 2, p));
  return mean + wind.gusts / 100 * wind.speed * gust;
}

double top_speed(const Wind& wind) { return wind.speed * (1 + std::numbers::sqrt3 * wind.gusts / 100); }

}  // namespace clothlab
