// SPDX-License-Identifier: MIT
// One run: its pins, its commands, its exports.

#include <cmath>
#include <glm/geometric.hpp>
#include <random>

#include "sim/frame.h"
#include "sim/support.h"
#include "slowdown.h"

namespace clothlab::testing {
namespace {

class SimulationTest : public ::testing::Test {
 protected:
  std::unique_ptr<Simulation> start(const Scene& scene = {}) {
    return std::make_unique<Simulation>(scene, mesh, pool);
  }
  WorkerPool pool{1};
  std::shared_ptr<const ClothMesh> mesh = grid_mesh(6, 5);
  static constexpr std::uint32_t kCorner = 4;  // the other top corner
};

TEST_F(SimulationTest, StartsAtTheMesh) {
  const auto simulation = start();
  EXPECT_EQ(simulation->state().x, mesh->positions);
  EXPECT_EQ(simulation->steps(), 0u);
  EXPECT_EQ(simulation->record().energy.kinetic, 0);
  EXPECT_TRUE(simulation->is_pinned(0));
  EXPECT_TRUE(simulation->is_pinned(kCorner));
  EXPECT_FALSE(simulation->is_pinned(2));
  EXPECT_FALSE(simulation->is_pinned(1000));
}

TEST_F(SimulationTest, CountsSteps) {
  const auto simulation = start();
  EXPECT_EQ(run(*simulation, 12), 12);
  EXPECT_EQ(simulation->steps(), 12u);
  EXPECT_NEAR(simulation->state().t, 0.2, 1e-15 * 12);
  EXPECT_EQ(simulation->record().time, simulation->state().t);
  EXPECT_EQ(simulation->record().h, 1.0 / 60);
  EXPECT_GT(simulation->record().cg_iterations, 0);
  EXPECT_EQ(simulation->residual_history().size(),
            static_cast<std::size_t>(simulation->record().cg_iterations) + 1);
}

TEST_F(SimulationTest, PinsDoNotMove) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene;
    scene.integrator = info.id;
    scene.dt = 1e-3;
    const auto simulation = start(scene);
    run(*simulation, 50);
    EXPECT_EQ(simulation->state().x[0], mesh->positions[0]) << info.id;
    EXPECT_EQ(simulation->state().v[0], vec3(0)) << info.id;
    EXPECT_LT(simulation->state().x[29].y, 0) << info.id;
  }
}

TEST_F(SimulationTest, MovedPinsFollowTheirRampExactly) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene;
    scene.integrator = info.id;
    scene.dt = 1.0 / 512;                   // a power of two: the times below are exact
    scene.material.stretch_stiffness = 10;  // soft enough for explicit Euler to last
    const auto simulation = start(scene);
    run(*simulation, 3);
    const vec3 from = mesh->positions[0], to = from + vec3(0.25, -0.125, 0.5);
    simulation->apply(pool, MovePins{{{0, to}}, 8.0 / 512});
    for (int k = 1; k <= 12; ++k) {
      ASSERT_EQ(simulation->step(pool), StepStatus::done) << info.id;
      const double s = std::min(k / 8.0, 1.0);
      EXPECT_EQ(simulation->state().x[0], k >= 8 ? to : from + s * (to - from)) << info.id << k;
      const vec3 velocity = k <= 8 ? (to - from) * 64.0 : vec3(0);
      EXPECT_LT(glm::length(simulation->state().v[0] - velocity), 1e-10) << info.id << k;
    }
  }
}

TEST_F(SimulationTest, APinMayMoveWithinOneStepAndTurnBack) {
  const auto simulation = start();
  const vec3 home = mesh->positions[0];
  simulation->apply(pool, MovePins{{{0, home + vec3(0, 0.01, 0)}}, 1e-9});
  simulation->step(pool);
  EXPECT_EQ(simulation->state().x[0], home + vec3(0, 0.01, 0));
  simulation->apply(pool, MovePins{{{0, home + vec3(0, 1, 0)}}, 1});
  run(*simulation, 10);
  const vec3 underway = simulation->state().x[0];
  EXPECT_NEAR(underway.y, 0.01 + 0.99 / 6, 1e-12);
  simulation->apply(pool, MovePins{{{0, home}}, 0.5});
  simulation->step(pool);
  EXPECT_NEAR(simulation->state().x[0].y, underway.y * (1 - 1.0 / 30), 1e-12);
}

