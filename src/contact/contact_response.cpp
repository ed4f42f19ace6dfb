// SPDX-License-Identifier: MIT
#include "contact/contact_response.h"

namespace clothlab {

std::vector<ContactPair> ContactResponse::pairs_at(WorkerPool& /*pool*/, const Surfaces& surfaces,
                                                   const State& state) {
  std::vector<ContactPair> pairs;
  for (const ActiveContact& contact : contacts()) {
    if (contact.surface < surfaces.first() || contact.surface >= surfaces.size()) continue;
    const SurfacePoint point = surfaces.at_end(contact.surface, contact.particle, state.x[contact.particle]);
    ContactPair& pair = pairs.emplace_back();
    pair.particle = contact.particle;
    pair.surface = contact.surface;
    pair.sticks = contact.sticks;
    pair.gap = point.height - point.level;
  }
  return pairs;
}

}  // namespace clothlab
