// SPDX-License-Identifier: MIT
#include "integrate/stage_contacts.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {

void StageContacts::put_on(std::span<vec3> v) const {
  for (std::span<NodalContact> rest = contacts_; !rest.empty();) {
    const std::span<NodalContact> own = contacts_of_first(rest);
    rest = rest.subspan(own.size());
    put_on_contacts(own, v[own.front().particle]);
  }
}

double StageContacts::natural_residual(WorkerPool& pool, const Projection& pins, std::span<const vec3> v,
                                       std::span<const vec3> r) {
  if (!has_pairs()) return nodal_residual(v, r);
  evaluate_pairs(pool, v, true);
  rest_.assign(r.begin(), r.end());
  subtract_pairs(rest_);
  pins.filter(rest_);
  return root_of_squares(nodal_residual(v, rest_), pairs_->residual(pool));
}

double StageContacts::nodal_residual(std::span<const vec3> v, std::span<const vec3> r) const {
  double sum = 0;
  std::span<NodalContact> rest = contacts_;
  for (std::uint32_t i = 0; i < r.size(); ++i) {
    if (rest.empty() || rest.front().particle != i) {
      sum += glm::dot(r[i], r[i]);
      continue;
    }
    const std::span<NodalContact> own = contacts_of_first(rest);
    rest = rest.subspan(own.size());
    const double distance = allow(v[i], r[i], own);
    sum += distance * distance;
  }
  return std::sqrt(sum);
}

void StageContacts::subtract_forces(WorkerPool& pool, std::span<const vec3> v, std::span<vec3> r) {
  for (const auto& [particle, impulse] : friction_) r[particle] -= impulse;
  if (!has_pairs()) return;
  evaluate_pairs(pool, v, false);
  subtract_pairs(r);
}

void StageContacts::add_derivatives(WorkerPool& pool, std::span<const vec3> v, SpringMatrix& A) {
  if (!has_pairs()) return;
  evaluate_pairs(pool, v, false);
  pairs_->linearize([](std::uint32_t) { return vec3(0); });
  A.add_stencils(pairs_->stencils());
}

double StageContacts::potential(WorkerPool& pool, std::span<const vec3> v) {
  if (!fixed_) return 0;
  double work = 0;
  for (const auto& [particle, impulse] : friction_) work += glm::dot(impulse, v[particle]);
  if (!has_pairs()) return -work;
  evaluate_pairs(pool, v, false);
  return pairs_->energy(pool) - work;
}

double StageContacts::work(WorkerPool& pool, std::span<const vec3> v, std::span<const vec3> to) {
  if (!fixed_) return 0;
  double at_start = 0, at_end = 0;
  for (const auto& [particle, impulse] : friction_) {
    at_start += glm::dot(impulse, v[particle]);
    at_end += glm::dot(impulse, to[particle]);
  }
  if (!has_pairs()) return at_end - at_start;
  evaluate_pairs(pool, v, false);
  return at_end - at_start + pairs_->work([&](std::uint32_t i) { return to[i] - v[i]; });
}

void StageContacts::release(WorkerPool& pool, std::span<const vec3> v) {
  fixed_ = false;
  if (!has_pairs()) return;
  evaluate_pairs(pool, v, false);
  pairs_->adopt();
}

void StageContacts::fix(const Projection& pins) {
  fixed_ = true;
  added_.clear();
  friction_.clear();
  for (std::span<NodalContact> rest = contacts_; !rest.empty();) {
    const std::span<NodalContact> own = contacts_of_first(rest);
    rest = rest.subspan(own.size());
    const auto [S, count] = free_directions(own);
    if (count == 3) continue;
    const std::uint32_t particle = own.front().particle;
    added_.push_back({particle, S, vec3(0), true});
    for (const NodalContact& contact : own)
      if (contact.state == ContactState::slip && count > 0)
        friction_.push_back({particle, contact.across(contact.impulse)});
  }
  projection_ = pins;
  projection_.constrain(added_);
}

}  // namespace clothlab
