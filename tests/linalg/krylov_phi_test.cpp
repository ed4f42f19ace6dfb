// SPDX-License-Identifier: MIT
#include "linalg/krylov_phi.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "dense_algebra.h"
#include "linalg/small_dense.h"

namespace clothlab {
namespace {

Eigen::Map<const Eigen::MatrixXd> matrix(std::span<const double> a, Eigen::Index n) {
  return {a.data(), n, n};
}

Eigen::MatrixXd random_matrix(Eigen::Index n, unsigned seed) {
  std::mt19937 random(seed);
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) A(i, j) = 2 * (static_cast<double>(random()) / 4294967296.0) - 1;
  }
  return A;
}

std::span<const double> values(const Eigen::MatrixXd& A) {
  return {A.data(), static_cast<std::size_t>(A.size())};
}

TEST(SymmetricEigen, DiagonalisesClustersAndDifferentScales) {
  for (const Eigen::Index n : {1, 2, 9, 40}) {
    // Q D Qᵀ with a cluster, negative values, and 12 orders of magnitude.
    const Eigen::MatrixXd Q = algebra::orthogonal_factor(random_matrix(n, 3));
    Eigen::VectorXd d(n);
    for (Eigen::Index i = 0; i < n; ++i)
      d[i] = i % 3 == 0 ? 5 : i % 3 == 1 ? -1e-6 * double(i) : 1e6 / double(i);
    const Eigen::MatrixXd A = algebra::product(Q * d.asDiagonal(), Q.transpose());
    const Eigen::MatrixXd symmetric = (A + A.transpose()) / 2;
    SymmetricEigen eigen;
    eigen.compute(static_cast<std::size_t>(n), values(symmetric));
    const Eigen::MatrixXd V = matrix(eigen.vectors(), n);
    Eigen::VectorXd lambda(n);
    for (Eigen::Index i = 0; i < n; ++i) lambda[i] = eigen.values()[static_cast<std::size_t>(i)];
    std::sort(d.begin(), d.end());
    const double size = d.cwiseAbs().maxCoeff(), rounding = 1e-15 * double(n) * 10;
    EXPECT_LT((lambda - d).cwiseAbs().maxCoeff(), rounding * size);
    EXPECT_LT(
        algebra::largest_difference(algebra::product(V.transpose(), V), Eigen::MatrixXd::Identity(n, n)),
        rounding);
    EXPECT_LT(algebra::largest_difference(algebra::product(symmetric, V), V * lambda.asDiagonal()),
              rounding * size);
  }
}

// On the way an entry becomes exactly 0, which looks like a matrix that splits.
TEST(SymmetricEigen, DiagonalisesSmallWholeNumbers) {
  Eigen::MatrixXd A(3, 3);
  A << 1, 0, -2, 0, -1, -1, -2, -1, 1;
  SymmetricEigen eigen;
  eigen.compute(3, {A.data(), 9});
  const Eigen::MatrixXd V = matrix(eigen.vectors(), 3);
  const Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(eigen.values().data(), 3);
  EXPECT_LT(algebra::largest_difference(algebra::product(A, V), V * lambda.asDiagonal()), 1e-14);
  EXPECT_NEAR(lambda[0] * lambda[1] * lambda[2], 2, 1e-14);
}

TEST(SolveDense, SolvesAndNoticesASingularMatrix) {
  for (const Eigen::Index n : {1, 3, 12}) {
    Eigen::MatrixXd A = random_matrix(n, 5), b = random_matrix(n, 6).leftCols(1);
    A(0, 0) = 0;  // needs a pivot
    if (n == 1) A(0, 0) = 2;
    Eigen::MatrixXd a = A, x = b;
    ASSERT_TRUE(solve_dense(static_cast<std::size_t>(n), {a.data(), std::size_t(a.size())},
                            {x.data(), std::size_t(x.size())}));
    EXPECT_LT(algebra::largest_difference(algebra::product(A, x), b), 1e-13);
    a = Eigen::MatrixXd::Zero(n, n);
    EXPECT_FALSE(solve_dense(static_cast<std::size_t>(n), {a.data(), std::size_t(a.size())},
                             {x.data(), std::size_t(x.size())}));
  }
}

