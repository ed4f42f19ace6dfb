// SPDX-License-Identifier: MIT
#include "linalg/lowest_modes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/glm.hpp>
#include <limits>

#include "core/cancel_point.h"
#include "linalg/norm_bound.h"
#include "linalg/pseudo_random.h"

namespace clothlab {

namespace {

constexpr int kMaxIterations = 100;
constexpr int kRefinements =
    1;  // to find a gap where the modes end; the next call, from their end, needs few
constexpr int kMaxShifts = 60;
constexpr int kIterationsPerShift = 6;
constexpr double kRounding = 1e-14;  // of ‖M⁻¹K‖: residuals that no iteration improves
constexpr double kNothingNew = 1e-13;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallestGap = 1e-8;  // of ‖M⁻¹K‖: eigenvalues nearer to each other count as one

}  // namespace

struct LowestModes::Problem {
  WorkerPool& pool;
  const SpringMatrix& K;
  const Projection& projection;
  const StopProbe& stop;
  double scale;
  double norm;       // of M⁻¹K, at most
  std::size_t free;  // directions
  CancelPoint cancel{stop};

  std::size_t n() const { return K.size(); }
};

LowestModes::Result LowestModes::compute(WorkerPool& pool, const SpringMatrix& K,
                                         std::span<const double> masses, const Projection& projection,
                                         std::size_t count, double scale, double tolerance,
                                         const StopProbe& stop) {
  assert(masses.size() == K.size() && projection.size() == K.size() && scale > 0 && tolerance > 0);
  Result result;
  try {
    search(pool, K, masses, projection, count, scale, tolerance, stop, result);
  } catch (const Cancelled&) {
    result.stopped = true;
  }
  return result;
}

void LowestModes::search(WorkerPool& pool, const SpringMatrix& K, std::span<const double> masses,
                         const Projection& projection, std::size_t count, double scale, double tolerance,
                         const StopProbe& stop, Result& result) {
  const std::size_t n = K.size();
  double held = 0;
  for (const Projection::Entry& e : projection.entries()) held += 3 - (e.S[0][0] + e.S[1][1] + e.S[2][2]);
  const std::size_t free = 3 * n - static_cast<std::size_t>(std::lround(held));
  count_ = std::min(count, free);
  found_.count = 0;
  found_.range = {};
  if (count_ == 0) {
    result.converged = true;
    return;
  }
  const std::size_t followed = std::min(free, count_ + 2 + count_ / 2);
  const std::size_t capacity = std::min(free, 3 * followed + 8);

  // Everything at its largest, so that later calls allocate nothing.
  for (VectorBasis* basis : {&basis_, &product_, &scratch_}) basis->resize(n, capacity);
  const auto resize = [&](VectorBasis& basis) { basis.resize(n, followed); };
  for (VectorBasis* basis : {&modes_, &found_.vectors}) resize(*basis);
  if (kept_.vectors.length() != n || kept_.vectors.columns() != followed) has_kept_ = false;
  if (!has_kept_) resize(kept_.vectors);
  reduced_.resize(capacity * capacity);
  packed_.resize(capacity * capacity);
  coefficients_.resize(capacity);
  eigen_.reserve(capacity);
  eigenvalues_.resize(followed);
  const CancelPoint cancel(stop);
  for (std::vector<vec3>* v : {&w_, &t_, &start_}) {
    v->resize(n);
    cancel.look();
  }
  root_mass_.resize(n);
  for (std::size_t i = 0; i < n; ++i) root_mass_[i] = std::sqrt(masses[i]);

  const Problem p{pool, K, projection, stop, scale, norm_bound(K, masses, diagonal_, stop), free};
  const auto fail = [&] {
    count_ = 0;
    result.finite = false;
  };
  size_ = 0;
  const bool whole = capacity == free;
  if (whole) {
    for (std::size_t i = 0; i < n && size_ < capacity; ++i) {
      for (int c = 0; c < 3 && size_ < capacity; ++c) {
        std::ranges::fill(w_, vec3(0.0));
        w_[i][c] = 1;
        projection.filter(w_);
        p.cancel.look();
        extend(p, w_);
      }
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t k = 3 * std::uint64_t{i};
      start_[i] = {pseudo_random(k), pseudo_random(k + 1), pseudo_random(k + 2)};
    }
    projection.filter(start_);
    p.cancel.look();
    if (!find_shift(p, has_kept_ ? kept_.range : Range{})) return fail();
    for (std::size_t i = 0; i < n; ++i) start_[i] = root_mass_[i] * w_[i];
    for (std::size_t j = 0; has_kept_ && j < kept_.count; ++j) {
      std::ranges::copy(kept_.vectors.column(j), w_.begin());
      projection.filter(w_);
      extend(p, w_);
    }
    extend(p, start_);
    for (std::uint64_t j = 1; size_ < followed && j <= 2 * followed; ++j) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t k = 3 * (j * n + i);
        w_[i] = {pseudo_random(k), pseudo_random(k + 1), pseudo_random(k + 2)};
      }
      projection.filter(w_);
      precondition(p, w_);
      extend(p, w_);
    }
  }

  const double smallest_gap = kSmallestGap * p.norm;
  int refinements = 0;
  bool refines = false;
  for (;; ++result.iterations) {
    ritz();
    errors_.assign(followed, kUnknown);
    if (!std::isfinite(eigen_.values().front()) || !std::isfinite(eigen_.values().back())) return fail();
    // Ritz values are upper bounds: where all of them are one, there is no gap to be found.
    const bool one = result.iterations > 0 && size_ > count_ &&
                     eigen_.values()[count_] - eigen_.values()[0] <= smallest_gap;
    if (whole || one) {
      result.converged = true;
      break;
    }
    result.residual = 0;
    bool accurate = true, grown = false;
    const std::size_t refined = refines ? std::min(followed, count_ + 1) : 0;
    const std::size_t room_for = result.iterations == 0 ? followed : std::max(refined, count_);
    if (size_ + room_for > capacity) {
      restart(p, std::min(capacity - room_for, 2 * followed));
      ritz();
    }
    const std::size_t m = size_;  // what the Ritz vectors belong to, while the basis grows
    for (std::size_t k = 0; k < std::min(room_for, m); ++k) {
      const double lambda = eigen_.values()[k];
      compute_residual(p, k, w_);
      const double residual = std::sqrt(inner_product(pool, w_, w_));
      if (!std::isfinite(residual)) return fail();
      const bool small = residual <= std::max(tolerance * (scale + std::abs(lambda)), kRounding * p.norm);
      if (k < count_) {
        result.residual = std::max(result.residual, residual);
        accurate = accurate && small;
      }
      // The first time all of them, whatever their residuals: a warm start may have missed a mode.
      if (small && result.iterations > 0 && k >= refined) continue;
      if (residual <= kRounding * p.norm) continue;
      for (vec3& x : w_) x /= residual;
      precondition(p, w_);
      grown = extend(p, w_) || grown;
    }
    if (!grown || (accurate && result.iterations > 0)) {
      result.converged = accurate;
      if (!refines && (refinements++ == kRefinements || is_gap(p, count_))) break;
      refines = !refines;
    }
    if (result.iterations == kMaxIterations) break;
    // A shift far below all that is wanted tells the modes badly apart.
    const Range seen{eigen_.values()[0], eigen_.values()[count_ - 1]};
    if (result.iterations % kIterationsPerShift == kIterationsPerShift - 1 &&
        sigma_ + seen.lowest > 2 * (seen.highest - seen.lowest) + 1e-2 * p.scale && !find_shift(p, seen)) {
      return fail();
    }
  }
  found_.range = {eigen_.values()[0], eigen_.values()[count_ - 1]};
  while (!is_gap(p, count_)) --count_;
  store_modes(p);
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
  const double residual = std::sqrt(inner_product(p.pool, w_, w_));
  if (residual < limit / 2) return residual;  // a bound, for any matrix
  // To second order it is rᵀ (K − λM)⁺ r over what V leaves out, most of which lies above the last Ritz value
  // that is followed. There, (K + σM)⁻¹ is at most so many times smaller.
  const double last = eigen_.values()[std::min(eigen_.values().size(), found_.vectors.columns()) - 1];
  if (std::isnan(errors_[k])) {
    start_ = w_;
    precondition(p, w_);
    errors_[k] = inner_product(p.pool, start_, w_) * (last + sigma_) / (last - lambda);
  }
  return errors_[k];
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
  if (!shifted_ || shifted_->shared_pattern() != p.K.shared_pattern()) {
    shifted_.emplace(p.K.shared_pattern(), p.stop);
  }
  double margin = std::max({0.1 * (expected.highest - expected.lowest), 1e-3 * p.scale, 1e-9 * p.norm});
  for (int attempt = 0; attempt < kMaxShifts; ++attempt, margin *= 4) {
    sigma_ = margin - expected.lowest;
    if (!std::isfinite(sigma_)) return false;
    *shifted_ = p.K;
    p.cancel.look();
    for (std::size_t i = 0; i < p.n(); ++i) {
      shifted_->diagonal(i) += sigma_ * root_mass_[i] * root_mass_[i];
      t_[i] = root_mass_[i] * start_[i];
    }
    const SolveReport report = cholesky_.solve(p.pool, *shifted_, t_, {}, p.projection, w_, 1, p.stop);
    if (report.stopped) throw Cancelled();
    if (!report.indefinite && std::isfinite(report.residual)) return true;
  }
  return false;
}

