// SPDX-License-Identifier: MIT
// Cloth that meets itself by forces, and contact by a barrier: forces are derivatives, nothing passes through
// anything, momentum stays, and what cannot be is said.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <memory>
#include <string>
#include <vector>

#include "collide/exact.h"
#include "collide/intersections.h"
#include "collide/mesh_body.h"
#include "contact/contact_law.h"
#include "core/error.h"
#include "dynamics/smooth_friction.h"
#include "mesh/generators.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

std::size_t crossings(const Simulation& simulation) {
  return test::exact_intersections(simulation.mesh().triangles, simulation.state().x, simulation.obstacles());
}

std::shared_ptr<const ClothMesh> strip() { return built(make_grid_obj(29, 5, 0.2, 1.4)); }

// In waves that touch, d̂ = 10 mm, and no two edges are parallel.
std::vector<vec3> waves(const ClothMesh& mesh) {
  std::vector<vec3> x = mesh.positions;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto noise = [&](double phase) { return 1e-3 * std::sin(7.3 * static_cast<double>(i) + phase); };
    const vec3 p = x[i];
    x[i] = vec3(p.x, 0.08 * std::sin(15 * p.z) + 0.01 * p.x, 0.04 * p.z) + vec3(noise(0), noise(2), noise(4));
  }
  return x;
}

Scene wavy_scene(ContactModel model) {
  Scene scene = loose_scene("symplectic-euler");
  scene.contact.model = model;
  scene.contact.distance = 0.01;
  scene.contact.stiffness = scene.contact.barrier_stiffness = 40;
  scene.obstacles.bodies = {test::angle_body(vec3(0.05, 0.09, 0), 0.1)};
  scene.initial_state = InitialState{waves(*strip()), {}};
  scene.initial_state->velocities.assign(scene.initial_state->positions.size(), vec3(0));
  return scene;
}

// f = −∂E/∂x along random directions, cloth on cloth and, by a barrier, on a mesh: the central difference
// with a step of 1e-7 of d̂ leaves 1e-14 d̂² E‴ and rounding, 1e-16 E / 1e-9 m.
TEST(ForceContact, ForcesOfFeaturesAreDerivativesOfTheirEnergy) {
  WorkerPool pool(1);
  for (const ContactModel model : {ContactModel::penalty, ContactModel::barrier}) {
    Scene scene = wavy_scene(model);
    const std::shared_ptr<const ClothMesh> mesh = strip();
    const ClothModel cloth(mesh);
    const std::unique_ptr<ContactResponse> response = info_of(model).make();
    Surfaces surfaces;
    surfaces.place(scene.floor, scene.obstacles, 0, {}, cloth.particles(), 0, 0);
    response->configure(contact_input(scene, {}, cloth, *mesh), surfaces);
    const ContactForce& force = response->force();
    const std::vector<vec3> x = waves(*mesh);
    const std::size_t touches = force.contacts_at(pool, x).size();
    EXPECT_GT(touches, 50U);
    std::size_t edges = 0, on_itself = 0;
    for (const ContactElement& touch : force.contacts_at(pool, x)) {
      edges += touch.count > 1 && touch.weight[0] * touch.weight[1] > 0 ? 1U : 0U;
      on_itself += touch.surface == kClothItself ? 1U : 0U;
      double sum = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(touch.count); ++k) sum += touch.weight[k];
      if (touch.surface == kClothItself) {
        EXPECT_NEAR(sum, 0, 1e-12);
      }
    }
    EXPECT_GT(edges, 5U);
    EXPECT_GT(on_itself, 20U);
    EXPECT_LT(on_itself, touches);
    SCOPED_TRACE(info_of(model).id);
    expect_derivatives_of_energy(force, x, 1e-6);
  }
}

