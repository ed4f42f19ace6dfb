// SPDX-License-Identifier: MIT
#include "linalg/lowest_modes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/glm.hpp>
#include <limits>

#include "core/cancel_point.h"
#include "core/error.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/pseudo_random.h"

namespace clothlab {
namespace {

constexpr int kMaxIterations = 100;
constexpr int kRefinements =
    1;  // to find a gap after the last mode; the next call, from the kept end, needs few
constexpr int kMaxShifts = 60;
constexpr int kIterationsPerShift = 6;
constexpr double kRounding = 1e-14;  // of ‖M⁻¹K‖: residuals that no iteration improves
constexpr double kNothingNew = 1e-13;
constexpr double kNoCancellation = 0.1;
constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kSmallestGap = 1e-8;  // of ‖M⁻¹K‖: eigenvalues closer together count as one

/// No eigenvalue of M^-1 K is larger than this in absolute value, by Gershgorin's circles; the largest is
/// rarely below a third of it. `masses` > 0, one per particle; `scratch` is resized. Throws Cancelled on
/// request of `stop`.
double norm_bound(const SpringMatrix& K, std::span<const double> masses, std::vector<double>& scratch,
                  const StopProbe& stop) {
  CancelPoint cancel(stop);
  scratch.assign(K.size(), 0.0);
  for (std::size_t s = 0; s < K.pattern().springs(); ++s) {
    cancel.pass();
    const SpringMatrix::Spring& spring = K.spring(s);
    // The block appears twice in each of its two rows.
    const double size = 2 * (glm::dot(spring.u, spring.u) + std::abs(spring.b));
    for (const std::uint32_t i : K.pattern().ends(s)) scratch[i] += size;
  }
  for (const SpringMatrix::Stencil& stencil : K.stencils()) {
    double weights = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k)
      weights += std::abs(stencil.weight[k]);
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k)
      scratch[stencil.particle[k]] += std::abs(stencil.weight[k]) * weights * stencil.size();
  }
  double bound = 0;
  for (std::size_t i = 0; i < K.size(); ++i)
    bound = std::max(bound, (scratch[i] + std::abs(K.diagonal(i))) / masses[i]);
  return bound;
}

}  // namespace

bool ShiftedInverse::prepare(const ComputeContext& context, const SpringMatrix& K,
                             std::span<const double> masses, const Projection& projection, double sigma) {
  const CancelPoint cancel(context.stop);
  const std::size_t n = K.size();
  sigma_ = sigma;
  exact_ = n < kMultigridParticles;
  if (!shifted_ || shifted_->shared_pattern() != K.shared_pattern())
    shifted_.emplace(K.shared_pattern(), context.stop);
  *shifted_ = K;
  cancel.poll();
  for (std::size_t i = 0; i < n; ++i) shifted_->diagonal(i) += sigma * masses[i];
  if (exact_) {
    right_.resize(n);
    factor_.analyse(*shifted_, context.stop);
    return factor_.compute(context, {*shifted_, right_, projection});
  }
  r_.resize(n);
  z_.resize(n);
  filter_.assign(K.pattern(), projection);
  if (!multigrid_.prepare(context, *shifted_, filter_, r_, z_)) throw Cancelled();
  return true;
}

double ShiftedInverse::apply(const ComputeContext& context, const Projection& projection, std::span<vec3> w) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  if (exact_) {
    std::copy(w.begin(), w.end(), right_.begin());
    std::fill(w.begin(), w.end(), vec3(0.0));
    factor_.add_solution(right_, w, context.stop);
    projection.filter(w);
    return inner_product(context.pool, right_, w);
  }
  const SpringPattern& pattern = shifted_->pattern();
  const double squared = sum_over_rows(context.pool, pattern, [&](std::size_t i) {
    r_[i] = padded(w[pattern.particle[i]]);
    return dot(r_[i], r_[i]);
  });
  const double energy = multigrid_.apply(r_, std::sqrt(squared), z_);
  cancel.poll();
  for_each_row(context.pool, pattern, [&](std::size_t i) { w[pattern.particle[i]] = unpadded(z_[i]); });
  return energy;
}

