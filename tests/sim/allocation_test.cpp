// SPDX-License-Identifier: MIT
// No step after the first allocates; a command that finds no memory changes nothing.

#include <algorithm>
#include <new>
#include <vector>

#include "allocation_counter.h"
#include "collide/mesh_body.h"
#include "sim/checkpoint.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

// One driver of each kind.
const Scene& driven_scene() {
  static const Scene scene = parse_scene(R"({"clothlab-scene": 4,
    "groups": {"end": {"indices": [240, 241, 242]}, "some": {"box": [[0, 0, 0.5], [1, 0, 0.8]]}},
    "drivers": [{"group": "end", "path": [{"time": 0}, {"time": 1, "move": [0, 0.1, 0]}], "interpolation": "smooth"},
                {"group": "some", "force": {"constant": [0, 1e-4, 0]}},
                {"group": "some", "force": {"harmonic": [0, 1e-4, 0], "frequency": 3}},
                {"group": "some", "force": {"drag": 1e-3}},
                {"group": "some", "force": {"central": [0, -2, 0], "strength": 1}}]})",
                                         "driven");
  return scene;
}

TEST(SimulationAllocation, HappensInTheFirstStepAlone) {
  for (const IntegratorInfo& info : integrators())
    for (const bool adaptive : {false, true}) {
      WorkerPool pool(2);
      Scene scene;
      scene.integrator = info.id;
      scene.material.stretch_stiffness = 100;
      scene.dt = 1e-3;
      scene.adaptive = adaptive;
      scene.energy_limit = kInfinity;  // no warnings of a blow-up: their text needs memory
      scene.wind.on = true;
      scene.wind.gusts = 50;
      scene.floor.on = true;  // that nothing touches: what touches it is another set of pins
      scene.floor.height = -1;
      scene.obstacles.bodies = {parse_obstacle("box:0.5,-2,0.5,1,1,1"),
                                test::angle_body(vec3(0.3, -0.9, 0.3), 0.3)};
      auto [corners, triangles] = test::angle_mesh();
      Obstacle deforms = test::deforming_body(corners, triangles, 3, [](const vec3& x, std::size_t k) {
        return (1 + 0.1 * static_cast<double>(k)) * x;
      });
      deforms.scale = 0.3;
      deforms.mesh.playback.rate = 250;  // a frame in four steps
      scene.obstacles.bodies.push_back(moved_to(deforms, vec3(0.3, -0.9, 0.3)));
      scene.obstacles.bodies[0].path = {{{0, vec3(0), vec3(0)}, {1, vec3(0, 0.1, 0), vec3(0, 90, 0)}}, false};
      scene.groups = driven_scene().groups;
      scene.drivers = driven_scene().drivers;
      // A multigrid hierarchy is built anew where h changes the balance of stiffness and damping.
      if (adaptive) scene.solver.linear.cg.preconditioner = PreconditionerKind::block_jacobi;
      Simulation simulation(scene, grid_mesh(16, 16), pool);
      simulation.apply(pool, Grab{{120, 121, 137}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.2, 0.5), 5, 0.01});
      simulation.apply(pool, MovePins{{{0, vec3(0.1, 0.1, 0)}}, 1});  // the work of moving pins is counted
      simulation.apply(pool, MoveObstacle{0, vec3(0.5, -1.8, 0.5), 1});
      // The first step of a method with history is of another kind.
      for (int k = 0; k < 2; ++k) ASSERT_EQ(simulation.step(pool), StepStatus::done);
      const long before = allocations();
      ASSERT_GT(before, 0);
      for (int k = 0; k < 8; ++k) ASSERT_EQ(simulation.step(pool), StepStatus::done);
      EXPECT_EQ(allocations() - before, 0) << info.id << ", adaptive " << adaptive;
    }
}

TEST(SimulationAllocation, OfDistancesHappensInTheFirstStepAlone) {
  for (const IntegratorInfo& info : integrators()) {
    if (!takes_couplings(info)) continue;
    for (const auto kind : {LinearSolverSettings::Kind::cg, LinearSolverSettings::Kind::cholesky}) {
      WorkerPool pool(2);
      Scene scene = parse_scene(R"({"clothlab-scene": 4, "stretch-stiffness": 100, "dt": 0.001,
        "groups": {"rail": {"indices": [15]}, "a": {"indices": [15, 100]}, "b": {"indices": [100, 200]}},
        "pin": [0], "drivers": [{"group": "rail", "constraint": "line", "along": [1, 0, 0]},
          {"group": "a", "constraint": "distance"}, {"group": "b", "constraint": "distance"}]})",
                                "coupled");
      scene.integrator = info.id;
      scene.solver.linear.kind = kind;
      scene.energy_limit = kInfinity;  // no warnings of a blow-up: their text needs memory
      Simulation simulation(scene, grid_mesh(16, 16), pool);
      for (int k = 0; k < 2; ++k) ASSERT_EQ(simulation.step(pool), StepStatus::done);
      const long before = allocations();
      for (int k = 0; k < 8; ++k) ASSERT_EQ(simulation.step(pool), StepStatus::done);
      EXPECT_EQ(allocations() - before, 0) << info.id;
    }
  }
}

