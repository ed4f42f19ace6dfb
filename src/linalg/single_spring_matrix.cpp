// SPDX-License-Identifier: MIT
#include "linalg/single_spring_matrix.h"

#include <algorithm>
#include <cmath>

namespace clothlab {

namespace {

// The root of a power of four that brings `size` near 1.
double root_of_scale(double size) {
  return size > 0 && std::isfinite(size) ? std::ldexp(1.0, -std::ilogb(size) / 2) : 1.0;
}

}  // namespace

void SingleSpringMatrix::choose(const SpringPattern& p, const std::vector<char>& kept, CancelPoint& cancel) {
  pattern_ = &p;
  for (auto* list : {&begin_, &outer_, &upper_, &slot_}) list->clear();
  const auto springs = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), 1));
  slot_.reserve(springs);
  upper_.reserve(springs);
  begin_.reserve(p.particles() + 1);
  outer_.reserve(p.particles());
  std::vector<std::uint32_t> number(p.springs());
  begin_.push_back(0);
  for (std::uint32_t i = 0; i < p.particles(); ++i) {
    outer_.push_back(begin_.back());
    for (std::uint32_t k = p.slot_begin[i]; k < p.slot_begin[i + 1]; ++k) {
      cancel.pass();
      if (!kept[k]) continue;
      number[k] = static_cast<std::uint32_t>(slot_.size());
      slot_.push_back(k);
      upper_.push_back(p.upper[k]);
      if (k < p.slot_outer[i]) ++outer_.back();
    }
    begin_.push_back(static_cast<std::uint32_t>(slot_.size()));
  }
  incoming_.fill(p.chunks(), [&](const auto& add) {
    for (std::size_t chunk = 0; chunk < p.chunks(); ++chunk)
      for (const auto& [slot, lower, upper] : p.incoming[chunk])
        if (kept[slot]) add(chunk, {number[slot], lower, upper});
  });
  cancel.poll();
  springs_.resize(slot_.size());
  cancel.poll();
  diagonal_.resize(p.particles());
}

void SingleSpringMatrix::start(const SpringMatrix& A) {
  A_ = &A;
  pattern_ = &A.pattern();
  // Any particle and spring will do: the range of single precision covers the others.
  const double mass = A.diagonal_by_row()[0];
  root_ = root_of_scale(pattern_->springs() > 0 ? mass + A.spring_in(0).stiffness() : mass);
}

void SingleSpringMatrix::assign(std::size_t chunk) {
  const std::uint32_t begin = pattern_->chunk_begin[chunk], end = pattern_->chunk_begin[chunk + 1];
  for (std::uint32_t k = begin_[begin]; k < begin_[end]; ++k) {
    const SpringMatrix::Spring& spring = A_->spring_in(slot_[k]);
    springs_[k] = single(root_ * spring.u, scale() * spring.b);
  }
  for (std::uint32_t i = begin; i < end; ++i)
    diagonal_[i] = static_cast<float>(scale() * A_->diagonal_by_row()[i]);
}

}  // namespace clothlab