struct LowestModes::Problem {
  const ComputeContext& context;
  const SpringMatrix& K;
  std::span<const double> masses;
  const Projection& projection;
  const Request& request;
  std::size_t free;          // directions
  std::size_t followed = 0;  // modes
  std::size_t capacity = 0;  // of the basis
  double norm = 0;           // of M⁻¹K, at most
  WorkerPool& pool = context.pool;
  const StopProbe& stop = context.stop;
  CancelPoint cancel{stop};

  std::size_t n() const { return K.size(); }
  bool is_whole() const { return capacity == free; }
};

LowestModes::Result LowestModes::compute(const ComputeContext& context, const SpringMatrix& K,
                                         std::span<const double> masses, const Projection& projection,
                                         const Request& request) {
  assert(masses.size() == K.size() && projection.size() == K.size());
  assert(request.scale > 0 && request.tolerance > 0);
  double held = 0;
  for (const Projection::Entry& e : projection.entries()) held += 3 - (e.S[0][0] + e.S[1][1] + e.S[2][2]);
  Problem p{context,    K,       masses,
            projection, request, 3 * K.size() - static_cast<std::size_t>(std::lround(held))};
  Result result;
  result.stopped = !run_unless_cancelled([&] { search(p, result); });
  return result;
}

void LowestModes::search(Problem& p, Result& result) {
  count_ = std::min(p.request.count, p.free);
  found_.count = 0;
  found_.range = {};
  if (count_ == 0) {
    result.converged = true;
    return;
  }
  p.followed = std::min(p.free, count_ + 3);
  p.capacity = std::min(p.free, 3 * p.followed + 4);
  make_room(p);
  for (std::size_t i = 0; i < p.n(); ++i) root_mass_[i] = std::sqrt(p.masses[i]);
  p.norm = norm_bound(p.K, p.masses, diagonal_, p.stop);
  size_ = 0;
  if (!begin_basis(p) || !iterate(p, result)) {
    count_ = 0;
    result.finite = false;
    return;
  }
  found_.range = {eigen_.values()[0], eigen_.values()[count_ - 1]};
  result.lowest = found_.range.lowest;
  while (!is_gap(p, count_)) --count_;
  store_modes(p);
}

void LowestModes::make_room(const Problem& p) {
  const std::size_t n = p.n();
  for (VectorBasis* basis : {&basis_, &product_, &scratch_}) basis->resize(n, p.capacity);
  for (VectorBasis* basis : {&modes_, &found_.vectors}) basis->resize(n, p.followed);
  if (kept_.vectors.length() != n || kept_.vectors.columns() != p.followed) has_kept_ = false;
  if (!has_kept_) kept_.vectors.resize(n, p.followed);
  reduced_.resize(p.capacity * p.capacity);
  packed_.resize(p.capacity * p.capacity);
  coefficients_.resize(p.capacity);
  eigen_.reserve(p.capacity);
  eigenvalues_.resize(p.followed);
  for (std::vector<vec3>* v : {&w_, &start_}) {
    v->resize(n);
    p.cancel.poll();
  }
  in_.resize(n);
  out_.resize(n);
  root_mass_.resize(n);
}

