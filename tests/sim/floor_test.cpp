// SPDX-License-Identifier: MIT
// The floor against theory: where cloth rests, when it slides and how fast, by every integrator.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "sim/loose_cloth.h"
#include "slowdown.h"

namespace clothlab::testing {
namespace {

constexpr double kG = 9.8;
constexpr double kMu = 0.5;

// An unpinned sheet at y = 0, stable with every method at this step.
Scene loose_sheet(const std::string& integrator) {
  Scene scene = loose_scene(integrator);
  scene.solver.linear.cg.tolerance = 1e-10;
  scene.floor.on = true;
  scene.floor.height = 0;
  scene.floor.friction = kMu;
  return scene;
}

Scene on_a_slope(const std::string& integrator, double angle) {
  Scene scene = loose_sheet(integrator);
  scene.material.gravity = kG * vec3(std::sin(angle), -std::cos(angle), 0);
  scene.solver.newton_tolerance = 1e-12;
  return scene;
}

double lowest(const Simulation& simulation) {
  double y = std::numeric_limits<double>::infinity();
  for (const vec3& x : simulation.state().x) y = std::min(y, x.y);
  return y;
}

double highest(const Simulation& simulation) {
  double y = -std::numeric_limits<double>::infinity();
  for (const vec3& x : simulation.state().x) y = std::max(y, x.y);
  return y;
}

class FloorTest : public ::testing::Test {
 protected:
  WorkerPool pool_{1};
  std::shared_ptr<const ClothMesh> sheet_ = grid_mesh(4, 4);
};

TEST_F(FloorTest, IsWhereAFallingSheetComesToRest) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = loose_sheet(std::string(info.id));
    scene.floor.height = -0.3;
    Simulation simulation(scene, sheet_, pool_);
    ASSERT_EQ(run(simulation, 100), 100) << info.id;  // it is there after 0.247 s
    EXPECT_GT(lowest(simulation), -0.3) << info.id;
    ASSERT_EQ(run(simulation, 50), 50) << info.id;
    EXPECT_EQ(lowest(simulation), -0.3) << info.id;
    EXPECT_EQ(highest(simulation), -0.3) << info.id;
    EXPECT_EQ(simulation.record().energy.kinetic, 0) << info.id;
    // The particles that linear theory takes as held.
    EXPECT_EQ(simulation.constraints(simulation.state().x).entries().size(), 16) << info.id;
    EXPECT_EQ(simulation.constraints(sheet_->positions).entries().size(), 0) << "in the air";
  }
}

// It sticks while tan θ < μ and slides as soon as tan θ > μ, with g (sin θ − μ cos θ).
TEST_F(FloorTest, LetsASheetSlideFromTanThetaOnAsCoulombSays) {
  for (const IntegratorInfo& info : integrators()) {
    const double limit = std::atan(kMu);
    Simulation sticking(on_a_slope(std::string(info.id), limit - 1e-9), sheet_, pool_);
    const State before = sticking.state();
    ASSERT_EQ(run(sticking, 20), 20) << info.id;
    EXPECT_EQ(sticking.state().x, before.x) << info.id;
    EXPECT_EQ(sticking.state().v, before.v) << info.id;

    Simulation creeping(on_a_slope(std::string(info.id), limit + 1e-9), sheet_, pool_);
    ASSERT_EQ(run(creeping, 20), 20) << info.id;
    EXPECT_GT(creeping.state().v[0].x, 0) << info.id;

    const double angle = limit + 0.3;
    Simulation sliding(on_a_slope(std::string(info.id), angle), sheet_, pool_);
    ASSERT_EQ(run(sliding, 100), 100) << info.id;
    const double expected = kG * (std::sin(angle) - kMu * std::cos(angle)) * 0.2;
    for (std::size_t i = 0; i < sheet_->positions.size(); ++i) {
      EXPECT_EQ(sliding.state().x[i].y, 0) << info.id;
      EXPECT_NEAR(sliding.state().v[i].x, expected, 1e-9 * expected) << info.id;
      // Of a constant acceleration, what a step of first order is off by: at most h/2 times the speed.
      EXPECT_NEAR(sliding.state().x[i].x - sheet_->positions[i].x, expected * 0.1, 1.01e-3 * expected)
          << info.id;
    }
  }
}

