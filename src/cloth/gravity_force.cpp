#include "cloth/gravity_force.h"

#include <glm/geometric.hpp>

namespace clothlab {

double GravityForce::energy(std::span<const vec3> x) const {
  vec3 moment(0.0);
  for (std::size_t i = 0; i < x.size(); ++i) moment += masses_[i] * x[i];
  return -glm::dot(gravity_, moment);
}

void GravityForce::add_force(std::span<const vec3> x, std::span<const vec3> /*v*/, std::span<vec3> f) const {
  for (std::size_t i = 0; i < x.size(); ++i) f[i] += masses_[i] * gravity_;
}

void GravityForce::add_jacobians(std::span<const vec3> /*x*/, std::span<const vec3> /*v*/,
                                 const SystemCoefficients& /*c*/, JacobianMode /*mode*/,
                                 SpringMatrix& /*a*/) const {}  // a constant force

}  // namespace clothlab
