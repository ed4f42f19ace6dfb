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
constexpr std::size_t kVectorGrain = 512;
constexpr int kMaxProducts = 20'000;
constexpr double kBreakdown = 1e-14;  // of ‖L v‖: below, L v lies in the subspace
// A subspace of m vectors reaches to τ‖H‖ ≈ m at most; the 1-norm may overestimate ‖H‖.
constexpr double kReach = 8;
// Taylor's series with steps of 1/‖H‖ at most: 1/19! is below the rounding. Shorter ones, down to a share of
// that, find the time where the error becomes too large.
constexpr int kTerms = 19;
constexpr double kShortestStep = 1.0 / 8;

std::size_t at(std::size_t i, std::size_t j) { return j * (kMaxVectors + 1) + i; }

// The first row of column j of H.
std::size_t first_row(bool whole, std::size_t j) { return whole ? 0 : j + 1 - std::min(j + 1, kOrthogonal); }

}  // namespace

double KrylovPhi::march(const Substep& s, double end) {
  const std::size_t m = s.m;
  for (std::vector<double>* v : {&y_, &next_, &term_, &image_}) v->assign(m, 0.0);
  y_integral_ = 0;
  const double longest = std::min(end, 1 / s.norm_of_H), h = hessenberg_[at(m, m - 1)];
  double time = 0, step = longest;
  while (time < end && step >= kShortestStep * longest) {
    const double dt = std::min(step, end - time);
    std::ranges::copy(y_, next_.begin());
    std::ranges::copy(y_, term_.begin());
    double integral = y_integral_ + dt * y_[m - 1];
    for (int k = 1; k <= kTerms; ++k) {
      std::ranges::fill(image_, 0.0);
      for (std::size_t j = 0; j < m; ++j) {
        const std::size_t last = std::min(m, j + 2);
        for (std::size_t i = first_row(s.whole, j); i < last; ++i)
          image_[i] += hessenberg_[at(i, j)] * term_[j];
      }
      if (k == 1) image_[0] += 1;
      for (std::size_t i = 0; i < m; ++i) {
        term_[i] = dt / k * image_[i];
        next_[i] += term_[i];
      }
      integral += dt / (k + 1) * term_[m - 1];
    }
    const double then = dt < end - time ? time + dt : end;
    if (s.beta * h * std::abs(integral) <= s.allowed * then) {
      y_.swap(next_);
      y_integral_ = integral;
      time = then;
    } else {
      step /= 2;
    }
  }
  return time;
}

void KrylovPhi::reserve(std::size_t n) {
  basis_.resize(n, kMaxVectors + 1);
  hessenberg_.resize((kMaxVectors + 1) * kMaxVectors);
  for (std::vector<double>* v : {&coefficients_, &lengths_}) v->resize(kMaxVectors + 1);
  for (std::vector<double>* v : {&y_, &next_, &term_, &image_}) v->reserve(kMaxVectors);
}

KrylovPhi::Result KrylovPhi::compute(const ComputeContext& context, const Operator& L,
                                     std::span<const vec3> b, double tolerance, std::span<vec3> u) {
  assert(b.size() == u.size() && tolerance > 0);
  Result result;
  result.stopped = !run_unless_cancelled([&] { cross({context, L, b, tolerance, result}, u); });
  return result;
}

KrylovPhi::Column KrylovPhi::append(const Problem& p, const Substep& s) {
  const auto& [pool, stop] = p.context;
  const CancelPoint cancel(stop);
  cancel.poll();
  const std::size_t m = s.m;
  const std::span<vec3> w = basis_.column(m + 1);
  p.L(basis_.column(m), w);
  ++p.result.products;
  cancel.poll();
  const std::size_t first = first_row(s.whole, m);
  double scale = 1 / lengths_[m], before = 0, after = 0;  // of w
  for (int pass = 0; pass < 2; ++pass) {
    double removed = 0;
    for (std::size_t i = first; i <= m; ++i) {
      const double c = scale / lengths_[i] * inner_product(pool, basis_.column(i), w);
      coefficients_[i] = c / lengths_[i];
      hessenberg_[at(i, m)] += c;
      removed += c * c;
    }
    after = std::sqrt(subtract(pool, first, m + 1, scale, w));
    cancel.poll();
    if (pass == 0) before = std::sqrt(removed + after * after);
    if (!(after < before / 2)) break;  // else again, against rounding (Kahan's "twice is enough")
    scale = 1;
  }
  Column column{after, std::isfinite(after) && std::isfinite(before),
                after <= kBreakdown * before || m + 1 == 3 * w.size()};
  for (std::size_t i = first; i <= m; ++i) column.norm += std::abs(hessenberg_[at(i, m)]);
  hessenberg_[at(m + 1, m)] = column.exhausted ? 0 : after;
  lengths_[m + 1] = after;
  return column;
}

