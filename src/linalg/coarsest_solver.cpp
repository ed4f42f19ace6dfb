// SPDX-License-Identifier: MIT
#include "linalg/coarsest_solver.h"

#include <Eigen/Cholesky>

namespace clothlab {

struct CoarsestSolver::Parts {
  explicit Parts(Eigen::Index rows) : dense(rows, rows), factor(rows), vector(rows) {}

  Eigen::MatrixXd dense;
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::VectorXd vector;
};

CoarsestSolver::CoarsestSolver() = default;
CoarsestSolver::~CoarsestSolver() = default;

void CoarsestSolver::reserve(std::size_t nodes) {
  parts_ = std::make_unique<Parts>(static_cast<Eigen::Index>(3 * nodes));
}

bool CoarsestSolver::factorise(const BlockMatrix& A, double scale) {
  Eigen::MatrixXd& dense = parts_->dense;
  dense.setZero();
  for (std::size_t k = 0; k < A.value.size(); ++k) {
    const mat3 B = scale * full(A.value[k]);
    const auto row = 3 * static_cast<Eigen::Index>(A.nodes[k][0]);
    const auto column = 3 * static_cast<Eigen::Index>(A.nodes[k][1]);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        dense(row + i, column + j) = B[i][j];
        dense(column + j, row + i) = B[i][j];
      }
    }
  }
  parts_->factor.compute(dense);
  return parts_->factor.info() == Eigen::Success;
}

void CoarsestSolver::solve(const SingleVector& r, SingleVector& x) {
  Eigen::VectorXd& vector = parts_->vector;
  for (std::size_t i = 0; i < r.size(); ++i)
    vector.segment<3>(static_cast<Eigen::Index>(3 * i)) << r[i][0], r[i][1], r[i][2];
  parts_->factor.solveInPlace(vector);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(3 * i);
    x[i] = single(vec3(vector[row], vector[row + 1], vector[row + 2]));
  }
}

}  // namespace clothlab
