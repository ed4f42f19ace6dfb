// SPDX-License-Identifier: MIT
#include "linalg/small_dense.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace clothlab {
namespace {

constexpr int kMaxIterationsPerValue = 60;  // per eigenvalue; two or three are usual

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

/// A := QᵀAQ, zero below the first subdiagonal: Eigen::HessenbergDecomposition, which cannot be stopped.
void reduce_to_hessenberg(Eigen::Ref<Matrix> A, const CancelPoint& cancel) {
  const Index n = A.rows();
  Eigen::VectorXd scratch(n);
  for (Index k = 0; k + 2 < n; ++k) {
    cancel.poll();
    const Index rest = n - k - 1;
    double coefficient = 0, length = 0;
    A.col(k).tail(rest).makeHouseholderInPlace(coefficient, length);
    const auto reflection = A.col(k).tail(rest - 1);
    A.bottomRightCorner(rest, rest).applyHouseholderOnTheLeft(reflection, coefficient, scratch.data());
    A.rightCols(rest).applyHouseholderOnTheRight(reflection, coefficient, scratch.data());
    A(k + 1, k) = length;
    A.col(k).tail(rest - 1).setZero();
  }
}

/// Removes the converged diagonal blocks at the end of `H` and appends their eigenvalues; returns the number
/// of remaining rows.
Index pop_converged(const Matrix& H, bool all, std::vector<std::complex<double>>& values) {
  Index n = H.rows();
  while (n > 0) {
    if (n == 1 || H(n - 1, n - 2) == 0) {
      values.emplace_back(H(n - 1, n - 1));
      n -= 1;
    } else if (all || n == 2 || H(n - 2, n - 3) == 0) {
      const double mean = (H(n - 2, n - 2) + H(n - 1, n - 1)) / 2;
      const double half = (H(n - 2, n - 2) - H(n - 1, n - 1)) / 2;
      const std::complex<double> root =
          std::sqrt(std::complex<double>(half * half + H(n - 1, n - 2) * H(n - 2, n - 1)));
      values.push_back(mean + root);
      values.push_back(mean - root);
      n -= 2;
    } else {
      break;
    }
  }
  return n;
}

}  // namespace

void SymmetricEigen::reserve(std::size_t n) {
  vectors_.reserve(n * n);
  for (std::vector<double>* v : {&values_, &off_, &reflection_}) v->reserve(n);
}

void SymmetricEigen::compute(std::size_t n, std::span<const double> a, const StopProbe& stop) {
  const CancelPoint cancel(stop);
  assert(n > 0 && a.size() >= n * n);
  vectors_.assign(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n * n));
  values_.resize(n);
  off_.assign(n, 0.0);
  reflection_.resize(n);
  tridiagonalise(n, cancel);
  diagonalise(n, cancel);

  // Selection sort, ascending; terminates with NaN too.
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const auto from = values_.begin() + static_cast<std::ptrdiff_t>(k);
    const std::size_t least = k + static_cast<std::size_t>(std::min_element(from, values_.end()) - from);
    if (least == k) continue;
    std::swap(values_[k], values_[least]);
    for (std::size_t i = 0; i < n; ++i) std::swap(vectors_[k * n + i], vectors_[least * n + i]);
  }
}

