// SPDX-License-Identifier: MIT
#include "cloth/gravity_force.h"
#include "linalg/loops.h"

#include <glm/geometric.hpp>

namespace clothlab {

namespace {

constexpr std::size_t kGravityGrain = 1024;

}  // namespace

double GravityForce::energy(WorkerPool& pool, std::span<const vec3> x) const {
  return -pool.sum(x.size(), kGravityGrain, [&](std::size_t begin, std::size_t end) {
    vec3 moment(0.0);
    for (std::size_t i = begin; i < end; ++i) moment += masses_[i] * x[i];
    return glm::dot(gravity_, moment);
  });
}

void GravityForce::add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                             std::span<vec3> f) const {
  for_each(pool, x.size(), kGravityGrain, [&](std::size_t i) { f[i] += masses_[i] * gravity_; });
}

void GravityForce::add_jacobians(WorkerPool& /*pool*/, std::span<const vec3> /*x*/,
                                 std::span<const vec3> /*v*/, const SystemCoefficients& /*c*/,
                                 JacobianMode /*mode*/, SpringMatrix& /*a*/) const {}  // a constant force

}  // namespace clothlab