// −κ (g − d̂)² ln(g/d̂) [Ascher 2022, (31)–(33)]. With a smaller d̂ the same share of it has an energy smaller
// by the square: the barrier approaches a wall.
TEST(ContactLaw, HasTheBarrierOfItsFormula) {
  for (const double distance : {1e-3, 2e-3, 0.1}) {
    const ContactLaw law{30, distance, true}, of_one_metre{30, 1, true};
    for (const double share : {0.06, 0.2, 0.5, 0.8, 0.99}) {
      const double g = share * distance, energy = -30 * std::pow(g - distance, 2) * std::log(g / distance);
      EXPECT_NEAR(law.energy(g), energy, 1e-14 * energy) << share;
      EXPECT_NEAR(law.energy(g) / of_one_metre.energy(share), distance * distance,
                  1e-13 * distance * distance);
      const double lambda = 30 * ((distance - g) * (distance - g) / g - 2 * (distance - g) * std::log(share));
      EXPECT_NEAR(law.push(g), lambda, 1e-13 * lambda) << share;
    }
    for (const double share : {1.0, 1.001, 3.0}) {
      EXPECT_EQ(law.energy(share * distance), 0) << share;
      EXPECT_EQ(law.push(share * distance), 0) << share;
    }
  }
}

// s(y) = 2 y/ε − y²/ε² below ε, 1 above [Ascher 2022, (37g)]: s and s′ are continuous, and s → 1 at every
// speed as ε → 0.
TEST(SmoothFriction, HasTheFunctionOfItsFormula) {
  const auto s = [](double speed, double y) { return y * SmoothFriction{speed}.secant(y); };
  for (const double speed : {1e-3, 0.02, 1.0}) {
    const SmoothFriction friction{speed};
    for (const double share : {0.01, 0.3, 0.7, 0.999}) {
      const double y = share * speed;
      EXPECT_NEAR(s(speed, y), 2 * share - share * share, 1e-14) << share;
      EXPECT_NEAR(friction.slope(y), 2 * (1 - share) / speed, 1e-12 / speed) << share;
    }
    EXPECT_NEAR(s(speed, speed * (1 - 1e-9)), 1, 1e-15);
    EXPECT_NEAR(friction.slope(speed * (1 - 1e-9)) * speed, 0, 1e-8);
    for (const double share : {1.0, 2.0, 100.0}) {
      EXPECT_DOUBLE_EQ(s(speed, share * speed), 1) << share;
      EXPECT_EQ(friction.slope(share * speed), 0) << share;
    }
  }
  double below = 0;
  for (const double speed : {1.0, 0.1, 0.02, 0.011}) {
    const double now = s(speed, 0.01);
    EXPECT_GT(now, below);
    EXPECT_LT(now, 1);
    below = now;
  }
  EXPECT_DOUBLE_EQ(s(0.009, 0.01), 1);
}

// Its energy has two derivatives everywhere, also where the barrier goes on as a parabola.
TEST(ForceContact, TheBarrierIsSmooth) {
  const ContactLaw law{30, 2e-3, true};
  for (const double share : {-0.5, 0.01, 0.05, 0.0500001, 0.3, 0.9, 0.999, 1.0, 1.5}) {
    constexpr double kStep = 1e-9;
    const double g = share * law.distance;
    EXPECT_NEAR((law.energy(g - kStep) - law.energy(g + kStep)) / (2 * kStep), law.push(g),
                1e-5 * law.push(g) + 1e-9)
        << share;
    if (share < 1) {
      EXPECT_NEAR((law.push(g - kStep) - law.push(g + kStep)) / (2 * kStep), law.slope(g),
                  1e-4 * law.slope(g) + 1e-3)
          << share;
    }
  }
  EXPECT_EQ(law.push(law.distance), 0);
  EXPECT_EQ(law.energy(2 * law.distance), 0);
}

// κ b′(g) carries the weight of a particle, whatever the method.
TEST(ForceContact, ClothRestsWhereTheBarrierCarriesIt) {
  constexpr double kGravity = 9.8;
  WorkerPool pool(1);
  for (const IntegratorInfo& info : integrators()) {
    if (!supports_contact(ContactModel::barrier, info) || info.id == "explicit-euler") continue;
    Scene scene = loose_scene(info.id);
    scene.mesh = GridSource{2, 2, 1e-2, 1e-2};
    scene.material.mass = 0.04;
    scene.material.rayleigh_mass = 100;
    scene.material.gravity = vec3(0, -kGravity, 0);
    scene.dt = 1e-3;
    scene.solver.linear.cg.tolerance = 1e-12;
    scene.solver.newton_tolerance = 1e-10;
    scene.floor = {.on = true, .height = -1e-3, .friction = 0.3};
    scene.contact = {.model = ContactModel::barrier, .barrier_stiffness = 50, .distance = 2e-3};
    Simulation simulation(scene, mesh_of(scene), pool);
    ASSERT_EQ(run(simulation, 1000), 1000) << info.id;
    const ContactLaw law{50, 2e-3, true};
    for (const vec3& x : simulation.state().x)
      EXPECT_NEAR(law.push(x.y + 1e-3), 0.01 * kGravity, 1e-7) << info.id;
  }
}

