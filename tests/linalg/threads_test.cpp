// SPDX-License-Identifier: MIT
// The same bits for any number of threads; also run under ThreadSanitizer.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/lanczos.h"
#include "linalg/vector_basis.h"
#include "nets.h"
#include "slowdown.h"

namespace clothlab {
namespace {

// Large enough for several chunks, with everything that a matrix can hold.
struct Problem {
  std::vector<SpringPattern::Pair> springs = nets::grid(40, 41);
  SpringMatrix A{SpringPattern::build(40 * 41, springs)};
  Projection projection;
  std::vector<vec3> b, z;

  Problem() {
    nets::Random random(1);
    nets::fill(A, random, 1.0, 50.0, 10.0);
    A.add_stencil(nets::grab(random, A.size(), 50.0));
    projection = nets::constraints(A.size(), random);
    b = random.vectors(A.size());
    z = nets::prescribed(projection, random);
  }
};

TEST(Threads, GiveTheSameProduct) {
  const Problem problem;
  ASSERT_GT(problem.A.pattern().chunks(), 4u);
  std::vector<vec3> reference(problem.b.size());
  WorkerPool alone(1);
  problem.A.multiply(alone, problem.b, reference);
  for (int threads = 2; threads <= 4; ++threads) {
    WorkerPool pool(threads);
    for (int repeat = 0; repeat < 10; ++repeat) {
      std::vector<vec3> y(problem.b.size());
      problem.A.multiply(pool, problem.b, y);
      EXPECT_EQ(y, reference) << threads << " threads";
    }
  }
}

TEST(Threads, GiveTheSameSolution) {
  const Problem problem;
  for (const PreconditionerName& preconditioner : kPreconditioners) {
    std::vector<vec3> reference;
    std::vector<double> history;
    for (const int threads : testing::thread_counts()) {
      WorkerPool pool(threads);
      ConjugateGradient cg;
      std::vector<vec3> x(problem.b.size());
      const CgOptions options{.tolerance = 1e-6, .preconditioner = preconditioner.kind};
      const SolveReport report =
          cg.solve({pool}, {problem.A, problem.b, problem.projection, problem.z}, x, options);
      ASSERT_TRUE(report.converged);
      const std::vector<double> residuals(report.history.begin(), report.history.end());
      if (threads == 1) {
        reference = x;
        history = residuals;
      }
      EXPECT_EQ(x, reference) << threads << " threads, " << preconditioner.name;
      EXPECT_EQ(residuals, history) << threads << " threads, " << preconditioner.name;
    }
  }
}

TEST(Threads, GiveTheSameEigenvalue) {
  const Problem problem;
  const std::vector<double> masses(problem.b.size(), 0.001);
  std::vector<double> values;
  for (const int threads : testing::thread_counts()) {
    WorkerPool pool(threads);
    LargestEigenvalue lanczos;
    UnitMode mode;
    values.push_back(lanczos.compute({pool}, {.K = &problem.A}, masses, problem.projection, mode).value);
    values.push_back(lanczos.compute({pool}, {.K = &problem.A}, masses, problem.projection, mode).value);
  }
  for (std::size_t k = 2; k < values.size(); ++k) EXPECT_EQ(values[k], values[k % 2]);
}

TEST(Threads, GiveTheSameProductOfBases) {
  // Enough work for a look at the probe every 512 rows.
  const std::size_t n = 3000, columns = 64;
  nets::Random random(7);
  VectorBasis V;
  V.resize(n, columns);
  for (std::size_t j = 0; j < columns; ++j) std::ranges::copy(random.vectors(n), V.column(j).begin());
  std::vector<double> Q(columns * columns);
  for (double& q : Q) q = random.in(-1, 1);
  std::vector<vec3> expected(n, vec3(0.0));  // the last column
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < n; ++i) expected[i] += Q[(columns - 1) * columns + j] * V.column(j)[i];
  }
  for (const int threads : testing::thread_counts()) {
    WorkerPool pool(threads);
    VectorBasis product;
    product.resize(n, columns);
    int polls = 0, polls_allowed = 0;
    const StopProbe stop = [&] { return polls++ >= polls_allowed; };
    for (; polls_allowed < 6; ++polls_allowed, polls = 0) {
      EXPECT_THROW(product.assign_product(pool, V, columns, Q, columns, stop), Cancelled);
    }
    product.assign_product(pool, V, columns, Q, columns, stop);
    EXPECT_EQ(polls, 6);
    EXPECT_TRUE(std::ranges::equal(product.column(columns - 1), expected)) << threads << " threads";
  }
}

}  // namespace
}  // namespace clothlab