void LowestModes::precondition(const Problem& p, std::span<vec3> w) {
  for (std::size_t i = 0; i < p.n(); ++i) t_[i] = root_mass_[i] * w[i];
  const SolveReport report = cholesky_.solve(p.pool, *shifted_, t_, {}, p.projection, w, 1, p.stop, true);
  if (report.stopped) throw Cancelled();
  for (std::size_t i = 0; i < p.n(); ++i) w[i] *= root_mass_[i];
}

bool LowestModes::extend(const Problem& p, std::span<vec3> w) {
  if (size_ == basis_.columns()) return false;
  const double before = std::sqrt(inner_product(p.pool, w, w));
  double norm = before;
  for (int pass = 0; pass < 2; ++pass) {
    if (!(norm > kNothingNew * before)) return false;
    for (vec3& x : w) x /= norm;
    basis_.coefficients(p.pool, size_, w, coefficients_, p.stop);
    basis_.add(p.pool, size_, coefficients_, -1, w, p.stop);
    norm = std::sqrt(inner_product(p.pool, w, w));
    if (pass == 0 && !(norm > kNothingNew)) return false;
  }
  const std::span<vec3> v = basis_.column(size_), Kv = product_.column(size_);
  std::ranges::transform(w, v.begin(), [&](const vec3& x) { return x / norm; });
  for (std::size_t i = 0; i < p.n(); ++i) t_[i] = v[i] / root_mass_[i];
  p.cancel.look();
  p.K.multiply(p.pool, t_, Kv);
  for (std::size_t i = 0; i < p.n(); ++i) Kv[i] /= root_mass_[i];
  p.projection.filter(Kv);
  basis_.coefficients(p.pool, size_ + 1, Kv, coefficients_, p.stop);
  const std::size_t capacity = basis_.columns();
  for (std::size_t j = 0; j <= size_; ++j) {
    reduced_[size_ * capacity + j] = reduced_[j * capacity + size_] = coefficients_[j];
  }
  ++size_;
  return true;
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
  scratch_.swap(basis_);
  scratch_.assign_product(p.pool, product_, size_, eigen_.vectors(), columns, p.stop);
  scratch_.swap(product_);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < columns; ++i) {
      reduced_[j * basis_.columns() + i] = i == j ? eigen_.values()[j] : 0;
    }
  }
  size_ = columns;
}

void LowestModes::store_modes(const Problem& p) {
  // The last Rayleigh–Ritz was made before the basis grew: its vectors have the length that they belong to.
  const std::size_t m = eigen_.values().size();
  count_ = std::min(count_, m);
  found_.count = std::min(found_.vectors.columns(), m);
  found_.vectors.assign_product(p.pool, basis_, m, eigen_.vectors(), found_.count, p.stop);
  for (std::size_t j = 0; j < count_; ++j) {
    p.cancel.look();
    eigenvalues_[j] = eigen_.values()[j];
    const std::span<const vec3> v = found_.vectors.column(j);
    const std::span<vec3> x = modes_.column(j);
    double largest = 0;
    for (std::size_t i = 0; i < p.n(); ++i) {
      x[i] = v[i] / root_mass_[i];
      for (int c = 0; c < 3; ++c) {
        if (std::abs(x[i][c]) > std::abs(largest)) largest = x[i][c];
      }
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
