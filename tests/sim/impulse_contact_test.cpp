// SPDX-License-Identifier: MIT
// Contact by impulses: nothing meets, momentum stays, energy only falls, and the bits do not depend on how it
// is computed.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "collide/exact.h"
#include "collide/mesh_body.h"
#include "core/error.h"
#include "mesh/generators.h"
#include "sim/checkpoint.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

Scene struck_scene(std::string_view integrator) {
  Scene scene = loose_scene(integrator);
  scene.contact.model = ContactModel::impulse;
  return scene;
}

// A strip that stands on its short edge, with waves that make it fold.
std::shared_ptr<const ClothMesh> standing_strip(double above) {
  ObjMesh obj = make_grid_obj(24, 7, 0.24, 0.96);
  for (vec3& x : obj.vertices) x = vec3(x.x, above + x.z, 0.006 * std::sin(25 * x.z) + 0.02 * x.x);
  return built(std::move(obj));
}

std::size_t intersections(const Simulation& simulation) {
  return test::exact_intersections(simulation.mesh().triangles, simulation.state().x, simulation.obstacles());
}

class ImpulseContactTest : public ::testing::Test {
 protected:
  WorkerPool pool_{1};
};

TEST_F(ImpulseContactTest, CostsNoBitWhereNothingMeets) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = loose_scene(info.id);
    Simulation apart(scene, grid_mesh(5, 6), pool_);
    scene.contact.model = ContactModel::impulse;
    Simulation looked(scene, grid_mesh(5, 6), pool_);
    ASSERT_EQ(run(apart, 20), run(looked, 20)) << info.id;
    EXPECT_TRUE(same_bits(apart.state(), looked.state())) << info.id;
  }
}

// Two sheets fly into each other: no force from outside, so that momentum stays, with explicit methods to
// rounding and with solved ones to what some solves in each of 40 steps leave, 1e-10 of their right-hand
// sides each; contact without friction takes energy and gives none.
TEST_F(ImpulseContactTest, KeepsMomentumAndLosesEnergy) {
  const std::shared_ptr<const ClothMesh> mesh = two_sheets(0.1);
  for (const IntegratorInfo& info : integrators()) {
    if (info.id == "explicit-euler") continue;  // makes energy with and without contact
    Scene scene = colliding_scene(info.id, *mesh);
    scene.contact.model = ContactModel::impulse;
    Simulation simulation(scene, mesh, pool_);
    const vec3 before = momentum_of(simulation);
    const double energy = simulation.record().energy.total;
    ASSERT_EQ(run(simulation, 40), 40) << info.id;
    EXPECT_LT(simulation.record().ledger.contact, -0.01 * energy) << info.id;
    EXPECT_EQ(intersections(simulation), 0U) << info.id;
    const bool solves = info.family != IntegratorFamily::explicit_method;
    EXPECT_LT(momentum_made(simulation, before), (solves ? 1e-7 : 1e-12) * glm::length(before)) << info.id;
    EXPECT_LT(simulation.record().energy.total, energy * (1 + 1e-9)) << info.id;
  }
}

// What folds on the floor does not go through itself, step by step, by exact arithmetic.
TEST_F(ImpulseContactTest, LeavesNoIntersection) {
  for (const char* id : {"semi-implicit-euler", "backward-euler", "symplectic-euler", "bdf2", "xpbd"}) {
    Scene scene = struck_scene(id);
    const bool is_explicit = std::string_view(id) == "symplectic-euler";
    scene.dt = is_explicit ? 1e-3 : 1.0 / 120;
    scene.floor = {.on = true, .height = 0, .friction = 0.3};
    Simulation simulation(scene, standing_strip(0.02), pool_);
    const int steps = is_explicit ? 400 : 60;
    for (int k = 1; k <= steps; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << id;
      if (k % (steps / 20) == 0) {
        ASSERT_EQ(intersections(simulation), 0U) << id << " in step " << k;
      }
      ASSERT_GE(least_gap(simulation), 0) << id << " in step " << k;
    }
    EXPECT_GT(simulation.record().contacts.pairs, 0U) << id;
  }
}

