// SPDX-License-Identifier: MIT
#include "linalg/lanczos.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linalg/pseudo_random.h"
#include "linalg/row_space.h"

namespace clothlab {

namespace {

constexpr int kMaxSteps = 200;
// Enough for a mode in the random part of the start to outgrow the remembered one.
constexpr int kMinSteps = 16;
constexpr int kStepsPerTest = 4;  // between two tests of convergence

/// A symmetric tridiagonal matrix T: `alpha` on the diagonal, beta[k] between k and k + 1.
struct Tridiagonal {
  std::vector<double> alpha, beta;
  Eigen::VectorXd vector;  // the unit eigenvector last computed

  Tridiagonal() {
    for (auto* v : {&alpha, &beta}) v->reserve(kMaxSteps);
  }
  void clear() {
    alpha.clear();
    beta.clear();
  }
  std::size_t size() const { return alpha.size(); }

  double norm() const {
    double bound = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      bound =
          std::max(bound, std::abs(alpha[k]) + (k > 0 ? beta[k - 1] : 0) + (k + 1 < size() ? beta[k] : 0));
    }
    return bound;
  }

  /// Returns the largest eigenvalue and sets `vector` to its eigenvector.
  double find_largest() {
    const auto n = static_cast<Eigen::Index>(size());
    eigen_.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(alpha.data(), n),
                                  Eigen::Map<const Eigen::VectorXd>(beta.data(), n - 1));
    vector = eigen_.eigenvectors().col(n - 1);
    return eigen_.eigenvalues()[n - 1];
  }

 private:
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen_;
};

Padded scaled(const Padded& a, double s) { return {a.x * s, a.y * s, a.z * s, 0.0}; }
Padded plus(const Padded& a, double s, const Padded& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, 0.0};
}

}  // namespace

struct LargestEigenvalue::Scratch {
  RowVector start, v, before, w, t, squared;
  RowFilter filter;
  std::vector<double> weight;  // M^-1/2, by row
  Tridiagonal T;

  WorkerPool* pool = nullptr;
  MatrixCombination A;

  const SpringPattern& pattern() const { return A.K->pattern(); }

  // False on cancellation.
  bool prepare(std::span<const double> masses, const Projection& projection, const StopProbe& stop) {
    const std::size_t n = A.K->size();
    for (RowVector* vector : {&start, &v, &before, &w, &t}) {
      if (stop_requested(stop)) return false;
      vector->resize(n);
    }
    if (A.C != nullptr) squared.resize(n);
    weight.resize(n);
    filter.assign(pattern(), projection);
    for_each_row(*pool, pattern(),
                 [&](std::size_t i) { weight[i] = 1 / std::sqrt(masses[pattern().particle[i]]); });
    return !stop_requested(stop);
  }

  double norm(const RowVector& a) const {
    return std::sqrt(sum_over_rows(*pool, pattern(), [&](std::size_t i) { return dot(a[i], a[i]); }));
  }

  void scale(RowVector& a, double factor) const {
    for_each_row(*pool, pattern(), [&](std::size_t i) { a[i] = scaled(a[i], factor); });
  }

