#include "linalg/lanczos.h"

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
// Enough for a mode that only the random part of the start contains to outgrow the remembered one.
constexpr int kMinSteps = 16;
constexpr int kStepsPerTest = 4;  // between two looks at the eigenvalue

/// A symmetric tridiagonal matrix T: `alpha` on the diagonal, beta[k] between k and k + 1.
struct Tridiagonal {
  std::vector<double> alpha, beta;
  std::vector<double> vector;  // the unit eigenvector last computed
  std::vector<double> pivot, factor;

  Tridiagonal() {
    for (auto* v : {&alpha, &beta, &vector, &pivot, &factor}) v->reserve(kMaxSteps);
  }

  void clear() {
    alpha.clear();
    beta.clear();
  }

  std::size_t size() const { return alpha.size(); }

  /// Whether t I - T is positive definite, so that t lies above every eigenvalue: its pivots decide.
  bool is_above(double t) const {
    double d = t - alpha[0];
    for (std::size_t k = 1; k < size(); ++k) {
      if (!(d > 0)) return false;
      d = t - alpha[k] - beta[k - 1] * beta[k - 1] / d;
    }
    return d > 0;
  }

  double norm() const {
    double bound = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      bound =
          std::max(bound, std::abs(alpha[k]) + (k > 0 ? beta[k - 1] : 0) + (k + 1 < size() ? beta[k] : 0));
    }
    return bound;
  }

  /// The least number above all eigenvalues, to within rounding, by bisection.
  double largest_eigenvalue() const {
    const double scale = norm();
    double below = -scale;
    double above = scale * (1 + 1e-12);
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = 0.5 * (below + above);
      (is_above(middle) ? above : below) = middle;
    }
    return above;
  }

  /// Sets `vector` to the eigenvector of the largest eigenvalue, by inverse iteration: with `above` from
  /// largest_eigenvalue(), above I - T is positive definite, so elimination needs no pivoting.
  void find_vector(double above) {
    const std::size_t n = size();
    const double shift = above + 1e-12 * norm();
    pivot.resize(n);
    factor.resize(n);
    pivot[0] = shift - alpha[0];
    for (std::size_t k = 1; k < n; ++k) {
      factor[k] = -beta[k - 1] / pivot[k - 1];
      pivot[k] = shift - alpha[k] + factor[k] * beta[k - 1];
    }
    vector.assign(n, 1.0);
    for (int repeat = 0; repeat < 3; ++repeat) {
      for (std::size_t k = 1; k < n; ++k) vector[k] -= factor[k] * vector[k - 1];
      for (std::size_t k = 0; k < n; ++k) vector[k] /= pivot[k];
      for (std::size_t k = n - 1; k-- > 0;) vector[k] -= factor[k + 1] * vector[k + 1];
      double norm2 = 0;
      for (double c : vector) norm2 += c * c;
      for (double& c : vector) c /= std::sqrt(norm2);
    }
  }
};

Padded scaled(const Padded& a, double s) { return {a.x * s, a.y * s, a.z * s, 0.0}; }
Padded plus(const Padded& a, double s, const Padded& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, 0.0};
}

}  // namespace

struct LargestEigenvalue::Scratch {
  RowVector start, v, before, w, t, ritz;
  RowFilter filter;
  std::vector<double> weight;  // M^-1/2, by row
  Tridiagonal T;
  bool warm = false;  // `ritz` holds the vector of the last call

  WorkerPool* pool = nullptr;
  const SpringMatrix* K = nullptr;

  const SpringPattern& pattern() const { return K->pattern(); }

