// SPDX-License-Identifier: MIT
// Constraints over several particles: their projector, and linear systems with it against dense KKT systems.

#include "linalg/couplings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <glm/geometric.hpp>

#include "linalg/linear_solver.h"
#include "nets.h"

namespace clothlab {
namespace {

using Links = std::vector<DistanceConstraint>;

constexpr double kH = 0.01;

/// A sheet with unequal masses, pins, sliding particles and distances, linearised at random positions.
struct Problem {
  std::vector<SpringPattern::Pair> springs = nets::grid(8, 9);
  std::size_t n = 72;
  SpringMatrix A{SpringPattern::build(n, springs)};
  Projection projection;
  std::vector<double> masses;
  std::vector<vec3> x0, v0, b;
  Links links;

  Problem(unsigned seed, Links constraints, double stretch = 1) : links(std::move(constraints)) {
    nets::Random random(seed);
    nets::fill(A, random, 1.0, 50.0, 10.0);
    projection = nets::constraints(n, random);  // particles 0, 24, 36 and 71
    x0 = random.vectors(n);
    v0 = random.vectors(n);
    b = random.vectors(n);
    for (std::size_t i = 0; i < n; ++i) masses.push_back(random.in(0.1, 10));
    for (DistanceConstraint& each : links) each.length = stretch * glm::distance(x0[each.i], x0[each.j]);
    projection.couple(links);
    projection.linearise(masses, x0, v0, kH, 0.5);
  }

