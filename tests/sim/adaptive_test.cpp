// SPDX-License-Identifier: MIT
// Adaptive steps (model.md): halved when bad, doubled after two good ones in a row, never below dt/1024.

#include <vector>

#include "sim/step_control.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

/// The substeps of one step of dt, in units, when those longer than `good` are bad.
std::vector<int> substeps(StepControl& control, int good) {
  std::vector<int> taken;
  control.begin();
  while (!control.done()) {
    if (control.units() > good && !control.at_smallest()) {
      control.refuse();
      continue;
    }
    taken.push_back(control.units());
    control.accept(control.units() <= good);
  }
  return taken;
}

TEST(StepControl, HalvesAndDoubles) {
  StepControl control;
  EXPECT_EQ(substeps(control, 1024), (std::vector<int>{1024}));
  EXPECT_EQ(substeps(control, 512), (std::vector<int>{512, 512}));
  // Doubled after two good ones, and refused again.
  EXPECT_EQ(substeps(control, 512), (std::vector<int>{512, 512}));
  EXPECT_EQ(substeps(control, 1024), (std::vector<int>{1024}));
  EXPECT_EQ(substeps(control, 256), (std::vector<int>{256, 256, 256, 256}));
  // The size carries over to the next step: 256 was tried at 512 in between.
  EXPECT_EQ(substeps(control, 1024), (std::vector<int>{512, 512}));
  EXPECT_EQ(substeps(control, 1024), (std::vector<int>{1024}));
}

TEST(StepControl, SubstepsAddUpWhateverIsBad) {
  StepControl control;
  std::uint32_t random = 1;
  for (int step = 0; step < 200; ++step) {
    control.begin();
    int sum = 0, attempts = 0;
    while (!control.done()) {
      ASSERT_LT(++attempts, 10000);
      random = random * 1664525u + 1013904223u;
      const bool good = (random >> 24) % 3 != 0;
      ASSERT_GE(control.units(), 1);
      if (!good && !control.at_smallest()) {
        control.refuse();
        continue;
      }
      sum += control.units();
      control.accept(good);
    }
    EXPECT_EQ(sum, StepControl::kUnits);
  }
}

TEST(StepControl, TheSmallestStepEndsTheHalving) {
  StepControl control;
  EXPECT_EQ(substeps(control, 0), std::vector<int>(1024, 1));
}

class AdaptiveTest : public ::testing::Test {
 protected:
  std::unique_ptr<Simulation> start(const Scene& scene) {
    return std::make_unique<Simulation>(scene, mesh, pool);
  }
  WorkerPool pool{1};
  std::shared_ptr<const ClothMesh> mesh = grid_mesh(8, 8);
};

Scene adaptive(const char* integrator) {
  Scene scene;
  scene.integrator = integrator;
  scene.adaptive = true;
  return scene;
}

TEST_F(AdaptiveTest, AnUnstableStepIsCutDownToAStableOne) {
  Scene scene = adaptive("symplectic-euler");
  const double limit = 2 / omega_max(*start(scene), pool);
  ASSERT_GT(scene.dt, 2 * limit);
  auto simulation = start(scene);
  bool cut = false;
  for (std::uint64_t step = 1; step <= 60; ++step) {
    ASSERT_EQ(simulation->step(pool), StepStatus::done);
    EXPECT_EQ(simulation->steps(), step);  // steps count dt, whatever the substeps
    EXPECT_NEAR(simulation->state().t, static_cast<double>(step) / 60, 1e-12);
    EXPECT_LE(simulation->record().max_strain, 0.1);
    cut = cut || simulation->record().h < limit;
  }
  EXPECT_TRUE(cut);
}

TEST_F(AdaptiveTest, AGoodRunIsTheSameAsWithout) {
  Scene scene = adaptive("semi-implicit-euler");
  scene.max_strain = 100;
  auto with = start(scene);
  scene.adaptive = false;
  auto without = start(scene);
  EXPECT_EQ(run(*with, 60), 60);
  EXPECT_EQ(run(*without, 60), 60);
  EXPECT_TRUE(same_bits(with->state(), without->state()));
  EXPECT_EQ(with->record().h, 1.0 / 60);
}

TEST_F(AdaptiveTest, TheStrainIsKeptWhereItCanBe) {
  Scene scene = adaptive("semi-implicit-euler");
  scene.material.stretch_stiffness = 200;
  scene.adaptive = false;
  auto fixed = start(scene);
  double most = 0;
  for (int k = 0; k < 40; ++k) {
    fixed->step(pool);
    most = std::max(most, fixed->record().max_strain);
  }
  scene.adaptive = true;
  scene.max_strain = most * 0.9;
  auto simulation = start(scene);
  bool cut = false;
  for (int k = 0; k < 40; ++k) {
    ASSERT_EQ(simulation->step(pool), StepStatus::done);
    cut = cut || simulation->record().h < 1.0 / 60;
    EXPECT_TRUE(simulation->record().max_strain <= most * 0.9 || !simulation->record().warning.empty());
  }
  EXPECT_TRUE(cut);
}

