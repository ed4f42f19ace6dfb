// SPDX-License-Identifier: MIT
// No step after the first of its kind allocates.

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

class Allocation : public test::EveryIntegrator {};

TEST_P(Allocation, HappensInTheFirstStepAlone) {
  for (const auto& [threads, stages] : {std::pair(1, StageSolve::newton), std::pair(2, StageSolve::newton),
                                        std::pair(2, StageSolve::linear)}) {
    if (stages == StageSolve::linear && info().family != IntegratorFamily::implicit) continue;
    for (const auto kind : {LinearSolverSettings::Kind::cg, LinearSolverSettings::Kind::cholesky}) {
      for (const auto preconditioner : {PreconditionerKind::none, PreconditionerKind::jacobi,
                                        PreconditionerKind::block_jacobi, PreconditionerKind::multigrid}) {
        Material material;
        material.stretch_stiffness = 100;
        auto rig = test::make_sheet(24, 24, 0.04, material, threads);
        rig->pin(0);
        rig->pin(23);
        rig->system.set_grab(
            GrabSpring{{300, 301, 324}, vec3(0.2, 0.3, 0.5), vec3(0.5, 0.3, 0.5), 5, 0.01, 20});
        SolverSettings settings;
        settings.stage_solve = stages;
        settings.linear.kind = kind;
        settings.linear.cg.preconditioner = preconditioner;
        test::Stepper stepper(*rig, info(), settings);
        stepper.steps(2, 0.002);  // the first step of a method with history is one of another method
        const long before = allocations();
        ASSERT_GT(before, 0);  // they are counted at all
        for (int k = 0; k < 4; ++k) {
          rig->system.projection().fix(0, rig->state.x[0] + vec3(0, 1e-4, 0));
          rig->system.set_grab(
              GrabSpring{{300, 301, 324}, vec3(0.2, 0.3, 0.5), vec3(0.6, 0.3, 0.5), 5, 0.01, 20});
          stepper.step(0.002);
        }
        EXPECT_EQ(allocations() - before, 0) << threads << " threads";
      }
    }
  }
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(Allocation);

// Taut cloth goes by a series, compressed cloth with an exact Jacobian by Krylov subspaces.
TEST(ExponentialAllocation, IsOnceForBothWays) {
  for (const double first : {1.1, 0.9}) {
    auto rig = test::make_sheet(12, 12, 0.1, Material());
    SolverSettings settings;
    settings.jacobian = JacobianMode::exact;
    test::Stepper stepper(*rig, *find_integrator("exponential-rosenbrock-euler"), settings);
    const std::vector<vec3> flat = rig->state.x;
    const auto step_from = [&](double width) {
      for (std::size_t i = 0; i < flat.size(); ++i) rig->state.x[i] = width * flat[i];
      rig->state.v.assign(flat.size(), vec3(0.0));
      stepper.step(0.001);
    };
    step_from(first);
    const long before = allocations();
    step_from(2 - first);
    step_from(first);
    EXPECT_EQ(allocations() - before, 0);
  }
}

}  // namespace
}  // namespace clothlab