TEST_F(SimulationTest, AFrameSaysWhereAPinIsOnItsWayTo) {
  const auto simulation = start();
  const auto place = [&] {
    Frame frame;
    capture(*simulation, nullptr, frame);
    return pin_position(frame, 0);
  };
  const vec3 home = mesh->positions[0], there = home + vec3(0, 1, 0);
  EXPECT_EQ(place(), home);
  simulation->apply(pool, MovePins{{{0, there}}, 0.5});
  for (int k = 0; k <= 30; ++k) {
    EXPECT_EQ(place(), there) << k;
    EXPECT_EQ(simulation->moving_pins().size(), k < 30 ? 1u : 0u) << k;
    simulation->step(pool);
    if (k != 10) continue;  // other values do not stop it
    Scene heavier = simulation->scene();
    heavier.material.mass = 0.3;
    simulation->apply(pool, SetScene{std::make_shared<const Scene>(heavier)});
  }
}

TEST_F(SimulationTest, CommandsLeaveTheStateToTheLastBit) {
  Scene scene;
  scene.dt = 1e-3;
  const auto simulation = start(scene);
  run(*simulation, 40);
  const State before = simulation->state();
  std::vector<Command> commands;
  for (const SceneParameter& row : scene_parameters())
    for (const double value : {row.spec.min, row.spec.max, row.spec.fallback})
      if (row.spec.id != "inflate")  // which open cloth refuses
        commands.push_back(SetParameter{std::string(row.spec.id), value});
  for (const IntegratorInfo& info : integrators()) {
    commands.push_back(SetIntegrator{std::string(info.id)});
    for (const ParameterSpec& spec : info.parameters)
      commands.push_back(SetParameter{std::string(spec.id), spec.max});
  }
  commands.push_back(SetGravity{vec3(1, 2, 3)});
  commands.push_back(SetPinned{{7}, true});
  commands.push_back(SetPinned{{0}, false});
  commands.push_back(SetPinPreset{PinPreset::top_edge});
  commands.push_back(MovePins{{{0, vec3(1, 1, 1)}}, 0.5});
  commands.push_back(Grab{{10, 11, 16}, vec3(0.25, 0.25, 0.5), vec3(0), 100, 1});
  commands.push_back(MoveCursor{vec3(3, 2, 1)});
  commands.push_back(Release{});
  for (const Command& command : commands) {
    simulation->apply(pool, command);
    ASSERT_TRUE(same_bits(simulation->state(), before)) << command.index();
  }
  EXPECT_EQ(simulation->steps(), 40u);
}

TEST_F(SimulationTest, CommandsTakeEffect) {
  const auto simulation = start();
  simulation->apply(pool, SetParameter{"stretch-stiffness", 77});
  EXPECT_EQ(simulation->scene().material.stretch_stiffness, 77);
  EXPECT_EQ(simulation->system().material().stretch_stiffness, 77);
  simulation->apply(pool, SetParameter{"mass", 3});
  EXPECT_DOUBLE_EQ(simulation->system().masses()[0], 3.0 / 30);
  simulation->apply(pool, SetGravity{vec3(0, 0, 5)});
  EXPECT_EQ(simulation->system().material().gravity, vec3(0, 0, 5));
  simulation->apply(pool, SetParameter{"dt", 0.01});
  simulation->step(pool);
  EXPECT_EQ(simulation->state().t, 0.01);
  simulation->apply(pool, SetIntegrator{"explicit-euler"});
  EXPECT_EQ(simulation->integrator().id, "explicit-euler");

  simulation->apply(pool, SetPinned{{7}, true});
  EXPECT_TRUE(simulation->is_pinned(7));
  EXPECT_EQ(std::get<VertexList>(simulation->scene().pins), (std::vector<std::uint32_t>{0, 4, 7}));
  simulation->apply(pool, SetPinned{{0}, false});
  EXPECT_FALSE(simulation->is_pinned(0));
  simulation->apply(pool, SetPinPreset{PinPreset::top_edge});
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_TRUE(simulation->is_pinned(i));
  EXPECT_EQ(std::get<PinPreset>(simulation->scene().pins), PinPreset::top_edge);
  simulation->apply(pool, SetPinPreset{PinPreset::none});
  EXPECT_FALSE(simulation->is_pinned(0));
}

