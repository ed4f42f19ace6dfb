// SPDX-License-Identifier: MIT
#include "linalg/cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <glm/glm.hpp>
#include <limits>

#include "linalg/linear_solver.h"
#include "nets.h"
#include "slowdown.h"

namespace clothlab {
namespace {

struct Problem {
  std::vector<SpringPattern::Pair> springs;
  SpringMatrix A;
  Projection projection;
  std::vector<vec3> b, z;

  Problem(std::size_t particles, std::vector<SpringPattern::Pair> pairs, unsigned seed)
      : springs(std::move(pairs)), A(SpringPattern::build(particles, springs)) {
    nets::Random random(seed);
    nets::fill(A, random, 1.0, 50.0, 1000.0);
    projection = nets::constraints(particles, random);
    b = random.vectors(particles);
    z = nets::prescribed(projection, random);
  }

  /// By a dense solve, and how far from it a result of relative residual 1e-12 may be: with all masses
  /// at least 0.5, |error| <= |A^-1| |r| <= 2e-12 |rhs|; as much again for the dense solve itself.
  struct Expected {
    Eigen::VectorXd x;
    double error;
  };
  Expected direct_solution() const {
    const Eigen::MatrixXd D = nets::dense(A, springs);
    const Eigen::MatrixXd S = nets::dense(projection);
    const Eigen::VectorXd rhs = nets::times(S, nets::dense(b) - nets::times(D, nets::dense(z)));
    return {nets::solve(nets::filtered(D, S), rhs) + nets::dense(z), 4e-12 * rhs.norm()};
  }
};

TEST(CholeskySolver, EqualsTheDenseSolution) {
  WorkerPool pool(2);
  CholeskySolver cholesky;  // one for all: it has to notice that the pattern changes
  nets::Random random(1);
  std::vector<Problem> problems;
  problems.emplace_back(12 * 13, nets::grid(12, 13), 1);
  problems.emplace_back(80, nets::irregular(80, random), 2);
  problems.emplace_back(5, std::vector<SpringPattern::Pair>{{0, 1}, {3, 4}}, 3);
  problems.emplace_back(12 * 13, nets::grid(12, 13), 4);
  for (const Problem& problem : problems) {
    std::vector<vec3> x(problem.b.size());
    const SolveReport report =
        cholesky.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-12);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.residual, 1e-12);
    const Problem::Expected expected = problem.direct_solution();
    EXPECT_LT((nets::dense(x) - expected.x).norm(), expected.error);
    EXPECT_EQ(x[0], problem.z[0]);  // fixed
    EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
    EXPECT_EQ(report.history.back(), report.residual);
  }
}

TEST(CholeskySolver, NewValuesOnTheSamePatternGiveANewFactor) {
  WorkerPool pool(1);
  CholeskySolver cholesky;
  Problem problem(12 * 13, nets::grid(12, 13), 5);
  for (unsigned seed = 6; seed <= 9; ++seed) {
    nets::Random random(seed);
    problem.A = SpringMatrix(problem.A.shared_pattern());
    nets::fill(problem.A, random, 1.0, 50.0, 10.0);
    problem.projection = nets::constraints(problem.b.size(), random);
    problem.projection.fix(random.below(problem.b.size()), vec3(0.0));
    problem.z = nets::prescribed(problem.projection, random);
    // The mouse grabs three particles anywhere, so couples some that no spring joins.
    if (seed >= 7) problem.A.add_stencil(nets::grab(random, problem.b.size(), 100.0));
    if (seed == 9) problem.A.clear_stencils();
    std::vector<vec3> x(problem.b.size());
    const SolveReport report =
        cholesky.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-12);
    EXPECT_TRUE(report.converged);
    const Problem::Expected expected = problem.direct_solution();
    EXPECT_LT((nets::dense(x) - expected.x).norm(), expected.error) << seed;
  }
}

