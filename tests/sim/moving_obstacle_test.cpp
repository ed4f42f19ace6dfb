// SPDX-License-Identifier: MIT
// Obstacles that move against theory: what lies on them is carried along, lifted and swept.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "sim/checkpoint.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kDown = 9.8;
constexpr double kGrip = 0.4;

// A sheet of 1 m that lies on a level plane.
Scene on_a_plane(const std::string& integrator) {
  Scene scene = loose_scene(integrator);
  scene.solver.linear.cg.tolerance = 1e-10;
  scene.solver.newton_tolerance = 1e-10;
  scene.obstacles.bodies = {parse_obstacle("plane:0,1,0,0")};
  scene.obstacles.friction = kGrip;
  return scene;
}

class MovingObstacle : public ::testing::Test {
 protected:
  WorkerPool pool_{1};
  std::shared_ptr<const ClothMesh> sheet_ = grid_mesh(4, 4);
};

// Coulomb: what lies on a plane that moves along itself slides with μ g until it has its speed, then it
// sticks. The work of the plane is what that has given, F times the way of the cloth.
TEST_F(MovingObstacle, DragsAlongWhatLiesOnIt) {
  constexpr double kSpeed = 1;
  for (const IntegratorInfo& info : integrators()) {
    Simulation simulation(on_a_plane(std::string(info.id)), sheet_, pool_);
    simulation.apply(pool_, MoveObstacle{0, vec3(kSpeed, 0, 0), 1});
    ASSERT_EQ(run(simulation, 100), 100) << info.id;
    const double speed = kGrip * kDown * 0.2;
    for (const vec3& v : simulation.state().v)
      EXPECT_LT(glm::distance(v, vec3(speed, 0, 0)), 1e-8) << info.id;
    EXPECT_NEAR(simulation.record().ledger.contact, 0.5 * 0.2 * speed * speed, 1e-8) << info.id;

    ASSERT_EQ(run(simulation, 50), 50) << info.id;  // the speed is reached after 0.255 s
    const State before = simulation.state();
    ASSERT_EQ(run(simulation, 50), 50) << info.id;
    for (std::size_t i = 0; i < before.x.size(); ++i) {
      EXPECT_LT(glm::distance(simulation.state().v[i], vec3(kSpeed, 0, 0)), 1e-11) << info.id;
      EXPECT_LT(glm::distance(simulation.state().x[i], before.x[i] + vec3(0.1 * kSpeed, 0, 0)), 1e-11)
          << info.id;
    }
    EXPECT_NEAR(simulation.record().ledger.contact, 0.5 * 0.2 * kSpeed * kSpeed, 1e-8) << info.id;
  }
}

// The plane stops at its goal, and friction the cloth: v²/(2 μ g) further.
TEST_F(MovingObstacle, StopsAtItsGoal) {
  Simulation simulation(on_a_plane("semi-implicit-euler"), sheet_, pool_);
  simulation.apply(pool_, MoveObstacle{0, vec3(0.5, 0, 0), 0.5});
  ASSERT_EQ(run(simulation, 500), 500);
  const double slid_before = 0.5 * 1 / (kGrip * kDown);  // behind the plane while it catches up
  EXPECT_NEAR(simulation.state().x[5].x - sheet_->positions[5].x, 0.5 - slid_before + 0.5 / (kGrip * kDown),
              3e-3);
  EXPECT_EQ(simulation.record().energy.kinetic, 0);
}

// What rises at 1 m/s lifts with its speed, and its work is the kinetic and the potential energy.
TEST_F(MovingObstacle, LiftsWithItsSpeed) {
  for (const IntegratorInfo& info : integrators()) {
    Simulation simulation(on_a_plane(std::string(info.id)), sheet_, pool_);
    ASSERT_EQ(run(simulation, 1), 1)
        << info.id;  // in the first one rods take over the velocities of what holds them
    simulation.apply(pool_, MoveObstacle{0, vec3(0, 1, 0), 1});
    for (int k = 1; k <= 100; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << info.id;
      for (std::size_t i = 0; i < sheet_->positions.size(); ++i) {
        ASSERT_NEAR(simulation.state().x[i].y, 2e-3 * k, 1e-11) << info.id << k;
        ASSERT_NEAR(simulation.state().v[i].y, 1, 1e-9) << info.id << k;
      }
    }
    EXPECT_NEAR(simulation.record().ledger.contact, 0.5 * 0.2 + 0.2 * kDown * 0.2, 2e-6) << info.id;
    // What it threw up falls back onto it.
    EXPECT_EQ(run(simulation, 700), 700) << info.id;
    for (const vec3& x : simulation.state().x) EXPECT_NEAR(x.y, 1, 1e-11) << info.id;
  }
}

