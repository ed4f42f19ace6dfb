// SPDX-License-Identifier: MIT
#include "linalg/lowest_modes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "dense_algebra.h"
#include "linalg/conjugate_gradient.h"
#include "nets.h"

namespace clothlab {
namespace {

struct Net {
  std::vector<SpringPattern::Pair> springs;
  SpringMatrix K;
  std::vector<double> masses;
  Projection projection;

  Net(std::size_t particles, std::vector<SpringPattern::Pair> pairs, nets::Random& random)
      : springs(std::move(pairs)), K(SpringPattern::build(particles, springs)), projection(particles) {
    nets::fill(K, random, 0.0, 100.0, 10.0);
    for (std::size_t i = 0; i < particles; ++i) masses.push_back(random.in(0.001, 0.003));
  }

  /// Springs under compression: the matrix gets negative eigenvalues.
  void compress(nets::Random& random) {
    for (std::size_t s = 0; s < springs.size(); ++s) {
      if (s % 3 == 0) K.spring(s).b = -random.in(5, 40);
    }
  }

  Eigen::VectorXd weights() const {
    Eigen::VectorXd m(static_cast<Eigen::Index>(3 * masses.size()));
    for (Eigen::Index k = 0; k < m.size(); ++k) m[k] = masses[static_cast<std::size_t>(k / 3)];
    return m;
  }

