// SPDX-License-Identifier: MIT
// What counts as a blow-up, what does not, and what is kept.

#include <cmath>
#include <glm/geometric.hpp>

#include "sim/checkpoint.h"
#include "sim/energy_account.h"
#include "sim/support.h"
#include "slowdown.h"

namespace clothlab::testing {
namespace {

class BlowUpTest : public ::testing::Test {
 protected:
  std::unique_ptr<Simulation> start(const Scene& scene) {
    return std::make_unique<Simulation>(scene, mesh, pool);
  }
  double internal(const Simulation& simulation) {
    EnergyMeter meter(simulation.system().model());
    return meter
        .measure(pool, simulation.system(), simulation.state(),
                 simulation.system().energies(pool, simulation.state().x))
        .shaking();
  }
  WorkerPool pool{1};
  std::shared_ptr<const ClothMesh> mesh = grid_mesh(8, 8);
};

Scene symplectic(double h) {
  Scene scene;
  scene.integrator = "symplectic-euler";
  scene.material.spring_damping = 0;
  scene.dt = h;
  return scene;
}

TEST_F(BlowUpTest, AMeshOfNoSizeIsAllowedWhatItsWeightGives) {
  Scene scene;
  scene.pins = PinPreset::none;
  for (const char* text :
       {"v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", "v 0 0 0\nv 1e-150 0 0\nv 0 1e-150 0\nf 1 2 3\n"}) {
    MeshOptions options;
    options.weld = false;
    mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(parse_obj(text, "tiny"), options));
    for (const PinPreset pins : {PinPreset::none, PinPreset::top_corners}) {
      scene.pins = pins;
      auto simulation = start(scene);
      EXPECT_EQ(run(*simulation, 120), 120);
    }
  }
}

// Every state of the run is kept here; the simulation keeps two.
TEST_F(BlowUpTest, TheLastSoundStateIsTheNewestWithLessThanTenPercentOfStrain) {
  auto simulation = start(symplectic(2.2 / omega_max(*start({}), pool)));
  std::vector<State> states{simulation->state()};
  std::vector<double> strains{0};
  const auto expect_newest_sound = [&] {
    std::size_t newest = states.size() - 1;
    while (newest > 0 && strains[newest] >= kGoodStrain) --newest;
    const Simulation::StateAtStep sound = simulation->last_good_state();
    EXPECT_EQ(sound.step, newest);
    EXPECT_TRUE(same_bits(sound.state, states[newest]));
    return newest;
  };
  while (simulation->step(pool) == StepStatus::done) {
    states.push_back(simulation->state());
    strains.push_back(simulation->record().max_strain);
    expect_newest_sound();
  }
  const std::size_t sound = expect_newest_sound();
  ASSERT_GT(sound, 0u);
  ASSERT_LT(sound + 2, states.size());
  EXPECT_EQ(simulation->step(pool), StepStatus::blown_up);  // fails again, and the state stays
  expect_newest_sound();

  simulation->restore(pool, states.back(), states.size() - 1);
  expect_newest_sound();
  // Before the first state that was not sound: what came later is no past of this one.
  const State wreck = states.back();
  simulation->restore(pool, wreck, sound - 1);
  EXPECT_EQ(simulation->last_good_state().step, 0u);
  EXPECT_TRUE(same_bits(simulation->last_good_state().state, states[0]));
  simulation->apply(pool, Reset{});
  EXPECT_EQ(simulation->last_good_state().step, 0u);
}

TEST_F(BlowUpTest, SymplecticEulerAtFourTimesItsLimitIsCaught) {
  const double limit = 2 / omega_max(*start({}), pool);
  auto stable = start(symplectic(limit / 2));
  EXPECT_EQ(run(*stable, 2000), 2000);
  EXPECT_FALSE(stable->blow_up());

  auto simulation = start(symplectic(4 * limit));
  State before;
  StepStatus status = StepStatus::done;
  int steps = 0;
  for (; status == StepStatus::done && steps < 200; ++steps) {
    before = simulation->state();
    status = simulation->step(pool);
  }
  ASSERT_EQ(status, StepStatus::blown_up);
  EXPECT_TRUE(same_bits(simulation->state(), before));
  EXPECT_EQ(simulation->steps(), static_cast<std::uint64_t>(steps) - 1);
  EXPECT_EQ(simulation->record().step, simulation->steps());
  const BlowUp bad = simulation->blow_up().value();
  EXPECT_EQ(bad.cause, BlowUp::Cause::energy);
  EXPECT_EQ(bad.step, static_cast<std::uint64_t>(steps));
  EXPECT_EQ(bad.h, 4 * limit);
  EXPECT_NEAR(bad.time, steps * 4 * limit, 1e-12);
  EXPECT_GT(bad.energy, bad.allowed);
  // 100 × M |g| · diagonal: nothing at the start, no grab.
  EXPECT_NEAR(bad.allowed, 100 * 0.2 * 9.8 * std::sqrt(2.0), 1e-9);
  EXPECT_LE(internal(*simulation), bad.allowed);
  EXPECT_TRUE(bad.spring);

  // It tries again from there, fails again, and goes on with a smaller step.
  EXPECT_EQ(simulation->step(pool), StepStatus::blown_up);
  EXPECT_TRUE(same_bits(simulation->state(), before));
  EXPECT_EQ(simulation->blow_up()->step, bad.step);
  simulation->apply(pool, SetIntegrator{"semi-implicit-euler"});
  EXPECT_FALSE(simulation->blow_up());
  EXPECT_TRUE(same_bits(simulation->state(), before));
  EXPECT_EQ(run(*simulation, 100), 100);
}

TEST_F(BlowUpTest, TheFactorIsTheUsers) {
  const double limit = 2 / omega_max(*start({}), pool);
  Scene scene = symplectic(4 * limit);
  const auto steps_until = [&](double factor) {
    scene.energy_limit = factor;
    return run(*start(scene), 1000);
  };
  const int at_10 = steps_until(10), at_100 = steps_until(100), at_1e9 = steps_until(1e9);
  EXPECT_LT(at_10, at_100);
  EXPECT_LT(at_100, at_1e9);

  // Off: it runs until numbers end.
  scene.energy_limit = std::numeric_limits<double>::infinity();
  auto simulation = start(scene);
  EXPECT_GT(run(*simulation, 1000), at_1e9);
  ASSERT_TRUE(simulation->blow_up());
  for (const vec3& x : simulation->state().x) EXPECT_TRUE(std::isfinite(glm::dot(x, x)));
}

TEST_F(BlowUpTest, AValueThatIsNotFiniteIsNamed) {
  Scene scene = symplectic(1);
  scene.material.stretch_stiffness = 1e9;
  scene.energy_limit = std::numeric_limits<double>::infinity();
  auto simulation = start(scene);
  run(*simulation, 1000);
  ASSERT_TRUE(simulation->blow_up());
  EXPECT_LT(simulation->blow_up()->spring.value().i, 64u);
}

// ---- The spring that failed

// With masses by area, that of a particle is a third of its triangles: the corner of a small one is light,
// and its springs are fast.
TEST_F(BlowUpTest, NamesTheSpringsOfTheLightestParticle) {
  mesh = std::make_shared<const ClothMesh>(
      build_cloth_mesh(parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0.5 0\nv 1.02 0.02 0.01\n"
                                 "f 1 2 3\nf 1 3 4\nf 2 5 3\nf 2 6 5\n",
                                 "light")));
  Scene scene = symplectic(1e-3);
  scene.material.mass_model = MassModel::area;
  scene.material.bend_stiffness = 0;
  const double limit = 2 / omega_max(*start(scene), pool);
  scene.dt = 1.05 * limit;
  auto simulation = start(scene);
  EXPECT_LT(run(*simulation, 5000), 5000);
  const FailedSpring spring = simulation->blow_up().value().spring.value();
  EXPECT_TRUE(spring.i == 5 || spring.j == 5) << spring.i << " " << spring.j;
  EXPECT_TRUE(spring.stretch);
  EXPECT_GT(spring.after, spring.before);
  // Alone it is nearly as fast as the mode that grows, which has another spring at the same particle.
  EXPECT_NEAR(spring.omega * limit, 2, 0.6);
}