// In a plane that moves across itself, what falls onto it lands on it where it is then.
TEST_F(MovingObstacle, IsLandedOnWhereItIs) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = on_a_plane(std::string(info.id));
    scene.obstacles.bodies = {parse_obstacle("plane:0,1,0,-0.5")};
    Simulation simulation(scene, sheet_, pool_);
    simulation.apply(pool_, MoveObstacle{0, vec3(0, -0.1, 0), 0.4});  // at 1 m/s
    double fastest = 0;
    for (int k = 0; k < 190; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << info.id;
      ASSERT_GE(least_gap(simulation), -2e-12) << info.id << k;
      if (least_gap(simulation) < 1e-11) fastest = std::max(fastest, simulation.state().v[0].y);
    }
    EXPECT_NEAR(fastest, 1, 1e-9) << info.id;
  }
}

// A sheet draped over a ball goes with it.
TEST_F(MovingObstacle, CarriesAlongWhatHangsOverIt) {
  const auto sheet = built(make_grid_obj(12, 12, 0.6, 0.6));
  for (const char* integrator : {"semi-implicit-euler", "bdf2", "xpbd", "projective-dynamics"}) {
    Scene scene;
    scene.integrator = integrator;
    scene.pins = PinPreset::none;
    scene.dt = 5e-3;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.3,-0.26,0.3,0.25")};
    scene.obstacles.friction = 1;
    Simulation simulation(scene, sheet, pool_);
    ASSERT_EQ(run(simulation, 100), 100) << integrator;
    const auto middle = [&] {
      vec3 sum(0);
      for (const vec3& x : simulation.state().x) sum += x;
      return sum / static_cast<double>(simulation.state().x.size());
    };
    const vec3 before = middle();
    const double done_before = simulation.record().ledger.contact;
    double done = 0;
    simulation.apply(pool_, MoveObstacle{0, vec3(0.8, -0.26, 0.3), 1});
    for (int k = 0; k < 200; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << integrator;
      ASSERT_GE(least_gap(simulation), -2e-12) << integrator << k;
      done = std::max(done, simulation.record().ledger.contact - done_before);
    }
    EXPECT_NEAR(middle().x - before.x, 0.5, 0.08) << integrator;
    EXPECT_GT(done, 0.4 * 0.5 * 0.2 * 0.25) << integrator << ": a good part of ½ m u²";
  }
}

// A ball and a box are driven into a falling sheet.
TEST_F(MovingObstacle, NothingEndsBelowIt) {
  const auto sheet = grid_mesh(9, 9);
  for (const char* body : {"sphere:0.5,-0.4,0.5,0.25", "box:0.5,-0.5,0.5,0.3,0.4,0.5"})
    for (const IntegratorInfo& info : tried_integrators()) {
      Scene scene = loose_scene(info.id);
      scene.obstacles.bodies = {parse_obstacle(body)};
      Simulation simulation(scene, sheet, pool_);
      simulation.apply(pool_, MoveObstacle{0, vec3(0.5, 0.1, 0.4), 0.4});
      std::size_t most = 0;
      for (int k = 0; k < 250; ++k) {
        if (simulation.step(pool_) != StepStatus::done) {
          EXPECT_EQ(info.id, "explicit-euler") << body << k;  // which grows at every h
          break;
        }
        ASSERT_GE(least_gap(simulation), -2e-12) << body << info.id << " step " << k;
        most = std::max(most, simulation.constraints(simulation.state().x).entries().size());
      }
      if (!simulation.blow_up()) {
        // Triangles of rods do not bend around a ball.
        EXPECT_GT(most, info.inextensible ? 3u : 4u) << body << info.id;
      }
    }
}

