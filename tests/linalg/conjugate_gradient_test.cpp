// SPDX-License-Identifier: MIT
#include "linalg/conjugate_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <memory>

#include "nets.h"

namespace clothlab {
namespace {

constexpr PreconditionerKind kAll[] = {PreconditionerKind::none, PreconditionerKind::jacobi,
                                       PreconditionerKind::block_jacobi, PreconditionerKind::multigrid};

/// A cloth-like system with pins, sliding particles, a grab and prescribed changes, and its dense twin.
struct Problem {
  std::vector<SpringPattern::Pair> springs;
  SpringMatrix A;
  Projection projection;
  std::vector<vec3> b, z;

  Problem(std::size_t particles, std::vector<SpringPattern::Pair> pairs, unsigned seed,
          double stiffness = 50.0)
      : springs(std::move(pairs)), A(SpringPattern::build(particles, springs)) {
    nets::Random random(seed);
    nets::fill(A, random, 1.0, stiffness, 10.0);
    A.add_stencil(nets::grab(random, particles, stiffness));
    projection = nets::constraints(particles, random);
    b = random.vectors(particles);
    z = nets::prescribed(projection, random);
  }

  struct Dense {
    Eigen::MatrixXd A, S, filtered;
    Eigen::VectorXd b, z, rhs, x;
  };

  Dense dense() const {
    Dense d;
    d.A = nets::dense(A, springs);
    d.S = nets::dense(projection);
    d.filtered = nets::filtered(d.A, d.S);
    d.b = nets::dense(b);
    d.z = nets::dense(z);
    d.rhs = nets::times(d.S, d.b - nets::times(d.A, d.z));
    d.x = nets::solve(d.filtered, d.rhs) + d.z;
    return d;
  }

  double true_residual(const Dense& d, std::span<const vec3> x) const {
    const Eigen::VectorXd y = nets::dense(x) - d.z;
    const Eigen::VectorXd product = nets::times(d.S, nets::times(d.A, nets::times(d.S, y)));
    return (d.rhs - product).norm() / d.rhs.norm();
  }
};

Problem sheet(unsigned seed) { return {12 * 13, nets::grid(12, 13), seed}; }

Problem irregular_net(unsigned seed) {
  nets::Random random(seed);
  auto springs = nets::irregular(90, random);
  return {90, std::move(springs), seed};
}

TEST(ConjugateGradient, EqualsTheDirectSolution) {
  WorkerPool pool(2);
  ConjugateGradient cg;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    for (const Problem& problem : {sheet(seed), irregular_net(seed)}) {
      const Problem::Dense d = problem.dense();
      for (PreconditionerKind kind : kAll) {
        std::vector<vec3> x(problem.b.size());
        const CgOptions options{.tolerance = 1e-12, .max_iterations = 2000, .preconditioner = kind};
        const SolveReport report =
            cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options);
        EXPECT_TRUE(report.converged);
        EXPECT_FALSE(report.indefinite);
        EXPECT_LE(report.residual, 1e-12);
        // |error| <= |A^-1| |r|, and the mass alone gives A >= 0.5.
        EXPECT_LT((nets::dense(x) - d.x).norm(), 1e-12 * d.rhs.norm() / 0.5 + 1e-12 * d.x.norm());
        EXPECT_GT((d.x - d.z).norm(), 0.1);
      }
    }
  }
}

TEST(ConjugateGradient, MovesFixedParticlesExactlyAsTold) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  const Problem problem = sheet(4);
  for (PreconditionerKind kind : kAll) {
    std::vector<vec3> x(problem.b.size(), vec3(7.0));
    cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, {.preconditioner = kind});
    std::vector<vec3> change_and_solution = problem.z;  // what stands at free particles does not count
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (problem.projection.find(i) == nullptr) change_and_solution[i] = vec3(std::nan(""));
    }
    cg.solve({pool}, {problem.A, problem.b, problem.projection, change_and_solution}, change_and_solution,
             {.preconditioner = kind});
    EXPECT_EQ(change_and_solution, x);
    for (const Projection::Entry& entry : problem.projection.entries()) {
      const vec3 change = x[entry.particle] - problem.z[entry.particle];
      if (problem.projection.is_fixed(entry.particle)) {
        EXPECT_EQ(change, vec3(0.0));
      } else {
        EXPECT_GT(glm::length(change), 1e-6);
        EXPECT_LT(glm::length(change - entry.S * change), 1e-15);
      }
    }
  }
}

