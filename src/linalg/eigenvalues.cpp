// SPDX-License-Identifier: MIT
#include "linalg/eigenvalues.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/cancel_point.h"

namespace clothlab {
namespace {

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