TEST_F(SimulationTest, RefusedCommandsChangeNothing) {
  const auto simulation = start();
  run(*simulation, 5);
  const State state = simulation->state();
  const std::string scene = write_scene(simulation->scene());
  State foreign;
  foreign.x.resize(3);
  foreign.v.resize(3);
  State broken = state;
  broken.v[3].y = std::nan("");
  const vec3 nowhere(0, kInfinity, 0);
  const std::vector<Command> refused{
      SetParameter{"stretch-stiffness", -1},
      SetParameter{"dt", kInfinity},
      SetParameter{"mass", std::nan("")},
      SetParameter{"masss", 1},
      SetGravity{nowhere},
      SetIntegrator{"magic"},
      SetPinned{{30}, true},
      MovePins{{{30, vec3(0)}}, 0},
      MovePins{{{0, vec3(0)}, {9, vec3(0)}}, 0},  // not pinned
      MovePins{{{0, nowhere}}, 0},
      MovePins{{{0, vec3(0)}}, -1},
      MovePins{{{0, vec3(0)}}, kInfinity},
      Grab{{0, 1, 30}, vec3(1, 0, 0), vec3(0), 1, 1},
      Grab{{0, 1, 5}, vec3(1, 1, 0), vec3(0), 1, 1},
      Grab{{0, 1, 5}, vec3(-1, 1, 1), vec3(0), 1, 1},
      Grab{{0, 1, 5}, vec3(1, 0, 0), nowhere, 1, 1},
      Grab{{0, 1, 5}, vec3(1, 0, 0), vec3(0), -1, 1},
      Grab{{0, 1, 5}, vec3(1, 0, 0), vec3(0), 1, kInfinity},
      MoveCursor{nowhere},
  };
  for (const Command& command : refused) {
    EXPECT_FALSE(refusal([&] { simulation->apply(pool, command); }).empty());
    EXPECT_TRUE(same_bits(simulation->state(), state));
    EXPECT_EQ(write_scene(simulation->scene()), scene);
    EXPECT_FALSE(simulation->grab());
  }
  for (const State& bad : {foreign, broken}) {
    EXPECT_FALSE(refusal([&] { simulation->restore(pool, bad, 0); }).empty());
    EXPECT_TRUE(same_bits(simulation->state(), state));
  }
  // What may be under way while the grab ends is no error.
  simulation->apply(pool, MoveCursor{vec3(1)});
  simulation->apply(pool, Release{});
}

TEST_F(SimulationTest, AMassModelThatLeavesAParticleWithoutMassIsRefusedAsAWhole) {
  const auto pendulum = built(find_generated_mesh("pendulum").make());
  Simulation simulation(Scene{}, pendulum, pool);
  refusal([&] { simulation.apply(pool, SetParameter{"mass-model", 1}); });
  EXPECT_EQ(simulation.scene().material.mass_model, MassModel::uniform);
  EXPECT_EQ(simulation.step(pool), StepStatus::done);

  Scene other = simulation.scene();
  other.material.mass_model = MassModel::area;
  other.integrator = "symplectic-euler";
  other.pins = std::vector<std::uint32_t>{};
  const bool pinned = simulation.is_pinned(0);
  ASSERT_TRUE(pinned || simulation.is_pinned(1));
  const auto before = std::make_shared<const State>(simulation.state());
  simulation.step(pool);
  const State expected = simulation.state();
  simulation.restore(pool, *before, 1);
  refusal([&] { simulation.apply(pool, SetScene{std::make_shared<const Scene>(other)}); });
  EXPECT_EQ(simulation.scene().integrator, Scene{}.integrator);
  EXPECT_EQ(simulation.is_pinned(0), pinned);
  simulation.step(pool);
  EXPECT_TRUE(same_bits(simulation.state(), expected));
}

TEST_F(SimulationTest, TheHandPullsWithNoMoreThanTenTimesTheWeight) {
  const auto simulation = start();
  const Grab grab{{12, 13, 17}, vec3(0.25, 0.5, 0.25), vec3(0.5, 100, 0.5), 1e6, 0};
  simulation->apply(pool, grab);
  ASSERT_TRUE(simulation->grab());
  EXPECT_NEAR(simulation->grab()->max_force, 10 * 0.2 * 9.8, 1e-9);
  simulation->apply(pool, SetGravity{vec3(0)});
  EXPECT_NEAR(simulation->grab()->max_force, 10 * 0.2 * 9.8, 1e-9);
  simulation->apply(pool, SetParameter{"mass", 2});
  EXPECT_NEAR(simulation->grab()->max_force, 10 * 2 * 9.8, 1e-9);
  std::vector<vec3> force(30);
  simulation->system().force(pool, simulation->state().x, simulation->state().v, force);
  vec3 total(0);
  for (const vec3& f : force) total += f;  // the springs cancel; no gravity
  EXPECT_GT(total.y, 0);
  EXPECT_LE(glm::length(total), 10 * 2 * 9.8 * (1 + 1e-12));

  // Of the part that was grabbed, not of the whole.
  const auto parts = built(find_generated_mesh("parts").make());
  Scene scene;
  scene.pins = PinPreset::none;
  Simulation three(scene, parts, pool);
  const auto triangle = parts->triangles.front();
  three.apply(pool, Grab{triangle, vec3(1, 0, 0), vec3(0), 1, 0});
  double mass = 0;
  for (std::size_t i = 0; i < parts->positions.size(); ++i)
    if (parts->part_of_particle[i] == parts->part_of_particle[triangle[0]])
      mass += three.system().masses()[i];
  EXPECT_LT(mass, 0.1);
  EXPECT_NEAR(three.grab()->max_force, 10 * mass * 9.8, 1e-9);
}

