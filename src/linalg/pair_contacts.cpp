// SPDX-License-Identifier: MIT
#include "linalg/pair_contacts.h"

#include <algorithm>
#include <cmath>

namespace clothlab {

vec3 PairContacts::force(std::size_t q, const vec3& y) const {
  const vec3& n = pairs_[q].normal;
  const double normal = glm::dot(n, y);
  const vec3 along = y - normal * n;
  const double size = glm::length(along);
  return std::max(0.0, normal) * n + (size > bound_[q] ? bound_[q] / size : 1.0) * along;
}

double PairContacts::energy(WorkerPool& pool) const {
  return sum_over(pool, pairs_.size(), kGrain, [&](std::size_t q) {
    const double normal = std::max(0.0, glm::dot(pairs_[q].normal, y_[q]));
    const double size = glm::length(pairs_[q].across(y_[q])), bound = bound_[q];
    const double of_friction = size > bound ? bound * (2 * size - bound) : size * size;
    return (normal * normal + of_friction) / (2 * stiffness_[q]);
  });
}

double PairContacts::slope(WorkerPool& pool, double share) const {
  return sum_over(pool, pairs_.size(), kGrain, [&](std::size_t q) {
    return -glm::dot(force(q, y_[q] - share * stiffness_[q] * change_[q]), change_[q]);
  });
}

double PairContacts::residual(WorkerPool& pool) const {
  return std::sqrt(sum_over(pool, pairs_.size(), kGrain, [&](std::size_t q) {
    const vec3 other = pairs_[q].impulse - force_[q];
    return glm::dot(other, other);
  }));
}

void PairContacts::adopt() {
  for (std::size_t q = 0; q < pairs_.size(); ++q) pairs_[q].impulse = force_[q];
}

bool PairContacts::add_derivative(std::size_t q, bool closes) {
  const PairContact& pair = pairs_[q];
  const vec3& y = y_[q];
  const vec3& n = pair.normal;
  const double stiffness = stiffness_[q], bound = bound_[q];
  const bool is_closed = glm::dot(n, y) > 0;
  const vec3 along = pair.across(y);
  const double size = glm::length(along);
  const ContactState before = state_[q];
  state_[q] = !is_closed ? ContactState::open : size > bound ? ContactState::slip : ContactState::stick;
  mat3 C(0.0);
  const mat3 of_normal = glm::outerProduct(n, n);
  if (is_closed || closes) C += stiffness * of_normal;
  if (bound > 0) {
    C += stiffness * std::min(1.0, bound / size) * (mat3(1.0) - of_normal);
    if (size > bound) C -= stiffness * bound / (size * size * size) * glm::outerProduct(along, along);
  }
  if (C != mat3(0.0)) {
    SpringMatrix::Stencil& stencil = stencils_.emplace_back();
    std::copy_n(pair.particle.begin(), pair.count, stencil.particle.begin());
    std::copy_n(pair.weight.begin(), pair.count, stencil.weight.begin());
    stencil.count = static_cast<int>(pair.count);
    stencil.C = C;
  }
  return state_[q] != before;
}

void PairContacts::finish() {
  adopt();
  for (std::size_t q = 0; q < pairs_.size(); ++q) {
    const double bound = bound_of(q);
    pairs_[q].state = !(glm::dot(pairs_[q].normal, force_[q]) > 0)                    ? ContactState::open
                      : glm::length(pairs_[q].across(force_[q])) < bound * (1 - 1e-6) ? ContactState::stick
                                                                                      : ContactState::slip;
  }
}

}  // namespace clothlab