// The filter, which knows no self-contact, does leave some: the test above can fail.
TEST_F(ImpulseContactTest, IsNeededForThat) {
  Scene scene = struck_scene("semi-implicit-euler");
  scene.self_contact = false;
  scene.dt = 1.0 / 120;
  scene.floor = {.on = true, .height = 0, .friction = 0.3};
  Simulation simulation(scene, standing_strip(0.02), pool_);
  ASSERT_EQ(run(simulation, 60), 60);
  EXPECT_GT(intersections(simulation), 0U);
}

// A mesh that is thinner than what a step goes.
TEST_F(ImpulseContactTest, StopsWhatWouldPassAMeshInOneStep) {
  const Obstacle roof =
      test::mesh_body(TriangleSurface({{-1, 0, -1}, {1, 0, -1}, {1, 0.2, 1}, {-1, 0.2, 1}, {0, 0.3, 0}},
                                      {{0, 4, 1}, {1, 4, 2}, {2, 4, 3}, {3, 4, 0}}),
                      vec3(0.5, -0.5, 0.5), 1);
  for (const char* id : {"semi-implicit-euler", "velocity-verlet", "xpbd"}) {
    Scene scene = struck_scene(id);
    scene.obstacles.bodies = {roof};
    scene.dt = 5e-3;
    scene.initial_state = InitialState{};
    const std::shared_ptr<const ClothMesh> mesh = grid_mesh(6, 6);
    for (const vec3& x : mesh->source->vertices) {
      scene.initial_state->positions.push_back(x);
      scene.initial_state->velocities.push_back(vec3(0, -60, 0));  // 0.3 m a step
    }
    Simulation simulation(scene, mesh, pool_);
    for (int k = 0; k < 20; ++k) {
      ASSERT_EQ(simulation.step(pool_), StepStatus::done) << id;
      ASSERT_EQ(intersections(simulation), 0U) << id << " in step " << k;
    }
    double highest = -10;
    for (const vec3& x : simulation.state().x) highest = std::max(highest, x.y);
    EXPECT_GT(highest, -0.5) << id;
  }
}

// What rests on a plane carries its weight, at the thickness.
TEST_F(ImpulseContactTest, CarriesWhatRests) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = struck_scene(info.id);
    scene.thickness = 4e-3;
    scene.floor = {.on = true, .height = -0.005, .friction = 0.5};
    scene.solver.newton_tolerance = 1e-8;
    Simulation simulation(scene, grid_mesh(4, 4), pool_);
    ASSERT_EQ(run(simulation, 150), 150) << info.id;
    for (const vec3& x : simulation.state().x) EXPECT_NEAR(x.y, -1e-3, 1e-6) << info.id;
    EXPECT_NEAR(simulation.record().contacts.push, 0.2 * 9.8, 1e-6) << info.id;
  }
}

// Coulomb, by what the floor had to hold in the step before: a sheet sticks while tan θ < μ, else it slides
// with g (sin θ − μ cos θ). Gravity is slanted instead of the floor.
TEST_F(ImpulseContactTest, SticksAndSlidesAsCoulombSays) {
  constexpr double kFall = 9.8, kRough = 0.4;
  const double limit = std::atan(kRough);
  for (const IntegratorInfo& info : integrators()) {
    for (const double angle : {limit - 1e-6, limit + 0.3}) {
      Scene scene = struck_scene(info.id);
      scene.thickness = 4e-3;
      scene.floor = {.on = true, .height = -4e-3, .friction = kRough};
      scene.material.gravity = kFall * vec3(std::sin(angle), -std::cos(angle), 0);
      scene.solver.newton_tolerance = 1e-9;
      scene.solver.linear.cg.tolerance = 1e-10;
      Simulation simulation(scene, grid_mesh(4, 4), pool_);
      const State start = simulation.state();
      ASSERT_EQ(run(simulation, 100), 100) << info.id;
      const double speed = angle < limit ? 0 : 0.2 * kFall * (std::sin(angle) - kRough * std::cos(angle));
      for (const vec3& v : simulation.state().v)
        EXPECT_NEAR(v.x, speed, angle < limit ? 1e-10 : 1e-6 * speed) << info.id << " at " << angle;
      if (angle > limit) continue;
      for (std::size_t i = 0; i < start.x.size(); ++i)
        EXPECT_LT(glm::distance(simulation.state().x[i], start.x[i]), 1e-10) << info.id;
    }
  }
}

