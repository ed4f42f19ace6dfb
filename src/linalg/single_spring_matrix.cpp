#include "linalg/single_spring_matrix.h"

#include <algorithm>
#include <cmath>

namespace clothlab {

namespace {

constexpr std::size_t kGrain = 4096;

// The root of a power of four that brings `size` near 1.
double root_of_scale(double size) {
  return size > 0 && std::isfinite(size) ? std::ldexp(1.0, -std::ilogb(size) / 2) : 1.0;
}

}  // namespace

void SingleSpringMatrix::choose(const SpringPattern& p, const std::vector<char>& kept, CancelPoint& cancel) {
  pattern_ = &p;
  for (auto* list : {&begin_, &outer_, &upper_, &slot_, &incoming_begin_}) list->clear();
  incoming_.clear();
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
  for (std::size_t chunk = 0; chunk < p.chunks(); ++chunk) {
    incoming_begin_.push_back(static_cast<std::uint32_t>(incoming_.size()));
    for (std::uint32_t k = p.incoming_begin[chunk]; k < p.incoming_begin[chunk + 1]; ++k) {
      const auto& [slot, lower, upper] = p.incoming[k];
      if (kept[slot]) incoming_.push_back({number[slot], lower, upper});
    }
  }
  incoming_begin_.push_back(static_cast<std::uint32_t>(incoming_.size()));
  cancel.look();
  springs_.resize(slot_.size());
  cancel.look();
  diagonal_.resize(p.particles());
}

void SingleSpringMatrix::assign(WorkerPool& pool, const SpringMatrix& A) {
  const SpringPattern& p = A.pattern();
  A_ = &A;
  pattern_ = &p;

  const double springs = pool.sum(p.springs(), kGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t slot = begin; slot < end; ++slot) sum += A.spring_in(slot).stiffness();
    return sum;
  });
  const double masses = pool.sum(p.particles(), kGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += A.diagonal_by_row()[i];
    return sum;
  });
  const double root = root_of_scale((masses + 2 * springs) / static_cast<double>(p.particles()));
  scale_ = root * root;
  pool.for_chunks(slot_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const SpringMatrix::Spring& spring = A.spring_in(slot_[k]);
      springs_[k] = single(root * spring.u, scale_ * spring.b);
    }
  });
  pool.for_chunks(p.particles(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      diagonal_[i] = static_cast<float>(scale_ * A.diagonal_by_row()[i]);
    }
  });
}

}  // namespace clothlab
