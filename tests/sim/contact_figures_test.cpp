// SPDX-License-Identifier: MIT
// What a run says of its contacts, against cloth whose forces are known: at rest, and sliding on a slope.

#include <cmath>
#include <memory>
#include <numeric>

#include "contact/contact_pair.h"
#include "integrate/tableau.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kWeight = 0.2 * 9.8, kFloorFriction = 0.5;  // of the sheet [N]; μ

// A sheet of 16 particles on the floor, in a gravity that leans by an angle.
Scene on_leaning_floor(std::string_view integrator, ContactModel model, double angle) {
  Scene scene = loose_scene(integrator);
  scene.floor = {.on = true, .height = 0, .friction = kFloorFriction};
  scene.material.gravity = 9.8 * vec3(std::sin(angle), -std::cos(angle), 0);
  scene.contact.model = model;
  scene.contact.distance = 2e-3;
  scene.contact.friction_speed = 1e-2;
  InitialState start{grid_mesh(4, 4)->positions, std::vector<vec3>(16, vec3(0))};
  if (model == ContactModel::penalty)
    for (vec3& x : start.positions) x.y += 2e-3 - kWeight * std::cos(angle) / 16 / 1000;
  scene.initial_state = start;
  return scene;
}

struct Model {
  ContactModel model;
  double gap;  // at rest [m]
};
constexpr std::array kModels{Model{ContactModel::filter, 0},
                             Model{ContactModel::penalty, 2e-3 - kWeight / 16 / 1000}};

TEST(ContactFigures, AtRestTheFloorCarriesTheWeight) {
  for (const IntegratorInfo& info : integrators())
    for (const auto& [model, gap] : kModels) {
      if (!supports_contact(model, info)) continue;
      Simulation simulation(on_leaning_floor(info.id, model, 0), grid_mesh(4, 4), one_thread());
      EXPECT_EQ(simulation.record().contacts.pairs, 0u) << "of the last step, and there was none";
      ASSERT_EQ(run(simulation, 5), 5) << info.id;
      const ContactFigures& now = simulation.record().contacts;
      EXPECT_EQ(now.pairs, 16u) << info.id;
      EXPECT_EQ(now.sticking, 16u) << info.id;
      EXPECT_NEAR(now.least_gap, gap, 1e-12) << info.id;
      EXPECT_NEAR(now.push, kWeight, 1e-9) << info.id;
      EXPECT_NEAR(now.friction_power, 0, 1e-15) << info.id;
    }
}

// Friction takes μ m g cos θ times the speed, and acts against it.
TEST(ContactFigures, WhatSlidesLosesFrictionTimesSpeed) {
  constexpr double kAngle = 0.7;  // tan θ > μ
  for (const char* method : {"semi-implicit-euler", "bdf2", "rk4", "exponential-rosenbrock-euler"})
    for (const auto& [model, gap] : kModels) {
      Simulation simulation(on_leaning_floor(method, model, kAngle), grid_mesh(4, 4), one_thread());
      ASSERT_EQ(run(simulation, 50), 50) << method;
      const double speed = simulation.state().v[0].x, push = kWeight * std::cos(kAngle);
      ASSERT_GT(speed, 0.1) << method;
      const ContactFigures& now = simulation.record().contacts;
      EXPECT_EQ(now.pairs, 16u) << method;
      EXPECT_EQ(now.sticking, 0u) << method;
      EXPECT_NEAR(now.push, push, 1e-6) << method;
      EXPECT_NEAR(now.friction_power, kFloorFriction * push * speed, 1e-4 * kFloorFriction * push * speed)
          << method;
      for (const ContactPair& pair : simulation.contacts(one_thread())) {
        EXPECT_EQ(pair.surface, 0u);
        EXPECT_NEAR(pair.slip, speed, 1e-4 * speed) << method;
        EXPECT_NEAR(glm::distance(pair.push, vec3(0, push / 16, 0)), 0, 1e-6) << method;
        const vec3 friction(-kFloorFriction * push / 16, 0, 0);
        EXPECT_NEAR(glm::distance(pair.friction, friction), 0, 1e-3 * glm::length(friction)) << method;
      }
    }
}