TEST(ConjugateGradient, ReportsTheTrueResidualOfEveryIteration) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  const Problem problem = sheet(5);
  const Problem::Dense d = problem.dense();
  for (PreconditionerKind kind : kAll) {
    std::vector<vec3> x(problem.b.size());
    const CgOptions all{.tolerance = 1e-9, .preconditioner = kind};
    const SolveReport report =
        cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, all);
    ASSERT_TRUE(report.converged);
    ASSERT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
    EXPECT_EQ(report.history[0], 1.0);
    EXPECT_EQ(report.history.back(), report.residual);
    const std::vector<double> history(report.history.begin(), report.history.end());
    for (int k : {0, 1, 2, 5, report.iterations - 1, report.iterations}) {
      if (k > report.iterations) continue;  // a factor of A needs but one
      const CgOptions some{.tolerance = 1e-9, .max_iterations = k, .preconditioner = kind};
      const SolveReport cut =
          cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, some);
      EXPECT_EQ(cut.iterations, k);
      EXPECT_EQ(cut.converged, k == report.iterations);
      EXPECT_NEAR(history[static_cast<std::size_t>(k)], problem.true_residual(d, x), 1e-13)
          << "iteration " << k;
      EXPECT_NEAR(cut.residual, problem.true_residual(d, x), 1e-13);
      EXPECT_GT(cut.residual, k == report.iterations ? 0 : 1e-9);
    }
  }
}

// The recursive residual of CG goes on falling when the true one no longer does, so a solver that
// believes it claims tolerances that it has not met.
// Of all rows, the held ones too; whatever ended the solve, also after another one.
TEST(ConjugateGradient, HasTheProductOfItsSolutionOrSaysThatItHasNot) {
  WorkerPool pool;
  ConjugateGradient cg;
  const Problem problem = sheet(5);
  const SpringPattern& pattern = problem.A.pattern();
  const std::vector<vec3> nothing(problem.b.size());
  const auto check = [&](const std::vector<vec3>& b, const std::vector<vec3>& z, const CgOptions& options) {
    std::vector<vec3> x(b.size()), expected(b.size());
    cg.solve({pool}, {problem.A, b, problem.projection, z}, x, options);
    const std::span<const Padded> product = cg.product();
    if (product.empty()) return false;
    problem.A.multiply(pool, x, expected);
    for (std::size_t row = 0; row < b.size(); ++row) {
      const vec3 error = unpadded(product[row]) - expected[pattern.particle[row]];
      EXPECT_LT(std::sqrt(glm::dot(error, error)), 1e-12) << row;
    }
    return true;
  };
  for (PreconditionerKind kind : kAll) {
    EXPECT_TRUE(check(problem.b, problem.z, {.tolerance = 1e-12, .preconditioner = kind}));
    EXPECT_TRUE(check(problem.b, problem.z, {.max_iterations = 3, .preconditioner = kind}));
    EXPECT_TRUE(check(problem.b, nothing, {.preconditioner = kind}));
    check(problem.b, problem.z, {.max_iterations = 0, .preconditioner = kind});
    check(nothing, nothing, {.preconditioner = kind});
  }
}

