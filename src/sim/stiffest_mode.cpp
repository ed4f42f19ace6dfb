// SPDX-License-Identifier: MIT
#include "sim/stiffest_mode.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

void StiffestMode::begin(const DynamicSystem& system) {
  K_.emplace(system.pattern());
  C_.emplace(system.pattern());
  for (auto* vector : {&mode_, &stiff_, &damped_}) vector->resize(system.size());
  for (std::size_t i = 0; i < mode_.size(); ++i) mode_[i] = start_of(i);
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
  if (!K_ || K_->shared_pattern() != system.pattern()) begin(system);
  if (!normalise(system)) {
    K_.reset();
    return {};
  }
  system.assemble(pool, x, v, {.mass = 0, .damping = 0, .stiffness = 1}, JacobianMode::clamped, *K_);
  system.assemble(pool, x, v, {.mass = 0, .damping = 1, .stiffness = 0}, JacobianMode::clamped, *C_);
  const ElasticElements elements = system.elements();
  for (std::size_t s = 0; rods && s < elements.stretch_count; ++s) {
    K_->spring(s) = {.b = elements.bending(s)};
    C_->spring(s).u = vec3(0);
  }
  K_->multiply(pool, mode_, stiff_);
  C_->multiply(pool, mode_, damped_);
  const std::span<const double> m = system.masses();
  double stiffness = 0, damping = 0, momentum = 0;
  for (std::size_t i = 0; i < mode_.size(); ++i) {
    stiffness += glm::dot(mode_[i], stiff_[i]);
    damping += glm::dot(mode_[i], damped_[i]);
    momentum += m[i] * glm::dot(mode_[i], v[i]);
    mode_[i] = (h * h * stiff_[i] + 2 * h * damped_[i]) / m[i];
  }
  return {std::sqrt(std::max(stiffness, 0.0)), damping, momentum * momentum};
}

}  // namespace clothlab