// Less steep than friction holds: m g sin θ of it, by both models.
TEST(ContactFigures, WhatSticksHasTheFrictionThatItNeeds) {
  constexpr double kAngle = 0.3;
  for (const auto& [model, gap] : kModels) {
    Simulation simulation(on_leaning_floor("backward-euler", model, kAngle), grid_mesh(4, 4), one_thread());
    ASSERT_EQ(run(simulation, 50), 50);
    EXPECT_EQ(simulation.record().contacts.sticking, 16u);
    vec3 friction(0);
    for (const ContactPair& pair : simulation.contacts(one_thread())) friction += pair.friction;
    EXPECT_NEAR(friction.x, -kWeight * std::sin(kAngle), 1e-3 * kWeight);
  }
}

// The floor's impulses are those of the weight in a step of any number of substeps; friction takes μ N times
// the way.
TEST(ContactFigures, BodiesHaveTheImpulsesOfAllSubsteps) {
  constexpr double kAngle = 0.7;  // it slides
  for (const ContactModel model : {ContactModel::filter, ContactModel::penalty, ContactModel::impulse})
    for (const int substeps : {1, 4}) {
      Scene scene = on_leaning_floor("semi-implicit-euler", model, kAngle);
      scene.substeps = substeps;
      Simulation simulation(scene, grid_mesh(4, 4), one_thread());
      ASSERT_EQ(run(simulation, 50), 50);
      const double begin = simulation.state().x[0].x;
      ASSERT_EQ(run(simulation, 1), 1);
      const double way = simulation.state().x[0].x - begin, dt = scene.dt;
      const double impulse = kWeight * std::cos(kAngle) * dt;
      const BodyContact& floor = simulation.body_contacts().of(0);
      EXPECT_NEAR(floor.normal_impulse, impulse, 1e-4 * impulse) << substeps;
      EXPECT_NEAR(floor.friction_impulse, kFloorFriction * impulse, 1e-3 * impulse) << substeps;
      EXPECT_EQ(floor.work_motion, 0);
      EXPECT_NEAR(floor.work_friction, -kFloorFriction * impulse / dt * way, 1e-2 * impulse / dt * way)
          << substeps;
      EXPECT_EQ(simulation.body_contacts().of(1).normal_impulse, 0);
      simulation.apply(one_thread(), Reset{});
      EXPECT_EQ(simulation.body_contacts().of(0).normal_impulse, 0);
    }
}

// Stages contribute to the end of a step, but their contacts are not added to those of the end.
TEST(ContactFigures, BodiesHaveTheImpulsesOfStepsByTableaux) {
  constexpr double kAngle = 0.7;  // it slides
  for (const TableauPreset& preset : tableau_presets()) {
    Scene scene = on_leaning_floor("runge-kutta", ContactModel::filter, kAngle);
    set_integrator(scene, tableau_method(preset.tableau).info);
    Simulation simulation(scene, grid_mesh(4, 4), one_thread());
    ASSERT_EQ(run(simulation, 50), 50) << preset.id;
    const double impulse = kWeight * std::cos(kAngle) * scene.dt;
    const BodyContact& floor = simulation.body_contacts().of(0);
    EXPECT_NEAR(floor.normal_impulse, impulse, 1e-4 * impulse) << preset.id;
    EXPECT_NEAR(floor.friction_impulse, kFloorFriction * impulse, 1e-3 * impulse) << preset.id;
    // The weight and friction alone move it: the method adds nothing to their energy.
    const double energy = kWeight * std::sin(kAngle) * simulation.state().v[0].x * simulation.state().t;
    // Two-step methods also repeat the rounding of earlier steps.
    const double share = preset.tableau.is_two_step() ? 1e-4 : 1e-5;
    EXPECT_NEAR(simulation.record().ledger.method, 0, share * energy) << preset.id;
  }
}

