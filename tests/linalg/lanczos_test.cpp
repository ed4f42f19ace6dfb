// SPDX-License-Identifier: MIT
#include "linalg/lanczos.h"

#include <gtest/gtest.h>

#include "nets.h"

namespace clothlab {
namespace {

/// The same by a dense solve of S M^-1/2 K M^-1/2 S.
double dense_largest(const SpringMatrix& K, std::span<const SpringPattern::Pair> springs,
                     std::span<const double> masses, const Projection& projection) {
  Eigen::MatrixXd D = nets::dense(K, springs);
  for (Eigen::Index row = 0; row < D.rows(); ++row) {
    for (Eigen::Index column = 0; column < D.cols(); ++column) {
      const double product =
          masses[static_cast<std::size_t>(row / 3)] * masses[static_cast<std::size_t>(column / 3)];
      D(row, column) /= std::sqrt(product);
    }
  }
  const Eigen::VectorXd all = nets::eigenvalues(nets::filtered(D, nets::dense(projection), 0));
  return all[all.size() - 1];
}

struct Net {
  std::vector<SpringPattern::Pair> springs;
  SpringMatrix K;
  std::vector<double> masses;
  Projection projection;

  Net(std::size_t particles, std::vector<SpringPattern::Pair> pairs, double ratio, nets::Random& random)
      : springs(std::move(pairs)), K(SpringPattern::build(particles, springs)), projection(particles) {
    nets::fill(K, random, 0.0, 100.0, ratio);
    for (std::size_t i = 0; i < particles; ++i) masses.push_back(random.in(0.001, 0.003));
  }
  double dense() const { return dense_largest(K, springs, masses, projection); }
};

TEST(LargestEigenvalue, WithinTwoPercentOfADenseSolve) {
  WorkerPool pool(2);
  nets::Random random(1);
  for (double ratio : {1.0, 10.0, 1000.0}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      const bool sheet = repeat % 2 == 0;
      Net net(sheet ? 72 : 60, sheet ? nets::grid(8, 9) : nets::irregular(60, random), ratio, random);
      if (repeat >= 2) net.projection = nets::constraints(net.masses.size(), random);
      if (repeat >= 4) net.K.add_stencil(nets::grab(random, net.masses.size(), 500.0));
      LargestEigenvalue lanczos;
      UnitMode mode;
      const auto result = lanczos.compute({pool}, {.K = &net.K}, net.masses, net.projection, mode);
      const double expected = net.dense();
      EXPECT_TRUE(result.converged);
      EXPECT_NEAR(result.value, expected, 0.02 * expected) << "ratio " << ratio << ", repeat " << repeat;
      EXPECT_LE(result.value, expected * (1 + 1e-10));
      EXPECT_LE(result.iterations, 100);
    }
  }
}

// The usual case: a large regular sheet, whose highest modes lie close together.
TEST(LargestEigenvalue, OfARegularSheet) {
  constexpr std::uint32_t kSide = 12;
  const auto springs = nets::grid(kSide, kSide);
  SpringMatrix K(SpringPattern::build(kSide * kSide, springs));
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const auto [i, j] = springs[s];
    const vec3 d(static_cast<double>(i % kSide) - static_cast<double>(j % kSide), 0,
                 static_cast<double>(i / kSide) - static_cast<double>(j / kSide));
    K.spring(s).u = std::sqrt(150.0) * glm::normalize(d);
  }
  const std::vector<double> masses(kSide * kSide, 0.2 / (kSide * kSide));
  Projection projection(kSide * kSide);
  projection.fix(0, vec3(0.0));
  projection.fix(kSide - 1, vec3(0.0));
  WorkerPool pool(1);
  LargestEigenvalue lanczos;
  UnitMode mode;
  const auto result = lanczos.compute({pool}, {.K = &K}, masses, projection, mode);
  const double expected = dense_largest(K, springs, masses, projection);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.value, expected, 0.02 * expected);
  EXPECT_LE(result.iterations, 60);
}

TEST(LargestEigenvalue, WarmStartFollowsAChange) {
  WorkerPool pool(1);
  nets::Random random(3);
  Net net(110, nets::grid(10, 11), 10.0, random);
  LargestEigenvalue lanczos;
  UnitMode mode;
  const auto first = lanczos.compute({pool}, {.K = &net.K}, net.masses, net.projection, mode);
  const auto second = lanczos.compute({pool}, {.K = &net.K}, net.masses, net.projection, mode);
  EXPECT_TRUE(second.converged);
  EXPECT_LE(second.iterations, first.iterations);
  EXPECT_NEAR(second.value, net.dense(), 0.02 * net.dense());
  // One spring becomes stiff: the new highest mode has no part in the vector that is remembered.
  for (std::size_t s : {5u, 100u, 300u}) {
    net.K.spring(s).u *= std::sqrt(1.3 * first.value / net.dense()) * 3.0;
    const auto changed = lanczos.compute({pool}, {.K = &net.K}, net.masses, net.projection, mode);
    EXPECT_NEAR(changed.value, net.dense(), 0.02 * net.dense()) << s;
  }
}

TEST(LargestEigenvalue, OfOneSpring) {
  // Two particles of masses m1, m2 and a spring of stiffness k: k (1/m1 + 1/m2).
  SpringMatrix K(SpringPattern::build(2, std::vector<SpringPattern::Pair>{{0, 1}}));
  K.spring(0).u = std::sqrt(8.0) * vec3(0.6, 0.0, 0.8);
  const std::vector<double> masses{2.0, 4.0};
  Projection projection(2);
  WorkerPool pool(1);
  LargestEigenvalue lanczos;
  UnitMode mode;
  auto result = lanczos.compute({pool}, {.K = &K}, masses, projection, mode);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.value, 8.0 * (0.5 + 0.25), 1e-9);
  // A pinned end is a mass without limit.
  projection.fix(0, vec3(0.0));
  result = lanczos.compute({pool}, {.K = &K}, masses, projection, mode);
  EXPECT_NEAR(result.value, 8.0 * 0.25, 1e-9);
  // Nothing free, then nothing stiff.
  projection.fix(1, vec3(0.0));
  result = lanczos.compute({pool}, {.K = &K}, masses, projection, mode);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.value, 0.0);
  projection.clear(2);
  K = SpringMatrix(K.shared_pattern());
  result = lanczos.compute({pool}, {.K = &K}, masses, projection, mode);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.value, 0.0);
}

TEST(LargestEigenvalue, StopsWhenAsked) {
  nets::Random random(5);
  const Net net(40 * 40, nets::grid(40, 40), 10.0, random);
  WorkerPool pool(1);
  LargestEigenvalue lanczos, undisturbed;
  UnitMode mode, undisturbed_mode;
  int iterations = 0;
  for (int polls_allowed = 0;; ++polls_allowed) {
    ASSERT_LT(polls_allowed, 1000);
    int polls = 0;
    const StopProbe stop = [&] { return polls++ >= polls_allowed; };
    const auto result = lanczos.compute({pool, stop}, {.K = &net.K}, net.masses, net.projection, mode);
    if (!result.stopped) {
      EXPECT_EQ(
          result.value,
          undisturbed.compute({pool}, {.K = &net.K}, net.masses, net.projection, undisturbed_mode).value);
      break;
    }
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(polls, polls_allowed + 1);
    EXPECT_LE(result.iterations, iterations + 1);  // none goes by without a poll
    iterations = result.iterations;
  }
  EXPECT_GT(iterations, 3);
}

}  // namespace
}  // namespace clothlab
