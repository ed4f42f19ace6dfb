// SPDX-License-Identifier: MIT
// Lanes together have the bits of lanes alone; what one refuses changes none; what goes back comes back.

#include "arena/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "integrate/registry.h"
#include "sim/parameters.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

using ::testing::HasSubstr;

Scene scene_with(std::string_view integrator) {
  Scene scene;
  scene.mesh = GridSource{7, 7};
  scene.material.spring_damping = 0.05;
  scene.stepping.dt = 1.0 / 240;
  scene.integrator = integrator;
  return scene;
}

std::shared_ptr<const ClothMesh> sheet() {
  static const auto mesh = grid_mesh(7, 7);
  return mesh;
}

std::unique_ptr<Simulation> make(WorkerPool& pool, std::string_view integrator) {
  return std::make_unique<Simulation>(scene_with(integrator), sheet(), pool);
}

/// What is done before a step, to all lanes or to one; the steps of a run.
using Script = std::function<void(std::size_t step, const std::function<void(Command)>& do_it)>;

constexpr std::size_t kSteps = 40;

void gesture(std::size_t step, const std::function<void(Command)>& do_it) {
  if (step == 3) do_it(Grab{{24, 25, 31}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0, 0.5), 3, 0.01, 1});
  if (step > 3 && step < 20) do_it(MoveCursor{vec3(0.5, 0.02 * static_cast<double>(step), 0.5)});
  if (step == 10) do_it(SetParameter{"stretch-stiffness", 400});
  if (step == 15) do_it(SetPinned{{0}, false});
  if (step == 20) do_it(Release{});
  if (step == 24) do_it(MovePins{{{6, vec3(0.9, 0.1, 0.1)}}, 0.05});
  if (step == 30) do_it(SetParameter{"dt", 1.0 / 300});
}

State alone(std::string_view integrator, int threads) {
  WorkerPool pool(threads);
  Simulation run(scene_with(integrator), sheet(), pool);
  for (std::size_t step = 0; step < kSteps; ++step) {
    gesture(step, [&](const Command& command) { run.apply(pool, command); });
    if (run.step(pool) != StepStatus::done) break;
  }
  return run.state();
}

/// Lane A with that method, and one for each of the others.
Arena arena_of(WorkerPool& pool, const std::vector<std::string_view>& methods) {
  Arena arena(make(pool, methods.front()));
  for (LaneId lane = 1; lane < methods.size(); ++lane) {
    arena.apply(pool, AddLane{lane, 0});
    arena.apply(pool, lane, SetIntegrator{std::string(methods[lane])});
  }
  return arena;
}

void play(Arena& arena, WorkerPool& pool, std::size_t from = 0, std::size_t to = kSteps) {
  for (std::size_t step = from; step < to; ++step) {
    gesture(step, [&](const Command& command) { arena.apply(pool, 0, command); });
    arena.step(pool);
  }
}

TEST(Arena, LanesTogetherHaveTheBitsOfLanesAlone) {
  std::vector<std::string_view> all;
  for (const IntegratorInfo& info : integrators()) all.push_back(info.id);
  for (std::size_t begin = 0; begin < all.size(); begin += kMostLanes) {
    const std::vector<std::string_view> methods(
        all.begin() + static_cast<std::ptrdiff_t>(begin),
        all.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kMostLanes, all.size())));
    const int threads = 1 + static_cast<int>(begin / kMostLanes) * 2 % 4;
    WorkerPool pool(threads);
    Arena arena = arena_of(pool, methods);
    play(arena, pool);
    for (LaneId lane = 0; lane < methods.size(); ++lane)
      EXPECT_EQ(state_hash(arena[lane].state()), state_hash(alone(methods[lane], 4 - threads)))
          << methods[lane] << " with " << threads << " threads";
  }
}

TEST(Arena, ARefusalByOneLaneChangesNone) {
  WorkerPool pool;
  Arena arena = arena_of(pool, {"semi-implicit-euler", "velocity-verlet", "rk4"});
  play(arena, pool, 0, 5);
  const std::uint64_t before = arena.hash();
  const auto scene = std::make_shared<Scene>(arena[1].scene());
  scene->pins = VertexList{{4000}};
  EXPECT_THROW(arena.apply(pool, 1, SetScene{scene}), InputError);
  EXPECT_THROW(arena.apply(pool, 0, SetParameter{"mass", -1}), InputError);
  try {
    arena.apply(pool, 2, SetParameter{"mass", -1});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mass"));
  }
  EXPECT_EQ(arena.hash(), before);
  for (const Lane& lane : arena.lanes()) {
    EXPECT_EQ(lane.simulation->scene().material.mass, 0.2);
    EXPECT_TRUE(lane.simulation->grab());
  }
}

TEST(Arena, AMethodIsOfOneLaneAndTheWorldOfAll) {
  WorkerPool pool;
  Arena arena = arena_of(pool, {"semi-implicit-euler", "velocity-verlet"});
  arena.apply(pool, 1, SetParameter{"cg-tolerance", 1e-6});
  arena.apply(pool, 1, SetParameter{"mass", 0.3});
  EXPECT_EQ(arena[0].scene().stepping.solver.linear.cg.tolerance, 1e-3);
  EXPECT_EQ(arena[1].scene().stepping.solver.linear.cg.tolerance, 1e-6);
  EXPECT_EQ(arena[0].scene().material.mass, 0.3);
  const auto scene = std::make_shared<Scene>(arena[1].scene());
  scene->material.bend_stiffness = 2;
  scene->integrator = "rk4";
  arena.apply(pool, 1, SetScene{scene});
  EXPECT_EQ(arena[0].scene().material.bend_stiffness, 2);
  EXPECT_EQ(arena[0].scene().integrator, "semi-implicit-euler");
  EXPECT_EQ(arena[0].scene().stepping.solver.linear.cg.tolerance, 1e-3);
  EXPECT_EQ(arena[1].scene().integrator, "rk4");
}