  // A random unit vector of the free directions, half replaced by the known one. False if nothing is free.
  bool choose_start(const UnitMode& known) {
    const bool warm = known.size() == start.size();
    const auto add_and_filter = [&](double factor) {
      for_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
        if (factor != 0)
          for (std::uint32_t i = begin; i < end; ++i) start[i] = plus(start[i], factor, known[i]);
        filter.filter(chunk, start.data());
      });
    };
    for_each_row(*pool, pattern(), [&](std::size_t i) {
      const std::uint64_t k = 3 * std::uint64_t{pattern().particle[i]};
      start[i] = {pseudo_random(k), pseudo_random(k + 1), pseudo_random(k + 2), 0.0};
    });
    add_and_filter(0.0);
    const double random_norm = norm(start);
    if (!(random_norm > 0)) return false;
    if (warm) add_and_filter(random_norm);
    scale(start, 1 / norm(start));
    return true;
  }

  // t := M^-1/2 a
  void weigh(const RowVector& a) {
    for_each_row(*pool, pattern(), [&](std::size_t i) { t[i] = scaled(a[i], weight[i]); });
  }

  // to := factor S M^-1/2 B t on the rows of a chunk.
  void finish_product(std::size_t chunk, const SpringMatrix& B, double factor, RowVector& to) const {
    B.multiply_chunk(chunk, t.data(), to.data());
    for (std::uint32_t i = pattern().chunk_begin[chunk]; i < pattern().chunk_begin[chunk + 1]; ++i)
      to[i] = scaled(to[i], factor * weight[i]);
    filter.filter(chunk, to.data());
  }

  // w := S M^-1/2 A M^-1/2 S v; returns v . w.
  double product() {
    weigh(v);
    const bool damped = A.c != 0 || A.c2 != 0;
    for_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
      if (damped) finish_product(chunk, *A.C, 1, squared);
      if (A.k != 0)
        finish_product(chunk, *A.K, A.k, w);
      else
        std::fill(w.begin() + begin, w.begin() + end, Padded{});
      if (!damped) return;
      for (std::uint32_t i = begin; i < end; ++i) w[i] = plus(w[i], A.c, squared[i]);
    });
    if (A.c2 != 0) {
      weigh(squared);
      for_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
        finish_product(chunk, *A.C, A.c2, squared);
        for (std::uint32_t i = begin; i < end; ++i) w[i] = plus(w[i], 1, squared[i]);
      });
    }
    return sum_over_rows(*pool, pattern(), [&](std::size_t i) { return dot(v[i], w[i]); });
  }

  // v_0 := start
  void begin_recursion() {
    std::copy(start.begin(), start.end(), v.begin());
    std::fill(before.begin(), before.end(), Padded{});
  }

  struct Step {
    double alpha, beta;
  };

  // One step from v_k: w := A v_k - alpha v_k - beta_(k-1) v_(k-1).
  Step step(double beta_before) {
    const double alpha = product();
    const double beta2 = sum_over_rows(*pool, pattern(), [&](std::size_t i) {
      w[i] = plus(plus(w[i], -alpha, v[i]), -beta_before, before[i]);
      return dot(w[i], w[i]);
    });
    return {alpha, std::sqrt(beta2)};
  }

  // v_(k-1) := v_k, v_k := w / beta.
  void shift(double beta) {
    std::swap(before, v);
    std::swap(v, w);
    scale(v, 1 / beta);
  }

  // T, from `start`. False if there is no eigenvector: stopped, A = 0, or not finite.
  bool find_value(const StopProbe& stop, double tolerance, Result& result) {
    T.clear();
    begin_recursion();
    const auto finished = [&](double beta) {
      result.value = T.find_largest();
      result.error_bound = beta * std::abs(T.vector[T.vector.size() - 1]);
      result.converged = result.error_bound <= tolerance * std::abs(result.value);
      return result.converged;
    };
    for (;;) {
      result.stopped = stop_requested(stop);
      if (result.stopped) return false;
      const auto [alpha, beta] = step(T.beta.empty() ? 0.0 : T.beta.back());
      T.alpha.push_back(alpha);
      ++result.iterations;
      if (!std::isfinite(alpha) || !std::isfinite(beta)) {
        result.value = alpha + beta;
        return false;
      }
      if (alpha == 0 && beta == 0 && T.size() == 1) {  // A = 0
        result.converged = true;
        return false;
      }
      // Below rounding, the Krylov space is invariant.
      const bool exhausted = beta <= 1e-12 * T.norm();
      if (exhausted || result.iterations == kMaxSteps) {
        finished(exhausted ? 0.0 : beta);
        return true;
      }
      const bool look = result.iterations >= kMinSteps && result.iterations % kStepsPerTest == 0;
      if (look && finished(beta)) return true;
      T.beta.push_back(beta);
      shift(beta);
    }
  }

  // The Ritz vector: repeats the recursion, now with known coefficients.
  void find_vector(const StopProbe& stop, UnitMode& mode) {
    begin_recursion();
    mode.assign(v.size(), Padded{});
    for (std::size_t k = 0; k < T.size(); ++k) {
      const double share = T.vector[static_cast<Eigen::Index>(k)];
      for_each_row(*pool, pattern(), [&](std::size_t i) { mode[i] = plus(mode[i], share, v[i]); });
      if (k + 1 == T.size() || stop_requested(stop)) break;
      step(k == 0 ? 0.0 : T.beta[k - 1]);
      shift(T.beta[k]);
    }
    const double length = norm(mode);
    if (length > 0)
      scale(mode, 1 / length);
    else
      mode.clear();
  }
};

LargestEigenvalue::LargestEigenvalue() : scratch_(std::make_unique<Scratch>()) {}
LargestEigenvalue::~LargestEigenvalue() = default;
LargestEigenvalue::LargestEigenvalue(LargestEigenvalue&&) noexcept = default;
LargestEigenvalue& LargestEigenvalue::operator=(LargestEigenvalue&&) noexcept = default;

LargestEigenvalue::Quotients LargestEigenvalue::quotients(WorkerPool& pool, const MatrixCombination& A,
                                                          std::span<const double> masses,
                                                          const Projection& projection,
                                                          const UnitMode& mode) {
  Scratch& s = *scratch_;
  s.pool = &pool;
  s.A = A;
  if (mode.size() != A.K->size() || !s.prepare(masses, projection, {})) return {};
  std::copy(mode.begin(), mode.end(), s.v.begin());
  for_rows(pool, s.pattern(), [&](std::size_t chunk, std::size_t, std::size_t) {
    s.filter.filter(chunk, s.v.data());  // the free directions may have changed
  });
  const double left = s.norm(s.v);
  if (!(left > 0)) return {};
  s.scale(s.v, 1 / left);
  Quotients q;
  s.A = {A.K, A.C, 1, 0, 0};
  q.K = s.product();
  if (A.C == nullptr) return q;
  s.A = {A.C, A.C, 1, 0, 0};
  q.C = s.product();
  const double length = s.norm(s.w);
  q.C2 = length * length;
  return q;
}

LargestEigenvalue::Result LargestEigenvalue::compute(const ComputeContext& context,
                                                     const MatrixCombination& A,
                                                     std::span<const double> masses,
                                                     const Projection& projection, UnitMode& mode,
                                                     double tolerance) {
  assert(masses.size() == A.K->size());
  Scratch& s = *scratch_;
  s.pool = &context.pool;
  s.A = A;
  Result result;
  result.stopped = !s.prepare(masses, projection, context.stop);
  if (result.stopped) return result;
  if (!s.choose_start(mode)) {
    mode.clear();
    result.converged = true;
  } else if (s.find_value(context.stop, tolerance, result)) {
    s.find_vector(context.stop, mode);
  } else if (!result.stopped) {
    mode.clear();
  }
  return result;
}

}  // namespace clothlab