TEST_F(MovingObstacle, IsNoFasterThanClothCanFollow) {
  Scene scene = on_a_plane("semi-implicit-euler");
  scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.5,0.5,0.2"),
                            parse_obstacle("sphere:0.5,-0.9,0.5,0.001")};
  Simulation simulation(scene, sheet_, pool_);
  simulation.apply(pool_, MoveObstacle{0, vec3(900, -0.5, 0.5), 0.01});
  simulation.apply(pool_, MoveObstacle{1, vec3(0.5, -9, 0.5), 0.01});
  EXPECT_EQ(simulation.scene().obstacles.bodies[0].from, vec3(900, -0.5, 0.5)) << "where it goes";
  std::vector<Obstacle> before = simulation.obstacles();
  EXPECT_EQ(before[0].from, vec3(0.5, -0.5, 0.5)) << "where it is";
  for (int k = 0; k < 20; ++k) {
    ASSERT_EQ(simulation.step(pool_), StepStatus::done);
    const std::vector<Obstacle> now = simulation.obstacles();
    EXPECT_NEAR(glm::distance(now[0].from, before[0].from), 2 * std::sqrt(2.0) * 2e-3, 1e-9);
    EXPECT_NEAR(glm::distance(now[1].from, before[1].from), 0.0005, 1e-9) << "half its depth";
    before = now;
  }
  // Sent back while it is under way, it turns round where it is.
  simulation.apply(pool_, MoveObstacle{0, vec3(0.5, -0.5, 0.5), 0.01});
  EXPECT_LT(glm::distance(simulation.obstacles()[0].from, before[0].from), 1e-9);
  ASSERT_EQ(run(simulation, 40), 40);
  EXPECT_EQ(simulation.obstacles()[0].from, vec3(0.5, -0.5, 0.5));
}

TEST_F(MovingObstacle, IsThereAtOnceWithoutADuration) {
  Simulation simulation(on_a_plane("bdf2"), sheet_, pool_);
  simulation.apply(pool_, MoveObstacle{0, vec3(0, 0.1, 0), 0});
  EXPECT_EQ(simulation.obstacles()[0].offset, 0.1);
  ASSERT_EQ(run(simulation, 120), 120);  // lifted at 1 m/s
  for (const vec3& x : simulation.state().x) EXPECT_NEAR(x.y, 0.1, 1e-11);
  EXPECT_THROW(simulation.apply(pool_, MoveObstacle{1, vec3(0), 0}), InputError);
  EXPECT_THROW(simulation.apply(pool_, MoveObstacle{0, vec3(0, 2000, 0), 0}), InputError);
  EXPECT_THROW(simulation.apply(pool_, MoveObstacle{0, vec3(0), -1}), InputError);
}

TEST_F(MovingObstacle, RestsWhereTheSceneHasItAfterAReset) {
  Simulation simulation(on_a_plane("bdf2"), sheet_, pool_);
  simulation.apply(pool_, MoveObstacle{0, vec3(0, -1, 0), 1});
  ASSERT_EQ(run(simulation, 10), 10);
  EXPECT_LT(simulation.obstacles()[0].offset, 0);
  EXPECT_GT(simulation.obstacles()[0].offset, -1);
  simulation.apply(pool_, Reset{});
  EXPECT_EQ(simulation.obstacles()[0].offset, -1);
}

TEST_F(MovingObstacle, GivesTheSameBitsForAnyNumberOfThreadsAndFromAFile) {
  const auto sheet = grid_mesh(40, 40);
  for (const char* integrator : {"bdf2", "semi-implicit-euler", "xpbd"}) {
    std::uint64_t first = 0;
    Scene scene;
    scene.integrator = integrator;
    scene.dt = 5e-3;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.5,0.5,0.2"), parse_obstacle("plane:0,1,0,-0.9")};
    scene.obstacles.bodies[1].path = {{{0, vec3(0), vec3(0)}, {0.3, vec3(0, 0.1, 0), vec3(30, 0, 0)}}, false};
    for (const int threads : {1, 2, 4}) {
      WorkerPool pool(threads);
      Simulation simulation(scene, sheet, pool), resumed(scene, sheet, pool);
      simulation.apply(pool, MoveObstacle{0, vec3(0.5, 0, 0.3), 0.6});
      simulation.apply(pool, MoveObstacle{1, vec3(0.5, -0.5, 0.3), 0.6});
      run(simulation, 70);
      Checkpoint moment;
      simulation.save(pool, moment);
      const Checkpoint read = through_numbers(moment);
      resumed.load(pool, read);
      run(simulation, 20);
      run(resumed, 20);
      const std::uint64_t hash = state_hash(simulation.state());
      EXPECT_EQ(state_hash(resumed.state()), hash) << integrator;
      if (first == 0) first = hash;
      EXPECT_EQ(hash, first) << integrator << threads;
    }
  }
}