TEST_F(SimulationTest, TheSameCommandsGiveTheSameBits) {
  const int commands = testing::kSlowdown > 1 ? 24 : 120;
  for (const IntegratorInfo& info : integrators()) {
    Scene scene;
    scene.integrator = info.id;
    scene.dt = 1e-3;
    const auto play = [&](WorkerPool& even, WorkerPool& odd) {
      Simulation simulation(scene, mesh, even);
      std::mt19937 random(3);
      const auto number = [&] { return static_cast<double>(random() % 1000) / 1000; };
      for (int k = 0; k < commands; ++k) {
        WorkerPool& workers = k % 2 == 0 ? even : odd;
        switch (random() % 8) {
          case 0:
            simulation.apply(workers, SetParameter{"stretch-stiffness", 100 + 900 * number()});
            break;
          case 1:
            simulation.apply(workers,
                             SetPinned{{static_cast<std::uint32_t>(random() % 30)}, random() % 2 == 0});
            break;
          case 2:
            simulation.apply(workers, Grab{{12, 13, 17}, vec3(0.25, 0.5, 0.25), vec3(number()), 50, 0.1});
            break;
          case 3:
            simulation.apply(workers, MoveCursor{vec3(number(), number(), number())});
            break;
          case 4:
            simulation.apply(workers, Release{});
            break;
          case 5:
            simulation.apply(workers, SetParameter{"dt", 1e-4 + 1e-3 * number()});
            break;
          default:
            break;
        }
        simulation.step(workers);
      }
      return simulation.state();
    };
    WorkerPool three(3);
    const State expected = play(pool, pool);
    EXPECT_TRUE(same_bits(play(pool, pool), expected)) << info.id;
    EXPECT_TRUE(same_bits(play(three, three), expected)) << info.id;
    EXPECT_TRUE(same_bits(play(pool, three), expected)) << info.id << ": by turns";
  }
}

// On a sheet of several chunks, as one chunk needs no pool. A pool that is kept and gone is an error to
// AddressSanitizer.
TEST(Simulation, KeepsNoPool) {
  const auto mesh = grid_mesh(66, 66);
  WorkerPool one(1), three(3);
  Simulation expected(Scene{}, mesh, one);
  auto first = std::make_unique<WorkerPool>(2);
  Simulation simulation(Scene{}, mesh, *first);
  first.reset();
  for (WorkerPool* pool : {&three, &one, &three}) {
    for (const auto& [run, lent] : {std::pair{&expected, &one}, std::pair{&simulation, pool}}) {
      run->apply(*lent, SetParameter{"mass", 0.2 + 0.1 * static_cast<double>(run->steps())});
      ASSERT_EQ(run->step(*lent), StepStatus::done);
    }
    EXPECT_TRUE(same_bits(simulation.state(), expected.state()));
  }
}

TEST(Simulation, ResetMeasuresTheStartWithTheMaterialOfNow) {
  Scene scene;
  scene.initial_state = InitialState{};
  const auto mesh = grid_mesh(4, 4);
  for (const vec3& x : mesh->positions) {
    scene.initial_state->positions.push_back(1.1 * x + vec3(0, 1, 0));
    scene.initial_state->velocities.push_back(vec3(0.1 * x.z, 0, 0));
  }
  WorkerPool pool(1);
  Simulation simulation(scene, mesh, pool);
  for (const double factor : {3.0, 1.0, 0.5}) {
    Scene changed = scene;
    changed.material.mass *= factor;
    changed.material.stretch_stiffness *= factor;
    simulation.apply(pool, SetParameter{"mass", changed.material.mass});
    simulation.apply(pool, SetParameter{"stretch-stiffness", changed.material.stretch_stiffness});
    simulation.step(pool);
    simulation.apply(pool, Reset{});
    const Simulation fresh(changed, mesh, pool);
    EXPECT_GT(fresh.record().energy.stretch, 0);
    EXPECT_EQ(simulation.record().energy.stretch, fresh.record().energy.stretch);
    EXPECT_EQ(simulation.record().energy.kinetic, fresh.record().energy.kinetic);
    EXPECT_EQ(simulation.record().energy.gravity, fresh.record().energy.gravity);
    EXPECT_EQ(simulation.record().max_strain, fresh.record().max_strain);
  }
}

