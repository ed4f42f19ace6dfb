// SPDX-License-Identifier: MIT
#include "sim/stiffest_mode.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {
namespace {

/// Some vector that is no symmetric one: the fractions of multiples of the golden ratio.
vec3 start_of(std::size_t i) {
  const auto fraction = [](double x) { return x - std::floor(x) - 0.5; };
  const auto k = static_cast<double>(3 * i);
  constexpr double kGolden = 0.6180339887498949;
  return {fraction(kGolden * (k + 1)), fraction(kGolden * (k + 2)), fraction(kGolden * (k + 3))};
}

}  // namespace

StiffestMode::Products StiffestMode::multiply(const DynamicSystem& system, std::span<const vec3> x, double h,
                                              bool rods) {
  Products sums;
  std::ranges::fill(image_, vec3(0));
  const ElasticElements elements = system.elements();
  const ElasticElements::Coefficients& values = elements.coefficients;
  for (const ElasticElement e : elements) {
    const vec3 line = x[e.j] - x[e.i], u = mode_[e.j] - mode_[e.i];
    const double length = glm::length(line);
    if (!(length > 0)) continue;
    const vec3 along = glm::dot(u, line) / (length * length) * line, across = u - along;
    const double k = rods && e.stretch ? 0.0 : e.stiffness;
    const vec3 stiff = k * (along + std::max(0.0, 1 - e.rest_length / length) * across);
    const vec3 damped = e.damping * (values.projected ? along : u) + values.rayleigh * stiff;
    sums.K += glm::dot(u, stiff);
    sums.C += glm::dot(u, damped);
    const vec3 f = h * h * stiff + 2 * h * damped;
    image_[e.i] -= f;
    image_[e.j] += f;
  }
  return sums;
}

bool StiffestMode::normalise(const DynamicSystem& system) {
  system.projection().filter_particles(mode_);
  const std::span<const double> m = system.masses();
  double square = 0;
  for (std::size_t i = 0; i < mode_.size(); ++i) square += m[i] * glm::dot(mode_[i], mode_[i]);
  if (!(square > 0) || !std::isfinite(square)) return false;
  for (vec3& u : mode_) u /= std::sqrt(square);
  return true;
}

StiffestMode::Figures StiffestMode::follow(const DynamicSystem& system, std::span<const vec3> x,
                                           std::span<const vec3> v, double h, bool rods) {
  const std::size_t n = system.size();
  const std::span<const double> m = system.masses();
  const bool first = mode_.size() != n;
  mode_.resize(n);
  image_.resize(n);
  if (first)
    for (std::size_t i = 0; i < n; ++i) mode_[i] = start_of(i);
  if (!normalise(system)) {
    restart();
    return {};
  }
  double momentum = 0;
  for (std::size_t i = 0; i < n; ++i) momentum += m[i] * glm::dot(mode_[i], v[i]);
  const Products of_mode = multiply(system, x, h, rods);
  for (std::size_t i = 0; i < n; ++i) mode_[i] = image_[i] / m[i];
  return {std::sqrt(of_mode.K), of_mode.C + system.mass_damping(), momentum * momentum};
}

}  // namespace clothlab
