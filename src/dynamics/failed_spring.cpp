// SPDX-License-Identifier: MIT
#include "dynamics/failed_spring.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {

std::optional<FailedSpring> failed_spring(const DynamicSystem& system, std::span<const vec3> x0,
                                          std::span<const vec3> x1) {
  std::optional<FailedSpring> found;
  double most = 0, stiffness = 0;
  for (const ElasticElement spring : system.elements()) {
    const double before = glm::distance(x0[spring.i], x0[spring.j]);
    const double after = glm::distance(x1[spring.i], x1[spring.j]);
    const double gain =
        0.5 * spring.stiffness * (after - before) * (after + before - 2 * spring.rest_length) +
        spring.stiffness * (spring.limit.energy(spring.rest_length, after) -
                            spring.limit.energy(spring.rest_length, before));
    if (!(gain > most)) continue;
    most = gain;
    stiffness = spring.stiffness * spring.limit.at(spring.rest_length, after).factor;
    found = {spring.i, spring.j, spring.stretch, spring.rest_length, before, after};
  }
  if (!found) return found;
  const vec3 along = found->before > 0 ? (x0[found->j] - x0[found->i]) / found->before : vec3(0);
  double inverse_mass = 0;
  for (const std::uint32_t end : {found->i, found->j}) {
    const Projection::Entry* entry = system.projection().find(end);
    inverse_mass += (entry != nullptr ? glm::dot(along, entry->S * along) : 1) / system.masses()[end];
  }
  found->omega = std::sqrt(stiffness * inverse_mass);
  return found;
}

}  // namespace clothlab
