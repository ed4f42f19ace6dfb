// SPDX-License-Identifier: MIT
#include "cloth/pressure_force.h"

#include <glm/geometric.hpp>

namespace clothlab {

namespace {

constexpr std::size_t kPressureGrain = 1024;

}  // namespace

PressureForce::PressureForce(const ClothModel& model, double pressure)
    : model_(model), triangles_(model.by_particle(model.enclosing())), pressure_(pressure) {}

double PressureForce::volume(WorkerPool& pool, std::span<const vec3> x) const {
  const auto triangles = model_.enclosing();
  if (triangles.empty()) return 0;
  const vec3 origin = x[triangles.front()[0]];  // any, but near the cloth, for less rounding
  return pool.sum(triangles.size(), kPressureGrain, [&](std::size_t begin, std::size_t end) {
    double six = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const auto& [a, b, c] = triangles[k];
      six += glm::dot(x[a] - origin, glm::cross(x[b] - origin, x[c] - origin));
    }
    return six / 6;
  });
}

void PressureForce::add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                              std::span<vec3> f) const {
  const auto triangles = model_.enclosing();
  for_each(pool, f.size(), kPressureGrain, [&](std::size_t i) {
    vec3 sum(0.0);
    for (const std::uint32_t t : triangles_[i]) {
      const auto& [a, b, c] = triangles[t];
      sum += glm::cross(x[b] - x[a], x[c] - x[a]);
    }
    f[i] += pressure_ / 6 * sum;
  });
}

void PressureForce::add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                                 ForceMeasures& measures) const {
  measures.volume = volume(pool, x);
  measures.energies.pressure = -pressure_ * measures.volume;
}

}  // namespace clothlab
