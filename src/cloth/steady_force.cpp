// SPDX-License-Identifier: MIT
#include "cloth/steady_force.h"

#include <glm/geometric.hpp>

namespace clothlab {

double SteadyForce::energy(WorkerPool& /*pool*/, std::span<const vec3> x) const {
  double sum = 0;
  for (const Push& push : pushes_) sum -= glm::dot(push.force, x[push.particle]);
  return sum;
}

void SteadyForce::add_force(WorkerPool& /*pool*/, std::span<const vec3> /*x*/, std::span<const vec3> /*v*/,
                            std::span<vec3> f) const {
  for (const Push& push : pushes_) f[push.particle] += push.force;
}

void SteadyForce::add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const {
  const std::span<vec3> impulse = to.add_to(ImpulseKind::friction, stage.x.size());
  for (const Push& push : pushes_) impulse[push.particle] += stage.weight * push.force;
}

}  // namespace clothlab
