// SPDX-License-Identifier: MIT
#include "dense_algebra.h"

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

namespace clothlab::algebra {

Matrix product(const Matrix& A, const Matrix& B) { return A * B; }
Vector times(const Matrix& A, const Vector& x) { return A * x; }

Vector solve(const Matrix& A, const Vector& b) { return A.partialPivLu().solve(b); }
Matrix solve_columns(const Matrix& A, const Matrix& B) { return A.partialPivLu().solve(B); }
Vector solve_symmetric(const Matrix& A, const Vector& b) { return A.ldlt().solve(b); }
Vector shortest_solution(const Matrix& A, const Vector& b) {
  return A.completeOrthogonalDecomposition().solve(b);
}

Vector symmetric_eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Modes vibrations(const Matrix& K, const Vector& masses) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen(K, Matrix(masses.asDiagonal()));
  return {eigen.eigenvectors(), eigen.eigenvalues()};
}

double spectral_radius(const Matrix& A) { return A.eigenvalues().cwiseAbs().maxCoeff(); }

FittedMap fitted_map(const Matrix& from, const Matrix& to, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition(from.rows(), from.cols());
  decomposition.setThreshold(threshold);
  decomposition.compute(from);
  return {to * Matrix(decomposition.pseudoInverse()), decomposition.rank()};
}

Matrix exponential(const Matrix& A) { return A.exp(); }

Vector phi1(const Matrix& A, const Vector& b) {
  const Eigen::Index n = A.rows();
  Matrix augmented = Matrix::Zero(n + 1, n + 1);
  augmented.topLeftCorner(n, n) = A;
  augmented.topRightCorner(n, 1) = b;
  return exponential(augmented).topRightCorner(n, 1);
}

Matrix orthogonal_factor(const Matrix& A) { return Eigen::HouseholderQR<Matrix>(A).householderQ(); }

double largest_difference(const Matrix& A, const Matrix& B) { return (A - B).cwiseAbs().maxCoeff(); }

}  // namespace clothlab::algebra