// Two sheets that fly into each other: forces of pairs keep momentum, to rounding or to what solves leave, in
// each of 100 steps 1e-10 of a right-hand side, or by Newton's method √71 · 1e-8 of no more than the momentum
// there is. Without damping contact gives back what it took. Steps that a barrier shortens keep none.
TEST(ForceContact, KeepsMomentumOfTwoSheets) {
  constexpr int kSteps = 100;
  WorkerPool pool(1);
  const std::shared_ptr<const ClothMesh> mesh = two_sheets(0.02);
  std::vector<std::string_view> ids{"symplectic-euler", "semi-implicit-euler", "backward-euler"};
  if (tests_are_long()) {
    ids.clear();
    for (const IntegratorInfo& info : integrators())
      if (info.id != "explicit-euler") ids.push_back(info.id);
  }
  for (const ContactModel model : {ContactModel::penalty, ContactModel::barrier})
    for (const std::string_view id : ids) {
      Scene scene = colliding_scene(id, *mesh);
      scene.dt = 5e-4;
      scene.contact.model = model;
      scene.contact.stiffness = 200;
      if (!supports(scene, *find_integrator(id))) continue;
      Simulation simulation(scene, mesh, pool);
      const vec3 before = momentum_of(simulation);
      const double energy = simulation.record().energy.total;
      double most = 0, limit = 1;
      for (int k = 0; k < kSteps; ++k) {
        ASSERT_EQ(simulation.step(pool), StepStatus::done) << id;
        most = std::max(most, simulation.system().contact_energy(pool, simulation.state().x));
        limit = std::min(limit, simulation.record().contacts.limit);
      }
      const double made = momentum_made(simulation, before);
      EXPECT_EQ(limit, 1) << id;
      EXPECT_GT(most, 0.01 * energy) << id;
      EXPECT_EQ(crossings(simulation), 0U) << id;
      const IntegratorFamily family = simulation.integrator().family;
      const double left = family == IntegratorFamily::explicit_method ? 1e-12
                          : family == IntegratorFamily::implicit      ? kSteps * 8.5e-8
                                                                      : kSteps * 1e-10;
      EXPECT_LT(made, left * 2 * 0.1 * 2) << id << static_cast<int>(model);
      EXPECT_LT(simulation.record().energy.total, energy * 1.02) << id;
    }
}

// Contact of a sheet with itself pushes it nowhere as a whole, also where solves are not finished.
TEST(ForceContact, OfAFreeSheetWithItselfKeepsItsMomentum) {
  const std::shared_ptr<const ClothMesh> mesh = strip();
  for (const char* id : {"semi-implicit-euler", "bdf2"}) {
    Scene scene;
    scene.integrator = id;
    scene.pins = PinPreset::none;
    scene.material.gravity = vec3(0);
    scene.contact.model = ContactModel::penalty;
    scene.contact.distance = 0.01;
    scene.initial_state = InitialState{waves(*mesh), std::vector<vec3>(mesh->positions.size(), vec3(0))};
    Simulation simulation(scene, mesh, one_thread());
    std::size_t touching = 0;
    for (int k = 0; k < 12; ++k) {
      ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << id;
      touching += simulation.record().contacts.pairs > 0 ? 1U : 0U;
    }
    EXPECT_GT(touching, 5U) << id;
    EXPECT_LT(glm::length(momentum_of(simulation)) / scene.material.mass, 1e-9) << id;
  }
}