// A patch of 1 mm, which moves as a point, at a distance from the axis of a level plane that turns.
struct OnTurntable {
  OnTurntable(const std::string& integrator, double distance, double spin)
      : mesh(built(make_grid_obj(2, 2, 1e-3, 1e-3))) {
    Scene scene = on_a_plane(integrator);
    scene.dt = 1e-3;
    const double third = 2 * std::numbers::pi / spin / 3;
    for (int k = 0; k <= 3; ++k)
      scene.obstacles.bodies[0].path.keys.push_back({k * third, vec3(0), vec3(0, 120 * k, 0)});
    scene.obstacles.bodies[0].path.loops = true;
    InitialState start;
    for (const double a : {-0.5e-3, 0.5e-3})
      for (const double b : {-0.5e-3, 0.5e-3}) {
        start.positions.emplace_back(distance + a, 0, b);
        start.velocities.push_back(glm::cross(vec3(0, spin, 0), start.positions.back()));
      }
    scene.initial_state = start;
    simulation = std::make_unique<Simulation>(scene, mesh, pool);
  }
  vec3 place() const {
    vec3 sum(0);
    for (const vec3& x : simulation->state().x) sum += x / 4.0;
    return sum;
  }

  WorkerPool pool{1};
  std::shared_ptr<const ClothMesh> mesh;
  std::unique_ptr<Simulation> simulation;
};

// What lies on a plane that turns goes round with it while ω² r < μ g, else it slides outwards.
TEST_F(MovingObstacle, TakesRoundWhatLiesOnIt) {
  constexpr double kDistance = 0.5;
  const double limit = std::sqrt(kGrip * kDown / kDistance);
  for (const IntegratorInfo& info : integrators()) {
    OnTurntable slow(std::string(info.id), kDistance, 0.95 * limit);
    const int quarter = static_cast<int>(0.5 * std::numbers::pi / (0.95 * limit) / 1e-3);
    ASSERT_EQ(run(*slow.simulation, quarter), quarter) << info.id;
    const double angle = quarter * 1e-3 * 0.95 * limit;
    EXPECT_LT(glm::distance(slow.place(), kDistance * vec3(std::cos(angle), 0, -std::sin(angle))), 1e-9)
        << info.id;
    OnTurntable fast(std::string(info.id), kDistance, 1.05 * limit);
    ASSERT_EQ(run(*fast.simulation, quarter), quarter) << info.id;
    EXPECT_GT(glm::length(fast.place()), kDistance + 1e-3) << info.id;
    EXPECT_GE(least_gap(*fast.simulation), -2e-12) << info.id;
  }
}

// A path that goes straight is what the hand does.
TEST_F(MovingObstacle, OnAPathIsAsByHand) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = on_a_plane(std::string(info.id));
    Simulation by_hand(scene, sheet_, pool_);
    by_hand.apply(pool_, MoveObstacle{0, vec3(0.5, 0.4, 0), 0.4});
    scene.obstacles.bodies[0].path = {{{0, vec3(0), vec3(0)}, {0.4, vec3(0.5, 0.4, 0), vec3(0)}}, false};
    Simulation on_path(scene, sheet_, pool_);
    ASSERT_EQ(run(by_hand, 190), 190) << info.id;
    ASSERT_EQ(run(on_path, 190), 190) << info.id;
    for (std::size_t i = 0; i < sheet_->positions.size(); ++i)
      EXPECT_LT(glm::distance(by_hand.state().x[i], on_path.state().x[i]), 1e-10) << info.id;
  }
}

