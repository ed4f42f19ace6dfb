// SPDX-License-Identifier: MIT
#include "bench/eigen_baseline.h"

#include <gtest/gtest.h>

#include "linalg/cholesky.h"
#include "linalg/nets.h"

namespace clothlab {
namespace {

/// A sheet with constraints of every kind, a grab, and the constrained particles on the move.
struct Problem {
  Problem(std::uint32_t rows, std::uint32_t columns, unsigned seed)
      : random(seed),
        A(SpringPattern::build(std::size_t{rows} * columns, nets::grid(rows, columns))),
        projection(nets::constraints(A.size(), random)),
        z(nets::prescribed(projection, random)) {
    change();
  }

  /// Other values on the same pattern.
  void change() {
    A.clear_stencils();
    nets::fill(A, random, 1.0, 50.0, 10.0);
    A.add_stencil(nets::grab(random, A.size(), 100.0));
    b = random.vectors(A.size());
  }

  std::vector<vec3> direct() const {
    WorkerPool pool(1);
    CholeskySolver cholesky;
    std::vector<vec3> x(A.size());
    EXPECT_TRUE(cholesky.solve({pool}, {A, b, projection, z}, x, 1e-12).converged);
    return x;
  }

  nets::Random random;
  SpringMatrix A;
  Projection projection;
  std::vector<vec3> z, b;
};

TEST(EigenBaseline, EveryMethodSolvesTheSystemThatOurSolversGet) {
  for (const BaselineName& name : kBaselines) {
    if (!EigenBaseline::has(name.method)) continue;
    SCOPED_TRACE(name.title);
    const bool iterative = name.method == BaselineMethod::cg_lower || name.method == BaselineMethod::cg_full;
    EigenBaseline baseline(name.method);
    Problem first(20, 20, 10), second(17, 23, 11);
    for (Problem* problem : {&first, &first, &second}) {  // new, new values, a new pattern
      problem->change();
      std::vector<vec3> x(problem->A.size());
      baseline.build(problem->A, problem->b, problem->z, problem->projection);
      baseline.solve(1e-11, 10'000);
      const SolveReport report = baseline.result(x);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.residual, 1.1e-11);
      if (iterative)
        EXPECT_GT(report.iterations, 10);
      else
        EXPECT_EQ(report.iterations, 1);
      const auto expected = nets::dense(problem->direct());
      EXPECT_LT((nets::dense(x) - expected).norm(), 1e-8 * expected.norm());
    }
  }
}

TEST(EigenBaseline, StopsWhereItIsTold) {
  Problem problem(20, 20, 12);
  std::vector<vec3> x(problem.A.size());
  EigenBaseline baseline;
  baseline.build(problem.A, problem.b, {}, problem.projection);
  baseline.solve(1e-3, 10'000);
  const SolveReport coarse = baseline.result(x);
  EXPECT_TRUE(coarse.converged);
  EXPECT_LE(coarse.residual, 1.001e-3);
  EXPECT_GT(coarse.residual, 1e-6);
  baseline.solve(1e-12, 3);
  const SolveReport few = baseline.result(x);
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(few.iterations, 3);
}

TEST(EigenBaseline, ThreadsChangeNoResult) {
  Problem problem(40, 40, 13);  // Eigen uses threads above 20 000 entries
  std::vector<vec3> alone(problem.A.size()), together(problem.A.size());
  for (auto* x : {&alone, &together}) {
    EigenBaseline baseline(BaselineMethod::cg_full, x == &alone ? 1 : 2);
    baseline.build(problem.A, problem.b, {}, problem.projection);
    baseline.solve(1e-12, 3);
    baseline.result(*x);
  }
  EXPECT_EQ(alone, together);
}

}  // namespace
}  // namespace clothlab
