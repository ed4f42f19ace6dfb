// SPDX-License-Identifier: MIT
#include "contact/models/filter.h"

namespace clothlab {

std::unique_ptr<ContactResponse> make_filter_contact() { return std::make_unique<FilterResponse>(); }

void FilterResponse::configure(const ContactInput& input, const Surfaces& /*surfaces*/) {
  has_surfaces_ = input.has_surfaces();
}

bool FilterResponse::begin_step(const ContactStep& step) {
  return filter_.constrain(step.surfaces, step.h, uses_reactions(), step.start, step.system, step.context);
}

bool FilterResponse::needs_repeat(const ContactStep& step, const State& after) {
  return has_surfaces_ && filter_.land(step.surfaces, step.h, step.start, after, step.system, step.context);
}

ContactResponse::End FilterResponse::end_step(const ContactStep& step, std::span<const vec3> reactions,
                                              State& after) {
  if (!has_surfaces_) return {};
  return {filter_.finish(step.surfaces, step.h, uses_reactions() ? reactions : std::span<const vec3>(), after,
                         step.system, step.context.stop)};
}

/// Without forces, which only a step knows.
std::vector<ContactPair> FilterResponse::pairs_at(WorkerPool& /*pool*/, const Surfaces& surfaces,
                                                  const State& state) {
  std::vector<ContactPair> pairs;
  for (const auto& [particle, surface, sticks] : contacts()) {
    if (surface < surfaces.first() || surface >= surfaces.size()) continue;
    const SurfacePlace place = surfaces.at_end(surface, particle, state.x[particle]);
    ContactPair& pair = pairs.emplace_back();
    pair.particle = particle;
    pair.surface = surface;
    pair.sticks = sticks;
    pair.gap = place.height - place.level;
  }
  return pairs;
}

}  // namespace clothlab