  /// S of all constraints, column by column.
  Eigen::MatrixXd S() const {
    Eigen::MatrixXd S(3 * n, 3 * n);
    for (std::size_t column = 0; column < 3 * n; ++column) {
      std::vector<vec3> unit(n, vec3(0.0));
      unit[column / 3][static_cast<int>(column % 3)] = 1;
      projection.filter(unit);
      S.col(static_cast<Eigen::Index>(column)) = nets::dense(std::span<const vec3>(unit));
    }
    return S;
  }
};

// One alone, one at a pin, one on a sliding particle, a chain.
const Links kSome{{3, 50, 0}, {0, 10, 0}, {36, 40, 0}, {55, 56, 0}, {56, 65, 0}};
// A triangle with one side twice, and a pair of pins, which nothing can change.
const Links kRedundant{{3, 50, 0}, {50, 20, 0}, {20, 3, 0}, {3, 50, 0}, {0, 24, 0}};

TEST(Couplings, ProjectOrthogonallyOntoTheFreeDirections) {
  const auto check = [](const Links& links, std::size_t rank) {
    const Problem problem(1, links);
    const Eigen::MatrixXd S = problem.S(), single = nets::dense(problem.projection);
    EXPECT_EQ(problem.projection.couplings().rank(), rank);
    EXPECT_LT((S - S.transpose()).norm(), 1e-13);
    EXPECT_LT((S.lazyProduct(S) - S).norm(), 1e-13);
    EXPECT_LT((S.lazyProduct(single) - S).norm(), 1e-13);
    EXPECT_NEAR(S.trace(), single.trace() - static_cast<double>(rank), 1e-12);
    // Nothing that S keeps changes a distance.
    std::vector<vec3> v = problem.b;
    problem.projection.filter(v);
    std::vector<vec3> fixed = v;
    problem.projection.filter_motion(fixed);
    EXPECT_LT((nets::dense(std::span<const vec3>(fixed)) - nets::dense(std::span<const vec3>(v))).norm(),
              1e-13);
  };
  check(kSome, 5);
  check(kRedundant, 3);
}

TEST(Couplings, SolveAsTheDenseSystemWithMultipliers) {
  WorkerPool pool(2);
  for (const Links& links : {kSome, kRedundant}) {
    const Problem problem(2, links, 1.05);
    const std::size_t n = problem.n;
    // Two z with the same Jz: by impulses, as a step prescribes it, and along S's own normals.
    std::vector<vec3> by_impulses(n, vec3(0.0));
    problem.projection.couplings().prescribe_velocity(by_impulses);
    std::vector<vec3> along = by_impulses;
    problem.projection.filter(along);
    for (std::size_t i = 0; i < n; ++i) along[i] = by_impulses[i] - along[i];
    const Eigen::VectorXd z = nets::dense(std::span<const vec3>(along));
    EXPECT_GT((z - nets::dense(std::span<const vec3>(by_impulses))).norm(), 0.1 * z.norm());

    const Eigen::MatrixXd A = nets::dense(problem.A, problem.springs), S = problem.S();
    const Eigen::VectorXd rhs =
        nets::times(S, nets::dense(std::span<const vec3>(problem.b)) - nets::times(A, z));
    const Eigen::VectorXd expected = nets::solve(nets::filtered(A, S), rhs) + z;
    EXPECT_GT(z.norm(), 1e-3 * expected.norm());

    for (const auto* change : {&by_impulses, &along}) {
      const LinearSystem system{problem.A, problem.b, problem.projection, *change};
      std::vector<vec3> x(n);
      for (const auto kind : {PreconditionerKind::none, PreconditionerKind::jacobi,
                              PreconditionerKind::block_jacobi, PreconditionerKind::multigrid}) {
        ConjugateGradient cg;
        const CgOptions options{.tolerance = 1e-12, .max_iterations = 2000, .preconditioner = kind};
        const SolveReport report = cg.solve({pool}, system, x, options);
        EXPECT_TRUE(report.converged);
        EXPECT_LT((nets::dense(std::span<const vec3>(x)) - expected).norm(), 1e-9 * expected.norm());
      }
      CholeskySolver cholesky;
      x = *change;  // z may be the solution's memory
      EXPECT_TRUE(cholesky.solve({pool}, {problem.A, problem.b, problem.projection, x}, x, 1e-12).converged);
      EXPECT_LT((nets::dense(std::span<const vec3>(x)) - expected).norm(), 1e-9 * expected.norm());
    }
  }
}

TEST(Couplings, CorrectMotionsByImpulses) {
  const Problem problem(3, kSome);
  const Couplings& couplings = problem.projection.couplings();
  std::vector<vec3> a = problem.b;
  problem.projection.filter_particles(a);
  const std::vector<vec3> before = a;
  couplings.filter_motion(a);
  // M Δa is a force of the constraints: S removes all of it.
  std::vector<vec3> force(problem.n);
  for (std::size_t i = 0; i < a.size(); ++i) force[i] = problem.masses[i] * (a[i] - before[i]);
  const double size = nets::dense(std::span<const vec3>(force)).norm();
  EXPECT_GT(size, 0.1);
  // The momentum of free pairs stays, that of particles with unequal masses would not with S.
  EXPECT_LT(glm::length(force[3] + force[50]), 1e-14 * size);
  problem.projection.filter(force);
  EXPECT_LT(nets::dense(std::span<const vec3>(force)).norm(), 1e-13 * size);
  std::vector<vec3> again = a;
  couplings.filter_motion(again);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(glm::length(again[i] - a[i]), 1e-14);
}

TEST(Couplings, EndAStepAtTheirLengths) {
  for (const Links& links : {kSome, kRedundant}) {
    const Problem problem(4, links);
    std::vector<vec3> x = problem.x0, v = problem.v0;
    const Couplings& couplings = problem.projection.couplings();
    nets::Random random(5);
    for (vec3& each : x) each += 0.05 * random.vector();
    for (const std::uint32_t i : {0U, 24U}) x[i] = problem.x0[i];
    EXPECT_GT(couplings.violation(x), 0.01);
    couplings.finish(x, v);
    EXPECT_LT(couplings.violation(x), 2e-15);
    for (const auto& [i, j, length] : links)
      if (i != 0 || j != 24) {
        EXPECT_NEAR(glm::dot(x[j] - x[i], v[j] - v[i]), 0, 1e-14) << i << ' ' << j;
      }
    EXPECT_EQ(x[0], problem.x0[0]);
  }
}

// Between two pins, 0.2 % too short and sagging a little: straight, with its motion towards there.
TEST(Couplings, EndAtTheLeastSquaresWhereTheyContradictEachOther) {
  for (const double sag : {1e-7, 1e-3, 0.05}) {
    Projection projection(3);
    const std::vector<vec3> x0{vec3(0), vec3(0.5, 0, 0), vec3(1, 0, 0)};
    const std::vector<double> masses{1, 2, 3};
    projection.fix(0, x0[0]);
    projection.fix(2, x0[2]);
    projection.couple(Links{{0, 1, 0.499}, {1, 2, 0.499}});
    projection.linearise(masses, x0, std::vector<vec3>(3, vec3(0.0)), kH, 0.5);
    std::vector<vec3> x = x0, v(3, vec3(0.0));
    v[1] = vec3(0, sag / kH, 0);
    x[1] += vec3(0, sag, 0);
    projection.couplings().finish(x, v);
    EXPECT_NEAR(projection.couplings().violation(x), 1e-3, 1e-12) << sag;
    EXPECT_LT(glm::distance(x[1], x0[1]), 2e-7) << sag;
    EXPECT_LT(glm::length(v[1]), 2e-7 / kH) << sag;
  }
}

// A chain in which one link closes a loop is nearly singular: where it is straight, and bent a little.
TEST(Couplings, ProjectTheSameNearSingularPositions) {
  for (const double bend : {0.0, 1e-4, 1e-2, 0.3}) {
    Projection projection(3);
    const std::vector<vec3> x0{vec3(0), vec3(0.5, bend, 0), vec3(1, 0, 0)};
    Links links{{0, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    for (DistanceConstraint& each : links) each.length = glm::distance(x0[each.i], x0[each.j]);
    projection.couple(links);
    projection.linearise(std::vector<double>{1, 2, 3}, x0, std::vector<vec3>(3, vec3(0.0)), kH, 0.5);
    EXPECT_EQ(projection.couplings().rank(), bend > 0 ? 3U : 2U);
    std::vector<vec3> f{vec3(1, -2, 0.3), vec3(0.2, 3, 1), vec3(-2, 1, 1)};
    projection.filter(f);
    for (const auto& [i, j, length] : links)
      EXPECT_NEAR(glm::dot(f[j] - f[i], (x0[j] - x0[i]) / length), 0, 1e-10) << bend;
  }
}

TEST(Couplings, FindTheirForcesFromImpulses) {
  const Problem problem(6, kSome);
  // Of the pair {3, 50} alone, pulled together by 2 N, and of the chain by 1 N and 3 N.
  std::vector<vec3> a(problem.n, vec3(0.0));
  std::vector<double> lambda(kSome.size());
  for (std::size_t k = 0; k < problem.n; ++k) a[k] = problem.b[k];
  const std::vector<vec3> before = a;
  problem.projection.couplings().filter_motion(a);
  std::vector<vec3> impulses(problem.n);
  for (std::size_t i = 0; i < a.size(); ++i) impulses[i] = problem.masses[i] * (a[i] - before[i]);
  problem.projection.couplings().forces(impulses, lambda);
  // The impulse on particle 3 is λ h towards particle 50.
  const double pull = glm::dot(impulses[3], problem.x0[50] - problem.x0[3]) > 0 ? 1 : -1;
  EXPECT_NEAR(lambda[0] * kH, pull * glm::length(impulses[3]), 1e-12);
  EXPECT_NEAR(std::abs(lambda[3]) * kH, glm::length(impulses[55]), 1e-12);
  EXPECT_NEAR(std::abs(lambda[4]) * kH, glm::length(impulses[65]), 1e-12);
}

}  // namespace
}  // namespace clothlab