TEST(ConjugateGradient, ClaimsNoToleranceThatItHasNotReached) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    // Condition numbers up to about 1e6, so that the drift shows.
    const Problem problem(12 * 13, nets::grid(12, 13), seed, 1e5);
    const Problem::Dense d = problem.dense();
    for (double tolerance : {1e-10, 1e-12, 1e-14, 1e-18}) {
      std::vector<vec3> x(problem.b.size());
      const CgOptions options{.tolerance = tolerance, .max_iterations = 20000};
      const SolveReport report =
          cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options);
      // Rounding permits about eps |A| |x| / |b| and not less.
      const double limit = 1e-15 * d.filtered.norm() * d.x.norm() / d.rhs.norm();
      EXPECT_NEAR(report.residual, problem.true_residual(d, x), limit) << tolerance;
      EXPECT_EQ(report.converged, report.residual <= tolerance) << tolerance;
      EXPECT_LE(report.residual, std::max(tolerance, limit)) << tolerance;
      EXPECT_LT(report.iterations, 20000);
    }
  }
}

TEST(ConjugateGradient, ReachesTheFinestToleranceThatRoundingPermits) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  Problem problem(12 * 13, nets::grid(12, 13), 8, 0.1);  // well-conditioned
  for (PreconditionerKind kind : kAll) {
    std::vector<vec3> x(problem.b.size());
    const CgOptions options{.tolerance = 1e-15, .max_iterations = 1000, .preconditioner = kind};
    const SolveReport report = cg.solve({pool}, {problem.A, problem.b, problem.projection}, x, options);
    EXPECT_TRUE(report.converged) << report.residual;
  }
}

TEST(ConjugateGradient, StopsAtTheFirstResidualBelowTheTolerance) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  const Problem problem = sheet(6);
  std::vector<vec3> x(problem.b.size());
  const SolveReport report =
      cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, {.tolerance = 1e-3});
  ASSERT_TRUE(report.converged);
  for (std::size_t k = 0; k + 1 < report.history.size(); ++k) EXPECT_GT(report.history[k], 1e-3);
  EXPECT_LE(report.history.back(), 1e-3);
}

TEST(ConjugateGradient, StopsAtADirectionOfNegativeCurvature) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  Problem problem = sheet(7);
  for (double& m : problem.A.diagonal_by_row())
    m -= 3.0;  // below the lowest modes of the springs, above 0 for the rest
  const Problem::Dense d = problem.dense();
  ASSERT_LT(nets::eigenvalues(d.filtered)[0], 0.0);
  for (PreconditionerKind kind : kAll) {
    std::vector<vec3> x(problem.b.size());
    const CgOptions options{.tolerance = 1e-10, .preconditioner = kind};
    const SolveReport report =
        cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options);
    EXPECT_TRUE(report.indefinite);
    EXPECT_FALSE(report.converged);
    EXPECT_GT(report.iterations, 0);
    EXPECT_NEAR(report.residual, problem.true_residual(d, x), 1e-12);  // of the iterate that it kept
  }
  // Nothing but negative curvature: x stays at the prescribed change.
  for (double& m : problem.A.diagonal_by_row()) m = -1e6;
  std::vector<vec3> x(problem.b.size());
  const SolveReport report = cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, {});
  EXPECT_TRUE(report.indefinite);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, problem.z);
}

TEST(ConjugateGradient, EndsAtItsRadius) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  const Problem problem = sheet(9);
  const Problem::Dense d = problem.dense();
  const auto length = [&](std::span<const vec3> x) { return (nets::dense(x) - d.z).norm(); };
  std::vector<vec3> x(problem.b.size());
  CgOptions options{.tolerance = 1e-10, .preconditioner = PreconditionerKind::none};
  const LinearSystem system{problem.A, problem.b, problem.projection, problem.z};
  const SolveReport whole = cg.solve({pool}, system, x, options);
  EXPECT_FALSE(whole.at_radius);
  EXPECT_NEAR(whole.length, length(x), 1e-6 * length(x));  // its recursion loses digits
  double last = whole.residual;
  for (const double part : {0.9, 0.5, 0.1}) {
    options.radius = part * whole.length;
    const SolveReport report = cg.solve({pool}, system, x, options);
    EXPECT_TRUE(report.at_radius);
    EXPECT_FALSE(report.converged);
    EXPECT_NEAR(length(x), options.radius, 1e-9 * options.radius);
    EXPECT_NEAR(report.residual, problem.true_residual(d, x), 1e-12);
    EXPECT_GT(report.residual, last);
    last = report.residual;
  }
}

