// SPDX-License-Identifier: MIT
// The same bits for any number of threads, and no race between them.

#include <gtest/gtest.h>

#include "integrate/stepping.h"
#include "slowdown.h"

namespace clothlab {
namespace {

using test::Stepper;

class Threads : public test::EveryIntegrator {};

TEST_P(Threads, GiveTheSameBits) {
  SolverSettings settings;  // steps that do not converge run the same code
  settings.newton_max_iterations = 3;
  settings.linear.cg.max_iterations = 30;
  for (const StageSolve stages : {StageSolve::newton, StageSolve::linear}) {
    if (stages == StageSolve::linear && info().family != IntegratorFamily::implicit) continue;
    settings.stage_solve = stages;
    State expected;
    for (const int threads : testing::thread_counts()) {
      Material material;
      material.stretch_stiffness = 100;
      auto rig = test::make_sheet(40, 50, 0.02, material, threads);
      rig->pin(0);
      test::shake(rig->state, 0.002, 0.1);
      Stepper(*rig, info(), settings).steps(2, 0.001);
      if (threads == 1) expected = rig->state;
      EXPECT_EQ(rig->state.x, expected.x) << threads;
      EXPECT_EQ(rig->state.v, expected.v) << threads;
    }
  }
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(Threads);

}  // namespace
}  // namespace clothlab
