// SPDX-License-Identifier: MIT
#include "core/memory.h"

#include <cmath>

#include "core/error.h"

namespace clothlab {

void Memory::put(std::span<const vec3> vectors) {
  numbers_.reserve(numbers_.size() + 3 * vectors.size());
  for (const vec3& v : vectors) numbers_.insert(numbers_.end(), {v.x, v.y, v.z});
}

double MemoryReader::number() {
  if (at_end()) throw InputError("The history of the integrator is incomplete.");
  const double first = left_.front();
  left_ = left_.subspan(1);
  return first;
}

std::size_t MemoryReader::count(std::size_t most) {
  const double n = number();
  if (!(n >= 0 && n <= static_cast<double>(most)) || n != std::floor(n))
    throw InputError("The history of the integrator does not fit this cloth.");
  return static_cast<std::size_t>(n);
}

void MemoryReader::vectors(std::span<vec3> into) {
  if (left_.size() < 3 * into.size()) throw InputError("The history of the integrator is incomplete.");
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = {left_[3 * i], left_[3 * i + 1], left_[3 * i + 2]};
  left_ = left_.subspan(3 * into.size());
}

}  // namespace clothlab
