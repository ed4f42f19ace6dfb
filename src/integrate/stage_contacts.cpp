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

double StageContacts::natural_residual(std::span<const vec3> v, std::span<const vec3> r) const {
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

void StageContacts::subtract_impulses(std::span<vec3> r) const {
  for (const NodalContact& contact : contacts_) r[contact.particle] -= contact.impulse;
}

void StageContacts::fix(const Projection& pins) {
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
