// SPDX-License-Identifier: MIT
// Newton's method where cloth buckles: a sheet that swings down from two corners, from rest.

#include <gtest/gtest.h>

#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Stepper;

struct Swing {
  const char* method;
  double tolerance;
  LinearSolverSettings::Kind solver;
  JacobianMode jacobian;
  int newton_iterations, linear_iterations;  ///< of 40 steps, at most: one and a half times those measured
};

class Newton : public testing::TestWithParam<Swing> {};

TEST_P(Newton, ConvergesWhereClothBuckles) {
  const Swing& swing = GetParam();
  auto rig = test::make_sheet(24, 24, 1.0 / 23, Material{});
  rig->pin(0);
  rig->pin(23);
  SolverSettings settings;
  settings.newton_tolerance = swing.tolerance;
  settings.linear.kind = swing.solver;
  settings.jacobian = swing.jacobian;
  Stepper stepper(*rig, *find_integrator(swing.method), settings);
  int newton = 0, linear = 0;
  for (int k = 0; k < 40; ++k) {
    const StepReport report = stepper.step(1.0 / 60);
    ASSERT_TRUE(report.converged) << "step " << k << ": " << report.reason;
    ASSERT_LE(report.newton_residual, swing.tolerance);
    newton += report.newton_iterations;
    linear += report.linear_iterations;
  }
  EXPECT_LE(newton, swing.newton_iterations);
  EXPECT_LE(linear, swing.linear_iterations);
}

constexpr auto kCg = LinearSolverSettings::Kind::cg;
constexpr auto kCholesky = LinearSolverSettings::Kind::cholesky;
constexpr auto kClamped = JacobianMode::clamped;
constexpr auto kExact = JacobianMode::exact;

INSTANTIATE_TEST_SUITE_P(All, Newton,
                         testing::Values(Swing{"backward-euler", 1e-3, kCg, kClamped, 309, 474},
                                         Swing{"backward-euler", 1e-6, kCg, kClamped, 561, 1321},
                                         Swing{"backward-euler", 1e-6, kCholesky, kClamped, 684, 0},
                                         Swing{"backward-euler", 1e-6, kCg, kExact, 546, 1246},
                                         Swing{"bdf2", 1e-6, kCg, kClamped, 501, 1036},
                                         Swing{"tr-bdf2", 1e-6, kCg, kClamped, 765, 1264},
                                         Swing{"generalized-alpha", 1e-6, kCg, kClamped, 447, 844}));

}  // namespace
}  // namespace clothlab
