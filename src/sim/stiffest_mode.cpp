// SPDX-License-Identifier: MIT
#include "sim/stiffest_mode.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {
namespace {

/// The start vector has no symmetry, so it is orthogonal to no mode: fractions of multiples of the golden
/// ratio.
vec3 start_of(std::size_t i) {
  const auto fraction = [](double x) { return x - std::floor(x) - 0.5; };
  const auto k = static_cast<double>(3 * i);
  constexpr double kGolden = 0.6180339887498949;
  return {fraction(kGolden * (k + 1)), fraction(kGolden * (k + 2)), fraction(kGolden * (k + 3))};
}

}  // namespace

StiffestMode::Term StiffestMode::term(const ElasticElements& elements, std::size_t slot,
                                      std::span<const vec3> x, double h, bool rods) const {
  const ElasticElement e = elements[spring_[slot]];
  const vec3 line = x[e.j] - x[e.i], u = mode_[e.j] - mode_[e.i];
  const double square = glm::dot(line, line);
  if (!(square > 0)) return {};
  const double per_square = 1 / square, per_length = std::sqrt(per_square);
  const bool rod = rods && e.stretch;
  const vec3 along = glm::dot(u, line) * per_square * line, across = u - along;
  const vec3 pulled = rod ? vec3(0) : along + std::max(0.0, 1 - e.rest_length * per_length) * across;
  const vec3 stiff = e.stiffness * pulled + e.bending * u;
  const ElasticElements::Coefficients& values = elements.coefficients;
  const vec3 slowed = (values.projected ? vec3(0) : across) + (rod ? vec3(0) : along);
  const vec3 damped = e.damping * slowed + values.rayleigh * stiff;
  return {h * h * stiff + 2 * h * damped, {glm::dot(u, stiff), glm::dot(u, damped)}};
}

/// Each chunk writes its own rows, as in a product of SpringMatrix: the same bits for any number of threads.
StiffestMode::Products StiffestMode::multiply(WorkerPool& pool, const DynamicSystem& system,
                                              std::span<const vec3> x, double h, bool rods) {
  const ElasticElements elements = system.elements();
  const SpringPattern& pattern = elements.pattern;
  by_chunk_.resize(pattern.chunks());
  for_each(pool, pattern.chunks(), 1, [&](std::size_t c) {
    const std::uint32_t first = pattern.chunk_begin[c], last = pattern.chunk_begin[c + 1];
    for (std::uint32_t row = first; row < last; ++row) image_[pattern.particle[row]] = vec3(0);
    Products& sums = by_chunk_[c] = {};
    for (std::uint32_t slot = pattern.slot_begin[first]; slot < pattern.slot_begin[last]; ++slot) {
      const Term of = term(elements, slot, x, h, rods);
      image_[pattern.particle[pattern.lower[slot]]] -= of.image;
      if (pattern.upper[slot] < last) image_[pattern.particle[pattern.upper[slot]]] += of.image;
      sums.K += of.products.K;
      sums.C += of.products.C;
    }
    for (const SpringPattern::Incoming& other : pattern.incoming[c])
      image_[pattern.particle[other.upper]] += term(elements, other.slot, x, h, rods).image;
  });
  Products sums;
  for (const Products& part : by_chunk_) {
    sums.K += part.K;
    sums.C += part.C;
  }
  return sums;
}

void StiffestMode::begin(const DynamicSystem& system) {
  mode_.resize(system.size());
  image_.resize(system.size());
  for (std::size_t i = 0; i < mode_.size(); ++i) mode_[i] = start_of(i);
  const SpringPattern& pattern = system.elements().pattern;
  spring_.resize(pattern.springs());
  for (std::uint32_t s = 0; s < spring_.size(); ++s) spring_[pattern.slot[s]] = s;
}

bool StiffestMode::normalise(const DynamicSystem& system) {
  system.projection().filter_particles(mode_);
  const std::span<const double> m = system.masses();
  double square = 0;
  for (std::size_t i = 0; i < mode_.size(); ++i) square += m[i] * glm::dot(mode_[i], mode_[i]);
  if (!(square > 0) || !std::isfinite(square)) return false;
  const double scale = 1 / std::sqrt(square);
  for (vec3& u : mode_) u *= scale;
  return true;
}

StiffestMode::Figures StiffestMode::follow(WorkerPool& pool, const DynamicSystem& system,
                                           std::span<const vec3> x, std::span<const vec3> v, double h,
                                           bool rods) {
  const std::size_t n = system.size();
  const std::span<const double> m = system.masses();
  if (mode_.size() != n) begin(system);
  if (!normalise(system)) {
    restart();
    return {};
  }
  double momentum = 0;
  for (std::size_t i = 0; i < n; ++i) momentum += m[i] * glm::dot(mode_[i], v[i]);
  const Products of_mode = multiply(pool, system, x, h, rods);
  for (std::size_t i = 0; i < n; ++i) mode_[i] = image_[i] / m[i];
  return {std::sqrt(std::max(of_mode.K, 0.0)), of_mode.C + system.mass_damping(), momentum * momentum};
}

}  // namespace clothlab