bool LowestModes::begin_basis(const Problem& p) {
  if (p.is_whole()) {
    for (std::size_t i = 0; i < p.n() && size_ < p.capacity; ++i) {
      for (int c = 0; c < 3 && size_ < p.capacity; ++c) {
        std::ranges::fill(w_, vec3(0.0));
        w_[i][c] = 1;
        p.projection.filter(w_);
        p.cancel.poll();
        extend(p, w_);
      }
    }
    return true;
  }
  const auto randomise = [&](std::uint64_t j, std::span<vec3> v) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      const std::uint64_t k = 3 * (j * v.size() + i);
      v[i] = {pseudo_random(k), pseudo_random(k + 1), pseudo_random(k + 2)};
    }
    p.projection.filter(v);
  };
  randomise(0, start_);
  p.cancel.poll();
  if (!find_shift(p, has_kept_ ? kept_.range : Range{})) return false;
  precondition(p, start_);
  for (std::size_t j = 0; has_kept_ && j < kept_.count; ++j) {
    std::ranges::copy(kept_.vectors.column(j), w_.begin());
    p.projection.filter(w_);
    extend(p, w_);
  }
  extend(p, start_);
  for (std::uint64_t j = 1; size_ < p.followed && j <= 2 * p.followed; ++j) {
    randomise(j, w_);
    precondition(p, w_);
    extend(p, w_);
  }
  return size_ > 0;  // 0: no value is finite
}

bool LowestModes::iterate(const Problem& p, Result& result) {
  int refinements = 0;
  bool refines = false;
  small_.assign(count_, 0.0);
  for (;; ++result.iterations) {
    ritz();
    energies_.assign(p.followed, kUnknown);
    if (!std::isfinite(eigen_.values().front()) || !std::isfinite(eigen_.values().back())) return false;
    // Ritz values are upper bounds: if all are equal, there is no gap.
    const bool one = result.iterations > 0 && size_ > count_ &&
                     eigen_.values()[count_] - eigen_.values()[0] <= kSmallestGap * p.norm;
    if (p.is_whole() || one) {
      result.converged = true;
      return true;
    }
    const Growth growth = extend_by_residuals(p, refines, result);
    if (!growth.finite) return false;
    if (!growth.grown || (growth.accurate && result.iterations > 0)) {
      result.converged = growth.accurate;
      if (!refines && (refinements++ == kRefinements || is_gap(p, count_))) return true;
      refines = !refines;
    }
    if (result.iterations == kMaxIterations) return true;
    // A shift far below the wanted modes separates them badly; one above the lowest is invalid.
    const Range seen{eigen_.values()[0], eigen_.values()[count_ - 1]};
    const double distance = inverse_.sigma() + seen.lowest;
    if (result.iterations % kIterationsPerShift == kIterationsPerShift - 1 &&
        (distance <= 0 || distance > 2 * (seen.highest - seen.lowest) + 1e-2 * p.request.scale) &&
        !find_shift(p, seen)) {
      return false;
    }
  }
}

LowestModes::Growth LowestModes::extend_by_residuals(const Problem& p, bool refines, Result& result) {
  Growth growth;
  result.residual = 0;
  const std::size_t room_for = result.iterations == 0 ? p.followed : std::min(p.followed, count_ + 1);
  if (size_ + room_for > p.capacity) {
    restart(p, std::min(p.capacity - room_for, p.followed));
    ritz();
  }
  const std::size_t m = size_;  // size of the basis of the Ritz vectors, while it grows
  for (std::size_t k = 0; k < std::min(room_for, m); ++k) {
    // All in the first iteration, because a warm start may have missed a mode. Later the modes next to the
    // gap.
    const bool extra = result.iterations == 0 || (refines && k + 1 >= count_);
    const bool wanted = k < count_;
    if (!wanted && !extra) continue;
    compute_residual(p, k, w_);
    const double residual = norm(p.pool, w_);
    growth.finite = std::isfinite(residual);
    if (!growth.finite) break;
    const double tolerance = p.request.tolerance, size = p.request.scale + std::abs(eigen_.values()[k]);
    bool small = residual <= std::max(tolerance * size, kRounding * p.norm);
    if (wanted) {
      result.residual = std::max(result.residual, residual);
      small = small || residual <= small_[k];
    }
    if ((small && !extra) || residual <= kRounding * p.norm) continue;
    for (vec3& x : w_) x /= residual;
    energies_[k] = residual * residual * precondition(p, w_);
    small = small || energies_[k] <= tolerance * tolerance * size;
    if (wanted) {
      growth.accurate = growth.accurate && small;
      if (small) small_[k] = residual;
    }
    if (small && !extra) continue;
    growth.grown = extend(p, w_) || growth.grown;
  }
  return growth;
}