// What a board that rises at a constant speed gives to the cloth on it is its gain in potential energy.
TEST(ContactFigures, ABodyThatMovesDoesTheWorkOfItsMotion) {
  constexpr double kSpeed = 0.2;  // [m/s]
  for (const ContactModel model : {ContactModel::filter, ContactModel::penalty, ContactModel::impulse}) {
    Scene scene = on_leaning_floor("semi-implicit-euler", model, 0);
    scene.floor.on = false;
    scene.obstacles.bodies = {parse_obstacle("plane:0,1,0,0")};
    scene.obstacles.bodies[0].path.keys = {{.time = 0}, {.time = 10, .move = vec3(0, 10 * kSpeed, 0)}};
    Simulation simulation(scene, grid_mesh(4, 4), one_thread());
    ASSERT_EQ(run(simulation, 100), 100);
    const BodyContact& board = simulation.body_contacts().of(1);
    const double work = kWeight * kSpeed * scene.dt;
    EXPECT_NEAR(board.work_motion, work, 1e-3 * work);
    EXPECT_NEAR(board.work_friction, 0, 1e-6 * work);
  }
}

// The pairs name the body, and are those of the record.
TEST(ContactFigures, PairsNameTheirSurface) {
  for (const auto& [model, gap] : kModels) {
    Scene scene = loose_scene("semi-implicit-euler");
    scene.contact.model = model;
    scene.obstacles.bodies = {parse_obstacle("sphere:5,5,5,0.1"), parse_obstacle("sphere:0.5,-0.35,0.5,0.3")};
    Simulation simulation(scene, grid_mesh(12, 12), one_thread());
    ASSERT_EQ(run(simulation, 150), 150);
    const std::vector<ContactPair> pairs = simulation.contacts(one_thread());
    ASSERT_GT(pairs.size(), 3u);
    ContactFigures sum;
    for (const ContactPair& pair : pairs) {
      sum.add(pair);
      EXPECT_EQ(pair.surface, 2u);
      const SurfacePoint place =
          closest_point(scene.obstacles.bodies[1], simulation.state().x[pair.particle]);
      EXPECT_NEAR(pair.gap, place.height - place.level, 1e-12);
      // By the filter that of the step's begin.
      EXPECT_NEAR(glm::dot(pair.push, place.normal), glm::length(pair.push), 1e-2 * glm::length(pair.push));
    }
    EXPECT_EQ(sum.pairs, simulation.record().contacts.pairs);
    EXPECT_EQ(sum.push, simulation.record().contacts.push);
    EXPECT_EQ(sum.least_gap, simulation.record().contacts.least_gap);

    // A run that goes on from there has its figures, and by forces its pairs.
    Checkpoint moment;
    simulation.save(one_thread(), moment);
    // What the moment touches is the same, by the filter without forces.
    const std::vector<ContactPair> then =
        contacts_at(one_thread(), moment, simulation.system().model(), simulation.mesh());
    ASSERT_EQ(then.size(), pairs.size());
    for (const ContactPair& pair : then) {
      const auto found = std::ranges::find(pairs, pair.particle, &ContactPair::particle);
      ASSERT_NE(found, pairs.end());
      EXPECT_EQ(pair.surface, found->surface);
      EXPECT_EQ(pair.sticks, found->sticks);
      EXPECT_EQ(pair.gap, found->gap);
      EXPECT_EQ(pair.push, model == ContactModel::filter ? vec3(0) : found->push);
      EXPECT_EQ(pair.friction, model == ContactModel::filter ? vec3(0) : found->friction);
    }
    Simulation resumed(scene, grid_mesh(12, 12), one_thread());
    resumed.load(one_thread(), moment);
    EXPECT_EQ(resumed.record().contacts.push, sum.push);
    EXPECT_EQ(resumed.contacts(one_thread()).size(), model == ContactModel::filter ? 0 : pairs.size());
    resumed.apply(one_thread(), SetObstacles{});
    EXPECT_TRUE(resumed.contacts(one_thread()).empty());
  }
}

}  // namespace
}  // namespace clothlab::testing