TEST(Arena, ALaneThatBlowsUpIsFrozenAndTheOthersGoOn) {
  WorkerPool pool(2);
  Arena arena = arena_of(pool, {"semi-implicit-euler", "explicit-euler"});
  arena.apply(pool, 0, SetParameter{"dt", 1.0 / 60});
  for (int step = 0; step < 120; ++step) ASSERT_EQ(arena.step(pool), StepStatus::done);
  ASSERT_TRUE(arena.find(1)->frozen);
  EXPECT_LT(arena[1].steps(), 120u);
  EXPECT_EQ(arena[0].steps(), 120u);
  EXPECT_FALSE(arena.find(0)->frozen);
  // It comes back with another method, through all that was done, and has the bits of that method alone.
  arena.apply(pool, 1, SetIntegrator{"backward-euler"});
  Arena again(make(pool, "backward-euler"));
  again.apply(pool, 0, SetParameter{"dt", 1.0 / 60});
  for (int step = 0; step < 120; ++step) again.step(pool);
  Moment start;
  arena_of(pool, {"semi-implicit-euler", "explicit-euler"}).save(pool, start);
  CatchUp run = arena.start_catch_up(pool, 1, arena[1].scene(), start);
  Arena::Progress progress = Arena::Progress::advanced;
  while (progress == Arena::Progress::advanced) progress = arena.advance(pool, run);
  ASSERT_EQ(progress, Arena::Progress::arrived);
  arena.finish(std::move(run));
  EXPECT_FALSE(arena.find(1)->frozen);
  EXPECT_EQ(state_hash(arena[1].state()), state_hash(again[0].state()));
}

TEST(Arena, CatchesUpThroughAWholeGesture) {
  WorkerPool pool(2);
  Arena arena = arena_of(pool, {"semi-implicit-euler", "semi-implicit-bdf2"});
  Moment start;
  arena.save(pool, start);
  play(arena, pool, 0, 22);
  // Going back and on again is part of what was done.
  Moment middle;
  arena.save(pool, middle);
  play(arena, pool, 22, 26);
  arena.go_back(pool, middle);
  play(arena, pool, 22, kSteps);
  for (const std::string method : {"semi-implicit-bdf2", "bdf2"}) {
    Scene other = arena[0].scene();
    other.integrator = method;
    CatchUp run = arena.start_catch_up(pool, 2, other, start);
    for (;;) {
      const Arena::Progress progress = arena.advance(pool, run);
      if (progress == Arena::Progress::arrived) break;
      ASSERT_EQ(progress, Arena::Progress::advanced);
    }
    if (method == "semi-implicit-bdf2") {
      EXPECT_EQ(state_hash(run.simulation().state()), state_hash(arena[1].state()));
    } else {
      arena.finish(std::move(run));
      EXPECT_EQ(arena[2].steps(), arena[0].steps());
      EXPECT_EQ(arena[2].integrator().id, "bdf2");
    }
  }
}

TEST(Arena, GoesBackToAMomentOfAllLanes) {
  WorkerPool pool(2);
  Arena arena = arena_of(pool, {"semi-implicit-euler", "rk4"});
  play(arena, pool, 0, 21);
  Moment moment;
  arena.save(pool, moment);
  play(arena, pool, 21, 24);
  const std::uint64_t then = arena.hash();
  arena.apply(pool, AddLane{2, 1});
  arena.step(pool);
  arena.go_back(pool, moment);
  EXPECT_EQ(arena[0].steps(), 21u);
  EXPECT_EQ(state_hash(arena[2].state()), state_hash(arena[0].state())) << "it was not there then";
  arena.apply(pool, RemoveLane{2});
  play(arena, pool, 21, 24);
  EXPECT_EQ(arena.hash(), then);
}

TEST(Arena, AStoppedStepIsTakenByAllInTheEnd) {
  WorkerPool pool;
  Arena arena = arena_of(pool, {"semi-implicit-euler", "backward-euler"});
  Arena other = arena_of(pool, {"semi-implicit-euler", "backward-euler"});
  int looks = 0;
  ASSERT_EQ(arena.step(pool, [&] { return ++looks > 12; }), StepStatus::stopped);
  EXPECT_TRUE(arena.is_within_step());
  EXPECT_EQ(arena.step(pool), StepStatus::done);
  other.step(pool);
  EXPECT_EQ(arena.hash(), other.hash());
}

TEST(Arena, JoinsAndLeaves) {
  WorkerPool pool;
  Arena arena = arena_of(pool, {"semi-implicit-euler", "rk4"});
  play(arena, pool, 0, 9);
  arena.apply(pool, JoinLane{1, 0});
  EXPECT_EQ(state_hash(arena[0].state()), state_hash(arena[1].state()));
  EXPECT_EQ(arena[1].integrator().id, "rk4");
  EXPECT_TRUE(arena[1].grab());
  arena.apply(pool, RemoveLane{0});
  EXPECT_TRUE(arena.is_alone());
  EXPECT_THROW(arena.apply(pool, RemoveLane{1}), InputError);
  EXPECT_THROW(arena.apply(pool, 0, Release{}), InputError);
  for (LaneId lane = 0; lane < kMostLanes; ++lane)
    if (lane != 1) arena.apply(pool, AddLane{lane, 1});
  EXPECT_THROW(arena.apply(pool, AddLane{kMostLanes, 1}), InputError);
}

}  // namespace
}  // namespace clothlab::testing