// Springs without a direction give a factor of numbers, but not beside a particle that slides in a plane.
TEST(CholeskySolver, ScalarMatricesEqualTheDenseSolutionToo) {
  WorkerPool pool(1);
  CholeskySolver cholesky;  // one for all: the values change between numbers and blocks
  Problem problem(12 * 13, nets::grid(12, 13), 16);
  nets::Random random(17);
  for (const bool slides : {false, true, false}) {
    for (std::size_t s = 0; s < problem.springs.size(); ++s) {
      problem.A.spring(s) = {vec3(0.0), 1 + static_cast<double>(random.below(100))};
    }
    problem.A.clear_stencils();
    problem.A.add_stencil(
        {.particle = {40, 7, 101}, .weight = {0.2, 0.3, 0.5}, .count = 3, .C = mat3(1000.0)});
    problem.projection.clear(problem.b.size());
    problem.projection.fix(0, vec3(0.0));
    problem.projection.fix(41, vec3(0.0));
    const vec3 n = random.direction();
    if (slides) problem.projection.constrain(77, mat3(1.0) - glm::outerProduct(n, n), vec3(0.0));
    problem.z = nets::prescribed(problem.projection, random);
    std::vector<vec3> x(problem.b.size());
    const SolveReport report =
        cholesky.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-12);
    EXPECT_TRUE(report.converged);
    const Problem::Expected expected = problem.direct_solution();
    EXPECT_LT((nets::dense(x) - expected.x).norm(), expected.error) << slides;
  }
}

TEST(CholeskySolver, AgreesWithConjugateGradients) {
  WorkerPool pool(1);
  LinearSolver solver;
  Problem problem(20 * 20, nets::grid(20, 20), 10);
  nets::Random random(10);
  problem.A.add_stencil(nets::grab(random, problem.b.size(), 100.0));
  std::vector<vec3> direct = problem.z, iterated(problem.b.size());
  for (std::size_t i = 0; i < direct.size(); ++i) {
    if (problem.projection.find(i) == nullptr) direct[i] = vec3(std::nan(""));
  }
  LinearSolverSettings settings;
  settings.cg.tolerance = 1e-11;
  settings.cg.max_iterations = 10000;
  EXPECT_TRUE(solver.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, iterated, settings)
                  .converged);
  settings.kind = LinearSolverSettings::Kind::cholesky;
  EXPECT_TRUE(
      solver.solve({pool}, {problem.A, problem.b, problem.projection, direct}, direct, settings).converged);
  const double scale = nets::dense(direct).norm();
  EXPECT_LT((nets::dense(direct) - nets::dense(iterated)).norm(), 1e-8 * scale);
}

TEST(CholeskySolver, ReportsAnIndefiniteMatrix) {
  WorkerPool pool(1);
  CholeskySolver cholesky;
  Problem problem(12 * 13, nets::grid(12, 13), 11);
  // Barely indefinite: one eigenvalue just below zero.
  const Eigen::MatrixXd S = nets::dense(problem.projection);
  const auto lowest = [&] {
    const Eigen::MatrixXd D = nets::dense(problem.A, problem.springs);
    return nets::eigenvalues(nets::filtered(D, S, 1e9))[0];
  };
  const double shift = lowest();
  ASSERT_GT(shift, 0.1);
  for (double& m : problem.A.diagonal_by_row()) m -= shift * 1.01;
  ASSERT_LT(lowest(), 0.0);
  std::vector<vec3> x(problem.b.size());
  const SolveReport report =
      cholesky.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-3);
  EXPECT_TRUE(report.indefinite);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.residual, 1.0);
  EXPECT_EQ(x, problem.z);
  // And barely definite again.
  for (double& m : problem.A.diagonal_by_row()) m += shift * 0.02;
  ASSERT_GT(lowest(), 0.0);
  EXPECT_TRUE(
      cholesky.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-3).converged);
}

TEST(CholeskySolver, ReportsNumbersThatAreNotFinite) {
  WorkerPool pool(1);
  CholeskySolver cholesky;
  Problem problem(12 * 13, nets::grid(12, 13), 12);
  std::vector<vec3> x(problem.b.size());
  problem.A.spring(40).b = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(cholesky.solve({pool}, {problem.A, problem.b, problem.projection}, x, 1e-3).converged);
  problem.A.spring(40).b = 1;
  EXPECT_TRUE(cholesky.solve({pool}, {problem.A, problem.b, problem.projection}, x, 1e-3).converged);
  problem.b[40].y = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(cholesky.solve({pool}, {problem.A, problem.b, problem.projection}, x, 1e-3).converged);
}