// A dense operator on n vectors.
KrylovPhi::Operator dense_operator(const Eigen::MatrixXd& A) {
  return [&A](std::span<const vec3> in, std::span<vec3> out) {
    const Eigen::Map<const Eigen::VectorXd> x(&in[0].x, A.cols());
    Eigen::Map<Eigen::VectorXd> y(&out[0].x, A.rows());
    y = algebra::times(A, x);
  };
}

Eigen::VectorXd dense(std::span<const vec3> a) {
  return Eigen::Map<const Eigen::VectorXd>(&a[0].x, static_cast<Eigen::Index>(3 * a.size()));
}

TEST(KrylovPhi, EqualsTheDenseFunction) {
  WorkerPool pool(2);
  const Eigen::Index n = 120;
  const Eigen::MatrixXd R = random_matrix(n, 1), skew = (R - R.transpose()) / 2;
  const double size = skew.norm() / std::sqrt(double(n));
  // Oscillations of many periods, decay, growth, and a mixture.
  const std::vector<Eigen::MatrixXd> operators{0.1 / size * skew, 60 / size * skew,
                                               -50 / size / double(n) * algebra::product(R, R.transpose()),
                                               3 / size * R, 20 / size * skew + 1 / size * R};
  std::vector<vec3> b(40), u(40);
  const Eigen::VectorXd start = random_matrix(n, 2).col(0);
  Eigen::Map<Eigen::VectorXd>(&b[0].x, n) = start;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    for (const double tolerance : {1e-3, 1e-7, 1e-13}) {
      KrylovPhi phi;
      const auto result = phi.compute({pool}, dense_operator(operators[k]), b, tolerance, u);
      EXPECT_TRUE(result.converged);
      const Eigen::VectorXd expected = algebra::phi1(operators[k], start);
      // Where solutions grow, errors grow with them; the dense function has its rounding too.
      const double growth = std::max(1.0, algebra::exponential(operators[k]).norm() / std::sqrt(double(n)));
      const double rounding = 1e-15 * std::max(1.0, operators[k].norm());
      EXPECT_LT((dense(u) - expected).norm(), growth * (10 * tolerance + rounding * 10) * start.norm())
          << k << " " << tolerance;
      if (k == 1) {
        EXPECT_GT(result.substeps, 1);
      }
      EXPECT_LE(result.products, 400);
    }
  }
}