bool LowestModes::is_gap(const Problem& p, std::size_t c) {
  const std::span<const double> lambda = eigen_.values();
  if (c == 0 || c == lambda.size()) return true;
  const double gap = lambda[c] - lambda[c - 1];
  if (!(gap > kSmallestGap * p.norm)) return false;
  return lambda.size() == p.free || gap > error(p, c - 1, gap) + error(p, c, gap);
}

double LowestModes::error(const Problem& p, std::size_t k, double limit) {
  const double lambda = eigen_.values()[k];
  compute_residual(p, k, w_);
  const double residual = norm(p.pool, w_);
  if (residual < limit / 2) return residual;  // a bound, for any matrix
  // To second order it is rᵀ (K − λM)⁺ r over the complement of V, mostly above the last Ritz value, where (K
  // + σM)⁻¹ is smaller by at most this factor.
  const double last = eigen_.values()[std::min(eigen_.values().size(), found_.vectors.columns()) - 1];
  if (energies_[k] == kUnknown) energies_[k] = precondition(p, w_);
  return inverse_.underestimate() * energies_[k] * (last + inverse_.sigma()) / (last - lambda);
}

// r := K x − λ x, x = V q
void LowestModes::compute_residual(const Problem& p, std::size_t k, std::span<vec3> r) {
  const std::size_t m = eigen_.values().size();
  const std::span<const double> q = eigen_.vectors().subspan(k * m, m);
  std::ranges::fill(r, vec3(0.0));
  product_.add(p.pool, m, q, 1, r, p.stop);
  basis_.add(p.pool, m, q, -eigen_.values()[k], r, p.stop);
}

bool LowestModes::find_shift(const Problem& p, const Range& expected) {
  double margin =
      std::max({0.1 * (expected.highest - expected.lowest), 1e-3 * p.request.scale, 1e-9 * p.norm});
  for (int attempt = 0; attempt < kMaxShifts; ++attempt, margin *= 4) {
    const double sigma = margin - expected.lowest;
    if (!std::isfinite(sigma)) return false;
    if (inverse_.prepare(p.context, p.K, p.masses, p.projection, sigma)) return true;
  }
  return false;
}

double LowestModes::precondition(const Problem& p, std::span<vec3> w) {
  for (std::size_t i = 0; i < p.n(); ++i) w[i] *= root_mass_[i];
  const double energy = inverse_.apply(p.context, p.projection, w);
  for (std::size_t i = 0; i < p.n(); ++i) w[i] *= root_mass_[i];
  return energy;
}

bool LowestModes::extend(const Problem& p, std::span<vec3> w) {
  if (size_ == basis_.columns()) return false;
  const double before = norm(p.pool, w);
  double length = before;
  for (int pass = 0; pass < 2; ++pass) {
    if (!(length > kNothingNew * before)) return false;
    for (vec3& x : w) x /= length;
    basis_.coefficients(p.pool, size_, w, coefficients_, p.stop);
    basis_.add(p.pool, size_, coefficients_, -1, w, p.stop);
    length = norm(p.pool, w);
    if (!(length > kNothingNew)) return false;
    if (length > kNoCancellation) break;  // else again, against rounding
  }
  const std::span<vec3> v = basis_.column(size_), Kv = product_.column(size_);
  std::ranges::transform(w, v.begin(), [&](const vec3& x) { return x / length; });
  multiply(p, v, Kv);
  basis_.coefficients(p.pool, size_ + 1, Kv, coefficients_, p.stop);
  const std::size_t capacity = basis_.columns();
  for (std::size_t j = 0; j <= size_; ++j)
    reduced_[size_ * capacity + j] = reduced_[j * capacity + size_] = coefficients_[j];
  ++size_;
  return true;
}

