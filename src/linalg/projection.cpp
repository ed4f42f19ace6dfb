// SPDX-License-Identifier: MIT
#include "linalg/projection.h"

#include <algorithm>
#include <cassert>

namespace clothlab {

namespace {

auto position_of(auto& entries, std::size_t particle) {
  return std::lower_bound(entries.begin(), entries.end(), particle,
                          [](const Projection::Entry& e, std::size_t i) { return e.particle < i; });
}

}  // namespace

void Projection::clear(std::size_t particles) {
  particles_ = particles;
  entries_.clear();
}

void Projection::fix(std::size_t i, const vec3& target) { constrain(i, mat3(0.0), target); }

void Projection::constrain(std::size_t i, const mat3& S, const vec3& target) {
  assert(i < particles_);
  const Entry entry{static_cast<std::uint32_t>(i), S, target};
  const auto at = position_of(entries_, i);
  if (at != entries_.end() && at->particle == i) {
    *at = {entry.particle, S, target, at->passing};
  } else {
    entries_.insert(at, entry);
  }
}

void Projection::merge(std::span<const Entry> added, bool passing) {
  entries_.resize(entries_.size() + added.size());
  // Merges from the back; std::inplace_merge would allocate.
  auto to = entries_.end(), old = to - static_cast<std::ptrdiff_t>(added.size());
  for (std::size_t left = added.size(); left > 0; --left) {
    const Entry& next = added[left - 1];
    assert(next.particle < particles_);
    while (old != entries_.begin() && (old - 1)->particle > next.particle) *--to = *--old;
    *--to = next;
    to->passing = passing;
  }
}

const Projection::Entry* Projection::find(std::size_t i) const {
  const auto at = position_of(entries_, i);
  return at != entries_.end() && at->particle == i ? &*at : nullptr;
}

bool Projection::is_fixed(std::size_t i) const {
  const Entry* entry = find(i);
  return entry != nullptr && entry->S == mat3(0.0);
}

void Projection::linearise(std::span<const double> masses, std::span<const vec3> x0, std::span<const vec3> v0,
                           double h, double part) {
  couplings_.for_groups([&](std::span<const std::uint32_t> particles) {
    for (const std::uint32_t i : particles) {
      if (find(i) == nullptr) constrain(i, mat3(1.0), x0[i]);
      position_of(entries_, i)->coupled = true;
    }
  });
  couplings_.linearise(*this, masses, x0, v0, h, part);
}

void Projection::filter(std::span<vec3> f) const {
  filter_particles(f);
  couplings_.filter(f);
}

void Projection::filter_motion(std::span<vec3> a) const {
  filter_particles(a);
  couplings_.filter_motion(a);
}

void Projection::filter_particles(std::span<vec3> f) const {
  for (const Entry& entry : entries_) f[entry.particle] = entry.S * f[entry.particle];
}

}  // namespace clothlab