// v²/(2μg), and energy only falls.
TEST_F(FloorTest, StopsWhatSlides) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = loose_sheet(std::string(info.id));
    scene.initial_state =
        InitialState{sheet_->positions, std::vector<vec3>(sheet_->positions.size(), vec3(0, 0, 1))};
    Simulation simulation(scene, sheet_, pool_);
    double before = simulation.record().energy.total;
    for (int k = 0; k < 110; ++k) {  // it takes 0.204 s
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << info.id;
      EXPECT_LE(simulation.record().energy.total, before) << info.id;
      before = simulation.record().energy.total;
    }
    EXPECT_EQ(simulation.record().energy.kinetic, 0) << info.id;
    EXPECT_NEAR(simulation.state().x[5].z - sheet_->positions[5].z, 1 / (2 * kMu * kG), 2e-3) << info.id;
  }
}

// A corner down and aslant, so that it lands on that corner, folds over and settles, with no more damping
// than that of its springs where the method has none.
TEST_F(FloorTest, BringsAHandkerchiefToRest) {
  const auto mesh = built(make_grid_obj(7, 7, 0.4, 0.4));
  const std::size_t n = mesh->positions.size();
  InitialState corner_down{{}, std::vector<vec3>(n, vec3(0))};
  for (const vec3& x : mesh->positions) {
    const double up = (x.x + x.z) / std::sqrt(2.0);
    corner_down.positions.emplace_back((x.x - x.z) / std::sqrt(2.0), 0.8 * up, 0.6 * up);
  }
  for (const IntegratorInfo& info : integrators()) {
    if (testing::kSlowdown > 1 && info.id != "siere") continue;
    Scene scene = loose_sheet(std::string(info.id));
    scene.initial_state = corner_down;
    scene.material.mass = 0.02;
    scene.material.stretch_stiffness = 5;
    scene.material.bend_stiffness = 0.01;
    scene.material.spring_damping = 0.01;
    scene.floor.height = -0.1;
    Simulation simulation(scene, mesh, pool_);
    ASSERT_EQ(run(simulation, 1500), 1500) << info.id;
    // The triangles of stiff rods stay folded, and hang from folds that do not stick.
    const bool folded = info.inextensible && info.uses_newton;
    const double top = info.id == "shake" ? -0.03 : folded ? -0.05 : -0.09;
    EXPECT_LE(simulation.record().energy.kinetic, folded ? 1e-20 : 0) << info.id;
    EXPECT_EQ(lowest(simulation), -0.1) << info.id;
    EXPECT_LT(highest(simulation), top) << info.id;
  }
}

// Few particles that slide fast take along many that slide back slowly: the friction of these must not push
// the sheet on.
TEST_F(FloorTest, NeverPushesAlongAMotion) {
  Scene scene = loose_sheet("semi-implicit-euler");
  scene.material.stretch_stiffness = 1e6;
  scene.dt = 1.0 / 60;
  const std::size_t n = sheet_->positions.size();
  std::vector<vec3> velocity(n, vec3(-0.3, 0, 0));
  for (std::size_t i = 0; i < 4; ++i) velocity[i].x = 1;
  scene.initial_state = InitialState{sheet_->positions, velocity};
  Simulation simulation(scene, sheet_, pool_);
  ASSERT_EQ(simulation.step(pool_), StepStatus::done);
  double sum = 0;
  for (const vec3& v : simulation.state().v) sum += v.x;
  EXPECT_LE(std::abs(sum), 4 * 1 - 12 * 0.3);
}

// Falling, all particles take iterations of CG; those that land stick, and there is nothing left to solve
// for.
TEST_F(FloorTest, ShowsTheSolveOfAFallThatEndsOnTheFloor) {
  Scene scene = loose_sheet("siere");
  scene.floor.height = -1e-6;
  Simulation simulation(scene, sheet_, pool_);
  ASSERT_EQ(simulation.step(pool_), StepStatus::done);
  EXPECT_EQ(lowest(simulation), -1e-6);
  EXPECT_GT(simulation.record().cg_iterations, 0);
  EXPECT_EQ(simulation.residual_history().size(),
            static_cast<std::size_t>(simulation.record().cg_iterations) + 1);
}

TEST_F(FloorTest, LetsGoOfWhatIsPulledUp) {
  Scene scene = loose_sheet("semi-implicit-euler");
  Simulation simulation(scene, sheet_, pool_);
  ASSERT_EQ(run(simulation, 10), 10);
  simulation.apply(pool_, SetGravity{vec3(0, 3, 0)});
  ASSERT_EQ(run(simulation, 50), 50);
  for (const vec3& v : simulation.state().v) EXPECT_NEAR(v.y, 3 * 0.1, 1e-9);
}