// Where cloth is pulled up, the floor pulls for one step at most, which methods with a memory remember.
TEST_F(ImpulseContactTest, LetsGoOfWhatIsPulledUp) {
  constexpr double kUp = 3;  // [m/s²]
  for (const IntegratorInfo& info : integrators()) {
    Scene scene = struck_scene(info.id);
    scene.floor = {.on = true, .height = -0.02, .friction = 0.3};
    Simulation simulation(scene, grid_mesh(4, 4), pool_);
    ASSERT_EQ(run(simulation, 100), 100) << info.id;
    simulation.apply(pool_, SetGravity{vec3(0, kUp, 0)});
    ASSERT_EQ(run(simulation, 50), 50) << info.id;
    const double h = scene.dt;
    for (const vec3& v : simulation.state().v) {
      EXPECT_GE(v.y, kUp * h * (48 - 1e-6)) << info.id;
      EXPECT_LE(v.y, kUp * h * (50 + 1e-6)) << info.id;
    }
  }
}

// At rest on a sphere nothing lands: a step is taken once, with little more work than a step of the same
// shape that has been released. (A filter that repeated steps took 831 iterations.)
TEST_F(ImpulseContactTest, TakesAStepOnceWhereClothRests) {
  struct Iterations {
    int with_contact = 0, released = 0;
  };
  const auto iterations = [&](ContactModel model) {
    Scene scene;
    scene.pins = PinPreset::none;
    scene.contact.model = model;
    Scene empty = scene;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.31,0.5,0.3")};
    Simulation simulation(scene, grid_mesh(30, 30), pool_);
    EXPECT_EQ(run(simulation, 60), 60);
    Iterations sum;
    for (int k = 0; k < 20; ++k) {
      empty.initial_state = InitialState{simulation.state().x, simulation.state().v};
      Simulation released(empty, grid_mesh(30, 30), pool_);
      EXPECT_EQ(released.step(pool_), StepStatus::done);
      sum.released += released.record().cg_iterations;
      EXPECT_EQ(simulation.step(pool_), StepStatus::done);
      sum.with_contact += simulation.record().cg_iterations;
    }
    EXPECT_LT(simulation.record().max_strain, 0.03);
    return sum;
  };
  const Iterations by_nodes = iterations(ContactModel::filter);
  EXPECT_LT(by_nodes.with_contact, 1.1 * by_nodes.released);
  EXPECT_LT(iterations(ContactModel::impulse).with_contact, 1.5 * by_nodes.with_contact);
}

TEST_F(ImpulseContactTest, KeepsItsBitsForAnyNumberOfThreadsAndFromACheckpoint) {
  Scene scene = struck_scene("semi-implicit-euler");
  scene.dt = 1.0 / 120;
  scene.floor = {.on = true, .height = 0, .friction = 0.3};
  const std::shared_ptr<const ClothMesh> mesh = standing_strip(0.02);
  Simulation one(scene, mesh, pool_);
  Checkpoint middle;
  ASSERT_EQ(run(one, 40), 40);
  one.save(pool_, middle);
  ASSERT_EQ(run(one, 20), 20);
  for (const int threads : {2, 3}) {
    WorkerPool several(threads);
    Simulation other(scene, mesh, several);
    ASSERT_EQ(run(other, 60, several), 60);
    EXPECT_TRUE(same_bits(one.state(), other.state())) << threads;
  }
  Simulation resumed(scene, mesh, pool_);
  resumed.load(pool_, middle);
  ASSERT_EQ(run(resumed, 20), 20);
  EXPECT_TRUE(same_bits(one.state(), resumed.state()));
}