// What a step would lead through the floor goes a part of its way: it ends above, at the velocity that
// brought it there, and the ledger says whose that is.
TEST(ForceContact, ABarrierShortensWaysAndBooksIt) {
  WorkerPool pool(1);
  for (const char* id : {"symplectic-euler", "semi-implicit-euler", "rk4", "semi-implicit-bdf2"}) {
    Scene scene = loose_scene(id);
    scene.mesh = GridSource{3, 3, 0.1, 0.1};
    scene.contact = {.model = ContactModel::barrier, .barrier_stiffness = 0.1, .distance = 2e-3};
    scene.floor = {.on = true, .height = -0.05, .friction = 0};
    scene.initial_state = InitialState{};
    scene.initial_state->positions = mesh_of(scene)->positions;
    scene.initial_state->velocities.assign(9, vec3(0, -20, 0));
    Simulation simulation(scene, mesh_of(scene), pool);
    const double start = simulation.record().energy.total;
    double limit = 1;
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(simulation.step(pool), StepStatus::done) << id;
      limit = std::min(limit, simulation.record().contacts.limit);
      EXPECT_GT(least_gap(simulation), 0) << id;
      const EnergyLedger& ledger = simulation.record().ledger;
      EXPECT_NEAR(ledger.energy - start, ledger.sum(), 1e-9) << id;
    }
    EXPECT_LT(limit, 0.9) << id;
    EXPECT_LT(simulation.record().ledger.limit, -10) << id << ": ½ · 0.2 kg · (20 m/s)² is 40 J";
  }
}

// Crumpled and pushed by a ball that is led through it, no triangle ever crosses another.
TEST(ForceContact, ABarrierLetsNothingThrough) {
  WorkerPool pool(2);
  for (const char* id : {"semi-implicit-euler", "backward-euler", "tr-bdf2", "siere", "symplectic-euler"}) {
    Scene scene = loose_scene(id);
    scene.mesh = GridSource{10, 10, 0.3, 0.3};
    scene.contact.model = ContactModel::barrier;
    scene.contact.friction_speed = 0.05;
    scene.dt = id == std::string("symplectic-euler") ? 5e-4 : 1.0 / 60;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.15,-0.06,0.15,0.04"),
                              test::angle_body(vec3(0.05, -0.2, 0.15), 0.08)};
    Simulation simulation(scene, mesh_of(scene), pool);
    simulation.apply(pool, MoveObstacle{0, vec3(0.2, 0.15, 0.15), 0.4});
    const int steps = id == std::string("symplectic-euler") ? 300 : 30;
    for (int k = 1; k <= steps; ++k) {
      ASSERT_EQ(simulation.step(pool), StepStatus::done) << id << k;
      if (k % 10 == 0) {
        ASSERT_EQ(crossings(simulation), 0U) << id << k;
        ASSERT_GT(closest_point(simulation.obstacles()[0], simulation.state().x[0]).height, 0) << id;
      }
    }
    EXPECT_GT(simulation.record().contacts.pairs, 0U) << id;
  }
}

TEST(ForceContact, ThreadsAndCheckpointsLeaveTheBits) {
  const std::shared_ptr<const ClothMesh> mesh = strip();
  for (const ContactModel model : {ContactModel::penalty, ContactModel::barrier})
    for (const char* id : {"semi-implicit-euler", "backward-euler"}) {
      Scene scene = wavy_scene(model);
      scene.integrator = id;
      scene.dt = 5e-4;
      std::uint64_t first = 0;
      for (const int threads : {1, 4}) {
        WorkerPool pool(threads);
        Simulation simulation(scene, mesh, pool), resumed(scene, mesh, pool);
        ASSERT_EQ(run(simulation, 4), 4);
        const auto moment = std::make_shared<Checkpoint>();
        simulation.save(pool, *moment);
        resumed.load(pool, *moment);
        ASSERT_EQ(run(simulation, 3), 3);
        ASSERT_EQ(run(resumed, 3), 3);
        EXPECT_GT(simulation.system().contact_energy(pool, simulation.state().x), 0);
        const std::uint64_t hash = state_hash(simulation.state());
        EXPECT_EQ(state_hash(resumed.state()), hash) << id;
        if (first == 0) first = hash;
        EXPECT_EQ(hash, first) << id << threads;
      }
    }
}