// A coarse part and a fine one, whose particles are sixteen times lighter.
TEST_F(BlowUpTest, NamesASpringOfTheFinePart) {
  std::string obj;
  const auto add_sheet = [&](double left, double spacing, int first) {
    for (int k = 0; k < 16; ++k)
      obj +=
          "v " + std::to_string(left + spacing * (k % 4)) + " " + std::to_string(spacing * (k / 4)) + " 0\n";
    for (int k = 0; k < 9; ++k) {
      const int corner = first + k / 3 * 4 + k % 3;
      obj += "f " + std::to_string(corner) + " " + std::to_string(corner + 1) + " " +
             std::to_string(corner + 5) + " " + std::to_string(corner + 4) + "\n";
    }
  };
  add_sheet(0, 0.2, 1);
  add_sheet(1, 0.05, 17);
  mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(parse_obj(obj, "two parts")));
  for (const char* method : {"symplectic-euler", "velocity-verlet", "explicit-euler"}) {
    Scene scene = symplectic(1e-3);
    scene.material.mass_model = MassModel::area;
    scene.integrator = method;
    scene.pins = std::vector<std::uint32_t>{0, 3, 16, 19};
    scene.dt = 1.1 * 2 / omega_max(*start(scene), pool);
    auto simulation = start(scene);
    EXPECT_LT(run(*simulation, 5000), 5000);
    const FailedSpring spring = simulation->blow_up().value().spring.value();
    EXPECT_GE(spring.i, 16u) << method;
    EXPECT_GE(spring.j, 16u) << method;
    EXPECT_TRUE(spring.stretch);
  }
}

