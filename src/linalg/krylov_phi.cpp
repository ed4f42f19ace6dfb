// SPDX-License-Identifier: MIT
#include "linalg/krylov_phi.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/cancel_point.h"

namespace clothlab {

namespace {

constexpr std::size_t kMaxVectors = 32;
constexpr std::size_t kVectorsPerTest = 8;
constexpr int kMaxProducts = 20'000;
constexpr double kBreakdown = 1e-14;  // of ‖L v‖: what is left of it lies in the subspace already
// No subspace of m vectors reaches beyond τ‖H‖ ≈ m; the 1-norm may be larger than the one that counts.
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

KrylovPhi::Result KrylovPhi::compute(WorkerPool& pool, const Operator& L, std::span<const vec3> b,
                                     double tolerance, std::span<vec3> u, const StopProbe& stop) {
  assert(b.size() == u.size() && tolerance > 0);
  Result result;
  try {
    cross(pool, L, b, tolerance, u, stop, result);
  } catch (const Cancelled&) {
    result.stopped = true;
  }
  return result;
}

void KrylovPhi::cross(WorkerPool& pool, const Operator& L, std::span<const vec3> b, double tolerance,
                      std::span<vec3> u, const StopProbe& stop, Result& result) {
  const CancelPoint cancel(stop);
  const std::size_t n = b.size();
  basis_.resize(n, kMaxVectors + 1);
  slope_.resize(n);
  hessenberg_.resize((kMaxVectors + 1) * kMaxVectors);
  augmented_.resize((kMaxVectors + 2) * (kMaxVectors + 2));
  coefficients_.resize(kMaxVectors + 1);
  again_.resize(kMaxVectors + 1);

  std::fill(u.begin(), u.end(), vec3(0.0));
  std::copy(b.begin(), b.end(), slope_.begin());
  cancel.look();
  const double b_norm = std::sqrt(inner_product(pool, b, b));
  double time = 0;
  double tau_guess = 1;
  while (time < 1) {
    if (time > 0) {
      L(u, slope_);
      ++result.products;
      for (std::size_t i = 0; i < n; ++i) slope_[i] += b[i];
      cancel.look();
    }
    const double beta = std::sqrt(inner_product(pool, slope_, slope_));
    if (!std::isfinite(beta)) return;
    if (beta == 0) break;
    const double allowed = tolerance * std::max(b_norm, beta);

    // The subspace, until the rest of the interval fits, it is exhausted, or as large as it may be.
    std::ranges::transform(slope_, basis_.column(0).begin(), [&](const vec3& r) { return r / beta; });
    std::fill(hessenberg_.begin(), hessenberg_.end(), 0.0);
    const double rest = 1 - time;
    double norm = 0;  // ‖H‖ in the 1-norm
    std::size_t m = 0;
    double tau = 0;
    while (tau == 0) {
      cancel.look();
      const std::span<vec3> w = basis_.column(m + 1);
      L(basis_.column(m), w);
      ++result.products;
      cancel.look();
      const double before = std::sqrt(inner_product(pool, w, w));
      basis_.coefficients(pool, m + 1, w, coefficients_, stop);
      basis_.add(pool, m + 1, coefficients_, -1, w, stop);
      double after = std::sqrt(inner_product(pool, w, w));
      if (after < before / 2) {  // once more against rounding (Kahan's "twice is enough")
        basis_.coefficients(pool, m + 1, w, again_, stop);
        basis_.add(pool, m + 1, again_, -1, w, stop);
        for (std::size_t i = 0; i <= m; ++i) coefficients_[i] += again_[i];
        after = std::sqrt(inner_product(pool, w, w));
      }
      if (!std::isfinite(after) || !std::isfinite(before)) return;
      const bool exhausted = after <= kBreakdown * before || m + 1 == 3 * n;
      double column_norm = after;
      for (std::size_t i = 0; i <= m; ++i) {
        hessenberg_[at(i, m)] = coefficients_[i];
        column_norm += std::abs(coefficients_[i]);
      }
      hessenberg_[at(m + 1, m)] = exhausted ? 0 : after;
      norm = std::max(norm, column_norm);
      ++m;
      if (exhausted) {
        evaluate(m, rest);
        tau = rest;
        break;
      }
      for (vec3& x : w) x /= after;
      const bool full = m == kMaxVectors;
      const double reach = kReach * static_cast<double>(m);
      if (!full && (m % kVectorsPerTest != 0 || rest * norm > reach)) continue;
      double trial = full ? std::min({rest, 2 * tau_guess, reach / norm}) : rest;
      double error = beta * evaluate(m, trial);
      for (; full && error > allowed * trial; error = beta * evaluate(m, trial)) trial *= 0.8;
      if (error <= allowed * trial) tau = trial;
      if (full && (tau == 0 || time + tau == time)) return;
    }

    // u += β (V τφ1(τH)e₁ + h_{m+1,m} [τ²φ2(τH)]_{m,1} v_{m+1})
    for (std::size_t i = 0; i < m; ++i) coefficients_[i] = exponential_[m * (m + 2) + i];
    coefficients_[m] = hessenberg_[at(m, m - 1)] * exponential_[(m + 1) * (m + 2) + m - 1];
    basis_.add(pool, m + 1, coefficients_, beta, u, stop);
    ++result.substeps;
    time = tau < rest ? time + tau : 1;
    tau_guess = tau;
    if (result.products >= kMaxProducts && time < 1) return;
  }
  result.converged = true;
}

}  // namespace clothlab