// Short steps, in which pairs are listed now and then: a run that begins anew in every third step, with
// nothing listed, goes the same way, and so does one that is led back to an earlier moment. A tip comes up
// through a folding strip.
TEST_F(ImpulseContactTest, DoesNotShowWhenPairsWereListed) {
  Scene scene = struck_scene("symplectic-euler");
  scene.dt = 5e-4;
  scene.floor = {.on = true, .height = 0, .friction = 0.3};
  scene.obstacles.bodies = {test::angle_body(vec3(0.1, -0.05, 0.02), 0.05)};
  scene.obstacles.bodies[0].path = {{{0, vec3(0), vec3(0)}, {0.2, vec3(0, 0.2, -0.1), vec3(0, 0, 20)}},
                                    false};
  const std::shared_ptr<const ClothMesh> mesh = standing_strip(0.02);
  Simulation one(scene, mesh, pool_), anew(scene, mesh, pool_);
  Checkpoint moment, last;
  std::size_t touching = 0;
  for (int k = 0; k < 300; ++k) {
    if (k == 150) one.save(pool_, moment);
    ASSERT_EQ(one.step(pool_), StepStatus::done) << k;
    touching += one.record().contacts.pairs;
  }
  EXPECT_GT(touching, 300U);
  anew.save(pool_, last);
  for (int k = 0; k < 300; k += 3) {
    Simulation next(scene, mesh, pool_);
    next.load(pool_, last);
    ASSERT_EQ(run(next, 3), 3);
    next.save(pool_, last);
  }
  anew.load(pool_, last);
  EXPECT_TRUE(same_bits(one.state(), anew.state()));
  EXPECT_EQ(intersections(one), 0U);
  one.load(pool_, moment);
  ASSERT_EQ(run(one, 150), 150);
  EXPECT_TRUE(same_bits(one.state(), anew.state()));
}

// Two plates close on a sheet, which has no place to go.
TEST_F(ImpulseContactTest, SaysWhereClothIsSqueezed) {
  const TriangleSurface plate({{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, {{0, 1, 2}, {0, 2, 3}});
  Scene scene = struck_scene("semi-implicit-euler");
  scene.obstacles.bodies = {test::mesh_body(plate, vec3(0.5, -0.05, 0.5), 1),
                            test::mesh_body(plate, vec3(0.5, 0.05, 0.5), 1)};
  Simulation simulation(scene, grid_mesh(4, 4), pool_);
  simulation.apply(pool_, MoveObstacle{1, vec3(0.5, -0.2, 0.5), 0.1});
  run(simulation, 100);
  ASSERT_TRUE(simulation.blow_up());
  EXPECT_EQ(simulation.blow_up()->cause, BlowUp::Cause::squeezed);
  ASSERT_TRUE(simulation.blow_up()->contact);
  EXPECT_EQ(intersections(simulation), 0U);
}

// Live from one model to another and back, with the state kept.
TEST_F(ImpulseContactTest, IsSwitchedLive) {
  Scene scene = loose_scene("bdf2");
  scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.3,0.5,0.25")};
  Simulation simulation(scene, grid_mesh(7, 7), pool_);
  for (const double model : {2.0, 1.0, 2.0, 0.0}) {
    simulation.apply(pool_, SetParameter{"contact", model});
    ASSERT_EQ(run(simulation, 40), 40) << model;
  }
}

}  // namespace
}  // namespace clothlab::testing