TEST_F(BlowUpTest, NamesTheBendingSpring) {
  mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(
      parse_obj("v 0 0 0\nv 1 0 0\nv 0.5 1 0\nv 0.5 -1 0\nv -1 0 0\nf 1 2 3\nf 2 1 4\nf 1 3 5\n", "hinge")));
  Scene scene = symplectic(1e-3);
  scene.material.mass_model = MassModel::area;
  scene.pins = PinPreset::none;
  scene.material.stretch_stiffness = 1;
  scene.material.bend_stiffness = 1e4;
  scene.dt = 1.02 * 2 / omega_max(*start(scene), pool);
  auto simulation = start(scene);
  EXPECT_LT(run(*simulation, 20000), 20000);
  const FailedSpring spring = simulation->blow_up().value().spring.value();
  EXPECT_FALSE(spring.stretch);
}

// Springs at a tenth of the limit, contact at one and a half times of it: what failed is a particle that was
// in contact, and the floor or the body by its number.
TEST_F(BlowUpTest, NamesTheContact) {
  mesh = grid_mesh(4, 4);
  for (const bool floor : {true, false}) {
    Scene scene = symplectic(1e-3);
    scene.pins = PinPreset::none;
    scene.material.stretch_stiffness = 50;
    scene.material.spring_damping = 0;
    scene.floor = {.on = floor, .height = 0, .friction = 0};
    if (!floor) scene.obstacles.bodies = {parse_obstacle("sphere:9,9,9,1"), parse_obstacle("plane:0,1,0,0")};
    scene.obstacles.friction = 0;
    scene.contact.model = ContactModel::penalty;
    scene.contact.stiffness = 9e6 * 0.2 / 16;
    scene.self_contact = false;
    InitialState almost_at_rest{mesh->positions, std::vector<vec3>(16, vec3(0))};
    for (std::size_t i = 0; i < 16; ++i)
      almost_at_rest.positions[i].y =
          5e-3 - 1e-8 * static_cast<double>(i) - 0.2 / 16 * 9.8 / scene.contact.stiffness;
    scene.initial_state = almost_at_rest;
    auto simulation = start(scene);
    EXPECT_LT(run(*simulation, 20000), 20000);
    const FailedContact contact = simulation->blow_up().value().contact.value();
    EXPECT_NEAR(contact.omega, 3000, 1e-6);
    EXPECT_EQ(contact.friction_rate, 0);
    EXPECT_EQ(contact.surface, floor ? 0u : 2u);
    EXPECT_EQ(contact.shape, floor ? std::nullopt : std::optional(Obstacle::Shape::plane));
    const std::vector<ContactPair> pairs = simulation->contacts(pool);
    EXPECT_EQ(std::ranges::count(pairs, contact.particle, &ContactPair::particle), 1);
    EXPECT_LT(simulation->blow_up()->spring.value().omega, 500);
  }
}

