// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/stop_probe.h"

namespace clothlab {

// Dense matrices of some tens of rows, up to some hundreds, stored by columns: element (i, j) of a matrix of
// n rows is [j * n + i]. All but `eigenvalues` use only additions, multiplications, divisions and square
// roots, so that the bits are the same on every machine. Input that is not finite gives output that is not
// finite, never an endless loop.

/// Eigenvalues and eigenvectors of a symmetric matrix by Householder's reduction and the QL algorithm [Golub
/// 1996, §8.3]: orthogonal vectors also for clustered eigenvalues.
class SymmetricEigen {
 public:
  /// Allocates for matrices of up to n rows.
  void reserve(std::size_t n);
  /// Of the n x n matrix `a`: some 10 n³ operations (n = 600: 0.4 s). Polls `stop` about every n² operations;
  /// throws Cancelled.
  void compute(std::size_t n, std::span<const double> a, const StopProbe& stop = {});

  std::span<const double> values() const { return values_; }    ///< ascending
  std::span<const double> vectors() const { return vectors_; }  ///< n x n, column k belongs to value k

 private:
  /// vectors_ := Q; QᵀAQ has the diagonal values_ and the off-diagonal off_
  void tridiagonalise(std::size_t n, const CancelPoint& cancel);
  void diagonalise(std::size_t n, const CancelPoint& cancel);

  std::vector<double> values_, vectors_, off_, reflection_;
};

/// Solves A x = b by elimination with partial pivoting, A of n x n; A is destroyed and b becomes x. False if
/// A is singular.
bool solve_dense(std::size_t n, std::span<double> a, std::span<double> b);

/// All eigenvalues of the n x n matrix `a`, which is stored by columns: Householder's reduction to Hessenberg
/// form and Francis' QR iteration, some 10 n³ operations (n = 1200: seconds). Polls `stop` every few n²
/// operations; throws Cancelled. Empty if a value is not finite or the iteration fails.
std::vector<std::complex<double>> eigenvalues(std::size_t n, std::vector<double> a,
                                              const StopProbe& stop = {});

}  // namespace clothlab