// With the preconditioner of another matrix the first direction, where it has negative curvature, is the
// result.
TEST(ConjugateGradient, FollowsNegativeCurvatureWithThePreconditionerOfAnotherMatrix) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  const Problem definite = sheet(7);
  Problem problem = sheet(7);
  for (double& m : problem.A.diagonal_by_row()) m = -1e6;
  const Problem::Dense d = definite.dense();
  const Eigen::VectorXd b = nets::times(d.S, d.b);
  const LinearSystem system{
      .A = problem.A, .b = problem.b, .projection = problem.projection, .preconditioner = &definite.A};
  for (const PreconditionerKind kind : kAll) {
    std::vector<vec3> x(problem.b.size());
    const SolveReport report = cg.solve({pool}, system, x, {.preconditioner = kind, .radius = 0.25});
    EXPECT_TRUE(report.indefinite);
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.iterations, 1);
    EXPECT_DOUBLE_EQ(report.length, 0.25);
    EXPECT_GT(b.dot(nets::dense(x)), 0);
    if (kind == PreconditionerKind::none) {
      EXPECT_LT((nets::dense(x) - 0.25 * b.normalized()).norm(), 1e-12);
    }
  }
}

TEST(ConjugateGradient, ZeroRightHandSideTakesNoIteration) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  const Problem problem = sheet(8);
  std::vector<vec3> x(problem.b.size(), vec3(7.0));
  const std::vector<vec3> zero(problem.b.size(), vec3(0.0));
  const SolveReport report = cg.solve({pool}, {problem.A, zero, problem.projection}, x, {.warm_start = true});
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.residual, 0.0);
  EXPECT_EQ(x, zero);
}

TEST(ConjugateGradient, ReportsNumbersThatAreNotFinite) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  Problem problem = sheet(9);
  std::vector<vec3> x(problem.b.size());
  problem.b[40].y = std::numeric_limits<double>::quiet_NaN();
  SolveReport report = cg.solve({pool}, {problem.A, problem.b, problem.projection}, x, {});
  EXPECT_FALSE(report.converged);
  EXPECT_TRUE(std::isnan(report.residual));
  problem.b[40].y = 1;
  problem.A.spring(11).b = std::numeric_limits<double>::infinity();
  report = cg.solve({pool}, {problem.A, problem.b, problem.projection}, x, {});
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(x, std::vector<vec3>(x.size(), vec3(0.0)));
}

TEST(ConjugateGradient, WarmStartHelpsAndABadGuessDoesNoHarm) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  const Problem problem = sheet(10);
  std::vector<vec3> x(problem.b.size());
  CgOptions options{.tolerance = 1e-6};
  const int cold =
      cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options).iterations;
  ASSERT_GT(cold, 5);
  options.warm_start = true;
  const SolveReport again =
      cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_TRUE(again.converged);
  for (vec3& v : x) v *= 1.001;
  const SolveReport near =
      cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options);
  EXPECT_TRUE(near.converged);
  EXPECT_LT(near.iterations, cold);
  EXPECT_LT(near.history[0], 0.1);
  for (vec3& v : x) v *= -1e6;
  const SolveReport bad = cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options);
  EXPECT_TRUE(bad.converged);
  EXPECT_EQ(bad.iterations, cold);
}

TEST(ConjugateGradient, AsksTheStopProbeInEveryIteration) {
  WorkerPool pool(1);
  auto cg = std::make_unique<ConjugateGradient>();
  const Problem problem = sheet(11);
  std::vector<vec3> x(problem.b.size());
  int polls = 0, polls_allowed = 0;
  const StopProbe stop = [&] { return polls++ >= polls_allowed; };
  const auto solve = [&] {
    polls = 0;
    return cg->solve({pool, stop}, {problem.A, problem.b, problem.projection, problem.z}, x,
                     {.tolerance = 1e-12});
  };
  // While it makes room for its vectors.
  for (; polls_allowed < 6; ++polls_allowed) {
    cg = std::make_unique<ConjugateGradient>();
    const SolveReport report = solve();
    EXPECT_TRUE(report.stopped);
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(polls, polls_allowed + 1);
  }
  solve();
  // And then.
  polls_allowed = 4;
  const SolveReport report = solve();
  EXPECT_TRUE(report.stopped);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 4);
  EXPECT_EQ(polls, 5);
}