// ---- Energy that has a source is no blow-up

TEST_F(BlowUpTest, RestWithoutGravityIsNoBlowUp) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene;
    scene.integrator = info.id;
    scene.material.gravity = vec3(0);
    scene.dt = 1e-5;  // explicit Euler hardly enlarges the rounding errors
    scene.energy_limit = 1;
    for (const bool far : {false, true}) {
      if (far) {  // rounding is coarser out there
        scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(64, vec3(0))};
        for (vec3& x : scene.initial_state->positions) x += vec3(1e3, -2e3, 3e3);
      }
      auto simulation = start(scene);
      EXPECT_EQ(run(*simulation, 200), 200) << info.id << far;
    }
  }
}

TEST_F(BlowUpTest, WithoutGravityAnUnstableStepIsStillCaught) {
  const double limit = 2 / omega_max(*start({}), pool);
  Scene scene = symplectic(4 * limit);
  scene.material.gravity = vec3(0);
  scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(64, vec3(0))};
  scene.initial_state->velocities[20] = vec3(0, 1e-3, 1e-3);
  EXPECT_LT(run(*start(scene), 1000), 200);
}

TEST_F(BlowUpTest, FallingForEverIsNoBlowUp) {
  Scene scene;
  scene.pins = PinPreset::none;
  auto simulation = start(scene);
  const int steps = static_cast<int>(6000 / testing::kSlowdown);  // 100 s: nearly a kilometre per second
  EXPECT_EQ(run(*simulation, steps), steps);

  // ... and what then is stopped by a pin or by the grab had its energy from gravity.
  simulation->apply(pool, SetPinned{{0}, true});
  EXPECT_EQ(run(*simulation, 60), 60);
  simulation->apply(pool, Reset{});
  run(*simulation, steps);
  simulation->apply(pool, Grab{{20, 21, 28}, vec3(0.25, 0.5, 0.25), simulation->state().x[21], 200, 0.1});
  EXPECT_EQ(run(*simulation, 60), 60);
}

TEST_F(BlowUpTest, PartsMayFallPastEachOther) {
  const auto parts = built(find_generated_mesh("parts").make());
  Scene scene;
  scene.pins = std::vector<std::uint32_t>{0};
  Simulation simulation(scene, parts, pool);
  EXPECT_EQ(run(simulation, 6000), 6000);
}

TEST_F(BlowUpTest, ValuesChangedAtTheStartCountAsIfItHadBegunWithThem) {
  Scene scene;
  scene.mesh = GridSource{6, 6, 1, 1};
  scene.integrator = "implicit-midpoint";
  const auto allowed = [](const Simulation& simulation) {
    Checkpoint now;
    simulation.save(one_thread(), now);
    return now.account.given();
  };
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const std::vector<Command> changes{SetParameter{"mass", 1e-3}, SetGravity{vec3(0, -1, 0)},
                                     SetParameter{"wind", 1}, SetParameter{"floor", 1}};
  for (const Command& change : changes) {
    simulation.apply(one_thread(), change);
    const double changed = allowed(simulation);
    simulation.apply(one_thread(), Reset{});
    EXPECT_DOUBLE_EQ(changed, allowed(simulation));
  }
  // Once it runs, what has been given stays.
  ASSERT_EQ(run(simulation, 1), 1);
  const double given = allowed(simulation);
  simulation.apply(one_thread(), SetParameter{"mass", 1e-4});
  EXPECT_GE(allowed(simulation), given);
}

