// SPDX-License-Identifier: MIT
#include "linalg/krylov_phi.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"

namespace clothlab {

namespace {

constexpr std::size_t kMaxVectors = 32;
constexpr std::size_t kVectorsPerTest = 8;
constexpr std::size_t kOrthogonal = 2;  // vectors before a new one that it is orthogonal to
constexpr std::size_t kVectorGrain = 2048;
constexpr int kMaxProducts = 20'000;
constexpr double kBreakdown = 1e-14;  // of ‖L v‖: below, L v lies in the subspace
// A subspace of m vectors reaches to τ‖H‖ ≈ m at most; the 1-norm may overestimate ‖H‖.
constexpr double kReach = 8;

std::size_t at(std::size_t i, std::size_t j) { return j * (kMaxVectors + 1) + i; }

}  // namespace

double KrylovPhi::evaluate(std::size_t m, double tau) {
  const std::size_t n = m + 2;
  std::fill_n(augmented_.begin(), n * n, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < std::min(m, j + 2); ++i) augmented_[j * n + i] = tau * hessenberg_[at(i, j)];
  }
  augmented_[m * n] = tau;
  augmented_[(m + 1) * n + m] = tau;
  exponential_ = exponential_of_.compute(n, augmented_);
  return hessenberg_[at(m, m - 1)] * std::abs(exponential_[(m + 1) * n + m - 1]);
}

KrylovPhi::Result KrylovPhi::compute(const ComputeContext& context, const Operator& L,
                                     std::span<const vec3> b, double tolerance, std::span<vec3> u) {
  assert(b.size() == u.size() && tolerance > 0);
  Result result;
  try {
    cross({context, L, b, tolerance, result}, u);
  } catch (const Cancelled&) {
    result.stopped = true;
  }
  return result;
}

KrylovPhi::Column KrylovPhi::append(const Problem& p, std::size_t m) {
  const auto& [pool, stop] = p.context;
  const CancelPoint cancel(stop);
  cancel.look();
  const std::span<vec3> w = basis_.column(m + 1);
  p.L(basis_.column(m), w);
  ++p.result.products;
  cancel.look();
  // A whole space of few dimensions is exhausted only by a basis that is orthogonal.
  const bool whole = 3 * w.size() <= kMaxVectors;
  const std::size_t first = whole ? 0 : m + 1 - std::min(m + 1, kOrthogonal);
  double before = 0, after = 0;
  for (int pass = 0; pass < 2; ++pass) {
    double removed = 0;
    for (std::size_t i = first; i <= m; ++i) {
      coefficients_[i] = inner_product(pool, basis_.column(i), w);
      hessenberg_[at(i, m)] += coefficients_[i];
      removed += coefficients_[i] * coefficients_[i];
    }
    after = std::sqrt(subtract(pool, first, m + 1, w));
    cancel.look();
    if (pass == 0) before = std::sqrt(removed + after * after);
    if (!(after < before / 2)) break;  // else once more against rounding (Kahan's "twice is enough")
  }
  Column column{after, std::isfinite(after) && std::isfinite(before),
                after <= kBreakdown * before || m + 1 == 3 * w.size()};
  for (std::size_t i = first; i <= m; ++i) column.norm += std::abs(hessenberg_[at(i, m)]);
  hessenberg_[at(m + 1, m)] = column.exhausted ? 0 : after;
  if (!column.exhausted) {
    pool.for_chunks(w.size(), kVectorGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) w[i] /= after;
    });
  }
  return column;
}

double KrylovPhi::subtract(WorkerPool& pool, std::size_t first, std::size_t last, std::span<vec3> w) {
  return pool.sum(w.size(), kVectorGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = first; j < last; ++j) {
      const std::span<const vec3> v = basis_.column(j);
      for (std::size_t i = begin; i < end; ++i) w[i] -= coefficients_[j] * v[i];
    }
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += glm::dot(w[i], w[i]);
    return sum;
  });
}

void KrylovPhi::build_subspace(const Problem& p, Substep& s) {
  std::ranges::transform(slope_, basis_.column(0).begin(), [&](const vec3& r) { return r / s.beta; });
  std::fill(hessenberg_.begin(), hessenberg_.end(), 0.0);
  double norm_of_H = 0;  // in the 1-norm
  while (s.tau == 0) {
    const Column column = append(p, s.m);
    if (!column.finite) return;
    norm_of_H = std::max(norm_of_H, column.norm);
    ++s.m;
    if (column.exhausted) {
      evaluate(s.m, s.rest);
      s.tau = s.rest;
      return;
    }
    const bool full = s.m == kMaxVectors;
    const double reach = kReach * static_cast<double>(s.m);
    if (!full && (s.m % kVectorsPerTest != 0 || s.rest * norm_of_H > reach)) continue;
    double trial = full ? std::min({s.rest, 2 * s.guess, reach / norm_of_H}) : s.rest;
    double error = s.beta * evaluate(s.m, trial);
    for (; full && error > s.allowed * trial; error = s.beta * evaluate(s.m, trial)) trial *= 0.8;
    if (error <= s.allowed * trial) s.tau = trial;
    if (full) return;
  }
}

void KrylovPhi::cross(const Problem& p, std::span<vec3> u) {
  const auto& [pool, stop] = p.context;
  const CancelPoint cancel(stop);
  const std::size_t n = p.b.size();
  basis_.resize(n, kMaxVectors + 1);
  slope_.resize(n);
  hessenberg_.resize((kMaxVectors + 1) * kMaxVectors);
  augmented_.resize((kMaxVectors + 2) * (kMaxVectors + 2));
  coefficients_.resize(kMaxVectors + 1);

  std::fill(u.begin(), u.end(), vec3(0.0));
  std::copy(p.b.begin(), p.b.end(), slope_.begin());
  cancel.look();
  const double b_norm = norm(pool, p.b);
  double time = 0, guess = 1;
  while (time < 1) {
    if (time > 0) {
      p.L(u, slope_);
      ++p.result.products;
      for (std::size_t i = 0; i < n; ++i) slope_[i] += p.b[i];
      cancel.look();
    }
    const double beta = norm(pool, slope_);
    if (!std::isfinite(beta)) return;
    if (beta == 0) break;
    Substep s{beta, 1 - time, p.tolerance * std::max(b_norm, beta), guess};
    build_subspace(p, s);
    if (s.tau == 0 || time + s.tau == time) return;

    // u += β (V τφ1(τH)e₁ + h_{m+1,m} [τ²φ2(τH)]_{m,1} v_{m+1})
    for (std::size_t i = 0; i < s.m; ++i) coefficients_[i] = exponential_[s.m * (s.m + 2) + i];
    coefficients_[s.m] = hessenberg_[at(s.m, s.m - 1)] * exponential_[(s.m + 1) * (s.m + 2) + s.m - 1];
    basis_.add(pool, s.m + 1, coefficients_, beta, u, stop);
    ++p.result.substeps;
    time = s.tau < s.rest ? time + s.tau : 1;
    guess = s.tau;
    if (p.result.products >= kMaxProducts && time < 1) return;
  }
  p.result.converged = true;
}

}  // namespace clothlab
