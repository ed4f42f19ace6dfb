// SPDX-License-Identifier: MIT
// Lanes together have the bits of lanes alone; what one refuses changes none; what goes back comes back.

#include "arena/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "allocation_counter.h"
#include "contact/contact_response.h"
#include "core/error.h"
#include "core/hash.h"
#include "integrate/registry.h"
#include "sim/loose_cloth.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab::testing {
namespace {

using ::testing::HasSubstr;

Scene scene_with(std::string_view integrator) {
  Scene scene;
  scene.mesh = GridSource{7, 7};
  scene.material.spring_damping = 0.05;
  scene.dt = 1.0 / 240;
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

CatchUp caught_up(WorkerPool& pool, const Arena& arena, LaneId lane, const Scene& method,
                  const Moment& moment) {
  CatchUp run = arena.start_catch_up(pool, lane, method, moment);
  for (;;) {
    const std::optional<StepStatus> progress = arena.advance(pool, run);
    if (progress == StepStatus::done) continue;
    EXPECT_EQ(progress, std::nullopt);
    return run;
  }
}

TEST(Arena, LanesTogetherHaveTheBitsOfLanesAloneWhateverTheirSubstepsAndTolerances) {
  const std::vector<std::string_view> methods{"backward-euler", "symplectic-euler", "backward-euler", "rk4"};
  const std::vector<std::vector<SetParameter>> own{{{"cg-tolerance", 1e-8}, {"newton-tolerance", 1e-9}},
                                                   {{"substeps", 3}},
                                                   {{"substeps", 2}, {"adaptive-dt", 1}},
                                                   {{"substeps", 5}}};
  for (int threads = 1; threads <= 4; ++threads) {
    WorkerPool pool(threads);
    Arena arena = arena_of(pool, methods);
    for (LaneId lane = 0; lane < methods.size(); ++lane)
      for (const SetParameter& each : own[lane]) arena.apply(pool, lane, each);
    play(arena, pool);
    for (LaneId lane = 0; lane < methods.size(); ++lane) {
      WorkerPool other(5 - threads);
      Simulation run(scene_with(methods[lane]), sheet(), other);
      for (const SetParameter& each : own[lane]) run.apply(other, each);
      for (std::size_t step = 0; step < kSteps; ++step) {
        gesture(step, [&](const Command& command) { run.apply(other, command); });
        ASSERT_EQ(run.step(other), StepStatus::done);
      }
      EXPECT_EQ(state_hash(arena[lane].state()), state_hash(run.state()))
          << "lane " << lane_letter(lane) << " with " << threads << " threads";
      EXPECT_EQ(arena[lane].state().t, arena.time());
    }
  }
}

TEST(Arena, LanesOfALargeClothHaveTheBitsOfLanesAlone) {
  const auto mesh = grid_mesh(101, 101);
  Scene scene = scene_with("semi-implicit-euler");
  scene.mesh = GridSource{101, 101};
  scene.dt = 1e-4;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads), other(4 - threads);
    Arena arena(std::make_unique<Simulation>(scene, mesh, pool));
    arena.apply(pool, AddLane{1, 0});
    arena.apply(pool, 1, SetIntegrator{"symplectic-euler"});
    for (int step = 0; step < 3; ++step) ASSERT_EQ(arena.step(pool), StepStatus::done);
    for (const Lane& lane : arena.lanes()) {
      Scene own = scene;
      own.integrator = lane.simulation->integrator().id;
      Simulation run(own, mesh, other, {}, arena[0].system().shared_model());
      for (int step = 0; step < 3; ++step) run.step(other);
      EXPECT_EQ(state_hash(lane.simulation->state()), state_hash(run.state())) << lane.name();
    }
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
  // A method that only its lane refuses, after the first has taken the world.
  const auto bad = std::make_shared<Scene>(arena[1].scene());
  bad->material.mass = 0.7;
  bad->solver.linear.cg.tolerance = -1;
  EXPECT_THAT([&] { arena.apply(pool, 1, SetScene{bad}); },
              ::testing::ThrowsMessage<InputError>(HasSubstr("Lane B (Velocity Verlet): ")));
  EXPECT_THROW(arena.apply(pool, 0, SetParameter{"mass", -1}), InputError);
  try {
    arena.apply(pool, 2, SetParameter{"mass", -1});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mass"));
  }
  // Contact by barrier refuses a body in the cloth, by other models not.
  const auto by_barrier = std::make_shared<Scene>(arena[1].scene());
  by_barrier->contact.model = ContactModel::barrier;
  Arena others = arena_of(pool, {"semi-implicit-euler", "velocity-verlet"});
  others.apply(pool, 1, SetScene{by_barrier});
  EXPECT_THAT([&] { others.apply(pool, 0, SetObstacles{{parse_obstacle("sphere:0.5,0,0.5,0.1")}}); },
              ::testing::ThrowsMessage<InputError>(::testing::StartsWith("Lane B (Velocity Verlet): ")));
  for (const Lane& lane : others.lanes()) EXPECT_TRUE(lane.simulation->scene().obstacles.bodies.empty());
  EXPECT_EQ(arena.hash(), before);
  for (const Lane& lane : arena.lanes()) {
    EXPECT_EQ(lane.simulation->scene().material.mass, 0.2);
    EXPECT_TRUE(lane.simulation->grab());
  }
}

// The meaning of all lanes: their states, what holds them, and what they do next.
std::uint64_t hash_after_a_step(Arena& arena, WorkerPool& pool) {
  Moment here;
  arena.save(pool, here);
  Hash all;
  all.add(arena.hash());
  for (const Lane& lane : arena.lanes())
    all.add(std::uint64_t{lane.simulation->steps()}).add(std::uint64_t{lane.simulation->grab().has_value()});
  EXPECT_EQ(arena.step(pool), StepStatus::done);
  all.add(arena.hash());
  for (std::size_t i = 0; i < here.lanes.size(); ++i)
    const_cast<Simulation&>(*arena.lanes()[i].simulation).load(pool, *here.lanes[i].checkpoint);
  return all.value();
}

TEST(Arena, WhatFindsNoMemoryHalfWayChangesNone) {
  WorkerPool pool;
  const auto scene = std::make_shared<Scene>(scene_with("rk4"));
  scene->material.mass = 0.4;
  scene->pins = VertexList{{5}};
  Arena arena = arena_of(pool, {"semi-implicit-euler", "velocity-verlet", "backward-euler"});
  Moment start;
  arena.save(pool, start);
  play(arena, pool, 0, 5);
  const std::uint64_t before = hash_after_a_step(arena, pool);
  const std::vector<std::function<void()>> attempts{
      [&] {
        arena.apply(pool, 0, SetParameter{"mass", 0.5});
      },
      [&] { arena.apply(pool, 1, SetScene{scene}); },
      [&] {
        arena.apply(pool, 1, MovePins{{{6, vec3(0.9, 0.1, 0.1)}}, 0});
      },
      [&] { arena.apply(pool, 1, MoveCursor{vec3(0.9, 0.1, 0.1)}); },
      [&] { arena.apply(pool, 1, Release{}); },
      [&] { arena.apply(pool, 0, Reset{}); },
      [&] {
        arena.apply(pool, AddLane{3, 1});
      },
      [&] {
        arena.apply(pool, JoinLane{2, 0});
      },
      [&] { arena.go_back(pool, start); }};
  for (std::size_t attempt = 0; attempt < attempts.size(); ++attempt) {
    SCOPED_TRACE("attempt " + std::to_string(attempt));
    bool fails = true;
    for (long n = 1; fails; ++n) {
      Moment here;
      arena.save(pool, here);
      fail_allocation(n);
      fails = false;
      try {
        attempts[attempt]();
      } catch (const std::bad_alloc&) {
        fails = true;
      }
      fail_allocation(0);
      if (!fails) break;
      ASSERT_EQ(arena.lanes().size(), 3u);
      ASSERT_EQ(hash_after_a_step(arena, pool), before) << "allocation " << n;
    }
    arena = arena_of(pool, {"semi-implicit-euler", "velocity-verlet", "backward-euler"});
    play(arena, pool, 0, 5);
    arena.save(pool, start);
    arena = arena_of(pool, {"semi-implicit-euler", "velocity-verlet", "backward-euler"});
    arena.save(pool, start);
    play(arena, pool, 0, 5);
  }
}

TEST(Arena, AMethodIsOfOneLaneAndTheWorldOfAll) {
  WorkerPool pool;
  Arena arena = arena_of(pool, {"semi-implicit-euler", "velocity-verlet"});
  arena.apply(pool, 1, SetParameter{"cg-tolerance", 1e-6});
  arena.apply(pool, 1, SetParameter{"mass", 0.3});
  EXPECT_EQ(arena[0].scene().solver.linear.cg.tolerance, 1e-3);
  EXPECT_EQ(arena[1].scene().solver.linear.cg.tolerance, 1e-6);
  EXPECT_EQ(arena[0].scene().material.mass, 0.3);
  const auto scene = std::make_shared<Scene>(arena[1].scene());
  scene->material.bend_stiffness = 2;
  scene->integrator = "rk4";
  arena.apply(pool, 1, SetScene{scene});
  EXPECT_EQ(arena[0].scene().material.bend_stiffness, 2);
  EXPECT_EQ(arena[0].scene().integrator, "semi-implicit-euler");
  EXPECT_EQ(arena[0].scene().solver.linear.cg.tolerance, 1e-3);
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
  std::optional<StepStatus> progress = StepStatus::done;
  while (progress == StepStatus::done) progress = arena.advance(pool, run);
  ASSERT_EQ(progress, std::nullopt);
  arena.finish(std::move(run));
  EXPECT_FALSE(arena.find(1)->frozen);
  EXPECT_EQ(state_hash(arena[1].state()), state_hash(again[0].state()));
}

// Lanes that are compared have one barrier; a lane alone gets the stiffness that its cloth needs.
TEST(Arena, ABarrierGetsStifferInALaneAlone) {
  WorkerPool pool(1);
  Scene scene = rising_tip(0.5, 11);
  scene.integrator = "semi-implicit-euler";
  scene.contact.model = ContactModel::barrier;
  const auto stiffness_after = [&](bool compared, std::size_t lanes) {
    Arena arena(std::make_unique<Simulation>(scene, mesh_of(scene), pool), compared);
    for (LaneId lane = 1; lane < lanes; ++lane) arena.apply(pool, AddLane{lane, 0});
    while (arena.time() < 0.5 && arena.step(pool) == StepStatus::done) {
    }
    return std::pair(arena[0].contact().force().settings().law.stiffness, arena.time());
  };
  const auto [own, squeezed_at] = stiffness_after(true, 1);
  EXPECT_LT(squeezed_at, 0.45);
  EXPECT_EQ(stiffness_after(false, 2), std::pair(own, squeezed_at));
  const auto [stiffer, end] = stiffness_after(false, 1);
  EXPECT_GT(stiffer, own);
  EXPECT_GE(end, 0.5);
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
      const std::optional<StepStatus> progress = arena.advance(pool, run);
      if (progress == std::nullopt) break;
      ASSERT_EQ(progress, StepStatus::done);
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

TEST(Arena, AStepThatIsStoppedOrFailsIsTakenByNone) {
  for (const bool fails : {false, true}) {
    SCOPED_TRACE(fails);
    WorkerPool pool(fails ? 2 : 1);
    const std::vector<std::string_view> methods{"semi-implicit-euler", "backward-euler", "bdf2"};
    Arena arena = arena_of(pool, methods), other = arena_of(pool, methods);
    play(arena, pool, 0, 6);
    play(other, pool, 0, 6);
    const std::uint64_t before = other.hash();
    other.step(pool);
    bool done = false;
    for (int most = 0; !done; ++most) {
      std::atomic<int> looks = 0;
      const auto probe = [&] {
        if (++looks <= most) return false;
        if (fails) throw std::bad_alloc();
        return true;
      };
      try {
        const StepStatus status = arena.step(pool, probe);
        done = status == StepStatus::done;
        ASSERT_NE(status, StepStatus::blown_up);
      } catch (const std::bad_alloc&) {
      }
      ASSERT_EQ(arena.hash(), done ? other.hash() : before) << "after " << most << " looks";
    }
    play(arena, pool, 7, 12);
    play(other, pool, 7, 12);
    EXPECT_EQ(arena.hash(), other.hash());
  }
}

/// What is done in one life of a run.
void live(Arena& arena, WorkerPool& pool, std::size_t from, std::size_t to) {
  for (std::size_t step = from; step < to; ++step) {
    gesture(step, [&](const Command& command) { arena.apply(pool, 0, command); });
    if (step == 5) arena.apply(pool, 0, SetParameter{"wind", 1});
    if (step == 6) arena.apply(pool, 0, SetParameter{"wind-speed", 4});
    if (step == 3) arena.apply(pool, 0, SetObstacles{{parse_obstacle("sphere:0.5,-0.31,0.5,0.3")}});
    if (step == 4) arena.apply(pool, 0, MoveObstacle{0, vec3(0.5, -0.28, 0.5), 0.1});
    if (step == 9) arena.apply(pool, 0, MoveObstacle{0, vec3(0.5, -0.26, 0.5), 0.05});
    if (step == 7) arena.apply(pool, 0, MovePins{{{0, vec3(0.1, 0.2, 0.1)}}, 0.03});
    if (step == 8) arena.apply(pool, 0, SetPinned{{20, 21}, true});
    if (step == 9) arena.apply(pool, 0, MovePins{{{20, vec3(0.3, 0, 0.6)}}, 0});
    arena.step(pool);
  }
}

void expect_caught_up(const Arena& arena, WorkerPool& pool, const Moment& from, LaneId as) {
  SCOPED_TRACE("as lane " + std::to_string(as) + " from " + std::to_string(from.time) + " s, position " +
               std::to_string(from.position.step) + "/" + std::to_string(from.position.commands) +
               ", to step " + std::to_string(arena[as].steps()));
  const CatchUp run = caught_up(pool, arena, as, arena[as].scene(), from);
  EXPECT_EQ(state_hash(run.simulation().state()), state_hash(arena[as].state()));
  EXPECT_EQ(run.simulation().steps(), arena[as].steps());
  EXPECT_EQ(run.simulation().grab().has_value(), arena[as].grab().has_value());
  EXPECT_EQ(write_scene(run.simulation().scene()), write_scene(arena[as].scene()));
}

TEST(Arena, AStepBackThatIsCancelledIsTakenByNone) {
  WorkerPool pool(1);
  const std::vector<std::string_view> methods{"velocity-verlet", "implicit-midpoint"};
  Arena arena = arena_of(pool, methods);
  play(arena, pool, 0, 3);
  const std::uint64_t before = arena.hash();
  int cancelled = 0;
  for (bool done = false; !done; ++cancelled) {
    int left = cancelled;
    try {
      arena.apply(pool, 0, StepBack{}, [&left] { return left-- == 0; });
      done = true;
    } catch (const Cancelled&) {
      ASSERT_EQ(arena.hash(), before) << cancelled;
      ASSERT_EQ(arena[1].steps(), 3) << cancelled;
    }
  }
  EXPECT_GT(cancelled, 5);
  EXPECT_EQ(arena[1].steps(), 4);
  EXPECT_NE(arena.hash(), before);
}

TEST(Arena, CatchesUpThroughWindPinsAndAReset) {
  WorkerPool pool(2);
  Arena arena = arena_of(pool, {"semi-implicit-euler", "semi-implicit-bdf2"});
  live(arena, pool, 0, 11);
  arena.apply(pool, 0, Reset{});
  Moment start, middle;
  arena.save(pool, start);
  live(arena, pool, 1, 18);
  for (const LaneId as : {0u, 1u}) expect_caught_up(arena, pool, start, as);
  // Before a command between two steps, and after it: not twice, and not never.
  arena.apply(pool, 0, SetParameter{"mass", 0.3});
  arena.save(pool, middle);
  arena.apply(pool, 0, MovePins{{{20, vec3(0.3, 0, 0.6)}}, 0});
  for (const LaneId as : {0u, 1u}) expect_caught_up(arena, pool, middle, as);
  live(arena, pool, 18, 30);
  for (const Moment* from : {&start, &middle})
    for (const LaneId as : {0u, 1u}) expect_caught_up(arena, pool, *from, as);
}

TEST(Arena, CatchesUpAlongTheBranchThatItIsOn) {
  WorkerPool pool(2);
  Arena arena = arena_of(pool, {"semi-implicit-euler", "semi-implicit-bdf2"});
  Moment start, fork, left, now;
  arena.save(pool, start);
  live(arena, pool, 0, 6);
  arena.save(pool, fork);
  live(arena, pool, 6, 18);
  arena.save(pool, left);
  arena.go_back(pool, fork);
  arena.apply(pool, 0, SetParameter{"mass", 0.5});
  for (int step = 0; step < 30; ++step) {
    arena.apply(pool, 0, SetGravity{vec3(0.1 * step, -5, 0)});
    arena.step(pool);
  }
  for (const LaneId as : {0u, 1u}) expect_caught_up(arena, pool, start, as);
  const auto has_passed = [&] {
    return std::array{arena.has_passed(start), arena.has_passed(fork), arena.has_passed(left),
                      arena.has_passed(now)};
  };
  arena.save(pool, now);
  EXPECT_EQ(has_passed(), (std::array{true, true, false, true})) << "left is on the other branch";
  arena.go_back(pool, left);
  EXPECT_EQ(has_passed(), (std::array{true, true, true, false}));
  live(arena, pool, 24, 30);
  for (const LaneId as : {0u, 1u}) {
    expect_caught_up(arena, pool, start, as);
    expect_caught_up(arena, pool, fork, as);
  }
  arena.go_back(pool, now);
  live(arena, pool, 24, 30);
  for (const LaneId as : {0u, 1u}) expect_caught_up(arena, pool, start, as);
}

/// Another value that the parameter allows.
double another(const SceneParameter& row, double value) {
  if (row.spec.kind == ParameterSpec::Kind::boolean || row.spec.kind == ParameterSpec::Kind::choice)
    return value == 0 ? 1 : 0;
  if (row.spec.kind == ParameterSpec::Kind::integer) return value + 1;
  return value == 0 ? std::min(row.spec.max, 0.01) : 0.9 * value;
}

TEST(Arena, CatchesUpInTheWorldThatThePresentRunWentBackWith) {
  WorkerPool pool;
  const Scene scene = scene_with("semi-implicit-euler");
  std::vector<Command> changes{SetGravity{vec3(0, -5, 0)}, SetPinned{{20}, true},
                               SetObstacles{{parse_obstacle("sphere:0.5,-2,0.5,0.1")}}};
  for (const SceneParameter& row : scene_parameters()) {
    // Air needs closed cloth.
    if (row.of_method || row.spec.id == "inflate") continue;
    changes.emplace_back(SetParameter{std::string(row.spec.id), another(row, row.get(scene))});
  }
  for (const Command& change : changes) {
    Arena arena(make(pool, "semi-implicit-euler"));
    Moment start, middle;
    arena.save(pool, start);
    for (int step = 0; step < 2; ++step) arena.step(pool);
    arena.save(pool, middle);
    arena.step(pool);
    arena.apply(pool, 0, change);
    arena.go_back(pool, middle);  // values stay
    arena.step(pool);
    const CatchUp run = caught_up(pool, arena, 1, arena[0].scene(), start);
    EXPECT_EQ(write_scene(run.simulation().scene()), write_scene(arena[0].scene()));
  }
}

TEST(Arena, CatchesUpWhereTheLaneThatWasAheadIsGone) {
  WorkerPool pool(2);
  Arena arena = arena_of(pool, {"semi-implicit-euler", "semi-implicit-bdf2"});
  Moment start, ahead;
  arena.save(pool, start);
  for (int step = 0; step < 6; ++step) arena.step(pool);
  arena.apply(pool, HoldLane{0});
  for (int step = 0; step < 7; ++step) arena.step(pool);
  arena.apply(pool, 0, SetParameter{"mass", 0.4});  // seven steps after lane A stood
  arena.save(pool, ahead);
  arena.apply(pool, RemoveLane{1});
  arena.go_back(pool, ahead);
  arena.apply(pool, 0, SetGravity{vec3(1, -5, 0)});
  for (int step = 0; step < 3; ++step) arena.step(pool);
  EXPECT_EQ(arena[0].steps(), 9u);
  const CatchUp run = caught_up(pool, arena, 2, arena[0].scene(), start);
  EXPECT_EQ(run.simulation().steps(), 9u);
  EXPECT_EQ(write_scene(run.simulation().scene()), write_scene(arena[0].scene()))
      << "the values of the world";
}

TEST(Arena, NobodyHoldsALaneThatIsLeftBehind) {
  WorkerPool pool;
  Arena arena = arena_of(pool, {"semi-implicit-euler", "backward-euler", "bdf2"});
  Moment start;
  arena.save(pool, start);
  play(arena, pool, 0, 8);
  ASSERT_TRUE(arena[0].grab());
  arena.apply(pool, HoldLane{0});
  play(arena, pool, 8, 22);
  EXPECT_FALSE(arena[1].grab());
  EXPECT_EQ(arena[0].steps(), 8u);
  EXPECT_EQ(arena[0].scene().pins, arena[1].scene().pins) << "the world is that of all";
  EXPECT_THROW(arena.apply(pool, 0, RestoreGoodState{}), InputError) << "others run";
  arena.apply(pool, HoldLane{1});
  EXPECT_THROW(arena.apply(pool, HoldLane{2}), InputError);
  // The last that runs may join one that stands: then none does.
  arena.apply(pool, JoinLane{2, 0});
  EXPECT_FALSE(arena.runs());
  EXPECT_EQ(arena.step(pool), StepStatus::blown_up);
  arena.apply(pool, RemoveLane{1});
  arena.apply(pool, RemoveLane{2});
  EXPECT_TRUE(arena.runs());
  EXPECT_FALSE(arena[0].grab());
  EXPECT_EQ(arena[0].steps(), 8u);
  for (int step = 0; step < 20; ++step) ASSERT_EQ(arena.step(pool), StepStatus::done);
  // What was done at steps that are no more is not done again.
  expect_caught_up(arena, pool, start, 0);
}

TEST(Arena, WhatWasDoneAtStepsThatAreNoMoreIsNotDoneAgain) {
  for (const bool joins : {false, true}) {
    SCOPED_TRACE(joins);
    WorkerPool pool;
    Arena arena = arena_of(pool, {"semi-implicit-euler", "backward-euler", "bdf2"});
    Moment start;
    arena.save(pool, start);
    play(arena, pool, 0, 8);
    arena.apply(pool, HoldLane{0});
    arena.apply(pool, HoldLane{1});
    play(arena, pool, 8, 24);
    if (joins)
      arena.apply(pool, JoinLane{2, 0});
    else
      arena.apply(pool, RemoveLane{2});
    ASSERT_FALSE(arena.runs());
    arena.finish(caught_up(pool, arena, 1, arena[1].scene(), start));
    EXPECT_EQ(arena[1].steps(), 8u);
    for (int step = 0; step < 20; ++step) ASSERT_EQ(arena.step(pool), StepStatus::done);
    expect_caught_up(arena, pool, start, 1);
  }
}

TEST(CommandLog, KnowsWhatLedToThePresent) {
  CommandLog log;
  std::vector<LogPosition> moments;
  // Three steps with a change before each; after it the time of the run is `step`.
  const auto live = [&](std::uint64_t step) {
    for (const std::uint64_t end = step + 3; step < end; ++step) {
      moments.push_back(log.position());
      log.reserve();
      log.add({.what = Command(SetGravity{vec3(0, static_cast<double>(step), 0)}), .step = step});
      log.count_step();
    }
  };
  const auto go_back = [&](const LogPosition& to, std::uint64_t step) {
    log.reserve();
    log.add({.what = GoTo{to}, .step = step, .back = LogEntry::Return{to, nullptr}});
  };
  const auto passed = [&] {
    std::string text;
    for (const LogPosition& moment : moments) text += log.has_passed(moment) ? '1' : '0';
    return text;
  };
  live(0);
  go_back(moments[1], 1);
  live(1);
  EXPECT_EQ(passed(), "110111");
  EXPECT_EQ(log.changes_since(moments[0]), (std::vector<std::size_t>{0, 3, 4, 5, 6}));
  EXPECT_EQ(log.changes_since(moments[4]), (std::vector<std::size_t>{5, 6}));
  EXPECT_EQ(log.last_at(2, log.position()), moments[5]);
  EXPECT_EQ(log.last_at(0, log.position()), moments[1])
      << "before the return: the branch that it left is out";
  go_back(moments[2], 2);  // to the branch that was left
  EXPECT_EQ(passed(), "111000");
  EXPECT_EQ(log.changes_since(moments[0]), (std::vector<std::size_t>{0, 1, 7}));
  log.reserve();
  log.add({.what = Command(Reset{}), .step = 2});
  EXPECT_EQ(passed(), "000000");
  live(0);
  EXPECT_EQ(passed(), "000000111");
  EXPECT_EQ(log.changes_since(moments[6]), (std::vector<std::size_t>{9, 10, 11}));
}

// A replay applies it to the lane that is named.
TEST(Arena, LogsWhichLaneReturnedToItsGoodState) {
  WorkerPool pool;
  Arena arena = arena_of(pool, {"explicit-euler", "explicit-euler"});
  arena.apply(pool, 0, SetParameter{"dt", 1.0 / 60});
  while (arena.step(pool) == StepStatus::done) {
  }
  arena.apply(pool, 1, RestoreGoodState{});
  EXPECT_EQ(arena.log().entries().back().lane, 1u);
  EXPECT_TRUE(arena.find(0)->frozen);
  EXPECT_FALSE(arena.find(1)->frozen);
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