// All that remember a step begin anew: they go on as a run does that starts from there.
TEST(Simulation, VelocitiesThatTurnRoundRestartEveryMethod) {
  const auto mesh = grid_mesh(5, 5);
  for (const char* id : kRewound) {
    SCOPED_TRACE(id);
    Scene scene;
    scene.integrator = id;
    Simulation turned(scene, mesh, one_thread());
    ASSERT_EQ(run(turned, 5), 5);
    const State before = turned.state();
    const StepRecord record = turned.record();
    turned.apply(one_thread(), ReverseVelocities{});
    EXPECT_EQ(turned.state().x, before.x);
    EXPECT_EQ(turned.record().energy.total, record.energy.total);

    scene.initial_state.emplace();
    for (const std::int32_t particle : mesh->particle_of_vertex) {
      const auto i = static_cast<std::size_t>(particle);
      scene.initial_state->positions.push_back(before.x[i]);
      scene.initial_state->velocities.push_back(-before.v[i]);
    }
    Simulation fresh(scene, mesh, one_thread());
    EXPECT_EQ(turned.state().v, fresh.state().v);
    for (int k = 0; k < 2; ++k) {
      ASSERT_EQ(turned.step(one_thread()), StepStatus::done);
      ASSERT_EQ(fresh.step(one_thread()), StepStatus::done);
      EXPECT_EQ(turned.state().x, fresh.state().x) << k;
      EXPECT_EQ(turned.state().v, fresh.state().v) << k;
    }
    EXPECT_EQ(turned.record().ledger.jump, record.ledger.jump) << "no energy has come";
  }
}

// The sheet that docs/performance.md measures, while it falls, swings and slackens.
TEST(Simulation, AStrainLimitHoldsTheStrainOfAHangingSheetAtFrameLength) {
  for (const char* method : {"semi-implicit-euler", "backward-euler", "bdf2", "vbd"}) {
    SCOPED_TRACE(method);
    double strain[2] = {};
    for (const bool limited : {false, true}) {
      Scene scene;
      set_integrator(scene, method);
      scene.pins = PinPreset::top_edge;
      scene.material.stretch_stiffness = 5;
      scene.material.rayleigh_mass = 2;
      scene.material.strain_limit = limited ? 0.05 : 0;
      Simulation simulation(scene, grid_mesh(12, 12), one_thread());
      for (int k = 0; k < 180; ++k) ASSERT_EQ(simulation.step(one_thread()), StepStatus::done);
      strain[limited] = simulation.record().max_strain;
    }
    EXPECT_GT(strain[0], 0.2);
    // Springs at the top are beyond the limit by about a hundredth of what they would be without it.
    EXPECT_GT(strain[1], 0.05);
    EXPECT_LT(strain[1], 0.05 + strain[0] / 50);
  }
}

TEST(Simulation, AHangingSheetTakesNoMoreThanTwelveIterationsAStep) {
  WorkerPool pool(1);
  Simulation simulation(Scene{}, grid_mesh(64, 64), pool);
  const int steps = kSlowdown > 1 ? 30 : 120;
  for (int k = 0; k < steps; ++k) {
    ASSERT_EQ(simulation.step(pool), StepStatus::done);
    ASSERT_TRUE(simulation.record().converged) << k;
    ASSERT_LE(simulation.record().cg_iterations, 12) << k;
  }
}

TEST(Simulation, ARefusedStepLeavesNoHistory) {
  // A stretched sheet that shakes, without gravity: its modes gain energy, more than the start accounts for.
  Scene scene;
  scene.integrator = "semi-implicit-bdf2-ere";
  scene.pins = PinPreset::corners;
  scene.energy_limit = 1;
  scene.material.gravity = vec3(0);
  scene.material.spring_damping = 0;
  scene.material.stretch_stiffness = 100;
  const auto mesh = grid_mesh(5, 5);
  scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(mesh->positions.size())};
  for (vec3& x : scene.initial_state->positions) x *= 1.2;
  scene.initial_state->velocities[12] = vec3(0, 1, 0);  // in the middle
  WorkerPool pool(1);
  Simulation simulation(scene, mesh, pool);
  ASSERT_GT(run(simulation, 2000), 2);
  const auto good = std::make_shared<const State>(simulation.state());
  ASSERT_EQ(simulation.step(pool), StepStatus::blown_up);
  const double again = simulation.blow_up().value().energy;
  simulation.restore(pool, *good, simulation.steps());
  ASSERT_EQ(simulation.step(pool), StepStatus::blown_up);
  EXPECT_EQ(again, simulation.blow_up().value().energy);
}

