// SPDX-License-Identifier: MIT
#include "experiments/reversal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/stop_probe.h"
#include "documents/scene_loader.h"
#include "one_thread.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr double kOmega = 10, kStretch = 0.1;  // [rad/s], [m]

/// A mass on a spring of 1 m along x, which starts stretched and at rest: a linear oscillator.
LoadedScene oscillator(const char* id, double h_omega) {
  Scene scene;
  scene.mesh = GeneratedSource{"pendulum"};
  scene.pins = std::vector<std::uint32_t>{0};
  scene.material.mass = 0.2;  // of two particles
  scene.material.stretch_stiffness = 0.1 * kOmega * kOmega;
  scene.material.spring_damping = 0;
  scene.material.gravity = vec3(0);
  scene.initial_state = InitialState{{vec3(0), vec3(1 + kStretch, 0, 0)}, {vec3(0), vec3(0)}};
  scene.dt = h_omega / kOmega;
  scene.solver.newton_tolerance = scene.solver.linear.cg.tolerance = 1e-13;
  set_integrator(scene, *find_integrator(id));
  return load_scene(std::move(scene));
}

Reversal reversal_of(const LoadedScene& loaded, std::uint64_t steps) {
  Simulation simulation(loaded.scene, loaded.mesh, one_thread());
  return measure_reversal(simulation, steps, one_thread(), {});
}

// Reversed velocities turn a step R(hA) into R(−hA), and R(iy) R(−iy) = |R(iy)|²: the oscillator returns to
// |R|²ᴺ times its start.
TEST(Reversal, LeavesTheSquareOfTheGrowthOfEveryStep) {
  constexpr int kSteps = 10;
  for (const char* id :
       {"explicit-euler", "rk4", "semi-implicit-euler", "backward-euler", "implicit-midpoint", "trapezoidal",
        "tr-bdf2", "sdirk2", "exponential-rosenbrock-euler", "newmark"})
    for (const double h_omega : {0.1, 0.4}) {
      SCOPED_TRACE(id);
      const IntegratorInfo& info = *find_integrator(id);
      const Reversal reversal = reversal_of(oscillator(id, h_omega), kSteps);
      ASSERT_EQ(reversal.status, StepStatus::done);
      ASSERT_EQ(reversal.points.size(), kSteps);
      const double returned = std::pow(info.growth(h_omega, 0, default_parameters(info)), 2 * kSteps);
      const ReversalPoint& end = reversal.points.back();
      EXPECT_EQ(end.step, kSteps);
      EXPECT_NEAR(end.error_x, kStretch * std::abs(returned - 1) / std::sqrt(2), 1e-10);
      EXPECT_NEAR(end.error_v, 0, 1e-9);
      const double energy = 0.5 * 0.1 * kOmega * kOmega * kStretch * kStretch;
      EXPECT_NEAR(reversal.energy_gain, energy * (returned * returned - 1), 1e-9);
    }
}

// Symplectic Euler becomes its adjoint: it conserves a modified energy, yet it does not return.
TEST(Reversal, BringsVerletBackAndNotSymplecticEuler) {
  for (const char* id : {"velocity-verlet", "yoshida4"})
    EXPECT_LT(reversal_of(oscillator(id, 0.4), 50).points.back().error_x, 1e-12) << id;
  EXPECT_GT(reversal_of(oscillator("symplectic-euler", 0.4), 50).points.back().error_x, 1e-3);
}

// At most 256 points; each is compared with the one of its own time.
TEST(Reversal, ComparesStatesOfTheSameTime) {
  EXPECT_EQ(reversal_of(oscillator("velocity-verlet", 0.1), 256).points.size(), 256U);
  EXPECT_EQ(reversal_of(oscillator("velocity-verlet", 0.1), 257).points.size(), 129U);
  const Reversal reversal = reversal_of(oscillator("velocity-verlet", 0.1), 301);
  ASSERT_EQ(reversal.points.size(), 151U);
  EXPECT_EQ(reversal.points.front().step, 1U);
  EXPECT_EQ(reversal.points.back().step, 301U);
  for (const ReversalPoint& point : reversal.points) {
    EXPECT_LT(point.error_x, 1e-12) << point.step;
    EXPECT_LT(point.error_v, 1e-11) << point.step;
  }
}

TEST(Reversal, EndsWithABlowUpAndOnCancellation) {
  const Reversal grown = reversal_of(oscillator("explicit-euler", 2), 100);
  EXPECT_EQ(grown.status, StepStatus::blown_up);
  EXPECT_TRUE(grown.points.empty());
  const LoadedScene loaded = oscillator("rk4", 0.1);
  Simulation simulation(loaded.scene, loaded.mesh, one_thread());
  EXPECT_EQ(measure_reversal(simulation, 5, one_thread(), [] { return true; }).status, StepStatus::stopped);
}

}  // namespace
}  // namespace clothlab