  // False when the probe asked to stop.
  bool prepare(std::span<const double> masses, const Projection& projection, const StopProbe& stop) {
    const std::size_t n = K->size();
    if (ritz.size() != n) warm = false;
    for (RowVector* vector : {&start, &v, &before, &w, &t, &ritz}) {
      if (stop_requested(stop)) return false;
      vector->resize(n);
    }
    weight.resize(n);
    filter.assign(pattern(), projection);
    for_rows(*pool, pattern(), [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) weight[i] = 1 / std::sqrt(masses[pattern().particle[i]]);
    });
    return !stop_requested(stop);
  }

  double norm(const RowVector& a) const {
    return std::sqrt(sum_rows(*pool, pattern(), [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      double sum = 0;
      for (std::uint32_t i = begin; i < end; ++i) sum += dot(a[i], a[i]);
      return sum;
    }));
  }

  void scale(RowVector& a, double factor) {
    for_rows(*pool, pattern(), [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) a[i] = scaled(a[i], factor);
    });
  }

  // A random unit vector of the free directions, half of it replaced by the remembered one. False: none is
  // free.
  bool choose_start() {
    const auto add_and_filter = [&](double factor) {
      for_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i < end; ++i) start[i] = plus(start[i], factor, ritz[i]);
        filter.filter(chunk, start.data());
      });
    };
    for_rows(*pool, pattern(), [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint64_t k = 3 * std::uint64_t{pattern().particle[i]};
        start[i] = {pseudo_random(k), pseudo_random(k + 1), pseudo_random(k + 2), 0.0};
      }
    });
    add_and_filter(0.0);
    const double random_norm = norm(start);
    if (!(random_norm > 0)) return false;
    if (warm) add_and_filter(random_norm);
    scale(start, 1 / norm(start));
    return true;
  }

  // w := S M^-1/2 K M^-1/2 S v; returns v . w.
  double product() {
    for_rows(*pool, pattern(), [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) t[i] = scaled(v[i], weight[i]);
    });
    return sum_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
      const double v_dot_w = K->multiply_chunk(chunk, t.data(), w.data());
      for (std::uint32_t i = begin; i < end; ++i) w[i] = scaled(w[i], weight[i]);
      filter.filter(chunk, w.data());
      return v_dot_w;
    });
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
    const double beta2 = sum_rows(*pool, pattern(), [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      double sum = 0;
      for (std::uint32_t i = begin; i < end; ++i) {
        w[i] = plus(plus(w[i], -alpha, v[i]), -beta_before, before[i]);
        sum += dot(w[i], w[i]);
      }
      return sum;
    });
    return {alpha, std::sqrt(beta2)};
  }

  // v_(k-1) := v_k, v_k := w / beta.
  void shift(double beta) {
    std::swap(before, v);
    std::swap(v, w);
    scale(v, 1 / beta);
  }
};

LargestEigenvalue::LargestEigenvalue() : scratch_(std::make_unique<Scratch>()) {}
LargestEigenvalue::~LargestEigenvalue() = default;
LargestEigenvalue::LargestEigenvalue(LargestEigenvalue&&) noexcept = default;
LargestEigenvalue& LargestEigenvalue::operator=(LargestEigenvalue&&) noexcept = default;

LargestEigenvalue::Result LargestEigenvalue::compute(WorkerPool& pool, const SpringMatrix& K,
                                                     std::span<const double> masses,
                                                     const Projection& projection, const StopProbe& stop,
                                                     double tolerance) {
  assert(masses.size() == K.size());
  Scratch& s = *scratch_;
  s.pool = &pool;
  s.K = &K;
  Result result;
  result.stopped = !s.prepare(masses, projection, stop);
  if (result.stopped) return result;
  if (!s.choose_start()) {
    s.warm = false;
    result.converged = true;
    return result;
  }

  Tridiagonal& T = s.T;
  T.clear();
  s.begin_recursion();
  const auto finished = [&](double beta) {
    result.value = T.largest_eigenvalue();
    T.find_vector(result.value);
    result.error_bound = beta * std::abs(T.vector.back());
    result.converged = result.error_bound <= tolerance * std::abs(result.value);
    return result.converged;
  };
  for (;;) {
    if (stop_requested(stop)) {
      result.stopped = true;
      return result;
    }
    const auto [alpha, beta] = s.step(T.beta.empty() ? 0.0 : T.beta.back());
    T.alpha.push_back(alpha);
    ++result.iterations;
    if (!std::isfinite(alpha) || !std::isfinite(beta)) {
      s.warm = false;
      result.value = alpha + beta;
      return result;
    }
    if (alpha == 0 && beta == 0 && T.size() == 1) {  // K = 0
      s.warm = false;
      result.converged = true;
      return result;
    }
    // Below rounding, the Krylov space is invariant: T holds all that the start vector can reach.
    const bool exhausted = beta <= 1e-12 * T.norm();
    if (exhausted || result.iterations == kMaxSteps) {
      finished(exhausted ? 0.0 : beta);
      break;
    }
    const bool look = result.iterations >= kMinSteps && result.iterations % kStepsPerTest == 0;
    if (look && finished(beta)) break;
    T.beta.push_back(beta);
    s.shift(beta);
  }

  // The Ritz vector, for the next call: the recursion once more, now that the coefficients are known.
  s.begin_recursion();
  std::fill(s.ritz.begin(), s.ritz.end(), Padded{});
  for (std::size_t k = 0; k < T.size(); ++k) {
    for_rows(pool, s.pattern(), [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) s.ritz[i] = plus(s.ritz[i], T.vector[k], s.v[i]);
    });
    if (k + 1 == T.size() || stop_requested(stop)) break;
    s.step(k == 0 ? 0.0 : T.beta[k - 1]);
    s.shift(T.beta[k]);
  }
  const double length = s.norm(s.ritz);
  s.warm = length > 0;
  if (s.warm) s.scale(s.ritz, 1 / length);
  return result;
}

}  // namespace clothlab