// [0 ω; −K/ω −D], the operator of a net in the variables of the exponential method, whose basis is far from
// orthogonal: stiff, without damping, with damping that does not commute with K, and overdamped. Without
// growth in the norm of energy, |K^½x/ω|² + |v|², which is at most the Euclidean one, errors add up to no
// more than the tolerance times the largest slope e^{tL} b.
TEST(KrylovPhi, KeepsTheErrorAskedForOnStiffAndDampedNets) {
  WorkerPool pool(1);
  const Eigen::Index n = 60;
  const double omega = 150;
  const Eigen::MatrixXd Q = algebra::orthogonal_factor(random_matrix(n, 3)), R = random_matrix(n, 4);
  Eigen::VectorXd squares(n);
  for (Eigen::Index i = 0; i < n; ++i) squares[i] = std::pow(omega, 2.0 * double(i) / double(n - 1));
  const Eigen::MatrixXd K = algebra::product(Q * squares.asDiagonal(), Q.transpose());
  const Eigen::MatrixXd root = algebra::product(Q * squares.cwiseSqrt().asDiagonal(), Q.transpose()) / omega;
  const Eigen::MatrixXd S = algebra::product(R, R.transpose()) / double(n);
  const std::vector<Eigen::MatrixXd> dampings{Eigen::MatrixXd::Zero(n, n), 5 * S, 100 * S, K * (2 / omega)};
  std::vector<vec3> b(40), u(40);
  const Eigen::VectorXd start = random_matrix(2 * n, 2).col(0);
  Eigen::Map<Eigen::VectorXd>(&b[0].x, 2 * n) = start;
  KrylovPhi phi;
  for (std::size_t k = 0; k < dampings.size(); ++k) {
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    L.topRightCorner(n, n).diagonal().setConstant(omega);
    L.bottomLeftCorner(n, n) = -K / omega;
    L.bottomRightCorner(n, n) = -dampings[k];
    const Eigen::VectorXd expected = algebra::phi1(L, start);
    const Eigen::MatrixXd part = algebra::exponential(L / 16);
    Eigen::VectorXd slope = start;
    double largest = start.norm();
    for (int t = 0; t < 16; ++t) {
      slope = algebra::times(part, slope);
      largest = std::max(largest, slope.norm());
    }
    for (const double tolerance : {1e-2, 1e-4, 1e-8, 1e-12}) {
      EXPECT_TRUE(phi.compute({pool}, dense_operator(L), b, tolerance, u).converged);
      const Eigen::VectorXd error = dense(u) - expected;
      const double energy = std::hypot(algebra::times(root, error.head(n)).norm(), error.tail(n).norm());
      EXPECT_LT(energy, (tolerance + 1e-15 * omega) * largest) << k << " " << tolerance;
    }
  }
}

TEST(KrylovPhi, IsExactWhereTheSubspaceIsExhausted) {
  WorkerPool pool(1);
  // u' = L u + b on one oscillator of 3 periods, in one vector: a subspace of two.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
  const double angle = 6 * std::numbers::pi + 1;
  A(0, 1) = angle;
  A(1, 0) = -angle;
  const std::vector<vec3> b{vec3(0.3, -0.7, 0)};
  std::vector<vec3> u(1);
  KrylovPhi phi;
  const auto result = phi.compute({pool}, dense_operator(A), b, 1e-14, u);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.products, 3);
  EXPECT_LT((dense(u) - algebra::phi1(A, dense(b))).norm(), 1e-13);
  // L = 0: φ1 = 1.
  EXPECT_TRUE(phi.compute({pool}, dense_operator(Eigen::MatrixXd::Zero(3, 3)), b, 1e-14, u).converged);
  EXPECT_EQ(u, b);
  const std::vector<vec3> zero{vec3(0.0)};
  EXPECT_TRUE(phi.compute({pool}, dense_operator(A), zero, 1e-14, u).converged);
  EXPECT_EQ(u, zero);
}

TEST(KrylovPhi, EndsWhateverItIsGiven) {
  WorkerPool pool(1);
  std::vector<vec3> b(40), u(40);
  for (const double size : {1e6, 1e300, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const Eigen::MatrixXd R = random_matrix(120, 1), A = size * (R - R.transpose());
    Eigen::Map<Eigen::VectorXd>(&b[0].x, 120) = random_matrix(120, 2).col(0);
    KrylovPhi phi;
    const auto result = phi.compute({pool}, dense_operator(A), b, 1e-9, u);
    EXPECT_FALSE(result.converged);
    EXPECT_LE(result.products, 20'100);
  }
}

TEST(KrylovPhi, StopsWhenAsked) {
  WorkerPool pool(1);
  const Eigen::MatrixXd A = random_matrix(120, 1);
  std::vector<vec3> b(40, vec3(1, 2, 3)), u(40);
  KrylovPhi phi;
  int polls = 0;
  const auto result = phi.compute({pool, [&] { return ++polls == 5; }}, dense_operator(A), b, 1e-9, u);
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(polls, 5);
}

}  // namespace
}  // namespace clothlab