TEST(ConjugateGradient, BetterPreconditionersTakeFewerIterations) {
  WorkerPool pool(1);
  ConjugateGradient cg;
  Problem problem = sheet(12);
  nets::Random random(12);
  for (double& m : problem.A.diagonal_by_row()) m *= std::pow(10.0, random.in(0, 4));
  std::vector<int> iterations;
  for (PreconditionerKind kind : kAll) {
    std::vector<vec3> x(problem.b.size());
    const CgOptions options{.tolerance = 1e-8, .max_iterations = 5000, .preconditioner = kind};
    iterations.push_back(
        cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options).iterations);
  }
  EXPECT_LT(iterations[1], iterations[0] / 2);
  EXPECT_LE(iterations[2], iterations[1]);
}

// Three sheets: one has a pin, one a stencil, one is free.
TEST(ConjugateGradient, BalancesTheMomentumOfFreePartsAlone) {
  constexpr std::uint32_t kPart = 80;
  std::vector<SpringPattern::Pair> springs;
  for (std::uint32_t part = 0; part < 3; ++part)
    for (const auto& [i, j] : nets::grid(8, 10)) springs.push_back({part * kPart + i, part * kPart + j});
  const auto pattern = SpringPattern::build(3 * kPart, springs);
  ASSERT_EQ(pattern->parts, 3u);
  nets::Random random(5);
  SpringMatrix A(pattern);
  nets::fill(A, random, 1.0, 50.0, 10.0);
  Projection projection(3 * kPart);
  projection.fix(3, vec3(0.0));
  SpringMatrix::Stencil stencil;
  stencil.particle = {kPart + 7};
  stencil.weight = {1};
  stencil.count = 1;
  stencil.C = mat3(20.0);
  A.add_stencil(stencil);
  const std::vector<vec3> b = random.vectors(3 * kPart);

  WorkerPool pool(2);
  for (PreconditionerKind kind : kAll) {
    ConjugateGradient cg;
    const auto solve = [&](bool balances) {
      std::vector<vec3> x(b.size());
      const LinearSystem system{.A = A, .b = b, .projection = projection, .balances_momentum = balances};
      const SolveReport report =
          cg.solve({pool}, system, x, {.tolerance = 1e-12, .max_iterations = 3, .preconditioner = kind});
      EXPECT_FALSE(report.converged);
      std::vector<vec3> product(b.size());
      A.multiply(pool, x, product);
      vec3 sum(0.0);
      double squares = 0, b_squares = 0;
      for (std::uint32_t i = 0; i < b.size(); ++i) {
        if (i >= 2 * kPart) sum += b[i] - product[i];
        if (i == 3) continue;
        squares += glm::dot(b[i] - product[i], b[i] - product[i]);
        b_squares += glm::dot(b[i], b[i]);
        EXPECT_LT(glm::length(unpadded(cg.product()[pattern->row[i]]) - product[i]), 1e-12);
      }
      EXPECT_NEAR(report.residual, std::sqrt(squares / b_squares), 1e-12);
      return std::pair{std::move(x), glm::length(sum)};
    };
    const auto [plain, violation] = solve(false);
    const auto [balanced, left] = solve(true);
    EXPECT_GT(violation, 1e-4);
    EXPECT_LT(left, 1e-12);
    for (std::uint32_t i = 0; i < 2 * kPart; ++i) EXPECT_EQ(balanced[i], plain[i]);
    const vec3 translation = balanced.back() - plain.back();
    for (std::uint32_t i = 2 * kPart; i < b.size(); ++i)
      EXPECT_LT(glm::length(balanced[i] - plain[i] - translation), 1e-15);
  }
}

}  // namespace
}  // namespace clothlab