// A box that tips over under a sheet, a bar that turns about its middle and a ball that rolls.
TEST_F(MovingObstacle, NothingEndsBelowWhatTurns) {
  const auto sheet = grid_mesh(9, 9);
  Obstacle box = turned(parse_obstacle("box:0.5,-0.3,0.5,0.6,0.2,0.5"), vec3(0, 20, 0));
  box.path = {{{0, vec3(0), vec3(0)}, {0.4, vec3(0.1, 0, 0), vec3(0, 0, 80)}}, false};
  Obstacle bar = parse_obstacle("cylinder:0.1,-0.2,0.5,0.9,-0.2,0.5,0.1");
  bar.path = {{{0, vec3(0), vec3(0)}, {0.5, vec3(0), vec3(0, 170, 0)}}, false};
  Obstacle ball = parse_obstacle("sphere:0.3,-0.3,0.5,0.25");
  ball.path = {{{0, vec3(0), vec3(0)}, {0.5, vec3(0.4, 0, 0), vec3(0, 0, -90)}}, false};
  for (const Obstacle& body : {box, bar, ball})
    for (const IntegratorInfo& info : tried_integrators()) {
      Scene scene = loose_scene(info.id);
      scene.obstacles.bodies = {body};
      Simulation simulation(scene, sheet, pool_);
      std::size_t most = 0;
      for (int k = 0; k < 200; ++k) {
        if (simulation.step(pool_) != StepStatus::done) {
          EXPECT_EQ(info.id, "explicit-euler") << text_of(body) << k;  // which grows at every h
          break;
        }
        ASSERT_GE(least_gap(simulation), -2e-12) << text_of(body) << info.id << " step " << k;
        most = std::max(most, simulation.constraints(simulation.state().x).entries().size());
      }
      if (!simulation.blow_up()) {
        // SHAKE touches the box with three at a time.
        EXPECT_GT(most, info.id == "shake" ? 2u : 3u) << text_of(body) << info.id;
      }
    }
}

// Moved by hand, a body takes its path along.
TEST_F(MovingObstacle, TakesItsPathAlong) {
  Scene scene = on_a_plane("semi-implicit-euler");
  scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.5,0.5,0.2")};
  scene.obstacles.bodies[0].path = {
      {{0, vec3(0), vec3(0)}, {0.1, vec3(0.1, 0, 0), vec3(0)}, {0.2, vec3(0), vec3(0)}}, true};
  Simulation simulation(scene, sheet_, pool_);
  ASSERT_EQ(run(simulation, 25), 25);
  EXPECT_NEAR(simulation.obstacles()[0].from.x, 0.55, 1e-12);
  simulation.apply(pool_, MoveObstacle{0, vec3(0.5, -0.6, 0.5), 0});
  EXPECT_NEAR(simulation.obstacles()[0].from.x, 0.55, 1e-12);
  EXPECT_EQ(simulation.obstacles()[0].from.y, -0.6);
  ASSERT_EQ(run(simulation, 100), 100);  // one round
  EXPECT_NEAR(simulation.obstacles()[0].from.x, 0.55, 1e-12);
}

// Checkpoints of before end where its moves begin.
TEST_F(MovingObstacle, IsAtRestInAnOlderCheckpoint) {
  Simulation simulation(on_a_plane("bdf2"), sheet_, pool_);
  run(simulation, 3);
  Checkpoint now;
  simulation.save(pool_, now);
  Memory numbers;
  write_checkpoint(now, numbers);
  const std::vector<double> all(numbers.numbers().begin(), numbers.numbers().end());
  // The moves, the ledger's limit, a stiffer barrier, lifting, none behind, impulses of contacts, the work of
  // drivers, and growing bodies.
  const auto kSince = static_cast<std::ptrdiff_t>(7 + 3 * now.contacts.size());
  ASSERT_EQ(*(all.end() - kSince), 0) << "no moves";
  Memory older(std::vector<double>(all.begin(), all.end() - kSince));
  MemoryReader reader(older);
  EXPECT_TRUE(same_bits(read_checkpoint(reader, 16).state, now.state));
}

}  // namespace
}  // namespace clothlab::testing