TEST_F(SimulationTest, ResetGoesBackToTheStartAndKeepsParametersAndPins) {
  Scene scene;
  scene.pins = std::vector<std::uint32_t>{2};
  const auto simulation = start(scene);
  simulation->apply(pool, SetParameter{"mass", 1});
  simulation->apply(pool, SetIntegrator{"backward-euler"});
  simulation->apply(pool, Grab{{12, 13, 17}, vec3(0.25, 0.5, 0.25), vec3(1), 50, 0.1});
  simulation->apply(pool, SetPinPreset{PinPreset::corners});
  simulation->apply(pool, MovePins{{{0, vec3(-1)}}, 0.1});
  run(*simulation, 10);
  simulation->apply(pool, SetPinned{{9}, true});  // in mid-swing
  run(*simulation, 10);
  simulation->apply(pool, Reset{});
  EXPECT_EQ(simulation->state().x, mesh->positions);
  EXPECT_EQ(simulation->state().v, std::vector<vec3>(30, vec3(0)));
  EXPECT_EQ(simulation->state().t, 0);
  EXPECT_EQ(simulation->steps(), 0u);
  EXPECT_FALSE(simulation->grab());
  EXPECT_FALSE(simulation->is_pinned(2));
  for (const std::uint32_t i : {0u, 4u, 9u, 25u, 29u}) EXPECT_TRUE(simulation->is_pinned(i)) << i;
  EXPECT_EQ(simulation->scene().material.mass, 1);
  EXPECT_EQ(simulation->integrator().id, "backward-euler");

  Scene fresh = simulation->scene();
  const auto anew = start(fresh);
  run(*simulation, 20);
  run(*anew, 20);
  EXPECT_TRUE(same_bits(simulation->state(), anew->state()));
  EXPECT_EQ(simulation->state().x[9], mesh->positions[9]);  // where it rests, not where it was pinned
}

TEST_F(SimulationTest, WithADurationOfZeroPinsAreThereBetweenSteps) {
  for (const IntegratorInfo& info : integrators()) {
    Scene scene;
    scene.integrator = info.id;
    scene.dt = 1e-3;
    const auto simulation = start(scene);
    simulation->apply(pool, MovePins{{{4, mesh->positions[4] - vec3(0, 1, 0)}}, 1});
    run(*simulation, 5);
    const vec3 there = mesh->positions[4] + vec3(0.03, 0, 0);
    const StepRecord before = simulation->record();
    simulation->apply(pool, MovePins{{{4, there}}, 0});
    EXPECT_EQ(simulation->state().x[4], there) << info.id;
    EXPECT_EQ(simulation->state().v[4], vec3(0)) << info.id;
    EXPECT_TRUE(simulation->moving_pins().empty()) << info.id;
    EXPECT_EQ(simulation->record().step, before.step) << info.id;
    EXPECT_NE(simulation->record().max_strain, before.max_strain) << info.id;
    // To the integrator this is another start: the same steps as from a restored state.
    const auto restored = start(scene);
    restored->restore(pool, simulation->state(), before.step);
    for (Simulation* each : {simulation.get(), restored.get()}) run(*each, 5);
    EXPECT_TRUE(same_bits(simulation->state(), restored->state())) << info.id;
    EXPECT_EQ(simulation->state().x[4], there) << info.id;
  }
}

TEST_F(SimulationTest, ARestoredStateGoesOnAsItDidThen) {
  const auto simulation = start();
  run(*simulation, 7);
  const auto then = std::make_shared<const State>(simulation->state());
  run(*simulation, 5);
  const State later = simulation->state();
  simulation->restore(pool, *then, 7);
  EXPECT_EQ(simulation->steps(), 7u);
  EXPECT_TRUE(same_bits(simulation->state(), *then));
  run(*simulation, 5);
  EXPECT_EQ(simulation->steps(), 12u);
  EXPECT_TRUE(same_bits(simulation->state(), later));

  // Pins stay where the restored state has them.
  simulation->apply(pool, MovePins{{{0, vec3(-0.1, 0, 0)}}, 1e-9});
  run(*simulation, 3);
  simulation->restore(pool, *then, 7);
  run(*simulation, 3);
  EXPECT_EQ(simulation->state().x[0], then->x[0]);
}

