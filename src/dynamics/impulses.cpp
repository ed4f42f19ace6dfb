// SPDX-License-Identifier: MIT
#include "dynamics/impulses.h"

#include <algorithm>

namespace clothlab {
namespace {

// Methods with rods, which alone have the last kind, remember no impulses.
constexpr auto kSavedKinds = static_cast<std::size_t>(ImpulseKind::all);

}  // namespace

std::span<vec3> Impulses::add_to(ImpulseKind kind, std::size_t n) {
  auto& [values, any] = kinds_[static_cast<std::size_t>(kind)];
  if (!any) values.assign(n, vec3(0.0));
  any = true;
  return values;
}

ImpulseSum Impulses::add_to_all(ImpulseKind kind, std::size_t n) {
  auto& [values, any] = kinds_[static_cast<std::size_t>(kind)];
  const bool first = !any;
  any = true;
  values.resize(n);
  return {values, first};
}

std::span<const vec3> Impulses::of(ImpulseKind kind) const {
  const auto& [values, any] = kinds_[static_cast<std::size_t>(kind)];
  return any ? std::span<const vec3>(values) : std::span<const vec3>();
}

bool Impulses::empty() const { return std::ranges::none_of(kinds_, &Kind::any); }

void Impulses::clear() {
  for (Kind& kind : kinds_) kind.any = false;
  given_by_wind_ = 0;
}

void Impulses::combine(double a, double b, const Impulses& other) {
  given_by_wind_ = a * given_by_wind_ + b * other.given_by_wind_;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const std::span<const vec3> from = other.of(ImpulseKind{k});
    if (from.empty()) {
      if (kinds_[k].any)
        for (vec3& value : kinds_[k].values) value *= a;
      continue;
    }
    const auto [to, first] = add_to_all(ImpulseKind{k}, from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = first ? b * from[i] : a * to[i] + b * from[i];
  }
}

void Impulses::save(Memory& memory) const {
  for (const auto& [values, any] : std::span(kinds_).first(kSavedKinds)) {
    memory.put(any ? static_cast<double>(values.size()) : 0);
    if (any) memory.put(values);
  }
  memory.put(given_by_wind_);
}

void Impulses::load(MemoryReader& memory, std::size_t n) {
  clear();
  for (std::size_t k = 0; k < kSavedKinds && !memory.at_end(); ++k) {
    const std::size_t size = memory.count(n);
    if (size == 0) continue;
    add_to(ImpulseKind{k}, size);
    memory.vectors(kinds_[k].values);
  }
  if (!memory.at_end()) given_by_wind_ = memory.number();
}

}  // namespace clothlab