// Cloth that lies on itself and on a mesh, by impulses, once it has been there.
TEST(SimulationAllocation, HappensForContactOnlyWhereThereIsMoreThanBefore) {
  WorkerPool pool(2);
  Scene scene;
  scene.pins = PinPreset::none;
  scene.material.stretch_stiffness = 100;
  scene.contact.model = ContactModel::impulse;
  scene.obstacles.bodies = {test::angle_body(vec3(0.2, -0.26, 0.3), 0.25)};
  Simulation simulation(scene, grid_mesh(12, 12), pool);
  long last = 0;
  int quiet = 0;
  for (int k = 0; k < 150; ++k) {
    const long before = allocations();
    ASSERT_EQ(simulation.step(pool), StepStatus::done) << k;
    last = allocations() - before;
    quiet += last == 0 ? 1 : 0;
  }
  EXPECT_GT(simulation.record().contacts.candidates, 0U);
  EXPECT_GT(quiet, 100);
}

// Of XPBD in positions, once a sheet has landed.
TEST(SimulationAllocation, DoesNotHappenInBounces) {
  for (const double contact : {1, 2}) {
    WorkerPool pool(2);
    Scene scene;
    scene.integrator = "xpbd";
    scene.integrator_parameters = {{"xpbd-contact", contact}};
    scene.pins = PinPreset::none;
    scene.dt = 1.0 / 60;
    scene.floor = {.on = true, .height = -0.1};
    Simulation simulation(scene, grid_mesh(16, 16), pool);
    std::size_t most = 0;
    for (int k = 0; k < 12; ++k) {
      ASSERT_EQ(simulation.step(pool), StepStatus::done);
      most = std::max(most, simulation.record().contacts.pairs);
    }
    ASSERT_EQ(most, 256U);
    for (int k = 0; k < 60; ++k) {
      const auto notices = simulation.notices().list();
      const long before = allocations();
      ASSERT_EQ(simulation.step(pool), StepStatus::done);
      const long after = allocations();
      EXPECT_TRUE(after == before || simulation.notices().list() != notices) << contact << ", step " << k;
    }
  }
}

/// Steps of a method with a memory, with a pin on its way and a grab; then, at half of the steps, `moment`.
std::unique_ptr<Simulation> in_motion(WorkerPool& pool, Checkpoint& moment) {
  Scene scene;
  scene.integrator = "bdf2";
  scene.dt = 1e-3;
  scene.floor = {.on = true, .height = -1};
  auto run = std::make_unique<Simulation>(scene, grid_mesh(4, 4), pool);
  run->apply(pool, MovePins{{{0, vec3(0.1, 0.1, 0)}}, 1});
  run->apply(pool, Grab{{5, 6, 10}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.2, 0.5), 5, 0.01});
  for (int k = 0; k < 2; ++k) run->step(pool);
  run->save(pool, moment);
  for (int k = 0; k < 2; ++k) run->step(pool);
  return run;
}

std::vector<double> numbers_of(const Simulation& run) {
  Checkpoint now;
  run.save(one_thread(), now);
  Memory memory;
  write_checkpoint(now, memory);
  return {memory.numbers().begin(), memory.numbers().end()};
}

