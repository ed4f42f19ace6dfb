// SPDX-License-Identifier: MIT
// Solves allocate nothing after the first of a size.

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "linalg/lanczos.h"
#include "linalg/linear_solver.h"
#include "nets.h"

namespace clothlab {
namespace {

TEST(Allocation, NoneAfterTheFirstSolve) {
  WorkerPool pool(2);
  nets::Random random(1);
  const auto springs = nets::grid(30, 30);
  SpringMatrix A(SpringPattern::build(900, springs));
  Projection projection = nets::constraints(900, random);
  const std::vector<vec3> b = random.vectors(900), z = nets::prescribed(projection, random);
  const std::vector<double> masses(900, 1.0);
  std::vector<vec3> x(900), y(900);
  const SpringMatrix::Stencil grab = nets::grab(random, 900, 100.0);

  for (const auto& [kind, name] : kPreconditioners) {
    for (auto solver_kind : {LinearSolverSettings::Kind::cg, LinearSolverSettings::Kind::cholesky}) {
      LinearSolver solver;
      LargestEigenvalue lanczos;
      UnitMode mode;
      LinearSolverSettings settings;
      settings.kind = solver_kind;
      settings.cg.preconditioner = kind;
      long before = 0;
      for (int repeat = 0; repeat < 4; ++repeat) {
        if (repeat == 1) before = allocations();
        A.clear_stencils();
        for (double& d : A.diagonal_by_row()) d = random.in(0.5, 1.5);
        for (std::size_t s = 0; s < springs.size(); ++s) A.spring(s) = {random.direction(), 0.1};
        A.add_stencil(grab);
        EXPECT_TRUE(solver.solve({pool}, {A, b, projection, z}, x, settings).converged);
        A.multiply(pool, b, y);
        lanczos.compute({pool}, {.K = &A}, masses, projection, mode);
      }
      EXPECT_GT(before, 0);
      EXPECT_EQ(allocations() - before, 0) << name << static_cast<int>(solver_kind);
    }
  }
}

}  // namespace
}  // namespace clothlab