TEST_F(SimulationTest, MovingAPinLeavesTheIntegratorItsHistory) {
  // Moved between all steps to where it is, as by a grab that holds still: as if never touched.
  for (const IntegratorInfo& info : integrators()) {
    Scene scene;
    scene.integrator = info.id;
    scene.dt = 1e-3;
    const auto moved = start(scene), untouched = start(scene);
    for (int k = 0; k < 10; ++k) {
      moved->apply(pool, MovePins{{{0, mesh->positions[0]}}, 1e-9});
      moved->step(pool);
      untouched->step(pool);
    }
    EXPECT_TRUE(same_bits(moved->state(), untouched->state())) << info.id;
  }
}

// ---- States in and out

TEST_F(SimulationTest, AnExportedStateIsAnInitialState) {
  const auto simulation = start();
  run(*simulation, 20);
  Scene scene;
  scene.initial_state = simulation->export_state();
  ASSERT_EQ(scene.initial_state->positions.size(), 30u);
  const auto continued = start(scene);
  EXPECT_EQ(continued->state().x, simulation->state().x);
  EXPECT_EQ(continued->state().v, simulation->state().v);
  EXPECT_NEAR(continued->record().max_strain, simulation->record().max_strain,
              0);  // rest lengths of the mesh
  run(*simulation, 5);
  run(*continued, 5);
  EXPECT_EQ(continued->state().x, simulation->state().x);
}

TEST_F(SimulationTest, StatesAreInTheUnitsAndAxesOfTheFile) {
  Scene scene;
  scene.scale = 0.01;
  scene.z_up = true;
  scene.pins = PinPreset::none;
  scene.integrator = "symplectic-euler";
  scene.dt = 1e-3;
  const ObjMesh obj = find_generated_mesh("polygons").make();
  const auto scaled = built(obj, scene);
  Simulation simulation(scene, scaled, pool);
  run(simulation, 30);  // falls as a whole: along −z of the file, by ½ g t² (½ h g t more, as h is finite)
  const InitialState out = simulation.export_state();
  ASSERT_EQ(out.positions.size(), obj.vertices.size());
  const double h = 1e-3, t = 30 * h, fall = 0.5 * 9.8 * t * (t + h) * 100, speed = 9.8 * t * 100;
  for (std::size_t v = 0; v < obj.vertices.size(); ++v) {
    if (v == 0 || v == 7) {  // no face uses them
      EXPECT_EQ(out.positions[v], obj.vertices[v]);
      EXPECT_EQ(out.velocities[v], vec3(0));
      continue;
    }
    EXPECT_LT(glm::length(out.positions[v] - (obj.vertices[v] - vec3(0, 0, fall))), 1e-9 * fall) << v;
    EXPECT_LT(glm::length(out.velocities[v] + vec3(0, 0, speed)), 1e-9 * speed) << v;
  }
  scene.initial_state = out;
  Simulation continued(scene, scaled, pool);
  for (std::size_t i = 0; i < continued.state().x.size(); ++i)
    EXPECT_LT(glm::length(continued.state().x[i] - simulation.state().x[i]), 1e-14);
}

TEST_F(SimulationTest, WeldedVerticesShareTheirParticle) {
  const auto seam = built(find_generated_mesh("seam").make());
  ASSERT_GT(seam->report.welded, 0u);
  Scene scene;
  scene.pins = std::vector<std::uint32_t>{4, 35};  // two vertices of one particle
  Simulation simulation(scene, seam, pool);
  EXPECT_TRUE(simulation.is_pinned(static_cast<std::uint32_t>(seam->particle_of_vertex[35])));
  run(simulation, 10);
  InitialState out = simulation.export_state();
  EXPECT_EQ(out.positions[4], out.positions[35]);
  scene.initial_state = out;
  Simulation continued(scene, seam, pool);
  scene.initial_state->velocities[35].x += 1e-9;
  refusal([&] { Simulation refused(scene, seam, pool); });
}

