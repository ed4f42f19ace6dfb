// SPDX-License-Identifier: MIT
// Triangles on bodies: how deep samples of them end in a body, and that their forces have an energy.

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <memory>
#include <string>
#include <vector>

#include "collide/obstacle.h"
#include "contact/contact_force.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr std::array kBodies{"box:0.5,-0.2,0.5,0.4,0.3,0.4", "cylinder:0.5,-0.3,0.5,0.5,-0.06,0.5,0.25",
                             "capsule:0.3,-0.2,0.5,0.7,-0.2,0.5,0.12", "sphere:0.5,-0.3,0.5,0.25"};

// The largest depth of samples of the triangles, ten along each edge [m].
double sampled_depth(const Simulation& simulation) {
  constexpr int kSamples = 10;
  double deepest = 0;
  const std::vector<vec3>& x = simulation.state().x;
  for (const auto& [a, b, c] : simulation.mesh().triangles)
    for (int i = 0; i <= kSamples; ++i)
      for (int j = 0; i + j <= kSamples; ++j) {
        const double u = i / double{kSamples}, v = j / double{kSamples};
        for (const Obstacle& body : simulation.obstacles())
          deepest = std::max(deepest, -closest_point(body, (1 - u - v) * x[a] + u * x[b] + v * x[c]).gap());
      }
  return deepest;
}

Scene draped(const char* body, ContactModel model) {
  Scene scene;
  scene.mesh = GridSource{32, 32, 1, 1};
  scene.pins = PinPreset::none;
  scene.contact.model = model;
  scene.contact.points = ContactPoints::triangles;
  scene.obstacles.bodies = {parse_obstacle(body)};
  return scene;
}

class Drapes : public ::testing::TestWithParam<ContactModel> {};

// Boxes and cylinders stand up to 14 mm in the triangles where only particles collide.
TEST_P(Drapes, EndWithTrianglesAtMostHalfAMillimetreInABody) {
  constexpr int kSteps = 90;
  for (const char* body : kBodies) {
    const Scene scene = draped(body, GetParam());
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, kSteps), kSteps) << body;
    EXPECT_LE(sampled_depth(simulation), 5e-4) << body;
    EXPECT_GT(simulation.record().contacts.pairs, 20U) << body;
  }
}

// The last of five solves changes the contacts of triangles again.
TEST(TriangleContact, StepsWithContactsThatStillChangeAreReported) {
  const Scene scene = draped(kBodies[0], ContactModel::filter);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  int unsolved = 0;
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    const StepRecord& record = simulation.record();
    if (record.converged) continue;
    ++unsolved;
    EXPECT_TRUE(record.reason.starts_with("its contacts or their friction still changed")) << record.reason;
  }
  EXPECT_GT(unsolved, 5);
  EXPECT_TRUE(simulation.notices().has(NoticeCause::not_converged));
}

INSTANTIATE_TEST_SUITE_P(By, Drapes,
                         ::testing::Values(ContactModel::filter, ContactModel::penalty, ContactModel::impulse,
                                           ContactModel::barrier),
                         [](const auto& of) { return std::string(info_of(of.param).id); });

// A sheet of 12 x 12 that hangs over the edges of a box.
Scene on_a_box(std::string_view method, ContactModel model) {
  Scene scene = loose_scene(method);
  scene.mesh = GridSource{12, 12, 0.4, 0.4};
  scene.contact.model = model;
  scene.contact.points = ContactPoints::triangles;
  scene.obstacles.bodies = {parse_obstacle("box:0.19,-0.102,0.21,0.2,0.2,0.2")};
  scene.contact.distance = 4e-3;
  scene.material.rayleigh_mass = 10;
  if (find_integrator(method)->family == IntegratorFamily::explicit_method) scene.dt = 4e-4;
  return scene;
}

TEST(TriangleContact, ActsByEveryMethodThatSupportsForces) {
  for (const IntegratorInfo& info : integrators())
    for (const ContactModel model : {ContactModel::filter, ContactModel::penalty}) {
      Scene scene = on_a_box(info.id, model);
      if (!supports_contact(ContactModel::penalty, info) || info.id == "explicit-euler") continue;
      SCOPED_TRACE(std::string(info.id) + " by " + std::string(info_of(model).id));
      const int steps = static_cast<int>(std::lround(0.3 / scene.dt));
      double depth[2];
      for (const ContactPoints points : {ContactPoints::particles, ContactPoints::triangles}) {
        scene.contact.points = points;
        Simulation simulation(scene, mesh_of(scene), one_thread());
        ASSERT_EQ(run(simulation, steps), steps);
        depth[static_cast<int>(points)] = sampled_depth(simulation);
      }
      EXPECT_LT(depth[1], 5e-4);
      EXPECT_GT(depth[0], 2 * depth[1]);
    }
}

TEST(TriangleContact, ThreadsAndCheckpointsLeaveTheBits) {
  for (const ContactModelInfo& model : kContactModels)
    for (const char* method : {"semi-implicit-euler", "backward-euler", "symplectic-euler"}) {
      const Scene scene = on_a_box(method, model.model);
      const std::shared_ptr<const ClothMesh> mesh = mesh_of(scene);
      std::uint64_t first = 0;
      for (const int threads : {1, 2, 4}) {
        WorkerPool pool(threads);
        Simulation simulation(scene, mesh, pool), resumed(scene, mesh, pool);
        double most = 0;
        for (int k = 0; k < (scene.dt < 1e-3 ? 300 : 60); ++k) {
          ASSERT_EQ(run(simulation, 1), 1);
          most = std::max(most, simulation.system().contact_energy(pool, simulation.state().x));
        }
        EXPECT_GT(most, 0) << method << model.id;
        Checkpoint moment;
        simulation.save(pool, moment);
        resumed.load(pool, moment);
        ASSERT_EQ(run(simulation, 10), 10);
        ASSERT_EQ(run(resumed, 10), 10);
        const std::uint64_t hash = state_hash(simulation.state());
        EXPECT_EQ(state_hash(resumed.state()), hash) << method << model.id;
        if (first == 0) first = hash;
        EXPECT_EQ(hash, first) << method << model.id << threads;
      }
    }
}