// Cloth that lies on a surface by another model is put a little above it; cloth that crosses itself or is
// deep in a body is refused with a sentence, and nothing changes.
TEST(ForceContact, ABarrierBeginsWithFreeClothAlone) {
  WorkerPool pool(1);
  Scene scene = loose_scene("semi-implicit-euler");
  scene.floor = {.on = true, .height = -0.01, .friction = 0.3};
  Simulation simulation(scene, grid_mesh(6, 6), pool);
  ASSERT_EQ(run(simulation, 100), 100);
  EXPECT_NEAR(least_gap(simulation), 0, 1e-9);
  simulation.apply(pool, SetParameter{"contact", 3});
  EXPECT_GT(least_gap(simulation), 1e-5);
  ASSERT_EQ(run(simulation, 20), 20);
  EXPECT_GT(least_gap(simulation), 1e-5);

  const std::uint64_t hash = state_hash(simulation.state());
  EXPECT_THROW(simulation.apply(pool, SetParameter{"floor-height", 0.1}), InputError);
  EXPECT_EQ(state_hash(simulation.state()), hash);
  EXPECT_EQ(simulation.scene().floor.height, -0.01);
  ASSERT_EQ(run(simulation, 5), 5);

  Scene crossed = loose_scene("semi-implicit-euler");
  crossed.contact.model = ContactModel::barrier;
  EXPECT_THROW(Simulation(crossed, two_sheets(0), pool), InputError);
  crossed.self_contact = false;
  EXPECT_NO_THROW(Simulation(crossed, two_sheets(0), pool));

  // A state of another model is refused with the names of pairs.
  crossed.contact = {};
  crossed.self_contact = true;
  Simulation filtered(crossed, two_sheets(0), pool);
  const std::vector<std::array<std::uint32_t, 2>> pairs =
      intersecting_triangles(pool, filtered.mesh().triangles, filtered.state().x);
  ASSERT_GT(pairs.size(), 3U);
  const auto name = [&](std::size_t k) {
    return "triangles " + std::to_string(pairs[k][0]) + " and " + std::to_string(pairs[k][1]) +
           " of the cloth, ";
  };
  EXPECT_EQ(refusal([&] {
              filtered.apply(pool, SetParameter{"contact", 3});
            }),
            std::to_string(pairs.size()) + " pairs of triangles intersect now (" + name(0) + name(1) +
                name(2) +
                "...); contact by barrier needs cloth that intersects nothing and is above all "
                "surfaces. Separate them, or use contact by filter or penalty.");
}

TEST(ForceContact, ARefusalNamesTheContactModelsThatAMethodWorksWith) {
  const auto refused = [](const char* integrator, ContactModel model) {
    Scene scene = loose_scene(integrator);
    scene.contact.model = model;
    return refusal([&] { check_contact(scene); });
  };
  for (const ContactModel model : {ContactModel::penalty, ContactModel::barrier})
    EXPECT_TRUE(refused("rattle", model).ends_with("; it works with contact by filter or impulse."));
  EXPECT_TRUE(refused("xpbd", ContactModel::barrier)
                  .ends_with("; it works with contact by filter, penalty or impulse."));
}

// A body has been put where the cloth starts.
TEST(ForceContact, AResetIsRefusedWhereABarrierHasNoRoomAtTheStart) {
  WorkerPool pool(1);
  Scene scene = loose_scene("semi-implicit-euler");
  scene.floor = {.on = true, .height = -0.2, .friction = 0.3};
  scene.contact.model = ContactModel::barrier;
  Simulation simulation(scene, grid_mesh(6, 6), pool);
  ASSERT_EQ(run(simulation, 100), 100);
  simulation.apply(pool, SetObstacles{{parse_obstacle("sphere:0.5,9.9,0.5,10")}});
  const std::uint64_t hash = state_hash(simulation.state());
  EXPECT_THROW(simulation.apply(pool, Reset{}), InputError);
  EXPECT_EQ(state_hash(simulation.state()), hash);
  EXPECT_THROW(Simulation(simulation.scene(), grid_mesh(6, 6), pool), InputError);
  ASSERT_EQ(run(simulation, 5), 5);
  simulation.apply(pool, SetParameter{"contact", 0});
  EXPECT_NO_THROW(simulation.apply(pool, Reset{}));
}

