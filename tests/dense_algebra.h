// SPDX-License-Identifier: MIT
#pragma once

// What the tests ask of dense matrices, compiled once: every use of Eigen's decompositions and products
// compiles them anew, which takes longer than anything else in a test.

#include <Eigen/Core>

namespace clothlab::algebra {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Matrix product(const Matrix& A, const Matrix& B);
Vector times(const Matrix& A, const Vector& x);

/// A⁻¹b for an invertible A.
Vector solve(const Matrix& A, const Vector& b);
/// A⁻¹B for an invertible A.
Matrix solve_columns(const Matrix& A, const Matrix& B);
/// A⁻¹b for a symmetric A.
Vector solve_symmetric(const Matrix& A, const Vector& b);
/// The shortest x of those with the smallest ‖Ax − b‖; A may be of any rank.
Vector shortest_solution(const Matrix& A, const Vector& b);

/// The eigenvalues of a symmetric A, ascending.
Vector symmetric_eigenvalues(const Matrix& A);

/// K X = diag(masses) X diag(values), Xᵀ diag(masses) X = I, for a symmetric K; values ascend.
struct Modes {
  Matrix X;
  Vector values;
};
Modes vibrations(const Matrix& K, const Vector& masses);

/// The largest |λ| of any square A.
double spectral_radius(const Matrix& A);

/// The map A of least norm with A from ≈ to, column by column, and the rank of `from`: that many of its
/// pivots are above `threshold` times the largest.
struct FittedMap {
  Matrix A;
  Eigen::Index rank;
};
FittedMap fitted_map(const Matrix& from, const Matrix& to, double threshold);

/// e^A
Matrix exponential(const Matrix& A);
/// φ1(A) b = ∫₀¹ e^{tA} dt b, from the exponential of [A b; 0 0].
Vector phi1(const Matrix& A, const Vector& b);

/// An orthogonal matrix: Q of A = QR for a square A.
Matrix orthogonal_factor(const Matrix& A);

/// max |A_ij − B_ij|
double largest_difference(const Matrix& A, const Matrix& B);

}  // namespace clothlab::algebra