TEST_F(SimulationTest, WhatDoesNotFitTheMeshIsRefused) {
  const auto polygons = built(find_generated_mesh("polygons").make());
  Scene scene;
  scene.pins = std::vector<std::uint32_t>{7};  // no face uses it
  EXPECT_NE(refusal([&] { Simulation refused(scene, polygons, pool); }).find('7'), std::string::npos);
  scene.pins = std::vector<std::uint32_t>{30};
  EXPECT_NE(refusal([&] { start(scene); }).find("30"), std::string::npos);
  scene = {};
  scene.initial_state = InitialState{{vec3(0)}, {vec3(0)}};
  refusal([&] { start(scene); });
  scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(30, vec3(0))};
  start(scene);
  scene.initial_state->positions[3].z = std::nan("");
  EXPECT_NE(refusal([&] { start(scene); }).find("vertex 3"), std::string::npos);
  scene = {};
  scene.integrator = "magic";
  refusal([&] { start(scene); });
  scene = {};
  scene.dt = 0;
  refusal([&] { start(scene); });
  refusal([&] { Simulation refused(Scene{}, nullptr, pool); });
}

TEST_F(SimulationTest, AFrameShowsTheState) {
  const auto simulation = start();
  simulation->apply(pool, Grab{{12, 13, 17}, vec3(0.25, 0.5, 0.25), vec3(1, 2, 3), 50, 0.1});
  simulation->step(pool);
  const auto scene = std::make_shared<const Scene>(simulation->scene());
  Frame frame;
  capture(*simulation, scene, frame);
  EXPECT_EQ(frame.positions, simulation->state().x);
  EXPECT_EQ(frame.mesh, mesh);
  EXPECT_EQ(frame.scene, scene);
  EXPECT_EQ(frame.record.step, 1u);
  EXPECT_EQ(frame.pinned[0], 1);
  EXPECT_EQ(frame.pinned[4], 1);
  EXPECT_EQ(frame.pinned[1], 0);
  ASSERT_TRUE(frame.grab);
  EXPECT_EQ(frame.grab->cursor, vec3(1, 2, 3));
  const vec3 point = 0.25 * frame.positions[12] + 0.5 * frame.positions[13] + 0.25 * frame.positions[17];
  EXPECT_LT(glm::length(frame.grab->point - point), 1e-15);
  EXPECT_EQ(frame.residuals.size(), static_cast<std::size_t>(frame.record.cg_iterations) + 1);

  simulation->apply(pool, SetPinPreset{PinPreset::none});
  simulation->apply(pool, Release{});
  capture(*simulation, scene, frame);
  EXPECT_EQ(frame.pinned, std::vector<std::uint8_t>(30, 0));
  EXPECT_FALSE(frame.grab);
}

// Those for the ledger do not count, nor do they depend on whether a picture of the step is wanted.
TEST_F(SimulationTest, CountsTheEvaluationsOfForces) {
  for (const auto& [method, count] : {std::pair{"explicit-euler", 1},
                                      {"symplectic-euler", 1},
                                      {"rk4", 4},
                                      {"two-step", 1},
                                      {"yoshida4", 6},
                                      {"semi-implicit-euler", 1}}) {
    Scene scene;
    scene.mesh = GridSource{5, 5};
    scene.integrator = method;
    scene.dt = 3e-4;
    scene.substeps = 3;
    Simulation simulation(scene, grid_mesh(5, 5), pool);
    for (const bool watches : {false, true}) {
      simulation.watch(watches);
      ASSERT_EQ(run(simulation, 2), 2);
      EXPECT_EQ(simulation.record().force_evaluations, 3 * count) << method;
    }
  }
  // One for the scale of the residual, and one for each iterate, the guess among them.
  for (const std::string method : {"backward-euler", "a-search", "energy-tracking"}) {
    Scene scene;
    scene.mesh = GridSource{5, 5};
    scene.integrator = method;
    Simulation simulation(scene, grid_mesh(5, 5), pool);
    for (int step = 0; step < 5; ++step) {
      ASSERT_EQ(run(simulation, 1), 1);
      EXPECT_GE(simulation.record().force_evaluations, 2 + simulation.record().newton_iterations) << method;
    }
  }
}

TEST_F(SimulationTest, AFrameShowsMotionWhereItIsAskedFor) {
  const auto simulation = start();
  simulation->apply(pool, SetPinPreset{PinPreset::none});
  Frame frame;
  capture_motion(pool, *simulation, simulation->state(), {.velocities = true, .forces = true}, frame);
  // Nothing is stretched at the start, so weight is all.
  ASSERT_EQ(frame.forces.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_LT(glm::length(frame.forces[i] - simulation->system().masses()[i] * vec3(0, -9.8, 0)), 1e-12);
  simulation->step(pool);
  capture_motion(pool, *simulation, simulation->state(), {.velocities = true}, frame);
  EXPECT_EQ(frame.velocities, simulation->state().v);
  EXPECT_LT(frame.velocities[7].y, 0);
  EXPECT_TRUE(frame.forces.empty());
}

}  // namespace
}  // namespace clothlab::testing