TEST_F(BlowUpTest, WhatTheUserPutsInIsCounted) {
  Scene scene;
  scene.energy_limit = 3;
  auto simulation = start(scene);
  run(*simulation, 30);
  // A pin that jumps by ten metres in one step, a spring made a million times stiffer, a heavier cloth.
  simulation->apply(pool, MovePins{{{0, vec3(10, 0, 0)}}, 1e-9});
  EXPECT_EQ(run(*simulation, 30), 30);
  simulation->apply(pool, SetParameter{"stretch-stiffness", 1e9});
  EXPECT_EQ(run(*simulation, 30), 30);
  simulation->apply(pool, SetParameter{"mass", 1e3});
  EXPECT_EQ(run(*simulation, 30), 30);
  // Gravity that was strong and is off now leaves its energy behind.
  simulation->apply(pool, SetGravity{vec3(0, -1000, 0)});
  run(*simulation, 10);
  simulation->apply(pool, SetGravity{vec3(0)});
  EXPECT_EQ(run(*simulation, 30), 30);
}

TEST_F(BlowUpTest, AFastHandIsNoBlowUp) {
  Scene scene;
  scene.energy_limit = 3;
  scene.dt = 1e-3;
  auto simulation = start(scene);
  run(*simulation, 30);
  simulation->apply(pool, Grab{{20, 21, 28}, vec3(0.25, 0.5, 0.25), simulation->state().x[21], 200, 0.1});
  for (int k = 0; k < 1000; ++k) {
    const double angle = 0.5 * k;
    simulation->apply(pool, MoveCursor{vec3(5 * std::cos(angle), 5 * std::sin(angle), 0)});
    ASSERT_EQ(simulation->step(pool), StepStatus::done) << k;
  }
}

TEST_F(BlowUpTest, TheHandsWorkDoesNotGrowWithTheBlowUp) {
  // An unstable run with a grab that holds still is caught at the limit that stood when it took hold.
  const double limit = 2 / omega_max(*start({}), pool);
  auto simulation = start(symplectic(4 * limit));
  simulation->apply(
      pool, Grab{{20, 21, 28}, vec3(0.25, 0.5, 0.25), simulation->state().x[21] + vec3(0, 0.1, 0), 50, 0});
  run(*simulation, 1000);
  ASSERT_TRUE(simulation->blow_up());
  // At most force × way of the cursor from the cloth: 10 × weight × (0.1 m + what the grabbed point is off).
  const double work = 10 * 0.2 * 9.8 * 0.5;
  EXPECT_LT(simulation->blow_up()->allowed, 100 * (0.2 * 9.8 * std::sqrt(2.0) + work));
}

// One part of more than a run, then two whose particles alternate.
TEST(EnergyMeter, TakesEveryPartAboutItsOwnCentre) {
  constexpr std::uint32_t kFirst = 9000, kAll = 9600;
  std::vector<vec3> rest;
  std::vector<ClothModel::Ends> ends;
  State state;
  for (std::uint32_t i = 0; i < kAll; ++i) {
    rest.emplace_back(i, 0, 0);
    if (i > 0 && i < kFirst) ends.push_back({i - 1, i});
    if (i >= kFirst + 2) ends.push_back({i - 2, i});
    const double shake = i % 4 < 2 ? 1 : -1;  // 0 on average, in every part
    state.v.emplace_back(i < kFirst ? 3 : i % 2 == 0 ? 5 : 7, shake, 0);
  }
  state.x = rest;
  const auto model = std::make_shared<const ClothModel>(rest, ends);
  ASSERT_EQ(model->parts(), 3u);
  Material material;
  material.mass = kAll;  // 1 kg each
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    const ClothSystem system(model, material);
    EnergyMeter meter(*model);
    for (int again = 0; again < 2; ++again) {
      const InternalEnergy energy = meter.measure(pool, system, state, {});
      EXPECT_EQ(energy.kinetic, kAll / 2);
      EXPECT_EQ(energy.drift, 0.5 * (kFirst * 9 + 300 * 25 + 300 * 49));
    }
  }
}

}  // namespace
}  // namespace clothlab::testing