TEST_F(FloorTest, IsNoPin) {
  Scene scene = loose_sheet("semi-implicit-euler");
  scene.pins = std::vector<std::uint32_t>{3};
  Simulation simulation(scene, sheet_, pool_);
  ASSERT_EQ(run(simulation, 10), 10);
  EXPECT_TRUE(simulation.is_pinned(3));
  EXPECT_FALSE(simulation.is_pinned(0));
  EXPECT_EQ(simulation.system().projection().entries().size(), 1u);
  // A pin goes where it is told, through the floor as well.
  simulation.apply(pool_, MovePins{{{3, simulation.state().x[3] - vec3(0, 0.1, 0)}}, 0.2});
  ASSERT_EQ(run(simulation, 110), 110);
  EXPECT_NEAR(simulation.state().x[3].y, -0.1, 1e-12);
  EXPECT_EQ(simulation.state().x[0].y, 0);
}

TEST_F(FloorTest, LiftsWhatLiesBelowItWithoutABlowUp) {
  for (const char* integrator : {"semi-implicit-euler", "backward-euler", "xpbd", "projective-dynamics"}) {
    Scene scene;  // a sheet that hangs from two corners, 1 m down
    scene.integrator = integrator;
    scene.integrator_parameters = {{"xpbd-iterations", 20},
                                   {"xpbd-substeps", 1}};  // with more it swings back
    scene.floor.height = -0.25;
    Simulation simulation(scene, grid_mesh(8, 8), pool_);
    ASSERT_EQ(run(simulation, 60), 60);
    EXPECT_LT(lowest(simulation), -0.35);
    simulation.apply(pool_, SetParameter{"floor", 1});
    ASSERT_EQ(run(simulation, 72), 72) << integrator;
    EXPECT_EQ(lowest(simulation), -0.25) << integrator;
  }
}

TEST_F(FloorTest, LetsTheHandGrabWhatLiesOnIt) {
  Scene scene = loose_sheet("semi-implicit-euler");
  Simulation simulation(scene, sheet_, pool_);
  ASSERT_EQ(run(simulation, 10), 10);
  const vec3 grabbed = simulation.state().x[5];
  simulation.apply(pool_, Grab{{5, 6, 9}, vec3(1, 0, 0), grabbed + vec3(0.3, 0, 0), 40, 0.1});
  ASSERT_EQ(run(simulation, 1000), 1000);
  EXPECT_GT(simulation.state().x[5].x, grabbed.x + 0.2);
  EXPECT_EQ(lowest(simulation), 0);
  simulation.apply(pool_, Release{});
  ASSERT_EQ(run(simulation, 500), 500);
  EXPECT_EQ(simulation.record().energy.kinetic, 0);
  EXPECT_EQ(highest(simulation), 0);
}

TEST_F(FloorTest, GivesTheSameBitsForAnyNumberOfThreadsAndAfterARewind) {
  const auto mesh = built(find_generated_mesh("handkerchief").make());
  State expected;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    Scene scene = loose_sheet("semi-implicit-euler");
    scene.dt = 1.0 / 60;
    scene.floor.height = -0.1;
    Simulation simulation(scene, mesh, pool);
    ASSERT_EQ(run(simulation, 20, pool), 20);
    Checkpoint then;
    simulation.save(pool, then);
    ASSERT_EQ(run(simulation, 20, pool), 20);
    if (threads == 1) expected = simulation.state();
    EXPECT_TRUE(same_bits(simulation.state(), expected)) << threads;
    simulation.load(pool, then);
    ASSERT_EQ(run(simulation, 20, pool), 20);
    EXPECT_TRUE(same_bits(simulation.state(), expected)) << threads;
  }
}

TEST_F(FloorTest, GivesTheSameBitsAfterEveryRewindByMethodsWithAMemory) {
  const auto mesh = grid_mesh(5, 5);
  for (const char* integrator : kRewound) {
    Scene scene = loose_sheet(integrator);
    scene.floor.height = -0.02;
    InitialState falling{mesh->positions, std::vector<vec3>(mesh->positions.size(), vec3(0.3, -1, 0))};
    for (vec3& x : falling.positions) x.y += 0.02 * x.x;
    scene.initial_state = falling;
    Simulation simulation(scene, mesh, pool_);
    ASSERT_EQ(run(simulation, 8), 8) << integrator;
    Checkpoint then;
    simulation.save(pool_, then);
    State expected;
    for (int time = 0; time < 3; ++time) {
      simulation.load(pool_, then);
      ASSERT_EQ(run(simulation, 4 + 4 * time), 4 + 4 * time) << integrator;  // landing, and landed
      simulation.load(pool_, then);
      ASSERT_EQ(run(simulation, 12), 12) << integrator;
      if (time == 0) expected = simulation.state();
      EXPECT_TRUE(same_bits(simulation.state(), expected)) << integrator << ' ' << time;
    }
    EXPECT_EQ(lowest(simulation), -0.02) << integrator;
  }
}

}  // namespace
}  // namespace clothlab::testing