// Wherever the stop comes, in the analysis, the factorisation or the refinement, it is the last poll, and
// the solver is good for another solve.
TEST(CholeskySolver, StopsWhenAsked) {
  WorkerPool pool(1);
  const Problem problem(30 * 30, nets::grid(30, 30), 13);
  const auto solve = [&](CholeskySolver& cholesky, const StopProbe& stop) {
    std::vector<vec3> x(problem.b.size());
    return cholesky.solve({pool, stop}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-3);
  };
  int all = 0;
  CholeskySolver unstopped;
  EXPECT_TRUE(solve(unstopped, [&] { return ++all, false; }).converged);
  ASSERT_GT(all, 10);
  for (int last = 1; last <= all; ++last) {
    CholeskySolver cholesky;
    int polls = 0;
    const SolveReport report = solve(cholesky, [&] { return ++polls == last; });
    EXPECT_TRUE(report.stopped) << last;
    EXPECT_FALSE(report.converged) << last;
    EXPECT_EQ(polls, last);
    EXPECT_TRUE(solve(cholesky, {}).converged) << last;
  }
}

// No quiet stretch in which many columns or one long column are computed: the last separator of this
// cloth alone has columns of some 100 blocks, each joined to all the ones before.
TEST(CholeskySolver, PollsByWorkInTheFactorisation) {
  WorkerPool pool(1);
  CholeskySolver cholesky;
  const Problem problem(100 * 100, nets::grid(100, 100), 14);
  std::vector<vec3> x(problem.b.size());
  int polls = 0;
  const StopProbe stop = [&] { return ++polls, false; };
  cholesky.solve({pool, stop}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-3);
  polls = 0;
  cholesky.solve({pool, stop}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-3);
  EXPECT_GT(polls, 2 * 100 * 100 / 64);
}

TEST(CholeskySolver, UsesTheFactorOfTheSameMatrixAgain) {
  WorkerPool pool(1);
  const Problem problem(12 * 13, nets::grid(12, 13), 5);
  CholeskySolver cholesky, fresh;
  std::vector<vec3> x(problem.b.size()), expected(problem.b.size());
  int polls = 0;
  const StopProbe count = [&] { return ++polls < 0; };
  const auto solve = [&](CholeskySolver& solver, std::span<const vec3> b, std::span<vec3> result, bool same) {
    polls = 0;
    EXPECT_TRUE(
        solver.solve({pool, count}, {problem.A, b, problem.projection, problem.z, same}, result, 1e-12)
            .converged);
    return polls;
  };
  EXPECT_GT(solve(cholesky, problem.b, x, true), 2);  // there is none yet
  nets::Random random(6);
  const std::vector<vec3> b = random.vectors(x.size());
  const int with_factorisation = solve(fresh, b, expected, false);
  EXPECT_LT(solve(cholesky, b, x, true), with_factorisation);
  EXPECT_EQ(x, expected);
}

// Nor in the analysis of a large cloth, whose ordering alone takes longer than a stop may.
TEST(CholeskySolver, PollsByWorkInTheAnalysis) {
  WorkerPool pool(1);
  const Problem problem(200 * 200, nets::grid(200, 200), 15);
  std::vector<vec3> x(problem.b.size());
  CholeskySolver cholesky;
  std::clock_t last = std::clock(), longest = 0;
  int polls = 0;
  const auto look = [&] {
    longest = std::max(longest, std::clock() - last);  // of this process: others may keep the machine busy
    last = std::clock();
    return ++polls == 400;  // in the midst of it
  };
  const std::clock_t start = std::clock();
  EXPECT_TRUE(
      cholesky.solve({pool, look}, {problem.A, problem.b, problem.projection, problem.z}, x, 1e-3).stopped);
  look();
  const auto seconds = [](std::clock_t ticks) { return static_cast<double>(ticks) / CLOCKS_PER_SEC; };
  EXPECT_LT(seconds(longest), 0.05 * testing::kSlowdown);
  EXPECT_GT(seconds(last - start), 3 * seconds(longest)) << "this cloth is too small to say anything";
}

}  // namespace
}  // namespace clothlab
