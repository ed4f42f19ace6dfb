// SPDX-License-Identifier: MIT
#include "nets.h"

#include "dense_algebra.h"

namespace clothlab::nets {

Eigen::Matrix3d dense(const mat3& m) {
  Eigen::Matrix3d d;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) d(row, column) = m[column][row];
  }
  return d;
}

Eigen::VectorXd dense(std::span<const vec3> a) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(3 * a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    v.segment<3>(static_cast<Eigen::Index>(3 * i)) << a[i].x, a[i].y, a[i].z;
  }
  return v;
}

Eigen::MatrixXd dense(const SpringMatrix& A, std::span<const SpringPattern::Pair> springs) {
  const auto n = static_cast<Eigen::Index>(A.size());
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  const auto add = [&](std::size_t i, std::size_t j, const Eigen::Matrix3d& block) {
    d.block<3, 3>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(3 * j)) += block;
  };
  for (std::size_t i = 0; i < A.size(); ++i) add(i, i, A.diagonal(i) * Eigen::Matrix3d::Identity());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const auto [i, j] = springs[s];
    const Eigen::Vector3d u(A.spring(s).u.x, A.spring(s).u.y, A.spring(s).u.z);
    const Eigen::Matrix3d block = u * u.transpose() + A.spring(s).b * Eigen::Matrix3d::Identity();
    add(i, i, block);
    add(j, j, block);
    add(i, j, -block);
    add(j, i, -block);
  }
  for (const SpringMatrix::Stencil& stencil : A.stencils()) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
      for (std::size_t l = 0; l < static_cast<std::size_t>(stencil.count); ++l) {
        add(stencil.particle[k], stencil.particle[l],
            stencil.weight[k] * stencil.weight[l] * dense(stencil.C));
      }
    }
  }
  return d;
}

Eigen::MatrixXd dense(const Projection& projection) {
  const auto n = static_cast<Eigen::Index>(projection.size());
  Eigen::MatrixXd S = Eigen::MatrixXd::Identity(3 * n, 3 * n);
  for (const Projection::Entry& entry : projection.entries()) {
    const auto at = static_cast<Eigen::Index>(3 * entry.particle);
    S.block<3, 3>(at, at) = dense(entry.S);
  }
  return S;
}

Eigen::MatrixXd filtered(const Eigen::MatrixXd& A, const Eigen::MatrixXd& S, double held) {
  return algebra::product(S, algebra::product(A, S)) +
         held * (Eigen::MatrixXd::Identity(S.rows(), S.cols()) - S);
}

Eigen::VectorXd times(const Eigen::MatrixXd& M, const Eigen::VectorXd& v) { return algebra::times(M, v); }

Eigen::VectorXd solve(const Eigen::MatrixXd& M, const Eigen::VectorXd& rhs) {
  return algebra::solve_symmetric(M, rhs);
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& M) { return algebra::symmetric_eigenvalues(M); }

}  // namespace clothlab::nets
