// SPDX-License-Identifier: MIT
#include "contact/failed_contact.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {

std::optional<FailedContact> failed_contact(const ContactForce& contact, const DynamicSystem& system,
                                            WorkerPool& pool, std::span<const vec3> x0,
                                            std::span<const vec3> x1) {
  std::optional<FailedContact> found;
  double most = 0;
  for (const ContactElement& element : contact.contacts_at(pool, x0)) {
    const std::uint32_t particle = element.foremost();
    if (system.projection().find(particle) != nullptr) continue;
    const ContactLaw law = contact.law_of(element);
    const double approach = glm::dot(element.normal, element.blend(x1) - element.blend(x0));
    const double excess =
        law.energy(element.gap + approach) - law.energy(element.gap) + element.push * approach;
    if (!(excess > most)) continue;
    most = excess;
    const double mass = system.masses()[particle];
    const double stiffness = law.slope(element.gap);
    found = {.particle = particle,
             .surface = element.surface,
             .omega = std::sqrt(stiffness / mass),
             .friction_rate = element.friction * element.push * contact.settings().friction.slope(0) / mass};
  }
  if (found && found->surface > 0 && found->surface != kClothItself)
    found->shape = contact.surfaces().body_at_end(found->surface).shape;
  return found;
}

}  // namespace clothlab