  /// All eigenvalues on the free directions, ascending, from a dense solve.
  Eigen::VectorXd dense() const {
    const Eigen::VectorXd root = weights().cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd scaled = root.asDiagonal() * nets::dense(K, springs) * root.asDiagonal();
    const Eigen::MatrixXd S = nets::dense(projection);
    const auto free = static_cast<Eigen::Index>(std::lround(S.trace()));
    return nets::eigenvalues(nets::filtered(scaled, S, 2 * scaled.norm())).head(free);
  }
};

// As many of the `wanted` lowest as lie below a gap.
std::size_t cut(const Eigen::VectorXd& lambda, std::size_t wanted) {
  auto c = std::min(static_cast<Eigen::Index>(wanted), lambda.size());
  while (c > 0 && c < lambda.size() && lambda[c] - lambda[c - 1] < 1e-8 * lambda.cwiseAbs().maxCoeff()) --c;
  return static_cast<std::size_t>(c);
}

// Eigenvalues against the dense ones, and the definition: XᵀMX = I, K X = M X Λ on the free directions.
void expect_modes(const LowestModes& modes, const Net& net, std::size_t count) {
  const Eigen::VectorXd expected = net.dense();
  const double size = expected.cwiseAbs().maxCoeff();
  ASSERT_EQ(modes.count(), cut(expected, count));
  if (modes.count() == 0) return;
  Eigen::MatrixXd X(3 * net.masses.size(), modes.count());
  for (std::size_t j = 0; j < modes.count(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    X.col(column) = nets::dense(modes.mode(j));
    EXPECT_NEAR(modes.eigenvalue(j), expected[column], 1e-12 * size) << j;
    Eigen::Index largest = 0;
    X.col(column).cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(X(largest, column), 0);
  }
  const Eigen::MatrixXd S = nets::dense(net.projection);
  const Eigen::MatrixXd MX = net.weights().asDiagonal() * X;
  const auto s = static_cast<Eigen::Index>(modes.count());
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(s, s);
  EXPECT_LT(algebra::largest_difference(algebra::product(X.transpose(), MX), I), 1e-12);
  EXPECT_LT(algebra::largest_difference(algebra::product(S, X), X), 1e-14 * X.cwiseAbs().maxCoeff());
  const Eigen::MatrixXd SKX = algebra::product(S, algebra::product(nets::dense(net.K, net.springs), X));
  for (Eigen::Index j = 0; j < s; ++j) {
    const Eigen::VectorXd r = SKX.col(j) - modes.eigenvalue(static_cast<std::size_t>(j)) * MX.col(j);
    // ‖r‖ in the norm of M⁻¹ is at most ‖r‖ / √0.001; the requested 1e-12 size, and rounding.
    EXPECT_LT(r.norm() / std::sqrt(0.003), 1e-11 * size) << j;
  }
}

TEST(LowestModes, AreThoseOfADenseSolve) {
  WorkerPool pool(2);
  nets::Random random(1);
  for (int repeat = 0; repeat < 8; ++repeat) {
    const bool sheet = repeat % 2 == 0;
    Net net(sheet ? 72 : 60, sheet ? nets::grid(8, 9) : nets::irregular(60, random), random);
    if (repeat >= 2) net.projection = nets::constraints(net.masses.size(), random);
    if (repeat >= 4) net.K.add_stencil(nets::grab(random, net.masses.size(), 500.0));
    if (repeat >= 6) net.compress(random);
    EXPECT_EQ(net.dense()[0] < -1, repeat >= 6);
    for (const std::size_t count : {1, 5, 12}) {
      LowestModes modes;
      const auto result = modes.compute({pool}, net.K, net.masses, net.projection, {count, 1000, 1e-14});
      EXPECT_TRUE(result.converged);
      EXPECT_TRUE(result.finite);
      EXPECT_LE(result.iterations, 60);
      expect_modes(modes, net, count);
    }
  }
}

// Enough particles for V-cycles instead of a factor; the same bits for any number of threads.
TEST(LowestModes, OfALargeNetAreThoseOfADenseSolveToo) {
  nets::Random random(9);
  Net net(272, nets::grid(16, 17), random);
  net.projection = nets::constraints(272, random);
  ASSERT_GE(net.masses.size(), kMultigridParticles);
  for (const bool compressed : {false, true}) {
    for (std::size_t k = 0; compressed && k < net.springs.size(); k += 3) net.K.spring(k).b = -80;
    const Eigen::VectorXd expected = net.dense();
    EXPECT_EQ(expected[0] < -1, compressed);
    std::vector<vec3> first;
    for (const int threads : {1, 3}) {
      WorkerPool pool(threads);
      LowestModes modes;
      const auto result = modes.compute({pool}, net.K, net.masses, net.projection, {5, 1000, 1e-6});
      EXPECT_TRUE(result.converged);
      ASSERT_EQ(modes.count(), 5U);
      // A symmetric matrix has an eigenvalue as near to a Ritz value as its residual is large.
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_NEAR(modes.eigenvalue(j), expected[static_cast<Eigen::Index>(j)],
                    1e-6 * (1000 + std::abs(modes.eigenvalue(j))));
      }
      std::vector<vec3> mode(modes.mode(4).begin(), modes.mode(4).end());
      if (threads == 1) first = mode;
      EXPECT_EQ(mode, first);
    }
  }
}

// What the tolerance promises, from kept modes of another matrix: with a factor, and with V-cycles.
TEST(LowestModes, LeaveResidualsThatAreSmallBesideAnImplicitStep) {
  WorkerPool pool(1);
  nets::Random random(10);
  constexpr double kScale = 2000;
  for (const std::uint32_t side : {10, 17}) {
    Net net(side * side, nets::grid(side, side), random);
    net.projection = nets::constraints(net.masses.size(), random);
    const bool exact = net.masses.size() < kMultigridParticles;
    const Eigen::MatrixXd S = nets::dense(net.projection), M = net.weights().asDiagonal();
    for (const double tolerance : {0.1, 1e-2, 1e-4}) {
      LowestModes modes;
      for (int step = 0; step < 3; ++step) {
        for (std::size_t s = 0; s < net.springs.size(); ++s) {
          net.K.spring(s).u += 0.05 * glm::length(net.K.spring(s).u) * random.vector();
        }
        ASSERT_TRUE(
            modes.compute({pool}, net.K, net.masses, net.projection, {5, kScale, tolerance}).converged);
        modes.keep();
        ASSERT_EQ(modes.count(), 5U);
        const Eigen::MatrixXd K = nets::filtered(nets::dense(net.K, net.springs), S);
        for (std::size_t j = 0; j < 5; ++j) {
          const double lambda = modes.eigenvalue(j);
          const Eigen::VectorXd x = nets::dense(modes.mode(j)), r = nets::times(K - lambda * M, x);
          const double left = std::sqrt(r.dot(algebra::solve_symmetric(K + kScale * M, r)));
          // A V-cycle may be too small by ShiftedInverse::underestimate, the root of which counts here.
          EXPECT_LT(left, (exact ? 1 : 2) * tolerance * std::sqrt(kScale + lambda)) << side << ' ' << j;
        }
      }
    }
  }
}

TEST(LowestModes, NoneAndAll) {
  WorkerPool pool(1);
  nets::Random random(2);
  Net net(9, nets::grid(3, 3), random);
  net.projection = nets::constraints(9, random);
  net.compress(random);
  LowestModes modes;
  EXPECT_TRUE(modes.compute({pool}, net.K, net.masses, net.projection, {0, 1000, 1e-12}).converged);
  EXPECT_EQ(modes.count(), 0u);
  for (const std::size_t count : {7, 20, 1000}) {
    EXPECT_TRUE(modes.compute({pool}, net.K, net.masses, net.projection, {count, 1000, 1e-12}).converged);
    expect_modes(modes, net, count);
  }
}

// A sheet in its plane: nothing resists out of it, so a third of all eigenvalues is 0.
TEST(LowestModes, AreNoneOfAMultipleEigenvalueThatGoesOnBehindThem) {
  WorkerPool pool(1);
  nets::Random random(3);
  Net net(100, nets::grid(10, 10), random);
  for (std::size_t s = 0; s < net.springs.size(); ++s) {
    net.K.spring(s).u.y = 0;
    net.K.spring(s).b = 0;
  }
  net.projection.fix(0, vec3(0.0));
  net.projection.fix(9, vec3(0.0));
  for (const double tolerance : {1e-12, 1e-3}) {
    LowestModes modes;
    const auto result = modes.compute({pool}, net.K, net.masses, net.projection, {5, 1000, tolerance});
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.iterations, 6);
    EXPECT_EQ(modes.count(), 0u);
  }
}

// A net without pins, in one piece: three translations with λ = 0. A coarse tolerance leaves eigenvalues that
// differ by much more than the gap that counts as one.
TEST(LowestModes, AreAllTranslationsOrNone) {
  WorkerPool pool(1);
  nets::Random random(8);
  for (const std::uint32_t side : {4, 12}) {
    Net net(side * side, nets::grid(side, side), random);
    for (const double tolerance : {1e-12, 0.1}) {
      for (const std::size_t count : {1, 2, 3, 5}) {
        LowestModes modes;
        EXPECT_TRUE(
            modes.compute({pool}, net.K, net.masses, net.projection, {count, 1e5, tolerance}).converged);
        const std::size_t taken = modes.count();
        if (count < 3 || tolerance < 0.1) {
          EXPECT_EQ(taken, count < 3 ? 0 : count) << side << ' ' << tolerance;
        } else {
          EXPECT_GE(taken, 3U);  // those above may be too close to separate
        }
        for (std::size_t j = 0; j < std::min<std::size_t>(taken, 3); ++j) {
          for (const vec3& x : modes.mode(j)) {
            EXPECT_LT(glm::length(x - modes.mode(j)[0]), 0.01 * glm::length(x));
          }
        }
      }
    }
  }
}

TEST(LowestModes, AreFollowedFromOneMatrixToTheNext) {
  WorkerPool pool(1);
  nets::Random random(4);
  Net net(144, nets::grid(12, 12), random);
  net.projection = nets::constraints(144, random);
  LowestModes modes;
  int work = 0;
  for (int step = 0; step < 12; ++step) {
    // Drifts slowly; from step 6 on some springs push, and modes come down from far above.
    for (std::size_t s = 0; s < net.springs.size(); ++s) {
      net.K.spring(s).u *= random.in(0.99, 1.01);
      if (step >= 6 && s % 40 == 0) net.K.spring(s).b = -30;
    }
    const auto result = modes.compute({pool}, net.K, net.masses, net.projection, {5, 1000, 1e-14});
    EXPECT_TRUE(result.converged);
    expect_modes(modes, net, 5);
    modes.keep();
    if (step == 0) work = result.iterations;
    if (step > 0 && step < 6) {
      EXPECT_LE(result.iterations, work);
    }
  }
}

TEST(LowestModes, RepeatThemselvesUnlessKept) {
  nets::Random random(5);
  Net net(72, nets::grid(8, 9), random);
  net.projection = nets::constraints(72, random);
  std::vector<std::vector<vec3>> first;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    LowestModes modes;
    const auto compute = [&] {
      return modes.compute({pool}, net.K, net.masses, net.projection, {4, 1000, 1e-9});
    };
    const auto mode = [&](std::size_t j) {
      return std::vector<vec3>(modes.mode(j).begin(), modes.mode(j).end());
    };
    compute();
    modes.keep();
    compute();
    const std::vector<vec3> second = mode(3);
    compute();
    EXPECT_EQ(mode(3), second);
    const Memory nothing;
    MemoryReader start(nothing);
    modes.load(start, 72);
    compute();
    first.push_back(mode(3));
    // Stopped at any poll, and solved again.
    modes.keep();
    for (int polls_allowed = 0;; ++polls_allowed) {
      int polls = 0;
      const StopProbe stop = [&] { return polls++ >= polls_allowed; };
      if (!modes.compute({pool, stop}, net.K, net.masses, net.projection, {4, 1000, 1e-9}).stopped) break;
      ASSERT_LT(polls_allowed, 10000);
    }
    EXPECT_EQ(mode(3), second);
  }
  EXPECT_EQ(first[0], first[1]);
}

TEST(LowestModes, GiveUpWhereValuesAreNotFinite) {
  WorkerPool pool(1);
  nets::Random random(6);
  for (const double value : {1e200, 1e308, std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const std::uint32_t side : {3, 9}) {
      Net net(side * side, nets::grid(side, side), random);
      net.K.spring(1).u.x = value;
      net.K.spring(3).b = -value;
      LowestModes modes;
      const auto result = modes.compute({pool}, net.K, net.masses, net.projection, {4, 1000, 1e-9});
      EXPECT_TRUE(result.finite || modes.count() == 0);
      for (std::size_t j = 0; j < modes.count(); ++j) {
        EXPECT_TRUE(std::isfinite(modes.eigenvalue(j)));
        for (const vec3& x : modes.mode(j)) EXPECT_TRUE(std::isfinite(x.x + x.y + x.z));
      }
    }
  }
}

}  // namespace
}  // namespace clothlab