// What a barrier has met is not met by penalty afterwards: there particles meet meshes.
TEST(ForceContact, SwitchingLeavesNothingOfTheOtherModel) {
  WorkerPool pool(1);
  const std::shared_ptr<const ClothMesh> mesh = strip();
  Scene scene = wavy_scene(ContactModel::barrier);
  Simulation switched(scene, mesh, pool);
  switched.apply(pool, SetParameter{"contact", 1});
  scene.contact.model = ContactModel::penalty;
  Simulation fresh(scene, mesh, pool);
  ASSERT_EQ(run(switched, 5), 5);
  ASSERT_EQ(run(fresh, 5), 5);
  EXPECT_TRUE(same_bits(switched.state(), fresh.state()));
}

// A ball that is led up through a hanging sheet lifts it, and stretches it by little: what a method that
// takes its forces at the start knows of the ball is that it goes on.
TEST(ForceContact, ABodyOnItsWayPushesClothAheadOfABarrier) {
  WorkerPool pool(1);
  for (const char* id : {"semi-implicit-euler", "semi-implicit-bdf2", "bdf2", "siere", "str-sbdf2-ere"}) {
    Scene scene;
    scene.integrator = id;
    scene.mesh = GridSource{12, 12, 1, 1};
    scene.pins = PinPreset::corners;
    scene.contact.model = ContactModel::barrier;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.5,0.5,0.25")};
    Simulation simulation(scene, mesh_of(scene), pool);
    ASSERT_EQ(run(simulation, 60), 60) << id;
    simulation.apply(pool, MoveObstacle{0, vec3(0.5, -0.1, 0.5), 0.4});
    double most = 0;
    for (int k = 0; k < 40; ++k) {
      ASSERT_EQ(simulation.step(pool), StepStatus::done) << id << k;
      most = std::max(most, simulation.record().max_strain);
    }
    EXPECT_LT(most, 0.3) << id;
    EXPECT_GT(simulation.record().contacts.pairs, 0U) << id;
    EXPECT_GT(least_gap(simulation), 0) << id;
  }
}

// In the first step the ball moves by more than ten times the gap. The sheet on it goes along in one piece.
TEST(ForceContact, ClothGoesAlongWithABodyThatStartsAtOnce) {
  for (const char* id : {"semi-implicit-euler", "backward-euler"}) {
    Scene scene;
    scene.integrator = id;
    scene.mesh = GridSource{16, 16, 1, 1};
    scene.pins = PinPreset::none;
    scene.material.rayleigh_mass = 5;
    scene.contact.model = ContactModel::barrier;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.26,0.5,0.25")};
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 60), 60) << id;
    ASSERT_LT(least_gap(simulation), 0.004) << id;
    simulation.apply(one_thread(), MoveObstacle{0, vec3(0.5, 0.19, 0.5), 0.15});
    ASSERT_EQ(run(simulation, 1), 1) << id;
    EXPECT_GE(simulation.record().h, scene.dt) << id;
    EXPECT_LT(simulation.record().max_strain, 0.4) << id;
    EXPECT_GT(least_gap(simulation), 0) << id;
  }
}

// Between a pinned sheet and a body that is led through it there is no way.
TEST(ForceContact, WhatIsSqueezedIsNamed) {
  WorkerPool pool(1);
  Scene scene = loose_scene("semi-implicit-euler");
  scene.mesh = GridSource{3, 3, 0.1, 0.1};
  scene.pins = VertexList({0, 1, 2, 3, 4, 5, 6, 7, 8});
  scene.contact.model = ContactModel::barrier;
  scene.obstacles.bodies = {parse_obstacle("sphere:1,1,1,0.05"),
                            parse_obstacle("sphere:0.05,-0.1,0.05,0.05")};
  Simulation simulation(scene, mesh_of(scene), pool);
  simulation.apply(pool, MoveObstacle{1, vec3(0.05, 0.3, 0.05), 0.2});
  EXPECT_LT(run(simulation, 200), 200);
  ASSERT_TRUE(simulation.blow_up());
  EXPECT_EQ(simulation.blow_up()->cause, BlowUp::Cause::squeezed);
  ASSERT_TRUE(simulation.blow_up()->contact);
  EXPECT_EQ(simulation.blow_up()->contact->particle, 4U);
  EXPECT_EQ(simulation.blow_up()->contact->surface, 2U);
}

}  // namespace
}  // namespace clothlab::testing