TEST_F(AdaptiveTest, TheSmallestStepIsAcceptedWithAWarning) {
  Scene scene = adaptive("symplectic-euler");
  scene.max_strain = 1e-4;
  scene.material.stretch_stiffness = 1;  // no step can keep that
  auto simulation = start(scene);
  EXPECT_EQ(run(*simulation, 5), 5);
  EXPECT_EQ(simulation->record().h, 1.0 / 60 / 1024);
  EXPECT_NE(simulation->record().warning.find("h/1024"), std::string_view::npos);
  EXPECT_TRUE(simulation->record().converged);
  EXPECT_TRUE(simulation->record().reason.empty());
  EXPECT_NEAR(simulation->state().t, 5.0 / 60, 1e-12);
}

TEST_F(AdaptiveTest, ABlowUpOfTheSmallestStepIsABlowUp) {
  Scene scene = adaptive("symplectic-euler");
  scene.material.stretch_stiffness = 1e9;
  auto simulation = start(scene);
  const int steps = run(*simulation, 100);
  ASSERT_LT(steps, 100);
  EXPECT_EQ(simulation->steps(), static_cast<std::uint64_t>(steps));
  EXPECT_EQ(simulation->blow_up()->h, 1.0 / 60 / 1024);
  EXPECT_NEAR(simulation->state().t, steps / 60.0, 1e-12);
}

TEST_F(AdaptiveTest, AHistoryIsOfOneStepSize) {
  // Strained from the start: BDF2 meets the whole step and all its halves in vain, and must start anew with
  // the smallest one, as it does where that is the only one.
  Scene scene = adaptive("bdf2");
  scene.material.stretch_stiffness = 1;
  scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(mesh->positions.size())};
  for (vec3& x : scene.initial_state->positions) x *= 1.5;
  const auto simulation = start(scene);
  ASSERT_EQ(simulation->step(pool), StepStatus::done);
  ASSERT_EQ(simulation->record().h, scene.dt / StepControl::kUnits);
  scene.adaptive = false;
  scene.dt /= StepControl::kUnits;
  const auto small = start(scene);
  ASSERT_EQ(run(*small, StepControl::kUnits), StepControl::kUnits);
  EXPECT_NEAR(simulation->state().t, small->state().t, 1e-12);
  State all = small->state();
  all.t = simulation->state().t;  // that of a whole step
  EXPECT_TRUE(same_bits(simulation->state(), all));
}

TEST_F(AdaptiveTest, PinsMoveLinearlyThroughTheSubsteps) {
  Scene scene = adaptive("symplectic-euler");
  auto simulation = start(scene);
  run(*simulation, 10);
  ASSERT_LT(simulation->record().h, 1.0 / 60);
  simulation->apply(pool, MovePins{{{0, vec3(0.05, 0, 0)}}, 5.0 / 60});
  for (int k = 1; k <= 5; ++k) {
    ASSERT_EQ(simulation->step(pool), StepStatus::done);
    EXPECT_NEAR(simulation->state().x[0].x, 0.01 * k, 1e-13);
    EXPECT_NEAR(simulation->state().v[0].x, 0.6, 1e-9);
  }
  EXPECT_EQ(simulation->state().x[0], vec3(0.05, 0, 0));
}

TEST(Substeps, AreStepsOfASmallerHBetweenTheSameCommands) {
  WorkerPool pool;
  for (const std::string_view method : {"symplectic-euler", "semi-implicit-euler", "bdf2", "xpbd"}) {
    Scene scene = Scene();
    scene.integrator = method;
    scene.dt = 1.0 / 128;
    scene.substeps = 4;
    scene.wind.on = true;
    scene.floor.on = true;
    Simulation coarse(scene, grid_mesh(5, 5), pool);
    scene.dt /= 4;
    scene.substeps = 1;
    Simulation fine(scene, grid_mesh(5, 5), pool);
    for (int step = 0; step < 20; ++step) {
      ASSERT_EQ(coarse.step(pool), StepStatus::done);
      for (int substep = 0; substep < 4; ++substep) ASSERT_EQ(fine.step(pool), StepStatus::done);
    }
    EXPECT_EQ(coarse.steps(), 20u);
    EXPECT_EQ(coarse.record().h, scene.dt) << "of a substep";
    EXPECT_EQ(coarse.state().x, fine.state().x) << method;
    EXPECT_EQ(coarse.state().v, fine.state().v) << method;
    EXPECT_EQ(coarse.state().t, fine.state().t) << method;
  }
}

TEST(Substeps, EndAtTheSameTimeAsOneStep) {
  WorkerPool pool;
  Scene scene = Scene();
  scene.dt = 0.01;
  Simulation one(scene, grid_mesh(4, 4), pool);
  scene.substeps = 7;
  Simulation seven(scene, grid_mesh(4, 4), pool);
  for (int step = 0; step < 50; ++step) {
    one.step(pool);
    seven.step(pool);
    ASSERT_EQ(one.state().t, seven.state().t);
  }
}

}  // namespace
}  // namespace clothlab::testing