double KrylovPhi::subtract(WorkerPool& pool, std::size_t first, std::size_t last, double scale,
                           std::span<vec3> w) {
  return pool.sum(w.size(), kVectorGrain, [&](std::size_t begin, std::size_t end) {
    const std::span<vec3> part = w.subspan(begin, end - begin);
    double* const x = &part[0].x;
    const std::size_t n = 3 * part.size();
    for (std::size_t i = 0; i < n; ++i) x[i] *= scale;
    for (std::size_t j = first; j < last; ++j) {
      const double c = coefficients_[j];
      const double* const v = &basis_.column(j)[begin].x;
      for (std::size_t i = 0; i < n; ++i) x[i] -= c * v[i];
    }
    return inner_product(part, part);
  });
}

void KrylovPhi::build_subspace(const Problem& p, Substep& s) {
  std::ranges::fill(hessenberg_, 0.0);
  lengths_[0] = s.beta;
  for (;;) {
    const Column column = append(p, s);
    if (!column.finite) return;
    s.norm_of_H = std::max(s.norm_of_H, column.norm);
    ++s.m;
    const bool last = s.m == kMaxVectors || column.exhausted;
    const double reach = kReach * static_cast<double>(last ? kMaxVectors : s.m) / s.norm_of_H;
    if (!last && (s.m % kVectorsPerTest != 0 || s.rest > reach)) continue;
    s.tau = march(s, std::min(s.rest, reach));
    if (last || s.tau == s.rest) return;
  }
}

void KrylovPhi::cross(const Problem& p, std::span<vec3> u) {
  const auto& [pool, stop] = p.context;
  const CancelPoint cancel(stop);
  const std::size_t n = p.b.size();
  reserve(n);
  std::fill(u.begin(), u.end(), vec3(0.0));
  cancel.poll();
  const double b_norm = norm(pool, p.b);
  double time = 0;
  while (time < 1) {
    const std::span<vec3> slope = basis_.column(0);
    if (time > 0) {
      p.L(u, slope);
      ++p.result.products;
      for (std::size_t i = 0; i < n; ++i) slope[i] += p.b[i];
    } else {
      std::ranges::copy(p.b, slope.begin());
    }
    cancel.poll();
    const double beta = norm(pool, slope);
    if (!std::isfinite(beta)) return;
    if (beta == 0) break;
    // A whole space of few dimensions is exhausted only by a basis that is orthogonal.
    Substep s{beta, 1 - time, p.tolerance * std::max(b_norm, beta), 3 * n <= kMaxVectors};
    build_subspace(p, s);
    if (s.tau == 0 || time + s.tau == time) return;

    // u += β (V τφ1(τH)e₁ + h_{m+1,m} [τ²φ2(τH)]_{m,1} v_{m+1})
    for (std::size_t i = 0; i < s.m; ++i) coefficients_[i] = y_[i] / lengths_[i];
    const double h = hessenberg_[at(s.m, s.m - 1)];
    coefficients_[s.m] = h > 0 ? y_integral_ * h / lengths_[s.m] : 0;
    basis_.add(pool, s.m + 1, coefficients_, beta, u, stop);
    ++p.result.substeps;
    time = s.tau < s.rest ? time + s.tau : 1;
    if (p.result.products >= kMaxProducts && time < 1) return;
  }
  p.result.converged = true;
}

}  // namespace clothlab
