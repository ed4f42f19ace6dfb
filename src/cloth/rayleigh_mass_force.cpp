// SPDX-License-Identifier: MIT
#include "cloth/rayleigh_mass_force.h"

#include <glm/geometric.hpp>

namespace clothlab {

void RayleighMassForce::add_force(WorkerPool& /*pool*/, std::span<const vec3> /*x*/, std::span<const vec3> v,
                                  std::span<vec3> f) const {
  if (beta_ == 0) return;
  for (std::size_t i = 0; i < v.size(); ++i) f[i] -= beta_ * masses_[i] * v[i];
}

void RayleighMassForce::add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const {
  if (beta_ == 0 || stage.springs == SpringForces::rest) return;
  const std::span<vec3> impulse = to.add_to(ImpulseKind::damping, stage.x.size());
  for (std::size_t i = 0; i < impulse.size(); ++i)
    impulse[i] -= stage.weight * beta_ * masses_[i] * stage.v_end[i];
}

void RayleighMassForce::add_jacobians(WorkerPool& /*pool*/, std::span<const vec3> /*x*/,
                                      std::span<const vec3> /*v*/, const SystemCoefficients& c,
                                      JacobianMode /*mode*/, SpringMatrix& a) const {
  const double factor = c.damping * beta_;
  if (factor == 0) return;
  for (std::size_t i = 0; i < masses_.size(); ++i) a.diagonal(i) += factor * masses_[i];
}

}  // namespace clothlab