// Without friction and damping the force of a body returns the energy that it took, and the ledger closes.
TEST(TriangleContact, ABounceOnABoxKeepsTheEnergy) {
  Scene scene = on_a_box("velocity-verlet", ContactModel::penalty);
  scene.dt = 1e-4;
  scene.self_contact = false;
  scene.obstacles.friction = scene.material.spring_damping = scene.material.rayleigh_mass = 0;
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const double start = simulation.record().energy.total;
  double most = 0, method = 0;
  for (int k = 0; k < 1500; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    const StepRecord& now = simulation.record();
    most = std::max(most, simulation.system().contact_energy(one_thread(), simulation.state().x));
    method = std::max(method, std::abs(now.ledger.method));
    EXPECT_NEAR(now.ledger.energy - start, now.ledger.sum(), 1e-12);
  }
  EXPECT_GT(most, 1e-5);
  EXPECT_LT(method, 0.01 * most);  // of the method: it decreases with h²
}

// A box stands up to 15 mm in the triangles where only particles collide; without the limit of the push they
// leave it at up to 5.9 and 15 m/s.
TEST(TriangleContact, LiftsTrianglesThatStartInABody) {
  for (const char* method : {"semi-implicit-euler", "symplectic-euler"}) {
    SCOPED_TRACE(method);
    Scene scene = on_a_box(method, ContactModel::filter);
    scene.contact.points = ContactPoints::particles;
    const int steps = static_cast<int>(std::lround(0.3 / scene.dt));
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, steps), steps);
    EXPECT_GT(sampled_depth(simulation), 1e-3);
    scene.contact.points = ContactPoints::triangles;
    simulation.apply(one_thread(), SetParameter{"contact-points", 1});
    double fastest = 0;
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
      for (const vec3& v : simulation.state().v) fastest = std::max(fastest, glm::length(v));
    }
    EXPECT_LT(sampled_depth(simulation), 5e-4);
    EXPECT_LT(fastest, 4);
  }
}

// The force of a sphere acts at a point of the triangle, through the centre: it has no moment there.
TEST(TriangleContact, ASphereKeepsTheAngularMomentumAboutItsCentre) {
  Scene scene = on_a_box("symplectic-euler", ContactModel::penalty);
  const vec3 centre(0.21, -0.06, 0.19);
  Obstacle ball;
  ball.from = ball.to = centre;
  ball.radius = 0.05;
  scene.obstacles.bodies = {ball};
  scene.obstacles.friction = 0;
  scene.material.gravity = vec3(0);
  scene.material.rayleigh_mass = 0;
  scene.self_contact = false;
  const std::shared_ptr<const ClothMesh> mesh = mesh_of(scene);
  scene.initial_state = InitialState{mesh->positions, {}};
  for (const vec3& x : mesh->positions)
    scene.initial_state->velocities.push_back(vec3(0.3 * x.z, -1, 0.2 * x.x));
  Simulation simulation(scene, mesh, one_thread());
  const auto moment = [&] {
    vec3 sum(0);
    for (std::size_t i = 0; i < mesh->positions.size(); ++i)
      sum += simulation.system().masses()[i] *
             glm::cross(simulation.state().x[i] - centre, simulation.state().v[i]);
    return sum;
  };
  const vec3 before = moment();
  std::size_t triangles = 0;
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
    for (const ContactElement& contact : simulation.contact().force().found())
      triangles += contact.triangle > 0 ? 1U : 0U;
  }
  EXPECT_GT(triangles, 20U);
  EXPECT_LT(glm::distance(moment(), before), 1e-12);
}

// f = −∂E/∂x with a sheet that bends over the edges of a box, as for features (force_contact_test.cpp).
TEST(TriangleContact, ForcesAreDerivativesOfTheirEnergy) {
  for (const ContactModel model : {ContactModel::penalty, ContactModel::barrier}) {
    Scene scene = draped(kBodies[0], model);
    scene.self_contact = false;
    const std::shared_ptr<const ClothMesh> mesh = mesh_of(scene);
    const ClothModel cloth(mesh);
    const std::unique_ptr<ContactResponse> response = info_of(model).make();
    Surfaces surfaces;
    surfaces.place(scene.floor, scene.obstacles, 0, {}, cloth.particles(), 0, 0);
    response->configure(contact_input(scene, {}, cloth, *mesh), surfaces);
    const ContactForce& force = response->force();
    std::vector<vec3> x = mesh->positions;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const vec3 p = x[i];
      const double across = std::max({std::abs(p.x - 0.5), std::abs(p.z - 0.5), 0.0});
      x[i].y = -0.0478 - 0.8 * std::max(across - 0.19, 0.0) + 2e-4 * std::sin(7.3 * static_cast<double>(i));
    }
    std::size_t triangles = 0;
    for (const ContactElement& contact : force.contacts_at(one_thread(), x)) {
      if (contact.triangle == 0) continue;
      ++triangles;
      EXPECT_NEAR(contact.weight[0] + contact.weight[1] + contact.weight[2], 1, 1e-12);
    }
    EXPECT_GT(triangles, 30U);
    SCOPED_TRACE(info_of(model).id);
    expect_derivatives_of_energy(force, x, 1e-5);
  }
}

}  // namespace
}  // namespace clothlab::testing