void LowestModes::multiply(const Problem& p, std::span<const vec3> v, std::span<vec3> Kv) {
  const SpringPattern& pattern = p.K.pattern();
  for_each_row(p.pool, pattern, [&](std::size_t i) {
    const std::uint32_t particle = pattern.particle[i];
    in_[i] = padded(v[particle] / root_mass_[particle]);
  });
  p.cancel.poll();
  for_rows(p.pool, pattern, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    p.K.multiply_chunk(chunk, in_.data(), out_.data());
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t particle = pattern.particle[i];
      Kv[particle] = unpadded(out_[i]) / root_mass_[particle];
    }
  });
  p.projection.filter(Kv);
}

void LowestModes::ritz() {
  for (std::size_t j = 0; j < size_; ++j) {
    std::copy_n(reduced_.begin() + static_cast<std::ptrdiff_t>(j * basis_.columns()), size_,
                packed_.begin() + static_cast<std::ptrdiff_t>(j * size_));
  }
  eigen_.compute(size_, packed_);
}

void LowestModes::restart(const Problem& p, std::size_t columns) {
  columns = std::min(columns, size_);
  scratch_.assign_product(p.pool, basis_, size_, eigen_.vectors(), columns, p.stop);
  std::swap(scratch_, basis_);
  scratch_.assign_product(p.pool, product_, size_, eigen_.vectors(), columns, p.stop);
  std::swap(scratch_, product_);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < columns; ++i)
      reduced_[j * basis_.columns() + i] = i == j ? eigen_.values()[j] : 0;
  size_ = columns;
}

void LowestModes::store_modes(const Problem& p) {
  // The last Rayleigh–Ritz vectors belong to the basis before it grew.
  const std::size_t m = eigen_.values().size();
  count_ = std::min(count_, m);
  found_.count = std::min(found_.vectors.columns(), m);
  found_.vectors.assign_product(p.pool, basis_, m, eigen_.vectors(), found_.count, p.stop);
  for (std::size_t j = 0; j < count_; ++j) {
    p.cancel.poll();
    eigenvalues_[j] = eigen_.values()[j];
    const std::span<const vec3> v = found_.vectors.column(j);
    const std::span<vec3> x = modes_.column(j);
    double largest = 0;
    for (std::size_t i = 0; i < p.n(); ++i) {
      x[i] = v[i] / root_mass_[i];
      for (int c = 0; c < 3; ++c)
        if (std::abs(x[i][c]) > std::abs(largest)) largest = x[i][c];
    }
    if (largest < 0) {
      for (vec3& component : x) component = -component;
    }
  }
}

void LowestModes::keep() {
  std::swap(kept_, found_);
  has_kept_ = true;
}

void LowestModes::save(Memory& memory) const {
  memory.put(has_kept_ ? 1 : 0);
  if (!has_kept_) return;
  memory.put(kept_.range.lowest);
  memory.put(kept_.range.highest);
  memory.put(static_cast<double>(kept_.vectors.columns()));
  memory.put(static_cast<double>(kept_.count));
  for (std::size_t j = 0; j < kept_.count; ++j) memory.put(kept_.vectors.column(j));
}

void LowestModes::load(MemoryReader& memory, std::size_t n) {
  has_kept_ = !memory.at_end() && memory.count(1) == 1;
  if (!has_kept_) return;
  kept_.range.lowest = memory.number();
  kept_.range.highest = memory.number();
  const std::size_t columns = memory.count(3 * n);
  kept_.count = memory.count(columns);
  kept_.vectors.resize(n, columns);
  for (std::size_t j = 0; j < kept_.count; ++j) memory.vectors(kept_.vectors.column(j));
}

}  // namespace clothlab