// Householder's reduction. Step k maps column k below the diagonal to one number by I − 2wwᵀ on the rows and
// columns after k; w is stored in that column until all are multiplied, from the last one.
void SymmetricEigen::tridiagonalise(std::size_t n, const CancelPoint& cancel) {
  double* const A = vectors_.data();
  for (std::size_t k = 0; k + 2 < n; ++k) {
    cancel.poll();
    // w, and the subdiagonal element that the reflection leaves.
    double* const w = A + k * n;
    values_[k] = w[k];
    double norm = 0;
    for (std::size_t i = k + 1; i < n; ++i) norm += w[i] * w[i];
    norm = std::sqrt(norm);
    off_[k] = w[k + 1] > 0 ? -norm : norm;
    w[k] = 0;  // 0: no reflection
    if (norm == 0) continue;
    w[k + 1] -= off_[k];
    const double length = std::sqrt(2 * norm * std::abs(w[k + 1]));
    for (std::size_t i = k + 1; i < n; ++i) w[i] /= length / std::sqrt(2.0);
    w[k] = 1;

    // p = A w with |w|² = 2, q = p − ½ (w·p) w, A −= w qᵀ + q wᵀ
    std::vector<double>& p = reflection_;
    std::fill(p.begin(), p.end(), 0.0);
    for (std::size_t j = k + 1; j < n; ++j)
      for (std::size_t i = k + 1; i < n; ++i) p[i] += w[j] * A[j * n + i];
    double dot = 0;
    for (std::size_t i = k + 1; i < n; ++i) dot += w[i] * p[i];
    for (std::size_t i = k + 1; i < n; ++i) p[i] -= dot / 2 * w[i];
    for (std::size_t j = k + 1; j < n; ++j)
      for (std::size_t i = k + 1; i < n; ++i) A[j * n + i] -= w[i] * p[j] + p[i] * w[j];
  }
  // The last two rows need no reflection.
  if (n > 1) {
    values_[n - 2] = A[(n - 2) * n + n - 2];
    off_[n - 2] = A[(n - 2) * n + n - 1];
  }
  values_[n - 1] = A[(n - 1) * n + n - 1];

  // Q, in place of the w.
  for (std::size_t j = n > 1 ? n - 2 : 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) A[j * n + i] = i == j ? 1 : 0;
  for (std::size_t k = n > 2 ? n - 2 : 0; k-- > 0;) {
    cancel.poll();
    double* const w = A + k * n;
    if (w[k] != 0) {
      for (std::size_t j = k + 1; j < n; ++j) {
        double dot = 0;
        for (std::size_t i = k + 1; i < n; ++i) dot += w[i] * A[j * n + i];
        for (std::size_t i = k + 1; i < n; ++i) A[j * n + i] -= dot * w[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) w[i] = i == k ? 1 : 0;
  }
}

// The implicit QL algorithm with Wilkinson's shift, on the vectors too.
void SymmetricEigen::diagonalise(std::size_t n, const CancelPoint& cancel) {
  std::vector<double>&d = values_, &e = off_;
  for (std::size_t l = 0; l < n; ++l) {
    cancel.poll();
    for (int iteration = 0; iteration < kMaxIterationsPerValue; ++iteration) {
      // The block from l to m has no negligible off-diagonal element.
      std::size_t m = l;
      for (; m + 1 < n; ++m) {
        if (!(std::abs(e[m]) >
              std::numeric_limits<double>::epsilon() / 2 * (std::abs(d[m]) + std::abs(d[m + 1])))) {
          break;
        }
      }
      if (m == l) break;
      // The shift.
      double g = (d[l + 1] - d[l]) / (2 * e[l]);
      double r = std::sqrt(g * g + 1);
      g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
      // Rotations from m down to l chase the bulge; r = 0 splits the block.
      double s = 1, c = 1, p = 0;
      bool splits = false;
      for (std::size_t i = m; i-- > l;) {
        double f = s * e[i];
        const double b = c * e[i];
        r = std::sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          e[m] = 0;
          splits = true;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        // The same rotation of the vectors.
        double* const z0 = vectors_.data() + i * n;
        double* const z1 = z0 + n;
        for (std::size_t k = 0; k < n; ++k) {
          f = z1[k];
          z1[k] = s * z0[k] + c * f;
          z0[k] = c * z0[k] - s * f;
        }
      }
      if (splits) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
}

bool solve_dense(std::size_t n, std::span<double> a, std::span<double> b) {
  assert(a.size() >= n * n && b.size() >= n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[k * n + i]) > std::abs(a[k * n + pivot])) pivot = i;
    if (!(std::abs(a[k * n + pivot]) > 0)) return false;
    if (pivot != k) {
      for (std::size_t j = k; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < n; ++i) a[k * n + i] /= a[k * n + k];
    for (std::size_t j = k + 1; j < n; ++j) {
      const double factor = a[j * n + k];
      for (std::size_t i = k + 1; i < n; ++i) a[j * n + i] -= factor * a[k * n + i];
    }
    for (std::size_t i = k + 1; i < n; ++i) b[i] -= b[k] * a[k * n + i];
  }
  for (std::size_t k = n; k-- > 0;) {
    b[k] /= a[k * n + k];
    for (std::size_t i = 0; i < k; ++i) b[i] -= b[k] * a[k * n + i];
  }
  return true;
}

std::vector<std::complex<double>> eigenvalues(std::size_t n, std::vector<double> a, const StopProbe& stop) {
  const CancelPoint cancel(stop);
  const auto size = static_cast<Index>(n);
  Eigen::Map<Matrix> A(a.data(), size, size);
  if (!A.allFinite()) return {};
  reduce_to_hessenberg(A, cancel);

  std::vector<std::complex<double>> values;
  values.reserve(n);
  Matrix H = A;
  // Iterates in pieces on the remaining matrix. After a piece without an eigenvalue the next one is longer,
  // so that exceptional shifts (every ten iterations) occur.
  constexpr Index kShort = 4, kLong = 12, kOperations = 10'000'000;
  Eigen::RealSchur<Matrix> schur(size);
  bool stuck = false;
  for (Index pieces = 0; H.rows() > 0; ++pieces) {
    cancel.poll();
    if (pieces > 40 * size) return {};
    const Index rows = H.rows(), piece = std::max(stuck ? kLong : kShort, kOperations / (rows * rows));
    schur.setMaxIterations(std::min(piece, 40 * rows));
    schur.computeFromHessenberg(H, Matrix(), false);
    const Index left = pop_converged(schur.matrixT(), schur.info() == Eigen::Success, values);
    stuck = left == rows;
    // A piece that ends after an exceptional shift leaves its rows shifted; the trace gives the amount.
    const double shift = left > 0 ? (H.trace() - schur.matrixT().trace()) / static_cast<double>(left) : 0;
    H = Matrix(schur.matrixT().topLeftCorner(left, left));
    H.diagonal().array() += shift;
  }
  return values;
}

}  // namespace clothlab