TEST(SimulationAllocation, ACommandThatFindsNoMemoryChangesNothing) {
  WorkerPool pool(1);
  const auto moment = std::make_shared<Checkpoint>();
  const auto run = in_motion(pool, *moment), twin = in_motion(pool, *moment);
  auto other = std::make_shared<Scene>(run->scene());
  other->integrator = "siere";
  other->material.mass = 0.4;
  other->wind.on = true;
  other->pins = std::vector<std::uint32_t>{1, 2, 9};
  const std::vector<Command> commands{SetParameter{"mass", 0.3},
                                      SetParameter{"wind", 1},
                                      SetGravity{vec3(0, -5, 1)},
                                      SetIntegrator{"rattle"},
                                      SetPinned{{7, 8, 9}, true},
                                      MovePins{{{7, vec3(1)}, {8, vec3(2)}}, 0},
                                      MovePins{{{9, vec3(1)}}, 0.5},
                                      SetObstacles{{parse_obstacle("sphere:0.5,-0.4,0.5,0.1")}},
                                      MoveObstacle{0, vec3(0.5, -0.3, 0.5), 0.5},
                                      MoveObstacle{0, vec3(0.4, -0.3, 0.5), 0},
                                      SetPinPreset{PinPreset::top_edge},
                                      MoveCursor{vec3(0.1)},
                                      Release{},
                                      Grab{{0, 1, 5}, vec3(0.25, 0.25, 0.5), vec3(0.5), 5, 0.01},
                                      SetScene{other},
                                      GoBack{moment},
                                      RestoreGoodState{},
                                      ReverseVelocities{},
                                      SetParameter{"floor", 0},
                                      SetObstacles{},
                                      StepBack{},
                                      Reset{}};
  int failures = 0;
  for (std::size_t c = 0; c < commands.size(); ++c) {
    SCOPED_TRACE(c);
    const std::vector<double> before = numbers_of(*run);
    const std::shared_ptr<const Scene> scene = run->shared_scene();
    for (long n = 1;; ++n) {
      ASSERT_LT(n, 1000);
      fail_allocation(n);
      try {
        run->apply(pool, commands[c]);
        fail_allocation(0);
        break;
      } catch (const std::bad_alloc&) {
        ++failures;
        ASSERT_EQ(run->shared_scene(), scene) << n;
        ASSERT_EQ(numbers_of(*run), before) << n;
      }
    }
    twin->apply(pool, commands[c]);
    EXPECT_EQ(numbers_of(*run), numbers_of(*twin));
    EXPECT_EQ(run->step(pool), twin->step(pool));
    EXPECT_TRUE(same_bits(run->state(), twin->state()));
    EXPECT_EQ(run->record().energy.total, twin->record().energy.total);
  }
  EXPECT_GT(failures, 50);
}

TEST(SimulationAllocation, AStepThatFindsNoMemoryChangesNothing) {
  WorkerPool pool;
  Scene scene;
  scene.mesh = GridSource{5, 5};
  scene.material.stretch_stiffness = 5;
  scene.dt = 0.02;
  const auto mesh = grid_mesh(5, 5);
  Simulation run(scene, mesh, pool), twin(scene, mesh, pool);
  Checkpoint held;  // shares the last sound state
  int failures = 0;
  bool was_unsound = false;
  for (int step = 0; step < 40; ++step) {
    SCOPED_TRACE(step);
    run.save(pool, held);
    if (step % 8 == 0) run.apply(pool, SetParameter{"mass", 0.2 + 0.01 * step});
    if (step % 8 == 0) twin.apply(pool, SetParameter{"mass", 0.2 + 0.01 * step});
    const std::vector<double> before = numbers_of(run);
    const std::uint64_t steps = run.steps();
    StepStatus status = StepStatus::stopped;
    for (long n = 1; status == StepStatus::stopped; ++n) {
      fail_allocation(n);
      try {
        status = run.step(pool);
      } catch (const std::bad_alloc&) {
        ++failures;
        ASSERT_EQ(run.steps(), steps) << n;
        ASSERT_EQ(numbers_of(run), before) << n;
      }
      fail_allocation(0);
    }
    ASSERT_EQ(status, twin.step(pool));
    ASSERT_TRUE(same_bits(run.state(), twin.state()));
    was_unsound = was_unsound || run.record().max_strain > kGoodStrain;
    if (status == StepStatus::blown_up) break;
  }
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(was_unsound);
}

TEST(SimulationAllocation, AStepByImpulsesThatFindsNoMemoryChangesNothing) {
  WorkerPool pool;
  Scene scene;
  scene.pins = PinPreset::none;
  scene.contact.model = ContactModel::impulse;
  scene.obstacles.bodies = {test::angle_body(vec3(0.2, -0.26, 0.3), 0.25)};
  const auto mesh = grid_mesh(5, 5);
  Simulation run(scene, mesh, pool), twin(scene, mesh, pool);
  int failures = 0;
  for (int step = 0; step < 12; ++step) {
    SCOPED_TRACE(step);
    const std::vector<double> before = numbers_of(run);
    StepStatus status = StepStatus::stopped;
    for (long n = 1; status == StepStatus::stopped; ++n) {
      fail_allocation(n);
      try {
        status = run.step(pool);
      } catch (const std::bad_alloc&) {
        ++failures;
        ASSERT_EQ(numbers_of(run), before) << n;
      }
      fail_allocation(0);
    }
    ASSERT_EQ(status, twin.step(pool));
    ASSERT_TRUE(same_bits(run.state(), twin.state()));
  }
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace clothlab::testing
