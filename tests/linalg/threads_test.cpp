// The same bits for any number of threads; also run under ThreadSanitizer.

#include <gtest/gtest.h>

#include "linalg/conjugate_gradient.h"
#include "linalg/lanczos.h"
#include "nets.h"

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
    A.add_stencil(nets::drag(random, A.size(), 50.0));
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
    for (int threads = 1; threads <= 4; ++threads) {
      WorkerPool pool(threads);
      ConjugateGradient cg;
      std::vector<vec3> x(problem.b.size());
      const CgOptions options{.tolerance = 1e-6, .preconditioner = preconditioner.kind};
      const SolveReport report =
          cg.solve(pool, problem.A, problem.b, problem.z, problem.projection, x, options);
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
  for (int threads = 1; threads <= 4; ++threads) {
    WorkerPool pool(threads);
    LargestEigenvalue lanczos;
    values.push_back(lanczos.compute(pool, problem.A, masses, problem.projection).value);
    values.push_back(lanczos.compute(pool, problem.A, masses, problem.projection).value);
  }
  for (std::size_t k = 2; k < values.size(); ++k) EXPECT_EQ(values[k], values[k % 2]);
}

}  // namespace
}  // namespace clothlab
