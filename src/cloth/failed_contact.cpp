// SPDX-License-Identifier: MIT
#include "cloth/failed_contact.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {

std::optional<FailedContact> failed_contact(const ClothSystem& system, WorkerPool& pool,
                                            std::span<const vec3> x0, std::span<const vec3> x1) {
  const ContactForce& contact = system.contact();
  if (contact.empty()) return std::nullopt;
  std::optional<FailedContact> found;
  double most = 0;
  for (const ContactForce::Touch& touch : contact.touches(pool, x0)) {
    const std::uint32_t particle = touch.foremost();
    if (system.projection().find(particle) != nullptr) continue;
    const ContactLaw law = contact.law_of(touch);
    const double way = glm::dot(touch.normal, touch.blend(x1) - touch.blend(x0));
    const double excess = law.energy(touch.gap + way) - law.energy(touch.gap) + touch.push * way;
    if (!(excess > most)) continue;
    most = excess;
    const double mass = system.masses()[particle];
    const double stiffness = law.slope(touch.gap);
    found = {.particle = particle,
             .surface = touch.surface,
             .omega = std::sqrt(stiffness / mass),
             .friction_rate = touch.friction * touch.push * contact.settings().friction.slope(0) / mass};
  }
  if (found && found->surface > 0)
    for (const ContactSettings::Surface& surface : contact.settings().surfaces)
      if (surface.number == found->surface) found->shape = surface.body.shape;
  return found;
}

}  // namespace clothlab
