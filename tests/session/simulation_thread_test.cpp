// SPDX-License-Identifier: MIT
#include "session/simulation_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "analysis/stability_meter.h"
#include "core/worker_pool.h"
#include "documents/checkpoint_file.h"
#include "documents/load_job.h"
#include "documents/replay.h"
#include "integrate/tableau.h"
#include "session/look_ahead_monitor.h"
#include "session/support.h"
#include "sim/parameters.h"
#include "sim/simulation.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Values;

/// Longest reaction to a reset or a close while a step runs [s], however long the step is.
constexpr double kReaction = 0.2 * kSlowdown;

bool all_finite(const std::vector<vec3>& positions) {
  for (const vec3& p : positions) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) return false;
  }
  return true;
}

/// A sheet on which explicit Euler blows up within a few dozen steps.
Scene exploding_scene() {
  Scene scene = sheet_scene(10);
  scene.integrator = "explicit-euler";
  scene.dt = 0.01;
  return scene;
}

// ---- Requests

TEST(SimulationThread, CarriesOutRequestsInOrder) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  for (int i = 1; i <= 50; ++i) thread.send(SetParameter{"stretch-stiffness", 100.0 * i});
  thread.send(SetIntegrator{"backward-euler"});
  thread.send(SetSpeed{0.25});
  const auto last = send_and_wait(thread, SetGravity{vec3(0, 0, -1)});
  EXPECT_EQ(last->applied, 53u);
  EXPECT_EQ(last->frame.scene->material.stretch_stiffness, 5000);
  EXPECT_EQ(last->frame.scene->material.gravity, vec3(0, 0, -1));
  EXPECT_EQ(integrators()[last->integrator].id, "backward-euler");
  EXPECT_EQ(last->speed, 0.25);
  EXPECT_EQ(last->errors, 0u);
  EXPECT_FALSE(last->playing);
  EXPECT_EQ(last->frame.record.step, 0u) << "no step while paused";
}

TEST(SimulationThread, IsTheSimulationStepByStep) {
  const auto scene = loaded(sheet_scene(6));
  const std::vector<std::variant<Command, StepOnce>> script = {
      StepOnce{},
      Command(Grab{{14, 15, 20}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.1, 0.5), 20, 0.01}),
      StepOnce{},
      Command(MoveCursor{vec3(0.6, 0.3, 0.5)}),
      StepOnce{},
      StepOnce{},
      Command(SetIntegrator{"symplectic-euler"}),
      Command(SetParameter{"dt", 0.002}),
      StepOnce{},
      Command(SetPinned{{35}, true}),
      StepOnce{},
      Command(MovePins{{{35, vec3(1, 0.2, 1)}}, 0.004}),
      StepOnce{},
      StepOnce{},
      Command(Release{}),
      Command(SetIntegrator{"semi-implicit-euler"}),
      Command(SetParameter{"stretch-stiffness", 400}),
      StepOnce{},
  };

  WorkerPool pool(1);
  Simulation direct(scene->scene, scene->mesh, pool);
  SimulationThread first(scene, paused(1));
  SimulationThread second(scene, paused(2));
  for (const auto& request : script) {
    if (const auto* command = std::get_if<Command>(&request)) {
      direct.apply(pool, *command);
      first.send(*command);
      second.send(*command);
    } else {
      ASSERT_EQ(direct.step(pool), StepStatus::done);
      first.send(StepOnce{});
      second.send(StepOnce{});
    }
  }
  const auto a = wait_applied(first, script.size());
  const auto b = wait_applied(second, script.size());
  EXPECT_EQ(a->errors, 0u) << a->error;
  EXPECT_EQ(a->frame.record.step, direct.steps());
  EXPECT_EQ(a->frame.positions, direct.state().x) << "every bit";
  EXPECT_EQ(b->frame.positions, direct.state().x) << "every bit, with another number of threads";
}

TEST(SimulationThread, LeavesTheStateAloneWhenAParameterChanges) {
  const auto scene = loaded(sheet_scene(5));
  SimulationThread touched(scene, paused());
  SimulationThread untouched(scene, paused());
  for (int i = 0; i < 5; ++i) {
    touched.send(StepOnce{});
    untouched.send(StepOnce{});
  }
  const auto before = wait_applied(touched, 5);
  touched.send(SetParameter{"stretch-stiffness", 5});
  touched.send(SetParameter{"spring-damping", 1});
  touched.send(SetParameter{"mass", 2});
  touched.send(SetParameter{"dt", 0.001});
  touched.send(SetIntegrator{"backward-euler"});
  const auto after = send_and_wait(touched, SetGravity{vec3(1, 2, 3)});
  EXPECT_EQ(after->errors, 0u) << after->error;
  EXPECT_EQ(after->frame.scene->material.mass, 2);
  EXPECT_EQ(after->frame.positions, before->frame.positions);

  // Velocities are not in the picture: with the old values back, the next step must be the old one.
  const Scene& old = *before->frame.scene;
  touched.send(SetParameter{"stretch-stiffness", old.material.stretch_stiffness});
  touched.send(SetParameter{"spring-damping", old.material.spring_damping});
  touched.send(SetParameter{"mass", old.material.mass});
  touched.send(SetParameter{"dt", old.dt});
  touched.send(SetIntegrator{old.integrator});
  touched.send(SetGravity{old.material.gravity});
  const auto next = send_and_wait(touched, StepOnce{});
  EXPECT_EQ(next->frame.positions, send_and_wait(untouched, StepOnce{})->frame.positions);
}

TEST(SimulationThread, RefusesNonsenseAndGoesOn) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  const auto start = thread.latest();
  auto s = send_and_wait(thread, SetParameter{"stretch-stiffness", -1});
  EXPECT_EQ(s->errors, 1u);
  EXPECT_THAT(s->error, Not(IsEmpty()));
  EXPECT_EQ(s->frame.scene->material.stretch_stiffness, start->frame.scene->material.stretch_stiffness);
  s = send_and_wait(thread, SetIntegrator{"no-such-integrator"});
  EXPECT_EQ(s->errors, 2u);
  s = send_and_wait(thread, SetPinned{{999}, true});
  EXPECT_EQ(s->errors, 3u);
  s = send_and_wait(thread, SetSpeed{std::nan("")});
  EXPECT_EQ(s->errors, 4u);
  s = send_and_wait(thread, UseScene{});
  EXPECT_EQ(s->errors, 5u);
  s = send_and_wait(thread, WatchAgain{});
  EXPECT_EQ(s->errors, 6u) << "no step has been taken";
  s = send_and_wait(thread, StepOnce{});
  EXPECT_EQ(s->frame.record.step, 1u);
  EXPECT_EQ(s->errors, 6u);
}

TEST(SimulationThread, SwitchesIntegratorsInMidRun) {
  Scene scene = sheet_scene(5);
  scene.material.stretch_stiffness = 100;
  scene.dt = 0.001;
  SimulationThread thread(loaded(scene));
  std::set<std::uint16_t> switched;
  for (std::size_t i = 0; i < integrators().size(); ++i) {
    if (integrators()[i].stability_limit == 0) continue;  // would blow up
    const auto s = send_and_wait(thread, SetIntegrator{std::string(integrators()[i].id)});
    switched.insert(static_cast<std::uint16_t>(i));
    EXPECT_EQ(s->integrator, i);
    const std::uint64_t step = s->frame.record.step;
    wait_for(thread, [step](const Snapshot& later) { return later.frame.record.step > step + 20; });
  }
  const auto s = thread.latest();
  EXPECT_TRUE(s->playing);
  EXPECT_THAT(s->blow_up_text, IsEmpty());
  EXPECT_TRUE(all_finite(s->frame.positions));
  std::set<std::uint16_t> plotted;
  double last = -1;
  for (const PlotSample& sample : *s->plot) {
    EXPECT_GT(sample.time, last);
    last = sample.time;
    plotted.insert(static_cast<std::uint16_t>(integrator_row(*sample.integrator)));
  }
  EXPECT_GE(switched.size(), 2u);
  EXPECT_TRUE(std::includes(plotted.begin(), plotted.end(), switched.begin(), switched.end()))
      << "the plots survive every switch";
}

// ---- Long steps

class LongStep : public ::testing::TestWithParam<LinearSolverSettings::Kind> {};
INSTANTIATE_TEST_SUITE_P(BothSolvers, LongStep,
                         Values(LinearSolverSettings::Kind::cg, LinearSolverSettings::Kind::cholesky));

/// The best of three tries, for a busy machine may put any single one to sleep [s].
template <class Try>
double quickest(Try&& one_try) {
  double best = one_try();
  for (int i = 0; i < 2 && best >= kReaction; ++i) best = std::min(best, one_try());
  ::testing::Test::RecordProperty("milliseconds", static_cast<int>(1e3 * best));
  return best;
}

TEST_P(LongStep, IsEndedByAReset) {
  SimulationThread thread(endless_scene(GetParam()));
  const double took = quickest([&] {
    wait_until_stepping(thread, 0.3);
    // A parameter waits for the end of the step, and is carried out with the reset that ends it.
    const double mass = thread.latest()->frame.scene->material.mass + 0.1;
    thread.send(SetParameter{"mass", mass});
    const Clock::time_point start = Clock::now();
    const auto s = wait_applied(thread, thread.send(Reset{}));
    const double seconds = seconds_since(start);
    EXPECT_EQ(s->frame.record.step, 0u);
    EXPECT_EQ(s->frame.scene->material.mass, mass);
    return seconds;
  });
  EXPECT_LT(took, kReaction);
}

TEST_P(LongStep, BackIsEndedByAReset) {
  SimulationThread thread(endless_scene(GetParam()), paused());
  const double took = quickest([&] {
    thread.send(StepBack{});
    wait_until_stepping(thread, 0.3);
    const Clock::time_point start = Clock::now();
    const auto s = wait_applied(thread, thread.send(Reset{}));
    const double seconds = seconds_since(start);
    EXPECT_EQ(s->frame.record.step, 0u);
    EXPECT_EQ(s->frame.record.time, 0);
    EXPECT_GT(s->frame.scene->dt, 0);
    EXPECT_EQ(thread.running_step_seconds(), 0);
    return seconds;
  });
  EXPECT_LT(took, kReaction);
}

TEST_P(LongStep, IsEndedByTheEnd) {
  const auto scene = endless_scene(GetParam());
  const double took = quickest([&] {
    auto thread = std::make_unique<SimulationThread>(scene);
    wait_until_stepping(*thread, 0.3);
    const Clock::time_point start = Clock::now();
    thread.reset();
    return seconds_since(start);
  });
  EXPECT_LT(took, kReaction);
}

TEST_P(LongStep, IsEndedByAnotherScene) {
  const auto scene = endless_scene(GetParam());
  const double took = quickest([&] {
    SimulationThread thread(scene);
    const auto next = loaded(sheet_scene(4));
    wait_until_stepping(thread, 0.3);
    const Clock::time_point start = Clock::now();
    const auto s = send_and_wait(thread, UseScene{next});
    const double seconds = seconds_since(start);
    EXPECT_EQ(s->frame.mesh, next->mesh);
    EXPECT_TRUE(s->playing);
    return seconds;
  });
  EXPECT_LT(took, kReaction);
}

TEST(SimulationThread, ShowsItsLatestPictureWhileALongStepRuns) {
  SimulationThread thread(endless_scene());
  wait_until_stepping(thread, 0.1);
  for (int i = 0; i < 10000; ++i) ASSERT_NE(thread.latest(), nullptr);
  // The very same step still runs: none of these calls can have waited for it.
  EXPECT_GT(thread.running_step_seconds(), 0.1);
  EXPECT_EQ(thread.latest()->frame.record.step, 0u);
}

TEST(SimulationThread, ShowsAnotherSceneBeforeItsFirstLongStep) {
  SimulationThread thread(loaded(sheet_scene(4)));
  wait_for(thread, [](const Snapshot& s) { return s.frame.record.step > 5; });
  const auto next = endless_scene();
  const auto s = send_and_wait(thread, UseScene{next});
  EXPECT_EQ(s->frame.mesh, next->mesh);
  EXPECT_EQ(s->frame.record.step, 0u);
  wait_until_stepping(thread, 0.1);
  EXPECT_EQ(thread.latest()->frame.record.step, 0u) << "its first step has not ended";
}

// ---- Pacing

TEST(SimulationThread, ReachesTheSpeedThatWasAskedFor) {
  Scene scene = sheet_scene(3);
  scene.dt = 0.01;
  SimulationThread thread(loaded(scene));
  for (const double speed : {0.5, 2.0}) {
    const auto start = send_and_wait(thread, SetSpeed{speed});
    const double t0 = start->frame.record.time;
    const auto s = wait_for(thread, [=](const Snapshot& later) {
      return later.frame.record.time > t0 + speed && std::abs(later.actual_speed - speed) < 0.1 * speed;
    });
    EXPECT_EQ(s->speed, speed);
    EXPECT_EQ(s->frame.record.h, 0.01) << "h is never changed for it";
  }
}

TEST(SimulationThread, FallsBehindInsteadOfSpiralling) {
  Scene scene = sheet_scene(40);
  scene.integrator = "backward-euler";
  scene.dt = 1e-4;  // a step must take far less than 25 µs to keep up with 4×
  SimulationThread thread(loaded(scene), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  auto s = wait_for(thread, [](const Snapshot& later) { return later.frame.record.step > 50; });
  EXPECT_GT(s->actual_speed, 0);
  EXPECT_LT(s->actual_speed, 0.5 * kMaxSpeed);
  EXPECT_EQ(s->frame.record.h, 1e-4);
  // It answers between any two steps, however far behind it is.
  s = send_and_wait(thread, SetPlaying{false});
  EXPECT_FALSE(s->playing);
  const std::uint64_t step = s->frame.record.step;
  EXPECT_EQ(send_and_wait(thread, SetParameter{"mass", 1})->frame.record.step, step) << "paused is paused";
}

TEST(SimulationThread, SaysFromWhichStepOnItReachesTheSpeed) {
  Scene scene = sheet_scene(16);
  scene.dt = 1e-6;  // far less than a step takes
  SimulationThread thread(loaded(scene), {.threads = 1, .playing = true});
  auto s = wait_for(thread, [](const Snapshot& later) { return later.lag && later.lag->step; });
  EXPECT_GT(s->step_ms.wall, 1e-3);
  EXPECT_GT(*s->lag->step, 1e-3 * s->step_ms.wall) << "with a margin";
  EXPECT_FALSE(send_and_wait(thread, SetPlaying{false})->lag);
  send_and_wait(thread, SetParameter{"dt", 1});
  s = send_and_wait(thread, SetPlaying{true});
  EXPECT_FALSE(s->lag) << "another h is measured anew, and this one suffices";
}

TEST(SimulationThread, ProposesNoStepThatALaneDoesNotBear) {
  Scene scene = sheet_scene(16);
  scene.dt = 1e-6;                         // far less than a step takes
  scene.material.stretch_stiffness = 1e7;  // explicit methods bear hardly more
  SimulationThread thread(loaded(scene), paused());
  send_and_wait(thread, NewLane{"symplectic-euler"});
  send_and_wait(thread, SelectLane{0});
  thread.send(SetPlaying{true});
  auto s = wait_for(thread, [](const Snapshot& later) { return later.lag && later.lag->step; });
  EXPECT_EQ(s->lag->step, 0);
  ASSERT_TRUE(s->lag->limit);
  EXPECT_EQ(s->lag->limit->lane, 1u) << "not the active one";
  EXPECT_GT(s->lag->limit->step, 0);
  thread.send(ChangeLanes{RemoveLane{1}});
  s = wait_for(thread, [](const Snapshot& later) { return later.lag && later.lag->step > 0.0; });
  EXPECT_FALSE(s->lag->limit);
}

TEST(SimulationThread, ProposesNoStepThatALaneOnItsWayDoesNotBear) {
  Scene scene = sheet_scene(16);
  scene.dt = 1e-6;
  scene.material.stretch_stiffness = 1e7;
  SimulationThread thread(loaded(scene), {.threads = 1, .playing = true});
  wait_for(thread, [](const Snapshot& now) { return now.frame.record.step > 5000; });
  send_and_wait(thread, NewLane{"symplectic-euler", true});  // comes from the start
  const auto s =
      wait_for(thread, [](const Snapshot& now) { return !now.others.empty() && now.lag && now.lag->step; });
  ASSERT_TRUE(s->lag->limit);
  EXPECT_EQ(s->lag->step, 0);
  EXPECT_EQ(s->lag->limit->lane, 1U);
}

TEST(SimulationThread, SleepsWhilePaused) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  wait_for(thread, [](const Snapshot& s) { return s.stability.has_value(); });
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const double cpu = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(cpu, 0.2) << "a busy loop would have burnt 0.5 s";
}

TEST(SimulationThread, PausesAndPlays) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  auto s = send_and_wait(thread, SetPlaying{true});
  EXPECT_TRUE(s->playing);
  wait_for(thread, [](const Snapshot& later) { return later.frame.record.step >= 10; });
  s = send_and_wait(thread, StepOnce{});
  EXPECT_FALSE(s->playing) << "a single step pauses";
  const std::uint64_t step = s->frame.record.step;
  s = send_and_wait(thread, StepOnce{});
  EXPECT_EQ(s->frame.record.step, step + 1);
  EXPECT_EQ(s->actual_speed, 0);
  EXPECT_GT(s->step_ms.median, 0);
  EXPECT_GE(s->step_ms.p95, s->step_ms.median);
}

TEST(SimulationThread, KnowsWhatAStepOfEachMethodHasCostHere) {
  const auto cost = [](const Snapshot& s, std::string_view id) {
    return s.method_ms.at(static_cast<std::size_t>(&integrator_info(id) - integrators().data()));
  };
  Scene scene = sheet_scene(4);
  scene.integrator = "backward-euler";
  SimulationThread thread(loaded(scene), paused());
  send_and_wait(thread, StepOnce{});
  thread.send(SetIntegrator{"rk4"});
  auto s = send_and_wait(thread, Reset{});
  EXPECT_GT(cost(*s, "backward-euler"), 0) << "kept, though another runs and the cloth is at its start";
  EXPECT_EQ(cost(*s, "rk4"), 0) << "no step yet, so nothing is said";
  EXPECT_EQ(s->step_ms.median, 0) << "of the method in force";
  EXPECT_GT(cost(*send_and_wait(thread, StepOnce{}), "rk4"), 0);
  s = send_and_wait(thread, UseScene{loaded(scene)});
  EXPECT_EQ(cost(*s, "backward-euler"), 0) << "another scene";
}

TEST(SimulationThread, WarnsOfTheSmallestAdaptiveStep) {
  Scene scene = sheet_scene(4);
  scene.adaptive = true;
  scene.max_strain = 1e-4;
  scene.material.stretch_stiffness = 1;  // no step can keep that
  SimulationThread thread(loaded(std::move(scene)), paused(1));
  EXPECT_THAT(thread.latest()->warning, IsEmpty());
  for (int k = 0; k < 5; ++k) thread.send(StepOnce{});
  const auto s = wait_for(thread, [](const Snapshot& later) { return !later.warning.empty(); });
  EXPECT_THAT(s->warning, HasSubstr("Adaptive steps"));
  EXPECT_TRUE(s->converged);
}

TEST(SimulationThread, PassesOnWhatIsSaidOnceInARun) {
  Scene scene;
  scene.mesh = GridSource{12, 12, 1, 1};
  scene.integrator = "xpbd";
  scene.integrator_parameters = {{"xpbd-iterations", 5}, {"xpbd-substeps", 1}};
  SimulationThread thread(loaded(std::move(scene)), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  std::uint64_t told = 0;
  for (int run = 1; run <= 2; ++run) {
    const auto s = wait_for(
        thread, [](const Snapshot& later) { return contains(*later.notices, NoticeCause::spurious_energy); });
    EXPECT_EQ(s->notices->front().cause, NoticeCause::not_converged);
    EXPECT_EQ(s->message, s->notices->back().text);
    EXPECT_EQ(s->messages, told + s->notices->size());
    thread.send(Reset{});
    const auto again = wait_for(thread, [](const Snapshot& later) {
      return !contains(*later.notices, NoticeCause::spurious_energy);
    });
    told = again->messages - again->notices->size();
  }
}

// ---- Blow-up, rewind, replay

/// Explicit Euler amplifies every oscillation; it blows up after more than a second.
Scene growing_scene() {
  Scene scene = sheet_scene(8);
  scene.integrator = "explicit-euler";
  scene.material.spring_damping = 0;
  scene.material.stretch_stiffness = 100;
  scene.dt = 2e-4;
  return scene;
}

bool has_notice(const LaneSnapshot& lane, NoticeCause cause) {
  return lane.notices && contains(*lane.notices, cause);
}

/// Plays until the condition holds, and pauses while the copy has not come far ahead: its priority is low.
std::shared_ptr<const Snapshot> play_behind_copy(SimulationThread& thread,
                                                 const std::function<bool(const Snapshot&)>& condition) {
  thread.send(SetSpeed{0.5});
  bool plays = false;
  return wait_for(thread, [&](const Snapshot& s) {
    const double enough = plays ? (kLeastLookAhead + kLookAhead) / 2 : kLookAhead - 0.03;
    if (const bool play = s.ahead_ends || s.ahead.value_or(0) > enough; play != plays)
      thread.send(SetPlaying{plays = play});
    return condition(s);
  });
}

TEST(SimulationThread, KnowsTheStepOfABlowUpByRunningAhead) {
  SimulationThread thread(loaded(growing_scene()), paused());
  EXPECT_FALSE(thread.latest()->ahead);
  thread.send(SetLookAhead{LookAheadChoice::on});
  const auto start =
      wait_for(thread, [](const Snapshot& s) { return s.ahead.value_or(0) > kLookAhead - 0.03; });
  EXPECT_TRUE(start->notices->empty()) << "it blows up later";
  EXPECT_FALSE(start->ahead_ends);
  const auto warned = play_behind_copy(thread, [](const Snapshot& s) { return !s.notices->empty(); });
  ASSERT_TRUE(has_notice(*warned, NoticeCause::blow_up_soon));
  EXPECT_TRUE(warned->ahead_ends);
  const auto end = wait_for(thread, [](const Snapshot& s) { return !s.blow_up_sentence.empty(); });
  const std::string text = warned->notices->front().text;
  EXPECT_NE(text.find("(step " + std::to_string(end->frame.record.step + 1) + "), computed by running ahead"),
            std::string::npos)
      << text << " but it was after step " << end->frame.record.step;
  EXPECT_GT(end->blow_up_time - warned->frame.record.time, 0.2);
  thread.send(SetLookAhead{LookAheadChoice::off});
  EXPECT_FALSE(wait_for(thread, [](const Snapshot& s) { return !s.ahead; })->ahead);
}

TEST(SimulationThread, WithdrawsAWarningOnceAChangeWhilePausedPreventsTheFailure) {
  SimulationThread thread(loaded(growing_scene()), paused());
  thread.send(SetLookAhead{LookAheadChoice::on});
  play_behind_copy(thread, [](const Snapshot& s) { return has_notice(s, NoticeCause::blow_up_soon); });
  thread.send(SetPlaying{false});
  send_and_wait(thread, SetIntegrator{"backward-euler"});
  const auto end =
      wait_for(thread, [](const Snapshot& s) { return has_notice(s, NoticeCause::warning_withdrawn); });
  EXPECT_TRUE(end->blow_up_sentence.empty());
  EXPECT_NE(end->message.find("no longer occurs"), std::string::npos) << end->message;
}

TEST(SimulationThread, RunsAheadOfEveryLane) {
  SimulationThread thread(loaded(growing_scene()), paused());
  thread.send(SetLookAhead{LookAheadChoice::on});
  thread.send(NewLane{.integrator = "backward-euler"});
  const auto is_ahead = [](const LaneSnapshot& lane) { return lane.ahead.value_or(0) > kLookAhead - 0.03; };
  wait_for(thread,
           [&](const Snapshot& s) { return s.others.size() == 1 && is_ahead(s) && is_ahead(s.others[0]); });
  thread.send(SetPlaying{true});
  const auto warned =
      wait_for(thread, [](const Snapshot& s) { return has_notice(s.others[0], NoticeCause::blow_up_soon); });
  EXPECT_FALSE(has_notice(*warned, NoticeCause::blow_up_soon)) << "backward Euler stays well";
  wait_for(thread, [](const Snapshot& s) { return s.others[0].frozen && !s.others[0].ahead; });
}

/// The run may take several steps while a copy begins. That the copy is not started again then is proved by
/// CopyPace, as here it depends on the machine.
TEST(SimulationThread, KeepsAheadOfARunThatPlaysWhenItIsSwitchedOn) {
  Scene scene = sheet_scene(4);
  scene.integrator = "symplectic-euler";
  scene.dt = 8e-5;
  // Slowly enough that the copy overtakes it on a busy machine too.
  SimulationThread thread(loaded(scene), {.threads = 1, .playing = true, .speed = 0.05});
  wait_for(thread, [](const Snapshot& s) { return s.frame.record.time > 0.01; });
  thread.send(SetLookAhead{LookAheadChoice::on});
  const auto s =
      wait_for(thread, [](const Snapshot& now) { return now.ahead.value_or(0) > kLeastLookAhead; });
  EXPECT_TRUE(s->playing);
}

/// The mouse moves all the time, so that no copy starts.
TEST(SimulationThread, IsWarnedBySignsWhileNoCopyIsAhead) {
  SimulationThread thread(loaded(growing_scene()), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  thread.send(SetLookAhead{LookAheadChoice::on});
  thread.send(Grab{{20, 21, 28}, {1, 0, 0}, vec3(0.5, -1, 0.5), 1e-3, 1e-3});
  const auto is_by_signs = [](const Notice& notice) {
    return notice.cause == NoticeCause::blow_up_soon && notice.text.find(" is expected at about ") < 20;
  };
  bool warned = false;
  for (int k = 0; !warned && thread.latest()->blow_up_sentence.empty(); ++k) {
    thread.send(MoveCursor{vec3(0.5, -1 - 1e-3 * (k % 2), 0.5)});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    warned = std::ranges::any_of(*thread.latest()->notices, is_by_signs);
  }
  EXPECT_TRUE(warned);
}

TEST(SimulationThread, RunsAheadAutomaticallyWithThreadsForAllCopies) {
  for (const int hardware : {4, 6}) {
    SimulationThread thread(loaded(growing_scene()), {.threads = 1, .hardware = hardware, .playing = false});
    thread.send(SetLookAhead{LookAheadChoice::automatic});
    wait_for(thread, [](const Snapshot& s) { return s.ahead.value_or(0) > kLookAhead - 0.03; });
    thread.send(NewLane{.integrator = "backward-euler"});
    const auto both = wait_for(thread, [&](const Snapshot& s) {
      return s.others.size() == 1 && s.ahead.has_value() == (hardware == 6) && s.look_ahead.needed == 6;
    });
    EXPECT_EQ(both->look_ahead.on(), hardware == 6);
  }
}

TEST(SimulationThread, HasTheSameBitsWithACopyAhead) {
  const auto scene = loaded(growing_scene());
  std::set<std::uint64_t> hashes;
  for (const bool on : {false, true}) {
    SimulationThread thread(scene, paused());
    thread.send(SetLookAhead{on ? LookAheadChoice::on : LookAheadChoice::off});
    thread.send(NewLane{.integrator = "backward-euler"});
    for (int part = 0; part < 3; ++part) {
      if (on) wait_for(thread, [](const Snapshot& s) { return s.ahead.value_or(0) > kLookAhead - 0.03; });
      for (int k = 0; k < 200; ++k) thread.send(StepOnce{});
      send_and_wait(thread, SetParameter{"bend-stiffness", 0.001 * (part + 1)});
    }
    for (int k = 0; k < 200; ++k) thread.send(StepOnce{});
    send_and_wait(thread, StepOnce{});
    EXPECT_EQ(thread.latest()->frame.record.step, 801U);
    hashes.insert(thread.keep_journal().get().now);
  }
  EXPECT_EQ(hashes.size(), 1U);
}

TEST(LookAheadMonitor, ReportsACopyThatCannotBegin) {
  WorkerPool pool(1);
  const auto scene = loaded(sheet_scene(8)), other = loaded(sheet_scene(4));
  const auto moment_of = [&](const LoadedScene& of) {
    Checkpoint now;
    Simulation(of.scene, of.mesh, pool).save(pool, now);
    return std::make_shared<const Checkpoint>(std::move(now));
  };
  const auto wait = [](const auto& condition) {
    for (const Clock::time_point start = Clock::now(); !condition() && seconds_since(start) < kPatience;)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
  };
  std::atomic<int> calls{0};
  LookAheadMonitor monitor([&] { ++calls; });
  monitor.begin({moment_of(*other), scene->mesh, nullptr, true, 1});
  ASSERT_TRUE(wait([&] { return monitor.error() != nullptr && calls == 1; }));
  EXPECT_THROW(std::rethrow_exception(monitor.error()), InputError) << "not as if memory were short";
  monitor.begin({moment_of(*scene), scene->mesh, nullptr, true, 2});
  EXPECT_TRUE(
      wait([&] { return monitor.found() && monitor.found()->prediction.reached > kLookAhead - 0.03; }));
  EXPECT_EQ(monitor.error(), nullptr);
  EXPECT_EQ(monitor.found()->tag, 2U);
  monitor.begin({});
}

/// The first step of the copy does not end while the test runs.
TEST(SimulationThread, DoesNotWaitForACopyThatCannotKeepAhead) {
  SimulationThread thread(endless_scene(), paused());
  thread.send(SetLookAhead{LookAheadChoice::on});
  EXPECT_LT(*wait_for(thread, [](const Snapshot& s) { return s.ahead.has_value(); })->ahead, kLeastLookAhead);
  const Clock::time_point start = Clock::now();
  for (int k = 1; k <= 20; ++k) send_and_wait(thread, SetParameter{"stretch-stiffness", 100.0 * k});
  send_and_wait(thread, SetLookAhead{LookAheadChoice::off});
  wait_for(thread, [](const Snapshot& s) { return !s.ahead; });
  EXPECT_LT(seconds_since(start), 5 * kSlowdown);
}

TEST(SimulationThread, FreezesOnABlowUpAndExplainsIt) {
  WorkerPool start_pool(1);
  const auto scene = loaded(exploding_scene());
  const Simulation start(scene->scene, scene->mesh, start_pool);
  SimulationThread thread(loaded(exploding_scene()), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  auto s = wait_for(thread, [](const Snapshot& later) { return !later.blow_up_text.empty(); });
  EXPECT_FALSE(s->playing);
  EXPECT_THAT(s->blow_up_sentence, HasSubstr("step " + std::to_string(s->frame.record.step + 1)))
      << "the last good state";
  ASSERT_TRUE(s->failed_spring);
  EXPECT_LT(s->failed_spring->j, s->frame.positions.size());
  EXPECT_THAT(s->blow_up_sentence, HasSubstr("stretch spring between vertices"));
  EXPECT_TRUE(all_finite(s->frame.positions));
  // The reason comes once ω_max of the last good state is known; that of the blown-up state would mislead.
  s = wait_for(thread, [](const Snapshot& later) { return later.stability.has_value(); });
  EXPECT_THAT(s->blow_up_text, HasSubstr("Explicit Euler"));
  EXPECT_THAT(s->blow_up_text, HasSubstr(" In the last good state "));
  const double at_start =
      StabilityMeter().omega_max(start.system(), start.state().x, JacobianMode::clamped, start_pool).value();
  EXPECT_NEAR(s->stability->omega_max(), at_start, 0.05 * at_start);
}

// The eigenvalues of 144 particles are computed after a first estimate, for the same question.
TEST(SimulationThread, ExplainsABlowUpAgainOnceAllOscillationsAreKnown) {
  Scene scene = exploding_scene();
  scene.mesh = GridSource{12, 12, 1, 1};
  SimulationThread thread(loaded(scene), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  const auto s = wait_for(thread, [](const Snapshot& later) {
    return later.blow_up_text.find("In the last good state") != std::string::npos &&
           later.blow_up_text.find("is found for cloth of up to") == std::string::npos;
  });
  EXPECT_THAT(s->blow_up_text, HasSubstr("Explicit Euler"));
}

/// Explicit Euler on `exploding_scene` up to its blow-up: what is sound, and what is shown.
class AfterABlowUp : public ::testing::Test {
 protected:
  AfterABlowUp() {
    WorkerPool pool(1);
    Simulation direct(scene->scene, scene->mesh, pool);
    while (direct.step(pool) == StepStatus::done) {
    }
    last_good = direct.steps();
    sound = direct.last_good_state().state;
    sound_step = direct.last_good_state().step;
  }
  /// A thread on that scene, frozen; it played until then, or took single steps.
  std::unique_ptr<SimulationThread> frozen(bool played) const {
    auto thread = std::make_unique<SimulationThread>(
        scene, SimulationThread::Options{.threads = 1, .playing = played, .speed = kMaxSpeed});
    if (!played) {
      for (std::uint64_t i = 0; i <= last_good; ++i) thread->send(StepOnce{});
    }
    const auto s = wait_for(*thread, [](const Snapshot& now) { return !now.blow_up_text.empty(); });
    EXPECT_EQ(s->frame.record.step, last_good);
    EXPECT_FALSE(s->playing);
    return thread;
  }
  /// What it says next.
  static std::string next_message(const SimulationThread& thread, std::uint64_t after) {
    return wait_for(thread, [&](const Snapshot& now) { return now.messages > after; })->message;
  }

  const std::shared_ptr<const LoadedScene> scene = loaded(exploding_scene());
  std::uint64_t last_good = 0, sound_step = 0;
  State sound;
};

TEST_F(AfterABlowUp, AMethodOrAStepThatIsStableHereRevivesTheLastSoundState) {
  ASSERT_LT(sound_step, last_good);
  Scene fine = scene->scene;
  fine.integrator = "symplectic-euler";
  fine.dt = 1e-4;
  Scene soft = scene->scene;
  soft.integrator = "symplectic-euler";
  soft.material.stretch_stiffness = 1e-3;
  soft.material.bend_stiffness = 0;
  for (const Command& stable :
       std::vector<Command>{SetIntegrator{"backward-euler"}, SetScene{std::make_shared<const Scene>(fine)},
                            SetScene{std::make_shared<const Scene>(soft)}}) {
    const auto thread = frozen(false);
    const std::uint64_t before = thread->latest()->messages;
    thread->send(stable);
    const auto s = wait_for(*thread, [](const Snapshot& now) { return now.blow_up_text.empty(); });
    EXPECT_EQ(s->frame.record.step, sound_step);
    EXPECT_EQ(s->frame.positions, sound.x) << "every bit";
    EXPECT_FALSE(s->playing) << "it did not play when it blew up";
    EXPECT_EQ(s->messages, before + 1);
    EXPECT_THAT(s->message, HasSubstr("last good state"));
    EXPECT_LE(s->plot->back().time, sound.t);
  }
  // It plays on where it played.
  const auto thread = frozen(true);
  thread->send(SetIntegrator{"backward-euler"});
  wait_for(*thread, [&](const Snapshot& now) { return now.playing && now.frame.record.step > last_good; });
}

TEST_F(AfterABlowUp, WhatIsNotStableHereStaysFrozenAndSaysSo) {
  const auto thread = frozen(true);
  const std::uint64_t before = thread->latest()->messages;
  thread->send(SetIntegrator{"symplectic-euler"});
  EXPECT_THAT(next_message(*thread, before), HasSubstr("Symplectic Euler is stable here below h = "));
  auto s = thread->latest();
  EXPECT_THAT(s->blow_up_text, HasSubstr("Explicit Euler")) << "that one blew up";
  EXPECT_EQ(s->frame.record.step, last_good);
  // A step that is stable does revive it.
  thread->send(SetParameter{"dt", 1e-4});
  s = wait_for(*thread, [](const Snapshot& now) { return now.blow_up_text.empty(); });
  EXPECT_TRUE(s->playing);
}

TEST_F(AfterABlowUp, PlayingAndAStepTryAgainFromTheLastSoundState) {
  const auto thread = frozen(true);
  auto s = send_and_wait(*thread, StepOnce{});
  EXPECT_EQ(s->frame.record.step, sound_step + 1);
  EXPECT_FALSE(s->playing);
  ASSERT_GT(sound.t, 0);
  EXPECT_NEAR(s->method_origin.time, sound.t, 1e-9) << "not charged with the steps that were given up";
  thread->send(SetPlaying{true});
  s = wait_for(*thread, [](const Snapshot& now) { return !now.blow_up_text.empty(); });
  EXPECT_EQ(s->frame.record.step, last_good) << "the same steps give the same bits";
  thread->send(SetPlaying{true});
  EXPECT_THAT(next_message(*thread, s->messages), HasSubstr("is tried again"));
  wait_for(*thread, [](const Snapshot& now) { return !now.blow_up_text.empty(); });
}

TEST_F(AfterABlowUp, TheHandAndPinsReviveIt) {
  for (const Command& command : std::vector<Command>{
           Grab{{44, 45, 55}, vec3(0.5, 0.25, 0.25), vec3(0.5, 0, 0.5), 1, 0}, SetPinned{{55}, true}}) {
    const auto thread = frozen(false);
    const std::uint64_t before = thread->latest()->messages;
    const auto s = send_and_wait(*thread, command);
    EXPECT_THAT(s->blow_up_text, IsEmpty());
    EXPECT_EQ(s->frame.positions, sound.x);
    EXPECT_EQ(s->frame.grab.has_value(), std::holds_alternative<Grab>(command));
    EXPECT_EQ(s->messages, before + 1);
  }
}

TEST_F(AfterABlowUp, AResetAndAnotherScenePlayIfItPlayed) {
  for (const bool played : {true, false}) {
    auto thread = frozen(played);
    auto s = send_and_wait(*thread, Reset{});
    EXPECT_EQ(s->playing, played);
    EXPECT_THAT(s->blow_up_text, IsEmpty());
    thread = frozen(played);
    s = send_and_wait(*thread, UseScene{loaded(sheet_scene(4))});
    EXPECT_EQ(s->playing, played);
  }
}

TEST(SimulationThread, AMeshWaitsAndTheNextScenePlaysOn) {
  const auto sheet = loaded(sheet_scene(4));
  SimulationThread thread(sheet);
  auto s = send_and_wait(thread, UseScene{.loaded = sheet, .waits = true});
  EXPECT_FALSE(s->playing);
  EXPECT_FALSE(send_and_wait(thread, SetIntegrator{"rk4"})->playing);
  EXPECT_EQ(send_and_wait(thread, Reset{})->frame.record.step, 0u);
  EXPECT_TRUE(send_and_wait(thread, UseScene{sheet})->playing);
  // A pause of the user's own stays.
  send_and_wait(thread, SetPlaying{false});
  send_and_wait(thread, UseScene{.loaded = sheet, .waits = true});
  EXPECT_FALSE(send_and_wait(thread, UseScene{sheet})->playing);
}

TEST(SimulationThread, ShowsTheLastStatesAgain) {
  SimulationThread thread(loaded(exploding_scene()), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  const auto frozen = wait_for(thread, [](const Snapshot& s) { return !s.blow_up_text.empty(); });
  const auto first = send_and_wait(thread, WatchAgain{1.0});
  ASSERT_TRUE(first->replay.has_value());
  ASSERT_GT(first->replay->count, 2u);

  std::size_t last_seen = 0;
  std::uint64_t last_step = 0;
  std::size_t pictures = 0;
  const auto after = wait_for(thread, [&](const Snapshot& s) {
    if (!s.replay) return true;
    EXPECT_GE(s.replay->state, last_seen);
    EXPECT_GE(s.frame.record.step, last_step);
    EXPECT_LE(s.frame.record.step, frozen->frame.record.step);
    EXPECT_THAT(s.blow_up_text, IsEmpty()) << "what is seen had not blown up";
    if (s.replay->state != last_seen) {
      ++pictures;
      EXPECT_NE(s.frame.record.step, last_step) << "every state is another one";
    }
    last_seen = s.replay->state;
    last_step = s.frame.record.step;
    return false;
  });
  EXPECT_GE(pictures, 2u);
  EXPECT_EQ(after->frame.positions, frozen->frame.positions) << "frozen as before";
  EXPECT_EQ(after->frame.record.step, frozen->frame.record.step);
  EXPECT_FALSE(after->playing);

  // A replay that is cut short leaves no trace either.
  EXPECT_TRUE(send_and_wait(thread, WatchAgain{1000})->replay.has_value());
  thread.send(SetIntegrator{"semi-implicit-euler"});
  const auto stepped = send_and_wait(thread, StepOnce{});
  EXPECT_FALSE(stepped->replay.has_value());
  EXPECT_THAT(stepped->blow_up_text, IsEmpty());
}

TEST(SimulationThread, RewindsFurtherEveryTime) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  for (int i = 0; i < 150; ++i) thread.send(StepOnce{});  // 2.5 s
  auto s = wait_applied(thread, 150);
  ASSERT_EQ(s->frame.record.step, 150u);
  const std::vector<vec3> end = s->frame.positions;
  const double h = s->frame.record.h;

  s = send_and_wait(thread, Rewind{});
  EXPECT_FALSE(s->playing);
  EXPECT_NEAR(s->frame.record.time, 2.0, h * 1.001) << "half a second back";
  EXPECT_LE(s->plot->back().time, s->frame.record.time);
  const std::uint64_t rewound = s->frame.record.step;
  for (std::uint64_t i = rewound; i < 150; ++i) thread.send(StepOnce{});
  s = wait_applied(thread, thread.send(SetSpeed{1}));
  EXPECT_EQ(s->frame.record.step, 150u);
  EXPECT_EQ(s->frame.positions, end) << "the same steps from there give the same bits";

  double last = s->frame.record.time;
  for (int i = 0; i < 10 && s->can_rewind; ++i) {
    s = send_and_wait(thread, Rewind{});
    EXPECT_LT(s->frame.record.time, last);
    last = s->frame.record.time;
  }
  EXPECT_EQ(s->frame.record.step, 0u) << "back to the start in the end";
  EXPECT_EQ(send_and_wait(thread, Rewind{})->frame.record.step, 0u);
}

TEST(SimulationThread, TellsToWhichTimesTheRunWentBack) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  for (int i = 0; i < 60; ++i) thread.send(StepOnce{});
  const auto s = send_and_wait(thread, ShowPast{0.25});
  const std::size_t before = s->returns->size();
  EXPECT_EQ(thread.keep_moment().get().returns, before) << "looking back is not going back";
  send_and_wait(thread, StepOnce{});
  EXPECT_EQ(send_and_wait(thread, Reset{})->returns->size(), before + 2);
  EXPECT_EQ(thread.latest()->returns->at(before), s->frame.record.time);
  EXPECT_EQ(thread.latest()->returns->back(), 0);
  EXPECT_EQ(thread.keep_moment().get().returns, before + 2);
}

TEST(SimulationThread, RewindsFromABlowUp) {
  SimulationThread thread(loaded(exploding_scene()), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  const auto frozen = wait_for(thread, [](const Snapshot& s) { return !s.blow_up_text.empty(); });
  const auto s = send_and_wait(thread, Rewind{});
  EXPECT_LT(s->frame.record.step, frozen->frame.record.step);
  EXPECT_THAT(s->blow_up_text, IsEmpty());
  EXPECT_FALSE(s->failed_spring);
  EXPECT_FALSE(s->playing);
}

const LaneSnapshot& lane_of(const Snapshot& snapshot, LaneId id) {
  for (const LaneSnapshot* lane : snapshot.lanes())
    if (lane->lane == id) return *lane;
  ADD_FAILURE() << "no lane " << lane_letter(id);
  return snapshot;
}

/// Lane A runs on where lane B, by explicit Euler, has blown up for so long [s]; paused, B is the active one.
std::shared_ptr<const Snapshot> run_past_a_blow_up(SimulationThread& thread, double seconds) {
  thread.send(SetParameter{"dt", 1.0 / 60});
  send_and_wait(thread, NewLane{"explicit-euler"});
  send_and_wait(thread, SetPlaying{true});
  wait_for(thread, [&](const Snapshot& s) {
    return s.frozen && !s.blow_up_text.empty() &&
           s.others[0].frame.record.time > s.frame.record.time + seconds;
  });
  return send_and_wait(thread, SetPlaying{false});
}

TEST(SimulationThread, ThePastShowsOnlyTheBlowUpsOfThen) {
  SimulationThread alone(loaded(exploding_scene()), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  const auto blown = wait_for(alone, [](const Snapshot& s) { return !s.blow_up_text.empty(); });
  for (const char* method : {"explicit-euler", "rk4"}) {
    alone.send(SetIntegrator{method});
    const auto s = send_and_wait(alone, ShowPast{0});
    ASSERT_TRUE(s->replay.has_value());
    EXPECT_EQ(s->replay->time, 0);
    EXPECT_THAT(s->blow_up_sentence, IsEmpty());
    EXPECT_THAT(s->blow_up_text, IsEmpty());
    EXPECT_FALSE(s->failed_spring || s->failed_contact);
    EXPECT_THAT(s->message, Not(HasSubstr("blew up")));
  }
  const auto present = send_and_wait(alone, ShowPast{std::numeric_limits<double>::infinity()});
  EXPECT_EQ(present->blow_up_sentence, blown->blow_up_sentence);
  EXPECT_TRUE(present->failed_spring);

  SimulationThread both(loaded(sheet_scene(5)), paused());
  const auto now = run_past_a_blow_up(both, 0.2);
  const double frozen_at = now->frame.record.time;
  auto s = send_and_wait(both, ShowPast{0});
  EXPECT_FALSE(s->frozen);
  EXPECT_THAT(s->blow_up_sentence, IsEmpty());
  EXPECT_FALSE(s->failed_spring);
  s = send_and_wait(both, ShowPast{frozen_at + 0.1});
  EXPECT_NEAR(s->replay->time, frozen_at + 0.1, 0.01) << "of the lane that ran on";
  EXPECT_EQ(s->frame.record.time, frozen_at);
  EXPECT_TRUE(s->frozen) << "it stood by then";
  EXPECT_EQ(s->blow_up_sentence, now->blow_up_sentence);
  EXPECT_TRUE(s->failed_spring);

  // It came back and is well: then it had blown up all the same.
  send_and_wait(both, ShowPast{std::numeric_limits<double>::infinity()});
  send_and_wait(both, ChangeLanes{JoinLane{1, 0}});
  EXPECT_THAT(both.latest()->blow_up_sentence, IsEmpty());
  s = send_and_wait(both, ShowPast{frozen_at + 0.1});
  EXPECT_TRUE(s->frozen);
  EXPECT_EQ(s->blow_up_sentence, now->blow_up_sentence);
}

TEST(SimulationThread, ALaneHasNoBlowUpFromBeforeItWasAdded) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  send_and_wait(thread, NewLane{"backward-euler"});
  send_and_wait(thread, SelectLane{0});
  send_and_wait(thread, SetIntegrator{"explicit-euler"});
  send_and_wait(thread, SetPlaying{true});
  const auto blown = wait_for(thread, [](const Snapshot& s) {
    return s.frozen && s.others[0].frame.record.time > s.frame.record.time + 0.5;
  });
  send_and_wait(thread, SetPlaying{false});
  const double then = blown->frame.record.time + 0.25;
  send_and_wait(thread, SelectLane{1});
  const auto added = send_and_wait(thread, NewLane{"bdf2"});
  ASSERT_EQ(added->lane, 2U);
  const auto past = send_and_wait(thread, ShowPast{then});
  ASSERT_EQ(past->lane, 2U);
  EXPECT_TRUE(lane_of(*past, 0).frozen);
  EXPECT_FALSE(past->frozen);
  EXPECT_THAT(past->blow_up_sentence, IsEmpty());
  EXPECT_FALSE(past->failed_spring);
  EXPECT_NEAR(past->frame.record.time, then, 0.01) << "of the lane that ran";
  send_and_wait(thread, SetSpeed{0.01});
  const auto s = send_and_wait(thread, Rewind{});
  EXPECT_EQ(s->errors, 0U) << s->error;
  EXPECT_GT(s->frame.record.time, blown->frame.record.time) << "not to before the blow-up of another lane";
  EXPECT_FALSE(s->frozen);
}

TEST(SimulationThread, ThePastHasTheMethodOfThen) {
  Scene scene = sheet_scene(5);
  scene.dt = 1e-4;
  SimulationThread thread(loaded(scene), paused());
  send_and_wait(thread, SetIntegrator{"rk4"});
  for (int k = 0; k < 3; ++k) send_and_wait(thread, StepOnce{});
  send_and_wait(thread, SetParameter{"dt", 1e-3});
  send_and_wait(thread, SetIntegrator{"bdf2"});
  const auto now = send_and_wait(thread, StepOnce{});
  EXPECT_EQ(integrators()[now->integrator].id, "bdf2");
  const auto past = send_and_wait(thread, ShowPast{2e-4});
  ASSERT_TRUE(past->replay);
  EXPECT_EQ(past->scene().integrator, "rk4");
  EXPECT_EQ(past->scene().dt, 1e-4);
  EXPECT_EQ(past->frame.scene->integrator, "bdf2") << "which the panels edit";
  EXPECT_EQ(integrators()[past->integrator].id, "bdf2");
}

TEST(SimulationThread, RewindsToBeforeABlowUpThatOthersRanOnFrom) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(SetSpeed{0.01});  // 5 ms of simulated time are half a second of viewing
  const auto now = [&] {
    thread.send(SetSpeed{kMaxSpeed});
    run_past_a_blow_up(thread, 1);
    return send_and_wait(thread, SetSpeed{0.01});
  }();
  ASSERT_TRUE(now->frozen);
  for (const bool shows_past : {false, true}) {
    if (shows_past) send_and_wait(thread, ShowPast{now->frame.record.time + 0.5});
    const auto s = send_and_wait(thread, Rewind{});
    EXPECT_EQ(s->errors, 0u) << s->error;
    EXPECT_LT(s->frame.record.time, now->frame.record.time);
    EXPECT_FALSE(s->frozen);
    EXPECT_THAT(s->blow_up_sentence, IsEmpty());
    EXPECT_EQ(s->others[0].frame.record.time, s->frame.record.time) << "all lanes go there";
    EXPECT_TRUE(send_and_wait(thread, SwapBranches{})->frozen) << "and come back";
  }
  // What is no longer kept is not gone back to.
  thread.send(SetHistoryMemory{1});
  send_and_wait(thread, SetPlaying{false});
  const auto s = send_and_wait(thread, Rewind{});
  EXPECT_EQ(s->errors, 1u);
  EXPECT_THAT(s->error, HasSubstr("no longer kept"));
  EXPECT_TRUE(s->frozen);
}

// ---- Scenes

TEST(SimulationThread, UsesAnotherSceneWhileRunning) {
  SimulationThread thread(loaded(sheet_scene(5)));
  wait_for(thread, [](const Snapshot& s) { return s.frame.record.step > 5; });
  const auto next = loaded(sheet_scene(7));
  auto s = send_and_wait(thread, UseScene{next});
  EXPECT_EQ(s->frame.mesh, next->mesh);
  EXPECT_EQ(s->loaded, next);
  EXPECT_EQ(s->frame.positions.size(), 49u);
  EXPECT_TRUE(s->playing);
  EXPECT_LE(s->plot->front().time, s->frame.record.time);
  s = wait_for(thread, [](const Snapshot& later) { return later.frame.record.step > 5; });
  EXPECT_EQ(s->frame.mesh, next->mesh);
}

TEST(SimulationThread, UsesAnotherSceneWithOtherValuesAtOnce) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  const auto next = loaded(sheet_scene(4));
  const auto other = [&](double mass) {
    auto values = std::make_shared<Scene>(next->scene);
    values->material.mass = mass;
    values->integrator = "rk4";
    return LaneScenes{{0, values}};
  };
  auto s = send_and_wait(thread, UseScene{next, other(3)});
  EXPECT_EQ(s->applied, 1u);
  EXPECT_EQ(s->loaded, next);
  EXPECT_EQ(s->frame.scene->material.mass, 3);
  EXPECT_EQ(integrators()[s->integrator].id, "rk4");
  EXPECT_EQ(s->frame.record.step, 0u);

  // Refused with its values, it is not used at all.
  s = send_and_wait(thread, UseScene{loaded(sheet_scene(6)), other(-1)});
  EXPECT_EQ(s->errors, 1u);
  EXPECT_EQ(s->loaded, next);
  EXPECT_EQ(s->frame.scene->material.mass, 3);
}

TEST(SimulationThread, KeepsItsSceneWhenTheNextOneIsBad) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  const auto before = send_and_wait(thread, StepOnce{});
  Scene bad = sheet_scene(4);
  bad.pins = std::vector<std::uint32_t>{1000};
  const auto after = send_and_wait(thread, UseScene{loaded(bad)});
  EXPECT_EQ(after->errors, 1u);
  EXPECT_THAT(after->error, HasSubstr("1000"));
  EXPECT_EQ(after->frame.mesh, before->frame.mesh);
  EXPECT_EQ(after->frame.positions, before->frame.positions);
}

/// Takes far longer to build than any test waits. Not rehearsed, or there would be nothing left to build.
std::shared_ptr<const LoadedScene> large_scene() { return loaded(sheet_scene(500)); }

TEST(SimulationThread, ASceneThatIsBuiltGivesWayToTheNext) {
  const auto large = large_scene();
  const auto heavy = std::make_shared<Scene>(large->scene);
  heavy->material.mass = 7;
  const auto small = loaded(sheet_scene(4));
  SimulationThread thread(small, paused());
  const std::uint64_t superseded = thread.send(UseScene{large, {{0, heavy}}});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(thread.latest()->applied, 0u) << "it is still being built";
  const auto next = loaded(sheet_scene(5));
  const auto s = send_and_wait(thread, UseScene{next});
  EXPECT_EQ(s->loaded, next);
  // Not built to its end, however long that would have taken.
  EXPECT_THAT(*s->refused, ElementsAre(superseded));
  EXPECT_EQ(s->frame.scene->material.mass, 0.2) << "the values of the other scene went with it";
  EXPECT_EQ(s->errors, 0u) << s->error;
}

TEST(SimulationThread, EndsWhileASceneIsBuilt) {
  const auto large = large_scene();
  const auto small = loaded(sheet_scene(4));
  const double took = quickest([&] {
    auto thread = std::make_unique<SimulationThread>(small, paused());
    thread->send(UseScene{large});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(thread->latest()->applied, 0u) << "it is still being built";
    const Clock::time_point start = Clock::now();
    thread.reset();
    return seconds_since(start);
  });
  EXPECT_LT(took, kReaction);
}

// ---- Looking back

/// A sheet on which every kind of force acts.
Scene moving_scene(const char* integrator) {
  Scene scene = sheet_scene(6);
  scene.integrator = integrator;
  scene.material.spring_damping = 0.01;
  if (std::isfinite(integrator_info(integrator).stability_limit)) scene.dt = 1e-4;
  return scene;
}

TEST(SimulationThread, ContinuesFromThePastAsIfNothingHadBeen) {
  constexpr int kSteps = 40;
  constexpr int kBack = 15;
  for (const char* integrator :
       {"symplectic-euler", "rk4", "semi-implicit-euler", "backward-euler", "bdf2", "xpbd"}) {
    SCOPED_TRACE(integrator);
    const auto scene = loaded(moving_scene(integrator));
    SimulationThread thread(scene, paused());
    for (int i = 0; i < kSteps; ++i) thread.send(StepOnce{});
    const auto end = wait_applied(thread, kSteps);
    const auto shown = send_and_wait(thread, StepThroughPast{-kBack});
    ASSERT_TRUE(shown->replay.has_value());
    EXPECT_EQ(shown->frame.record.step, static_cast<std::uint64_t>(kSteps - kBack));
    EXPECT_NE(shown->frame.positions, end->frame.positions);
    for (int i = 0; i < kBack; ++i) thread.send(StepOnce{});
    const auto again = wait_applied(thread, shown->applied + kBack);
    EXPECT_EQ(again->errors, 0u) << again->error;
    EXPECT_EQ(again->frame.record.step, end->frame.record.step);
    EXPECT_EQ(again->frame.positions, end->frame.positions) << "every bit";
    EXPECT_EQ(again->frame.record.energy.kinetic, end->frame.record.energy.kinetic)
        << "of the velocities, too";
  }
}

TEST(SimulationThread, UndoesThatItWentOnFromThePast) {
  SimulationThread thread(loaded(moving_scene("bdf2")), paused());
  for (int i = 0; i < 30; ++i) thread.send(StepOnce{});
  const auto end = wait_applied(thread, 30);
  EXPECT_FALSE(end->left.has_value());
  EXPECT_EQ(send_and_wait(thread, SwapBranches{})->errors, 1u);

  thread.send(ShowPast{end->frame.record.time / 2});
  const auto last = static_cast<std::uint32_t>(end->frame.positions.size() - 1);
  const vec3 beside = end->frame.positions[last] + vec3(0, 0, 0.2);
  thread.send(Grab{{last, last - 1, last - 2}, vec3(1, 0, 0), beside, 100});
  for (int i = 0; i < 4; ++i) thread.send(StepOnce{});
  const auto pulled = send_and_wait(thread, SetPlaying{false});
  EXPECT_EQ(pulled->left, end->frame.record.time);
  EXPECT_EQ(pulled->errors, 1u) << pulled->error;

  auto s = send_and_wait(thread, SwapBranches{});
  EXPECT_EQ(s->frame.record.step, 30u);
  EXPECT_EQ(s->frame.positions, end->frame.positions);
  EXPECT_EQ(s->kept.states, end->kept.states);
  EXPECT_EQ(s->plot->size(), end->plot->size());
  EXPECT_EQ(s->left, pulled->frame.record.time);
  s = send_and_wait(thread, SwapBranches{});
  EXPECT_EQ(s->frame.positions, pulled->frame.positions);
  EXPECT_EQ(s->plot->size(), pulled->plot->size());

  // From there it goes on as if it had never been left.
  SimulationThread straight(loaded(moving_scene("bdf2")), paused());
  for (int i = 0; i < 31; ++i) straight.send(StepOnce{});
  thread.send(SwapBranches{});
  EXPECT_EQ(send_and_wait(thread, StepOnce{})->frame.positions, wait_applied(straight, 31)->frame.positions);

  EXPECT_FALSE(send_and_wait(thread, Reset{})->left.has_value());
}

TEST(SimulationThread, KeepsThePresentThatWasLeftWhenItTriesAgain) {
  SimulationThread thread(loaded(moving_scene("bdf2")), paused());
  for (int i = 0; i < 30; ++i) thread.send(StepOnce{});
  const auto end = wait_applied(thread, 30);
  thread.send(ShowPast{end->frame.record.time / 2});
  send_and_wait(thread, SetIntegrator{"explicit-euler"});
  thread.send(SetParameter{"dt", 0.1});
  thread.send(SetPlaying{true});
  const auto blown = wait_for(thread, [](const Snapshot& s) { return !s.blow_up_text.empty(); });
  EXPECT_EQ(blown->left, end->frame.record.time);
  // By Space, which fails again, and by the command.
  thread.send(SetPlaying{true});
  const auto failed = wait_for(thread, [&](const Snapshot& s) {
    return s.returns->size() > blown->returns->size() && !s.blow_up_text.empty();
  });
  EXPECT_EQ(failed->left, end->frame.record.time);
  const auto again = send_and_wait(thread, RestoreGoodState{});
  EXPECT_FALSE(again->frozen);
  EXPECT_EQ(again->left, end->frame.record.time);
  EXPECT_EQ(send_and_wait(thread, SwapBranches{})->frame.positions, end->frame.positions);
}

TEST(SimulationThread, GoesOnFromAMomentThatWasKept) {
  const auto scene = loaded(moving_scene("bdf2"));
  SimulationThread thread(scene, paused());
  for (int i = 0; i < 20; ++i) thread.send(StepOnce{});
  thread.send(StepThroughPast{-8});
  const KeepMoment::Kept kept = thread.keep_moment().get();
  EXPECT_EQ(kept.loaded, scene);
  LoadedScene with_moment = *scene;
  with_moment.moment = std::make_shared<const Moment>(kept.moment);
  const auto end = send_and_wait(thread, ShowPast{std::numeric_limits<double>::infinity()});

  thread.send(SetPlaying{true});
  auto s = send_and_wait(thread, UseScene{std::make_shared<const LoadedScene>(with_moment)});
  EXPECT_EQ(s->frame.record.step, 12u);
  EXPECT_FALSE(s->playing) << "a moment waits";
  for (int i = 0; i < 8; ++i) thread.send(StepOnce{});
  s = wait_applied(thread, s->applied + 8);
  EXPECT_EQ(s->frame.positions, end->frame.positions);
  EXPECT_EQ(send_and_wait(thread, Reset{})->frame.record.step, 0u);
}

TEST(SimulationThread, ShowsThePastAndLeavesThePresentAlone) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  for (int i = 0; i < 60; ++i) thread.send(StepOnce{});
  const auto end = wait_applied(thread, 60);
  EXPECT_EQ(end->kept.from, 0);
  EXPECT_EQ(end->kept.to, end->frame.record.time);
  EXPECT_EQ(end->kept.states, 61u);
  EXPECT_EQ(end->plot->size(), 61u);
  EXPECT_FALSE(end->frame.residuals.empty());

  thread.send(SetPlaying{true});
  auto s = send_and_wait(thread, ShowPast{0.501});
  EXPECT_FALSE(s->playing) << "looking back pauses";
  EXPECT_EQ(s->frame.record.step, 30u);
  EXPECT_EQ(s->frame.residuals.size(), static_cast<std::size_t>(s->frame.record.cg_iterations) + 1);
  EXPECT_EQ(s->frame.residuals.back(), s->frame.record.cg_residual) << "those of that step";
  s = send_and_wait(thread, StepThroughPast{-10});
  EXPECT_EQ(s->frame.record.step, 20u);
  s = send_and_wait(thread, StepThroughPast{-1000});
  EXPECT_EQ(s->frame.record.step, 0u);
  EXPECT_GE(s->plot->size(), 61u) << "nothing is forgotten yet";
  // Another parameter and another integrator do not touch the state either.
  thread.send(SetParameter{"stretch-stiffness", 300});
  s = send_and_wait(thread, SetIntegrator{"backward-euler"});
  EXPECT_TRUE(s->replay.has_value());
  s = send_and_wait(thread, ShowPast{std::numeric_limits<double>::infinity()});
  EXPECT_FALSE(s->replay.has_value()) << "the newest one is the present";
  EXPECT_GE(s->frame.record.step, 60u);

  // A pin that is set in the past holds where the cloth is seen, and what came after is gone.
  s = send_and_wait(thread, ShowPast{0.25});
  const std::vector<vec3> seen = s->frame.positions;
  s = send_and_wait(thread, SetPinned{{5}, true});
  EXPECT_FALSE(s->replay.has_value());
  EXPECT_EQ(s->frame.record.step, 15u);
  EXPECT_EQ(s->frame.positions, seen);
  EXPECT_LE(s->plot->back().time, s->frame.record.time);
  s = send_and_wait(thread, StepOnce{});
  EXPECT_EQ(s->frame.positions[5], seen[5]);

  EXPECT_EQ(send_and_wait(thread, ShowPast{std::nan("")})->errors, 1u);
}

TEST(SimulationThread, ContinuesFromThePastWithoutAJumpOfPinsThatWereMoved) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  const auto start = thread.latest();
  const auto pin = static_cast<std::uint32_t>(
      std::find(start->frame.pinned.begin(), start->frame.pinned.end(), 1) - start->frame.pinned.begin());
  const vec3 far = start->frame.positions[pin] + vec3(0, 0.5, 0.5);
  thread.send(MovePins{{{pin, far}}, 0.1});
  for (int i = 0; i < 20; ++i) thread.send(StepOnce{});
  EXPECT_EQ(wait_applied(thread, 21)->frame.positions[pin], far);
  const auto shown = send_and_wait(thread, ShowPast{0.05});
  const vec3 seen = shown->frame.positions[pin];
  EXPECT_NE(seen, far);
  for (int i = 0; i < 10; ++i) thread.send(StepOnce{});
  const auto later = wait_applied(thread, shown->applied + 10);
  EXPECT_EQ(later->frame.positions[pin], seen) << "it holds where that moment has it";
  EXPECT_EQ(later->frame.record.step, shown->frame.record.step + 10);
}

TEST(SimulationThread, LooksBackWithinItsMemory) {
  SimulationThread thread(loaded(sheet_scene(10)), paused());
  for (int i = 0; i < 100; ++i) thread.send(StepOnce{});
  auto s = wait_applied(thread, 100);
  const std::size_t bytes = s->kept.bytes;
  s = send_and_wait(thread, SetHistoryMemory{bytes / 2});
  EXPECT_LE(s->kept.bytes, bytes / 2);
  EXPECT_GE(s->kept.states, 20u);
  EXPECT_EQ(s->kept.to, s->frame.record.time);
}

// The first state is exact in binary, so that the way back meets the same times.
TEST(SimulationThread, StepsBackShortenThePast) {
  Scene scene = sheet_scene(4);
  scene.integrator = "velocity-verlet";
  scene.dt = 1.0 / 1024;
  SimulationThread thread(loaded(scene), paused());
  for (int i = 0; i < 20; ++i) thread.send(StepOnce{});
  wait_applied(thread, 20);
  thread.send(SetPlaying{true});
  auto s = send_and_wait(thread, StepBack{});
  EXPECT_FALSE(s->playing);
  const double back = s->frame.record.time;
  EXPECT_EQ(s->plot->back().time, back);
  EXPECT_EQ(s->kept.to, back);
  EXPECT_EQ(s->errors, 0u) << s->error;
  EXPECT_TRUE(s->can_rewind);
  ASSERT_TRUE(s->left.has_value());
  EXPECT_GE(*s->left, 20.0 / 1024);  // it may have played a little
  EXPECT_EQ(back, *s->left - 1.0 / 1024);
  const auto is_in_order = [](const Snapshot& now) {
    return std::ranges::adjacent_find(*now.plot, std::greater_equal<>(), &PlotSample::time) ==
           now.plot->end();
  };
  EXPECT_TRUE(is_in_order(*s));

  thread.send(SetParameter{"dt", -1.0 / 1024});
  for (int i = 0; i < 3; ++i) s = send_and_wait(thread, StepOnce{});
  EXPECT_NEAR(s->frame.record.time, back - 3.0 / 1024, 1e-15);
  EXPECT_EQ(s->kept.to, s->frame.record.time);
  EXPECT_TRUE(is_in_order(*s));
  EXPECT_GT(s->kept.states, 10u);
  while (s->frame.record.time > -2.5 / 1024) s = send_and_wait(thread, StepOnce{});
  EXPECT_EQ(s->kept.states, 1u) << "nothing lies before it";
  EXPECT_EQ(s->plot->back().time, 0) << "the plot begins at the start, and goes back from there";
  EXPECT_EQ(s->plot->front().time, s->frame.record.time);
  thread.send(SetPlaying{true});
  s = wait_for(thread, [](const Snapshot& now) { return now.frame.record.time < -0.1; });
  EXPECT_TRUE(s->playing);
  EXPECT_TRUE(is_in_order(*s));
  EXPECT_GT(s->plot->size(), 5u);
  EXPECT_EQ(s->origin.time, 0);
  EXPECT_EQ(send_and_wait(thread, Reset{})->frame.record.time, 0);
}

TEST(SimulationThread, KeepsCurvesThatRunBackWhenBranchesAreSwapped) {
  constexpr double kStep = 1.0 / 64;
  Scene scene = sheet_scene(4);
  scene.integrator = "implicit-midpoint";
  scene.dt = kStep;
  SimulationThread thread(loaded(scene), paused());
  for (int i = 0; i < 8; ++i) thread.send(StepOnce{});
  // Its curves begin here, and continue before that.
  thread.send(NewLane{.integrator = "implicit-midpoint"});
  thread.send(StepOnce{});
  thread.send(SetParameter{"dt", -1.5 * kStep});
  for (int i = 0; i < 3; ++i) thread.send(StepOnce{});
  const auto times = [](const Snapshot& now) {
    std::vector<double> in_steps;
    for (const PlotSample& sample : *now.plot) in_steps.push_back(sample.time / kStep);
    return in_steps;
  };
  auto s = send_and_wait(thread, SetSpeed{1});
  EXPECT_EQ(s->lane, 1);
  // 7.5 was too near to 8.
  EXPECT_THAT(times(*s), ElementsAre(4.5, 6, 8));

  s = send_and_wait(thread, SwapBranches{});
  EXPECT_THAT(times(*s), ElementsAre(8, 9));
  s = send_and_wait(thread, SwapBranches{});
  EXPECT_EQ(s->errors, 0u) << s->error;
  EXPECT_THAT(times(*s), ElementsAre(4.5, 6, 8));
  s = send_and_wait(thread, StepOnce{});
  EXPECT_THAT(times(*s), ElementsAre(3, 4.5, 6, 8));
}

TEST(SimulationThread, LanesStepBackTogetherAndCatchUpThroughStepsBack) {
  Scene scene = sheet_scene(4);
  scene.integrator = "velocity-verlet";
  scene.dt = 1.0 / 1024;
  SimulationThread thread(loaded(scene), paused());
  thread.send(NewLane{.integrator = "implicit-midpoint"});
  for (int i = 0; i < 8; ++i) thread.send(StepOnce{});
  thread.send(StepBack{});
  thread.send(StepBack{});
  thread.send(StepOnce{});
  thread.send(SetParameter{"dt", -1.0 / 1024});
  for (int i = 0; i < 10; ++i) thread.send(StepOnce{});
  auto s = send_and_wait(thread, SetSpeed{1});
  ASSERT_EQ(s->others.size(), 1u);
  EXPECT_EQ(s->errors, 0u) << s->error;
  for (const LaneSnapshot* lane : s->lanes()) EXPECT_NEAR(lane->frame.record.time, -3.0 / 1024, 1e-15);

  thread.send(NewLane{.integrator = "velocity-verlet", .from_start = true});
  s = wait_for(thread, [](const Snapshot& now) {
    return now.others.size() == 2 &&
           std::ranges::none_of(now.lanes(), [](const auto* lane) { return lane->catching_up.has_value(); });
  });
  EXPECT_EQ(s->errors, 0u) << s->error;
  const LaneSnapshot& first = *s->lanes().front();
  EXPECT_EQ(s->frame.positions, first.frame.positions) << "with the bits of lane A";
  EXPECT_EQ(s->frame.record.time, first.frame.record.time);

  thread.send(NewLane{.integrator = "bdf2", .from_start = true});
  s = wait_for(thread, [](const Snapshot& now) { return now.errors > 0; });
  EXPECT_THAT(s->error, HasSubstr("BDF2 uses earlier steps"));
  EXPECT_EQ(s->others.size(), 2u);
}

TEST(SimulationThread, DoesNotWaitForACentury) {
  Scene scene = sheet_scene(4);
  scene.integrator = "backward-euler";
  scene.dt = 3.15e9;
  SimulationThread thread(loaded(scene), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  const auto s = wait_for(thread, [](const Snapshot& now) { return now.frame.record.step == 4; });
  EXPECT_EQ(s->frame.record.time, 4 * 3.15e9);
  EXPECT_GE(s->kept.states, 4u) << "the past has the last steps, however long";
  EXPECT_LT(s->actual_speed, 2 * kMaxSpeed) << "as if each step were one of a second";
}

// ---- Lanes

TEST(SimulationThread, RepeatsAGestureWithAnotherMethodAsALane) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(SetParameter{"spring-damping", 0.02});
  for (int i = 0; i < 5; ++i) thread.send(StepOnce{});
  thread.send(StartGrab{{{6, 7, 11}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.1, 0.5)}});
  for (int i = 0; i < 15; ++i) thread.send(StepOnce{});
  auto s = send_and_wait(thread, Release{});
  const std::vector<vec3> before = s->frame.positions;
  send_and_wait(thread, NewLane{"semi-implicit-euler", true});
  s = wait_for(thread, [](const Snapshot& now) { return now.lane == 1; });
  ASSERT_EQ(s->others.size(), 1u);
  EXPECT_EQ(s->frame.positions, before) << "the same method comes to the same state";
  EXPECT_EQ(s->frame.record.step, 20u);
  EXPECT_EQ(s->plot->size(), lane_of(*s, 0).plot->size());
  send_and_wait(thread, NewLane{"backward-euler", true});
  s = wait_for(thread, [](const Snapshot& now) { return now.lane == 2; });
  EXPECT_EQ(s->frame.scene->integrator, "backward-euler");
  EXPECT_EQ(s->frame.scene->material.spring_damping, 0.02) << "the same world";
  EXPECT_EQ(s->frame.record.step, 20u);
  EXPECT_NE(s->frame.positions, before);
  EXPECT_EQ(s->plot->front().energy.total, lane_of(*s, 0).plot->front().energy.total)
      << "from the same start";
  const auto errors = s->errors;
  EXPECT_EQ(send_and_wait(thread, NewLane{"no-such-integrator", true})->errors, errors + 1);
}

TEST(SimulationThread, MakesAReferenceBesideTheActiveLane) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  for (int i = 0; i < 5; ++i) thread.send(StepOnce{});
  thread.send(SetParameter{"mass", 0.4});
  for (int i = 0; i < 15; ++i) thread.send(StepOnce{});
  NewLane wanted{.integrator = "rk4", .from_start = true, .substeps = 20, .is_reference = true};
  send_and_wait(thread, wanted);
  auto s = wait_for(thread, [](const Snapshot& now) { return now.reference.has_value(); });
  EXPECT_EQ(s->lane, 0u) << "the panels act on the lane that they acted on";
  EXPECT_EQ(*s->reference, 1u);
  const LaneSnapshot& reference = lane_of(*s, 1);
  EXPECT_EQ(reference.frame.record.step, 20u);
  EXPECT_EQ(reference.frame.scene->material.mass, 0.4) << "through the same changes";
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < s->frame.positions.size(); ++i) {
    const double apart = glm::length(s->frame.positions[i] - reference.frame.positions[i]);
    sum += apart * apart;
    most = std::max(most, apart);
  }
  EXPECT_GT(most, 1e-6);
  EXPECT_DOUBLE_EQ(s->plot->back().distance, std::sqrt(sum / static_cast<double>(s->frame.positions.size())));
  EXPECT_DOUBLE_EQ(s->plot->back().largest_distance, most);
  EXPECT_EQ(reference.plot->back().distance, 0);

  wanted.from_start = false;
  s = send_and_wait(thread, wanted);
  EXPECT_EQ(s->lane, 0u);
  EXPECT_EQ(s->reference, 2u);
  EXPECT_EQ(s->plot->back().distance, 0) << "it goes on from the present state";
  s = send_and_wait(thread, StepOnce{});
  EXPECT_GT(s->plot->back().distance, 0);
  EXPECT_LT(s->plot->back().distance, 0.1 * most);
}

TEST(SimulationThread, AddsAndRemovesLanes) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  for (LaneId lane = 1; lane < kMostLanes; ++lane) {
    const auto s = send_and_wait(thread, NewLane{"rk4"});
    EXPECT_EQ(s->lane, lane);
    EXPECT_EQ(s->others.size(), lane);
  }
  auto s = send_and_wait(thread, NewLane{"rk4"});
  EXPECT_THAT(s->error, HasSubstr("8 is the maximum"));
  s = send_and_wait(thread, SelectLane{3});
  EXPECT_EQ(s->lane, 3u);
  s = send_and_wait(thread, SetIntegrator{"bdf2"});
  for (const LaneSnapshot* lane : s->lanes())
    EXPECT_EQ(lane->frame.scene->integrator, lane->lane == 0   ? "semi-implicit-euler"
                                             : lane->lane == 3 ? "bdf2"
                                                               : "rk4");
  s = send_and_wait(thread, SetParameter{"mass", 0.4});
  for (const LaneSnapshot* lane : s->lanes()) EXPECT_EQ(lane->frame.scene->material.mass, 0.4);
  for (LaneId lane = 0; lane < kMostLanes - 1; ++lane)
    s = send_and_wait(thread, ChangeLanes{RemoveLane{lane}});
  EXPECT_EQ(s->lane, 7u);
  EXPECT_TRUE(s->others.empty());
  s = send_and_wait(thread, ChangeLanes{RemoveLane{7}});
  EXPECT_THAT(s->error, HasSubstr("only lane"));
  EXPECT_EQ(send_and_wait(thread, SelectLane{0})->lane, 7u) << "there is none";
}

TEST(SimulationThread, ALaneComesBackWhereTheOthersLeaveNoTime) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(SetParameter{"dt", 1e-6});  // far more steps a second than any machine takes
  thread.send(SetSpeed{4});
  send_and_wait(thread, SetPlaying{true});
  wait_for(thread, [](const Snapshot& now) { return now.frame.record.step > 200; });
  send_and_wait(thread, NewLane{"semi-implicit-euler", true});
  const auto s = wait_for(thread, [](const Snapshot& now) { return now.lane == 1; });
  EXPECT_TRUE(s->playing);
  EXPECT_EQ(s->frame.record.step, lane_of(*s, 0).frame.record.step);
}

TEST(SimulationThread, ALaneThatBlowsUpComesBackWithAnotherMethodBesideTheOthers) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(SetParameter{"dt", 1.0 / 60});
  send_and_wait(thread, NewLane{"explicit-euler"});
  send_and_wait(thread, SetPlaying{true});
  auto s = wait_for(thread, [](const Snapshot& now) { return now.frozen; });
  const double frozen_at = s->frame.record.time;
  s = wait_for(thread,
               [&](const Snapshot& now) { return lane_of(now, 0).frame.record.time > frozen_at + 0.1; });
  EXPECT_TRUE(s->playing) << "the other goes on";
  EXPECT_EQ(s->frame.record.time, frozen_at);
  EXPECT_THAT(s->blow_up_sentence, HasSubstr("Lane B"));
  send_and_wait(thread, SetIntegrator{"backward-euler"});
  s = wait_for(thread, [](const Snapshot& now) { return !now.frozen && !now.catching_up; });
  EXPECT_TRUE(s->blow_up_sentence.empty());
  EXPECT_EQ(s->frame.record.step, lane_of(*s, 0).frame.record.step) << "at the present of the others";
  s = send_and_wait(thread, ChangeLanes{JoinLane{1, 0}});
  send_and_wait(thread, SetPlaying{false});
  s = send_and_wait(thread, ShowPast{0});
  for (const LaneSnapshot* lane : s->lanes()) EXPECT_EQ(lane->frame.record.time, 0);
}

TEST(SimulationThread, ASmallerStepBringsBackTheLaneThatALargerOneDestroyed) {
  Scene scene = sheet_scene(5);
  scene.dt = 1e-3;
  SimulationThread thread(loaded(scene), paused());
  send_and_wait(thread, NewLane{"symplectic-euler"});
  for (int i = 0; i < 50; ++i) thread.send(StepOnce{});
  thread.send(SetParameter{"dt", 0.05});
  send_and_wait(thread, SetPlaying{true});
  auto s = wait_for(thread, [](const Snapshot& now) {
    return now.frozen && now.others[0].frame.record.step > now.frame.record.step + 20;
  });
  ASSERT_EQ(s->lane, 1u);
  send_and_wait(thread, SetPlaying{false});
  thread.send(SetParameter{"dt", 1e-4});
  s = wait_for(thread, [](const Snapshot& now) { return now.catching_up.has_value(); });
  EXPECT_EQ(s->frame.scene->substeps, 1) << "what it needs on its way alone is not shown";
  EXPECT_EQ(s->frame.scene->dt, 1e-4) << "which the others have";
  s = wait_for(thread, [](const Snapshot& now) { return !now.frozen && !now.catching_up; });
  EXPECT_THAT(s->blow_up_sentence, IsEmpty());
  EXPECT_THAT(s->message, HasSubstr("The run continues"));
  EXPECT_EQ(s->frame.record.step, s->others[0].frame.record.step) << "at the present of the others";
  EXPECT_EQ(s->frame.scene->substeps, 1);
  EXPECT_LT(s->frame.record.max_strain, 1);
}

/// Sends requests that are carried out with nothing between them.
void send_at_once(SimulationThread& thread, const std::vector<Control>& controls,
                  const std::vector<Command>& commands = {}) {
  const auto all_sent = std::make_shared<std::latch>(1);
  thread.send(Control(KeepMoment{[all_sent](const KeepMoment::Kept&) { all_sent->wait(); }}));
  for (const Control& control : controls) thread.send(control);
  for (const Command& command : commands) thread.send(command);
  all_sent->count_down();
}

std::shared_ptr<const Snapshot> wait_for_returns(const SimulationThread& thread, std::uint64_t stamp) {
  return wait_for(thread, [stamp](const Snapshot& now) {
    const auto lanes = now.lanes();
    return now.applied >= stamp && std::ranges::none_of(lanes, [](const LaneSnapshot* lane) {
             return lane->catching_up.has_value();
           });
  });
}

TEST(SimulationThread, WhatIsDoneToALaneThatComesBackHolds) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  const auto settled = [&] { return wait_for_returns(thread, thread.send(Control(SetSpeed{1}))); };
  for (int i = 0; i < 5; ++i) thread.send(StepOnce{});
  send_at_once(thread, {NewLane{"bdf2", true, 4}, ChangeLanes{RemoveLane{1}}});
  auto s = settled();
  EXPECT_EQ(s->errors, 0u) << s->error;
  EXPECT_TRUE(s->others.empty()) << "it was removed on its way";

  send_at_once(thread, {NewLane{"bdf2", true, 4}});
  s = settled();
  ASSERT_EQ(s->lane, 1u);
  EXPECT_EQ(s->frame.scene->substeps, 4);
  thread.send(ChangeLanes{HoldLane{1}});
  for (int i = 0; i < 5; ++i) thread.send(StepOnce{});
  send_at_once(thread, {ReviveLane{1}}, {SetIntegrator{"newmark"}});
  s = settled();
  EXPECT_FALSE(s->frozen);
  EXPECT_EQ(s->frame.scene->integrator, "newmark") << "chosen on its way";
  EXPECT_EQ(s->frame.record.step, 10u);

  thread.send(ChangeLanes{HoldLane{1}});
  thread.send(StepOnce{});
  send_at_once(thread, {ReviveLane{1}, ChangeLanes{HoldLane{1}}});
  s = settled();
  EXPECT_TRUE(s->frozen) << "held on its way";
  EXPECT_EQ(s->frame.record.step, 10u);
  send_at_once(thread, {ReviveLane{1}, ChangeLanes{RemoveLane{1}}});
  s = settled();
  EXPECT_EQ(s->lane, 0u);
  EXPECT_TRUE(s->others.empty());
  EXPECT_EQ(s->errors, 0u) << s->error;

  send_at_once(thread, {NewLane{"bdf2", true, 4}}, {Reset{}});
  s = settled();
  EXPECT_EQ(s->lane, 1u) << "its way has become short";
  EXPECT_EQ(s->frame.scene->integrator, "bdf2");
  EXPECT_EQ(s->frame.record.step, 0u);
  EXPECT_EQ(s->errors, 0u) << s->error;
}

TEST(SimulationThread, MeasuresLanesAgainstAReference) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"symplectic-euler", false, 16});
  auto s = send_and_wait(thread, SetReference{5});
  EXPECT_THAT(s->error, HasSubstr("no lane F"));
  EXPECT_FALSE(s->reference);
  s = send_and_wait(thread, StepOnce{});
  EXPECT_TRUE(std::isnan(s->plot->back().distance)) << "from nothing";
  s = send_and_wait(thread, SetReference{0});
  EXPECT_GT(s->plot->back().distance, 0) << "of the present state";
  for (int i = 0; i < 20; ++i) s = send_and_wait(thread, StepOnce{});
  ASSERT_EQ(s->lane, 1u);
  const LaneSnapshot& reference = lane_of(*s, 0);
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < s->frame.positions.size(); ++i) {
    const double apart = glm::distance(s->frame.positions[i], reference.frame.positions[i]);
    sum += apart * apart;
    most = std::max(most, apart);
  }
  EXPECT_GT(most, 1e-6);
  EXPECT_NEAR(s->plot->back().distance, std::sqrt(sum / 25), 1e-15);
  EXPECT_NEAR(s->plot->back().largest_distance, most, 1e-15);
  EXPECT_EQ(reference.plot->back().distance, 0);
  // A reference that stands is at another time; one that is removed is none.
  thread.send(ChangeLanes{HoldLane{0}});
  s = send_and_wait(thread, StepOnce{});
  EXPECT_TRUE(std::isnan(s->plot->back().distance));
  s = send_and_wait(thread, ChangeLanes{RemoveLane{0}});
  EXPECT_FALSE(s->reference);
}

TEST(SimulationThread, EnergiesOfAllLanesCountFromOneOrigin) {
  Scene scene = sheet_scene(5);
  scene.dt = 1e-3;  // which all methods bear
  SimulationThread thread(loaded(scene), paused());
  const auto steps = [&](int count) {
    for (int i = 0; i < count; ++i) thread.send(StepOnce{});
    return wait_for_returns(thread, thread.send(Control(SetSpeed{1})));
  };
  auto s = steps(20);
  EXPECT_EQ(s->common_origin.time, 0);
  EXPECT_EQ(s->common_origin.why, "the start");
  const auto all_count_from = [&](double time) {
    EXPECT_EQ(s->common_origin.time, time);
    for (const LaneSnapshot* lane : s->lanes()) EXPECT_EQ(lane->origin.time, time) << lane->lane;
  };

  s = send_and_wait(thread, NewLane{"symplectic-euler"});
  const double added = s->frame.record.time;
  all_count_from(added);
  EXPECT_EQ(s->common_origin.why, "lane B was added");
  for (const LaneSnapshot* lane : s->lanes()) {
    EXPECT_EQ(lane->origin.energy.total, s->frame.record.energy.total);
    EXPECT_EQ(lane->method_origin.time, added) << "also of a method that the lane had before";
  }
  // Another method is not charged with what the one before it has done.
  steps(10);
  s = send_and_wait(thread, SetIntegrator{"rk4"});
  all_count_from(added);
  EXPECT_EQ(s->method_origin.time, s->frame.record.time);
  EXPECT_EQ(s->method_origin.ledger.method, s->frame.record.ledger.method);
  EXPECT_EQ(lane_of(*s, 0).method_origin.time, added);

  // What repeats all from the start passes the origin on its way.
  steps(5);
  send_and_wait(thread, NewLane{"semi-implicit-euler", true});
  s = wait_for(thread, [](const Snapshot& now) { return now.lane == 2; });
  all_count_from(added);
  EXPECT_EQ(s->origin.energy.total, lane_of(*s, 0).origin.energy.total) << "the same bits as A";

  // From before the origin all count anew; the present that was left has its own.
  s = send_and_wait(thread, ShowPast{added / 2});
  const double earlier = s->replay->time;
  s = steps(1);
  all_count_from(earlier);
  EXPECT_EQ(s->common_origin.why, "the run went back");
  EXPECT_EQ(s->method_origin.time, earlier);
  s = send_and_wait(thread, SwapBranches{});
  all_count_from(added);

  s = send_and_wait(thread, ChangeLanes{JoinLane{1, 0}});
  all_count_from(s->frame.record.time);
  EXPECT_EQ(s->common_origin.why, "lane B joined lane A");
  s = send_and_wait(thread, Reset{});
  all_count_from(0);
  EXPECT_EQ(s->common_origin.why, "the start");
  EXPECT_EQ(s->method_origin.time, 0);
}

TEST(SimulationThread, TheMethodsShareCountsFromItsIntegratorAndItsStep) {
  Scene scene = sheet_scene(5);
  scene.integrator = "backward-euler";
  scene.dt = 0.01;
  SimulationThread thread(loaded(scene), paused());
  const auto steps = [&](int n) {
    for (int i = 1; i < n; ++i) thread.send(StepOnce{});
    return send_and_wait(thread, StepOnce{});
  };
  auto s = steps(10);
  const double changed = s->frame.record.time;
  EXPECT_GT(s->step_ms.median, 0);
  s = send_and_wait(thread, SetParameter{"dt", 0.005});
  EXPECT_EQ(s->method_origin.time, changed);
  EXPECT_EQ(s->method_origin.ledger.method, s->frame.record.ledger.method);
  EXPECT_EQ(s->step_ms.median, 0) << "none of these steps is timed";
  EXPECT_GT(s->method_ms[s->integrator], 0) << "what the method cost here";
  // Undone before a step, all is as it was, whatever came between.
  send_and_wait(thread, SetIntegrator{"rk4"});
  send_and_wait(thread, SetIntegrator{"backward-euler"});
  s = send_and_wait(thread, SetParameter{"dt", 0.01});
  EXPECT_EQ(s->method_origin.time, 0);
  EXPECT_EQ(s->method_origin.ledger.method, 0);
  send_and_wait(thread, SetParameter{"substeps", 2});
  s = steps(1);
  EXPECT_EQ(s->method_origin.time, changed);
  s = send_and_wait(thread, SetParameter{"substeps", 1});
  EXPECT_GT(s->method_origin.time, changed) << "a step was taken with two";
}

TEST(SimulationThread, TellsThatItBlewUpHereUntilAValueChanges) {
  SimulationThread thread(loaded(exploding_scene()), {.threads = 1, .playing = true, .speed = kMaxSpeed});
  const auto frozen = wait_for(thread, [](const Snapshot& s) { return !s.blow_up_text.empty(); });
  EXPECT_EQ(frozen->blow_up_h, 0.01);
  EXPECT_FALSE(frozen->blew_up_at);
  auto s = send_and_wait(thread, Rewind{});
  EXPECT_THAT(s->blow_up_sentence, IsEmpty());
  ASSERT_TRUE(s->blew_up_at);
  EXPECT_NEAR(*s->blew_up_at, frozen->frame.record.time + 0.01, 1e-9) << "the end of the failed step";
  EXPECT_FALSE(send_and_wait(thread, SetParameter{"dt", 1e-3})->blew_up_at);
}

TEST(SimulationThread, FollowsAParticleInEveryLane) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"symplectic-euler", false, 16});
  auto s = send_and_wait(thread, FollowParticle{25});
  EXPECT_THAT(s->error, HasSubstr("no particle 25"));
  send_and_wait(thread, FollowParticle{7});
  for (int i = 0; i < 3; ++i) s = send_and_wait(thread, StepOnce{});
  EXPECT_EQ(s->followed, 7u);
  for (const LaneSnapshot* lane : s->lanes()) {
    EXPECT_EQ(lane->plot->back().position, lane->frame.positions[7]);
    EXPECT_LT(lane->plot->back().velocity.y, 0) << "it falls";
    EXPECT_TRUE(std::isnan(lane->plot->front().position.x)) << "nobody followed it then";
  }
  EXPECT_NE(s->plot->back().position, lane_of(*s, 0).plot->back().position);
  s = send_and_wait(thread, UseScene{.loaded = loaded(sheet_scene(4))});
  EXPECT_FALSE(s->followed) << "it is of another mesh";
}

TEST(SimulationThread, SaysWhereALaneThatJoinsDoesNotBearTheHand) {
  Scene scene = sheet_scene(5);
  scene.dt = 2.2e-3;  // 0.96 of symplectic Euler's limit without a hand
  SceneLoadOptions options;
  options.rehearse = true;  // measures ω_max, as the window does
  SimulationThread thread(std::make_shared<const LoadedScene>(load_scene(scene, options)), paused());
  const StartGrab hold{{{6, 7, 11}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.1, 0.5)}};
  send_and_wait(thread, hold);  // as stiff as semi-implicit Euler likes
  auto s = send_and_wait(thread, NewLane{"backward-euler"});
  EXPECT_EQ(s->messages, 0u) << s->message << ": it bears any hand";
  s = send_and_wait(thread, NewLane{"symplectic-euler"});
  EXPECT_THAT(s->message, ::testing::StartsWith("Lane C (Symplectic Euler) is stable without this grab"));
  const auto told = s->messages;
  thread.send(Release{});
  thread.send(hold);  // chosen for all three
  send_and_wait(thread, SelectLane{1});
  s = send_and_wait(thread, SetIntegrator{"symplectic-euler"});
  EXPECT_EQ(s->messages, told) << "the hand was chosen for this method";
}

LaneScenes scenes_of(const Snapshot& s) {
  LaneScenes lanes;
  for (const LaneSnapshot* lane : s.lanes()) lanes.push_back({lane->lane, lane->frame.scene});
  return lanes;
}

bool nobody_catches_up(const Snapshot& s) {
  return std::ranges::none_of(s.lanes(),
                              [](const LaneSnapshot* lane) { return lane->catching_up.has_value(); });
}

TEST(SimulationThread, ARemovedLaneIsRestoredWithTheBitsThatItWouldHave) {
  SimulationThread with(loaded(moving_scene("bdf2")), paused()),
      without(loaded(moving_scene("bdf2")), paused());
  for (SimulationThread* thread : {&with, &without}) {
    thread->send(NewLane{"generalized-alpha"});
    thread->send(NewLane{"xpbd"});
    for (int i = 0; i < 8; ++i) thread->send(StepOnce{});
    thread->send(SetParameter{"stretch-stiffness", 300});
  }
  const auto before = send_and_wait(with, SelectLane{0});
  const std::size_t samples = lane_of(*before, 1).plot->size();
  ASSERT_EQ(send_and_wait(with, ChangeLanes{RemoveLane{1}})->lanes().size(), 2U);
  for (SimulationThread* thread : {&with, &without})
    for (int i = 0; i < 5; ++i) send_and_wait(*thread, StepOnce{});  // an urgent request would stop a step
  send_and_wait(with, SetLanes{scenes_of(*before)});
  const auto all_there = [](const Snapshot& now) {
    return now.lanes().size() == 3 && nobody_catches_up(now);
  };
  auto s = wait_for(with, all_there);
  EXPECT_EQ(s->errors, 0U) << s->error;
  EXPECT_EQ(s->lane, 0U) << "the active lane stays active";
  const auto expected = send_and_wait(without, SelectLane{0});
  for (LaneId lane = 0; lane < 3; ++lane) {
    EXPECT_EQ(lane_of(*s, lane).frame.positions, lane_of(*expected, lane).frame.positions) << lane;
    EXPECT_EQ(lane_of(*s, lane).frame.record.step, 13U);
  }
  EXPECT_GT(lane_of(*s, 1).plot->size(), samples) << "with its curves";
  EXPECT_EQ(lane_of(*s, 1).plot->front().time, 0);
  // The journal repeats that, too.
  const KeepJournal::Whole whole = with.keep_journal().get();
  const TemporaryFolder folder;
  whole.journal.write(whole.log, whole.now, folder.path() / "lanes.journal");
  WorkerPool pool(1);
  Replay replay(read_journal(folder.path() / "lanes.journal"), {});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  EXPECT_FALSE(replay.difference());
  // After a reset nothing of it is kept: it begins at the start.
  send_and_wait(with, ChangeLanes{RemoveLane{1}});
  send_and_wait(with, Reset{});
  send_and_wait(with, SetLanes{scenes_of(*before)});
  s = wait_for(with, all_there);
  EXPECT_EQ(lane_of(*s, 1).frame.record.step, 0U);
}

TEST(SimulationThread, ARemovedLaneThatBlewUpIsRestoredFrozen) {
  Scene scene = sheet_scene(5);
  SimulationThread thread(loaded(scene), paused());
  thread.send(NewLane{"explicit-euler"});
  for (int i = 0; i < 30; ++i) send_and_wait(thread, StepOnce{});
  const auto before = send_and_wait(thread, SelectLane{0});
  ASSERT_TRUE(lane_of(*before, 1).frozen);
  send_and_wait(thread, ChangeLanes{RemoveLane{1}});
  send_and_wait(thread, StepOnce{});
  const auto s = send_and_wait(thread, SetLanes{scenes_of(*before)});
  EXPECT_EQ(s->errors, 0U) << s->error;
  ASSERT_EQ(s->lanes().size(), 2U);
  EXPECT_TRUE(lane_of(*s, 1).frozen);
  EXPECT_EQ(lane_of(*s, 1).blow_up_sentence, lane_of(*before, 1).blow_up_sentence);
  EXPECT_EQ(s->messages, before->messages) << "nothing is to be tried by playing: " << s->message;
  EXPECT_EQ(lane_of(*s, 1).frame.positions, lane_of(*before, 1).frame.positions);
  const KeepJournal::Whole whole = thread.keep_journal().get();
  const TemporaryFolder folder;
  whole.journal.write(whole.log, whole.now, folder.path() / "frozen.journal");
  WorkerPool pool(1);
  Replay replay(read_journal(folder.path() / "frozen.journal"), {});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  EXPECT_GE(replay.compared(), 1U);
  EXPECT_FALSE(replay.difference());
}

TEST(SimulationThread, TheMethodOfABlowUpIsThatOfThenAlsoInThePast) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"explicit-euler"});
  for (int i = 0; i < 30; ++i) send_and_wait(thread, StepOnce{});
  ASSERT_TRUE(thread.latest()->frozen);
  send_and_wait(thread, SetIntegrator{"semi-implicit-euler"});
  auto s = wait_for(thread, [](const Snapshot& now) { return nobody_catches_up(now) && !now.frozen; });
  const std::vector<vec3> arrived = s->frame.positions;
  send_and_wait(thread, StepOnce{});
  s = send_and_wait(thread, StepThroughPast{-1});
  EXPECT_FALSE(s->frozen) << "the present of its arrival is kept with it";
  EXPECT_EQ(s->frame.positions, arrived);
  s = send_and_wait(thread, StepThroughPast{-1});
  ASSERT_TRUE(s->frozen);
  EXPECT_THAT(s->blow_up_sentence, HasSubstr("Explicit Euler blew up"));
}

TEST(SimulationThread, TheMethodOfABlowUpIsNotTheOneThatItsLaneGotWhileItWasFrozen) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(SetParameter{"dt", 0.1});
  thread.send(NewLane{"explicit-euler"});
  for (int i = 0; i < 30; ++i) send_and_wait(thread, StepOnce{});
  ASSERT_TRUE(thread.latest()->frozen);
  send_and_wait(thread, SetIntegrator{"rk4"});
  for (int i = 0; i < 3; ++i) send_and_wait(thread, StepOnce{});
  ASSERT_TRUE(thread.latest()->frozen) << "unstable as well";
  send_and_wait(thread, SetIntegrator{"semi-implicit-euler"});
  wait_for(thread, [](const Snapshot& now) { return nobody_catches_up(now) && !now.frozen; });
  const auto s = send_and_wait(thread, StepThroughPast{-1});
  ASSERT_TRUE(s->frozen);
  EXPECT_THAT(s->blow_up_sentence, HasSubstr("Explicit Euler blew up"));
}

TEST(SimulationThread, TheLastLaneLeftContinuesFromItsLastGoodState) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"explicit-euler"});
  for (int i = 0; i < 30; ++i) send_and_wait(thread, StepOnce{});
  ASSERT_TRUE(thread.latest()->frozen);
  const auto s = send_and_wait(thread, ChangeLanes{RemoveLane{0}});
  EXPECT_FALSE(s->frozen);
  EXPECT_THAT(s->message, HasSubstr("Lane B continues from"));
  const auto& ledger = s->frame.record.ledger;
  EXPECT_EQ(s->method_origin.ledger.method, ledger.method) << "the abandoned steps do not count";
}

TEST(SimulationThread, SetsLanesAndValuesInOneRequestOrNone) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"rk4"});
  auto s = send_and_wait(thread, StepOnce{});
  LaneScenes wanted = scenes_of(*s);
  Scene heavy = *wanted[0].scene;
  heavy.material.mass = 3;
  wanted[0].scene = std::make_shared<const Scene>(heavy);
  Scene other = with_method(heavy, *wanted[1].scene);
  other.substeps = 4;
  wanted[1].scene = std::make_shared<const Scene>(other);
  s = send_and_wait(thread, SetLanes{wanted});
  EXPECT_EQ(s->errors, 0U) << s->error;
  EXPECT_EQ(lane_of(*s, 0).frame.scene->material.mass, 3);
  EXPECT_EQ(lane_of(*s, 0).frame.scene->substeps, 1);
  EXPECT_EQ(lane_of(*s, 1).frame.scene->material.mass, 3);
  EXPECT_EQ(lane_of(*s, 1).frame.scene->substeps, 4);
  EXPECT_EQ(lane_of(*s, 1).frame.scene->integrator, "rk4");

  other.material.mass = -1;
  wanted = {{0, std::make_shared<const Scene>(other)}};
  s = send_and_wait(thread, SetLanes{wanted});
  EXPECT_EQ(s->errors, 1U);
  EXPECT_EQ(s->lanes().size(), 2U) << "a refused request changes nothing";
  EXPECT_EQ(send_and_wait(thread, SetLanes{})->errors, 2U);
}

TEST(SimulationThread, AMomentIsThatOfAllLanes) {
  const auto scene = loaded(moving_scene("bdf2"));
  SimulationThread thread(scene, paused());
  thread.send(NewLane{"generalized-alpha"});
  thread.send(NewLane{"xpbd"});
  thread.send(NewLane{"str-sbdf2-ere"});
  thread.send(ChangeLanes{RemoveLane{0}});
  for (int i = 0; i < 12; ++i) thread.send(StepOnce{});
  const TemporaryFolder folder;
  const auto path = folder.path() / "lanes.checkpoint";
  const KeepMoment::Kept kept = thread.keep_moment().get();
  write_checkpoint_file(kept.moment, *kept.loaded->mesh, path);
  LoadJob job(path, UnitChoice::fit, false);
  const std::shared_ptr<const LoadedScene> opened = job.result().scene;
  ASSERT_NE(opened, nullptr) << job.result().error;
  // In a new window, and in one with other lanes.
  SimulationThread fresh(opened, paused()), other(loaded(sheet_scene(4)), paused());
  other.send(NewLane{"rk4"});
  send_and_wait(other, UseScene{opened});
  for (SimulationThread* each : {&thread, &fresh, &other})
    for (int i = 0; i < 6; ++i) each->send(StepOnce{});
  const auto expected = send_and_wait(thread, SetSpeed{1});
  for (SimulationThread* each : {&fresh, &other}) {
    const auto s = send_and_wait(*each, SetSpeed{1});
    EXPECT_EQ(s->errors, 0U) << s->error;
    EXPECT_EQ(s->common_origin.why, "the opened moment");
    ASSERT_EQ(s->lanes().size(), 3U);
    for (LaneId lane = 1; lane <= 3; ++lane) {
      EXPECT_EQ(lane_of(*s, lane).frame.positions, lane_of(*expected, lane).frame.positions) << lane;
      EXPECT_EQ(lane_of(*s, lane).frame.scene->integrator, lane_of(*expected, lane).frame.scene->integrator);
    }
  }
}

TEST(SimulationThread, AJournalThatBeginsWithAMomentOfFrozenLanesIsRepeated) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"explicit-euler"});
  for (int i = 0; i < 30; ++i) send_and_wait(thread, StepOnce{});
  send_and_wait(thread, NewLane{"bdf2"});
  send_and_wait(thread, ChangeLanes{HoldLane{2}});
  KeepMoment::Kept kept = thread.keep_moment().get();
  LoadedScene opened = *kept.loaded;
  opened.moment = std::make_shared<const Moment>(kept.moment);
  for (const Moment::Part& part : kept.moment.lanes)
    opened.lanes.push_back({part.lane, part.checkpoint->scene->method()});
  SimulationThread fresh(std::make_shared<const LoadedScene>(opened), paused());
  for (int i = 0; i < 5; ++i) send_and_wait(fresh, StepOnce{});
  // The blown-up lane alone goes back to its last good state.
  send_and_wait(fresh, ChangeLanes{RemoveLane{2}});
  const auto s = send_and_wait(fresh, ChangeLanes{RemoveLane{0}});
  EXPECT_EQ(s->errors, 0U) << s->error;
  const KeepJournal::Whole whole = fresh.keep_journal().get();
  const TemporaryFolder folder;
  whole.journal.write(whole.log, whole.now, folder.path() / "moments.journal");
  WorkerPool pool(1);
  Replay replay(read_journal(folder.path() / "moments.journal"), {});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  EXPECT_GE(replay.compared(), 1U);
  EXPECT_FALSE(replay.difference());
}

TEST(SimulationThread, ASceneWithLanesReplacesThoseOfTheWindow) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  send_and_wait(thread, NewLane{"xpbd"});
  LoadedScene next = *loaded(sheet_scene(6));
  Method second;
  second.integrator = "rk4";
  second.substeps = 20;
  next.lanes = {{1, next.scene.method()}, {3, second}};
  const auto s = send_and_wait(thread, UseScene{std::make_shared<const LoadedScene>(next)});
  EXPECT_EQ(s->errors, 0U) << s->error;
  ASSERT_EQ(s->lanes().size(), 2U);
  EXPECT_EQ(s->lane, 1U);
  EXPECT_EQ(lane_of(*s, 3).frame.scene->method(), second);
}

TEST(SimulationThread, KeepsTheNumberOfLanesOverScenes) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"bdf2"});
  thread.send(NewLane{"xpbd"});
  send_and_wait(thread, ChangeLanes{RemoveLane{0}});
  const auto s = send_and_wait(thread, UseScene{.loaded = loaded(sheet_scene(6))});
  ASSERT_EQ(s->lanes().size(), 2u);
  EXPECT_EQ(s->lane, 2u) << "the panels stay with their lane";
  EXPECT_EQ(lane_of(*s, 0).frame.scene->integrator, "semi-implicit-euler") << "the scene's";
  EXPECT_EQ(lane_of(*s, 2).frame.scene->integrator, "xpbd");
}

TEST(SimulationThread, ALaneMayHaveATableau) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  const TableauMethod& heun = tableau_method(tableau_preset("heun"));
  const TableauMethod& gauss = tableau_method(tableau_preset("gauss4"));
  auto s = send_and_wait(thread, NewLane{.integrator = {}, .tableau = &heun});
  EXPECT_EQ(s->errors, 0u) << s->error;
  ASSERT_EQ(s->lane, 1u);
  EXPECT_EQ(&method_info(*lane_of(*s, 1).frame.scene), &heun.info);
  EXPECT_EQ(lane_of(*s, 0).frame.scene->integrator, "semi-implicit-euler");
  s = send_and_wait(thread, SetTableau{&gauss});
  EXPECT_EQ(&method_info(*lane_of(*s, 1).frame.scene), &gauss.info);
  s = send_and_wait(thread, SetIntegrator{"rk4"});
  EXPECT_EQ(method_info(*lane_of(*s, 1).frame.scene).id, "rk4");
  s = send_and_wait(thread, SetIntegrator{"runge-kutta"});
  EXPECT_EQ(&method_info(*lane_of(*s, 1).frame.scene), &gauss.info) << "it keeps its tableau";
}

TEST(SimulationThread, ALaneKeepsItsIntegratorParametersAndSubstepsOverScenesAndNothingElse) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  send_and_wait(thread, NewLane{"newmark", false, 3});
  // Another value of everything that is of the method.
  for (const SceneParameter& row : scene_parameters()) {
    if (!row.of_method || row.spec.id == "substeps") continue;
    const bool is_choice = row.spec.kind == ParameterSpec::Kind::choice;
    const double other = is_choice || row.spec.fallback == 0 ? 1 : 0.5 * row.spec.fallback;
    thread.send(SetParameter{std::string(row.spec.id), std::min(other, row.spec.max)});
  }
  auto s = send_and_wait(thread, SetParameter{"newmark-beta", 0.3});
  ASSERT_EQ(s->errors, 0u) << s->error;
  ASSERT_EQ(s->lane, 1u);
  Scene next = sheet_scene(6);
  next.contact.model = ContactModel::impulse;
  next.thickness = 0.002;
  next.solver.newton_tolerance = 1e-5;
  Scene expected = next;
  expected.integrator = "newmark";
  expected.integrator_parameters = {{"newmark-beta", 0.3}};
  expected.substeps = 3;
  s = send_and_wait(thread, UseScene{.loaded = loaded(next)});
  EXPECT_EQ(s->errors, 0u) << s->error;
  EXPECT_THAT(differences(expected, *lane_of(*s, 1).frame.scene, *s->frame.mesh), IsEmpty());
  EXPECT_THAT(differences(next, *lane_of(*s, 0).frame.scene, *s->frame.mesh), IsEmpty());
  EXPECT_EQ(s->lane, 1u) << "the panels stay with their lane";
}

TEST(SimulationThread, ASceneThatChangesTheMethodOfTheFirstOfSeveralLanesSaysSo) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  send_and_wait(thread, SetIntegrator{"rk4"});
  auto s = send_and_wait(thread, UseScene{.loaded = loaded(sheet_scene(6))});
  EXPECT_EQ(s->message, "") << "one lane has nothing to be compared with";
  send_and_wait(thread, SetIntegrator{"rk4"});
  send_and_wait(thread, NewLane{"bdf2"});
  s = send_and_wait(thread, UseScene{.loaded = loaded(sheet_scene(7))});
  EXPECT_EQ(s->message,
            "Lane A (Semi-implicit Euler) has the scene's method now. The other lanes keep theirs.");
  EXPECT_EQ(lane_of(*s, 0).frame.scene->integrator, "semi-implicit-euler");
  EXPECT_EQ(lane_of(*s, 1).frame.scene->integrator, "bdf2");
}

TEST(SimulationThread, ALaneWhoseMethodCannotHaveTheContactOfAnotherSceneIsRemovedAndNamed) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"rattle"});
  send_and_wait(thread, NewLane{"bdf2"});
  Scene next = sheet_scene(6);
  next.contact.model = ContactModel::penalty;
  const auto s = send_and_wait(thread, UseScene{.loaded = loaded(next)});
  EXPECT_EQ(s->errors, 0u) << s->error;
  ASSERT_EQ(s->lanes().size(), 2u);
  EXPECT_EQ(lane_of(*s, 2).frame.scene->contact.model, ContactModel::penalty);
  EXPECT_THAT(s->message, HasSubstr("Removed: Lane B (RATTLE). "));
  EXPECT_THAT(s->message, HasSubstr("contact by penalty"));
}

TEST(SimulationThread, ALaneWhoseMethodCannotKeepTheDistancesOfAnotherSceneIsRemovedAndNamed) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  thread.send(NewLane{"xpbd"});
  send_and_wait(thread, NewLane{"bdf2"});
  Scene next = sheet_scene(6);
  next.groups = {{.name = "bar", .vertices = {7, 14}, .obj_group = {}}};
  next.drivers = {{"bar", GroupDistance{}}};
  const auto s = send_and_wait(thread, UseScene{.loaded = loaded(next)});
  EXPECT_EQ(s->errors, 0u) << s->error;
  ASSERT_EQ(s->lanes().size(), 2u);
  EXPECT_EQ(lane_of(*s, 2).frame.scene->drivers.size(), 1u);
  EXPECT_TRUE(wait_for(
      thread, [](const Snapshot& now) { return now.stability && now.stability->without_distances; }));
  EXPECT_EQ(s->message, "Removed: Lane B (XPBD). These methods cannot keep the scene's distances.");
}

TEST(SimulationThread, GoesOnFromWhereTheLastLaneStands) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  send_and_wait(thread, NewLane{"bdf2"});
  thread.send(StartGrab{{{6, 7, 11}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.1, 0.5)}});
  for (int i = 0; i < 5; ++i) thread.send(StepOnce{});
  thread.send(ChangeLanes{HoldLane{1}});
  for (int i = 0; i < 5; ++i) thread.send(StepOnce{});
  // The hand is that of lane A's method when that is removed.
  send_at_once(thread, {ChangeLanes{RemoveLane{0}}}, {SetParameter{"mass", 0.3}});
  auto s = send_and_wait(thread, SetSpeed{1});
  EXPECT_EQ(s->errors, 0u) << s->error;
  EXPECT_EQ(s->lane, 1u);
  EXPECT_FALSE(s->frozen);
  EXPECT_FALSE(s->frame.grab) << "nobody holds it any more";
  EXPECT_EQ(s->frame.record.step, 5u);
  EXPECT_EQ(s->kept.to, s->frame.record.time);
  ASSERT_TRUE(s->left);
  s = send_and_wait(thread, StepOnce{});
  EXPECT_EQ(s->frame.record.step, 6u);
  EXPECT_EQ(s->kept.to, s->frame.record.time);
}

TEST(SimulationThread, PlaysOnAfterAResetWhereAllLanesBlewUp) {
  Scene scene = sheet_scene(5);
  scene.integrator = "explicit-euler";
  scene.dt = 0.05;
  SimulationThread thread(loaded(scene), paused());
  send_and_wait(thread, NewLane{});
  thread.send(SetPlaying{true});
  wait_for(thread, [](const Snapshot& now) { return now.frozen && now.others[0].frozen && !now.playing; });
  EXPECT_TRUE(send_and_wait(thread, Reset{})->playing);
}

// ---- ω_max and the grab

TEST(SimulationThread, FollowsTheStabilityOfTheParameters) {
  Scene scene = sheet_scene(10);
  scene.material.bend_stiffness = 0;
  SimulationThread thread(loaded(scene), paused());
  const auto soft = wait_for(thread, [](const Snapshot& s) { return s.stability.has_value(); });
  const double expected = 2 * soft->stability.value().omega_max();
  thread.send(SetParameter{"stretch-stiffness", 4 * scene.material.stretch_stiffness});
  // √(k/m) scaling: exact but for the tolerance of the estimate, 2 % of the eigenvalue on both sides.
  wait_for(thread, [expected](const Snapshot& s) {
    return std::abs(s.stability.value().omega_max() / expected - 1) < 0.02;
  });
}

TEST(SimulationThread, NeverShowsTheStabilityOfSpringsForRodsOrTheOtherWayRound) {
  Scene scene = sheet_scene(24);  // an estimate of it takes longer than a picture is waited for
  scene.material.bend_stiffness = 1e-6;
  SimulationThread thread(loaded(scene), paused());
  const auto springs = wait_for(thread, [](const Snapshot& s) { return s.stability.has_value(); });
  const double middle = springs->stability.value().omega_max() / 10;  // that of rods is a thousandth
  for (int i = 0; i < 3; ++i) {
    for (const bool rods : {true, false}) {
      // The first one asks for an estimate that is out of date when it comes.
      thread.send(SetParameter{"mass", 0.2 + 0.001 * i});
      const std::uint64_t stamp = thread.send(SetIntegrator{rods ? "rattle" : "semi-implicit-euler"});
      wait_for(thread, [&](const Snapshot& s) {
        if (s.applied < stamp || !s.stability) return false;
        EXPECT_EQ(s.stability.value().omega_max() < middle, rods);
        return true;
      });
    }
  }
}

TEST(SimulationThread, ShowsMotionOnlyWhileItIsAskedFor) {
  SimulationThread thread(loaded(sheet_scene(4)), paused());
  EXPECT_TRUE(thread.latest()->frame.velocities.empty());
  send_and_wait(thread, StepOnce{});
  const auto shown = send_and_wait(thread, ShowMotion{{.velocities = true, .forces = true}});
  ASSERT_EQ(shown->frame.velocities.size(), 16u);
  EXPECT_EQ(shown->frame.forces.size(), 16u);
  EXPECT_THAT(shown->frame.velocities, Contains(Not(vec3(0))));
  // Of the past that is shown, not of the present.
  const auto start = send_and_wait(thread, ShowPast{0});
  EXPECT_THAT(start->frame.velocities, Each(vec3(0)));
  const auto hidden = send_and_wait(thread, ShowMotion{});
  EXPECT_TRUE(hidden->frame.velocities.empty() && hidden->frame.forces.empty());
}

TEST(SimulationThread, ShowsContactsOfAllLanesOnlyWhileTheyAreAskedFor) {
  Scene scene = sheet_scene(4);
  scene.pins = PinPreset::none;
  scene.floor = {.on = true, .height = 0};
  SimulationThread thread(loaded(scene), paused());
  send_and_wait(thread, NewLane{"bdf2"});
  send_and_wait(thread, Command(SetParameter{"contact", 1}));
  EXPECT_EQ(send_and_wait(thread, StepOnce{})->frame.record.contacts.pairs, 16u);
  const auto shown = send_and_wait(thread, ShowMotion{{false, false, true}});
  EXPECT_EQ(shown->frame.contacts.size(), 16u);
  ASSERT_EQ(shown->others.size(), 1u);
  EXPECT_EQ(shown->others[0].frame.contacts.size(), 16u);
  // Those of the past that is shown: at the start nothing was held, and nothing was a force yet.
  EXPECT_TRUE(send_and_wait(thread, ShowPast{0})->frame.contacts.empty());
  send_and_wait(thread, ShowPast{1e9});
  send_and_wait(thread, StepOnce{});
  const auto back = send_and_wait(thread, StepThroughPast{-1});
  ASSERT_TRUE(back->replay);
  EXPECT_EQ(back->frame.contacts.size(), 16u);
  EXPECT_EQ(back->others[0].frame.contacts.size(), 16u);
  EXPECT_TRUE(send_and_wait(thread, ShowMotion{})->frame.contacts.empty());
}

TEST(SimulationThread, ShowsIntersectionsOfAllLanesOnlyWhileTheyAreAskedFor) {
  Scene scene = sheet_scene(4);
  scene.initial_state = InitialState();
  for (const vec3& row : {vec3(0), vec3(1, 0, 0), vec3(1, 1, 0), vec3(0.5, -0.5, 0)})  // a loop
    for (int k = 0; k < 4; ++k) {
      scene.initial_state->positions.push_back((row + vec3(0, 0, k)) / 3.0);
      scene.initial_state->velocities.emplace_back(0);
    }
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17};  // but for the middle row
  SimulationThread thread(loaded(scene), paused());
  // Paused, the notice of the start is told without a step.
  EXPECT_THAT(wait_for(thread, [](const Snapshot& s) { return s.messages > 0; })->message,
              HasSubstr("intersect at the start"));
  send_and_wait(thread, NewLane{"bdf2"});
  EXPECT_EQ(thread.latest()->frame.intersections.pairs, 0u);
  const auto shown = send_and_wait(thread, ShowMotion{{false, false, false, true}});
  EXPECT_EQ(shown->frame.intersections.triangles, all);
  EXPECT_EQ(shown->others.at(0).frame.intersections.triangles, all);
  EXPECT_EQ(send_and_wait(thread, ShowMotion{})->frame.intersections.pairs, 0u);
}

TEST(SimulationThread, MeasuresTheSpectrumOfTheActiveLaneOnlyWhileItIsAskedFor) {
  SimulationThread thread(loaded(sheet_scene(5)), paused());
  wait_for(thread, [](const Snapshot& s) { return s.stability.has_value(); });
  EXPECT_EQ(thread.latest()->spectrum, nullptr);
  thread.send(ShowSpectrum{.wanted = true});
  const auto first = wait_for(thread, [](const Snapshot& s) { return s.spectrum != nullptr; });
  const Spectrum& spectrum = first->spectrum->spectrum;
  EXPECT_EQ(spectrum.free_directions, 3u * 25 - 6);
  EXPECT_TRUE(spectrum.is_exact);
  EXPECT_FALSE(spectrum.eigenvalues.has_value());
  EXPECT_EQ(first->spectrum->time, 0);
  const double omega = first->stability.value().omega_max();
  EXPECT_NEAR(std::sqrt(spectrum.highest), omega, 0.01 * omega);

  // It follows a run that moves, and shows where one that is paused stands.
  thread.send(SetPlaying{true});
  wait_for(thread, [](const Snapshot& s) { return s.spectrum->time > 0.1; });
  thread.send(SetPlaying{false});
  const auto rest = wait_for(
      thread, [](const Snapshot& s) { return !s.playing && s.spectrum->time == s.frame.record.time; });
  EXPECT_NE(rest->spectrum->spectrum.groups.front().eigenvalue, spectrum.groups.front().eigenvalue);

  thread.send(ShowSpectrum{.wanted = true, .eigenvalues = true});
  const auto full =
      wait_for(thread, [](const Snapshot& s) { return s.spectrum->spectrum.eigenvalues.has_value(); });
  // A conjugate pair counts once; of two real ones each does.
  EXPECT_GE(full->spectrum->spectrum.eigenvalues->size(), spectrum.free_directions);

  // Of the lane that is looked at, and no longer of the other.
  thread.send(NewLane{"bdf2"});
  wait_for(thread, [](const Snapshot& s) {
    return s.lane == 1 && s.spectrum && s.others.size() == 1 && !s.others[0].spectrum;
  });
  thread.send(ShowSpectrum{});
  wait_for(thread, [](const Snapshot& s) { return !s.spectrum; });
}

TEST(SimulationThread, EndsSoonWhileASpectrumIsMeasured) {
  std::optional<SimulationThread> thread;
  thread.emplace(loaded(sheet_scene(14)), paused());  // of 582 free directions
  thread->send(ShowSpectrum{.wanted = true, .eigenvalues = true});
  wait_for(*thread, [](const Snapshot& s) { return s.stability.has_value(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const Clock::time_point start = Clock::now();
  thread.reset();
  EXPECT_LT(seconds_since(start), 0.2 * kSlowdown);
}

TEST(SimulationThread, AHandIsAsStiffAsTheMethodBearsAlsoWhenThatChanges) {
  SimulationThread thread(loaded(sheet_scene(10)), paused());
  const auto start = wait_for(thread, [](const Snapshot& s) { return s.stability.has_value(); });
  const double omega = start->stability.value().omega_max();
  const std::array<std::uint32_t, 3> triangle = start->frame.mesh->triangles[80];
  const vec3 weights(0.2, 0.3, 0.5);
  vec3 cursor(0, 1e-4, 0);  // close enough for a force that is proportional to the distance
  for (int k = 0; k < 3; ++k)
    cursor += weights[k] * start->frame.positions[triangle[static_cast<std::size_t>(k)]];
  const auto stiffness = [&](const Snapshot& s) {
    return glm::length(s.frame.grab->force) / glm::length(s.frame.grab->cursor - s.frame.grab->point);
  };
  const StartGrab hold{{triangle, weights, cursor}};
  const auto held = send_and_wait(thread, Control(hold));
  ASSERT_TRUE(held->frame.grab.has_value());
  EXPECT_EQ(held->frame.grab->cursor, cursor);
  const double stiff = stiffness(*held);
  EXPECT_GT(stiff, 0);
  // The answer to what is asked now counts the grab.
  wait_for(thread,
           [&](const Snapshot& s) { return s.stability && s.stability->omega_max() > 1.001 * omega; });

  thread.send(SetParameter{"dt", 0.97 * 2 / omega});
  const auto softer = send_and_wait(thread, SetIntegrator{"symplectic-euler"});
  const double soft = stiffness(*softer);
  EXPECT_GT(soft, 0);
  EXPECT_LT(soft, 0.1 * stiff);
  EXPECT_NEAR(stiffness(*send_and_wait(thread, Control(hold))), soft, 1e-6 * soft);
  const auto as_before = send_and_wait(thread, SetIntegrator{"semi-implicit-euler"});
  EXPECT_NEAR(stiffness(*as_before), stiff, 1e-3 * stiff);
  EXPECT_FALSE(send_and_wait(thread, Release{})->frame.grab.has_value());
}

TEST(SimulationThread, OnlyWhatTheHandPullsCountsAsItsWork) {
  SimulationThread thread(loaded(sheet_scene(10)), paused());
  wait_for(thread, [](const Snapshot& s) { return s.stability.has_value(); });
  const auto start = thread.latest();
  const std::array<std::uint32_t, 3> triangle = start->frame.mesh->triangles[80];
  const vec3 point = start->frame.positions[triangle[0]];
  thread.send(Control(StartGrab{{triangle, vec3(1, 0, 0), point}}));
  send_and_wait(thread, StepOnce{});
  const auto now = [&] {
    return std::make_shared<const Checkpoint>(thread.keep_moment().get().checkpoint());
  };
  const auto before = now();
  thread.send(MoveCursor{point + vec3(0, 10, 0)});
  thread.send(MoveCursor{point - vec3(0, 0, 10)});
  EXPECT_EQ(now()->account.work(), before->account.work()) << "nobody has pulled yet";
  // The force grows to its bound B within 1/30 s, hence to B/2 in a step of 1/60 s: the spring with
  // sat(k d, B) = B/2 stores B²/k (2/√3 − 1).
  send_and_wait(thread, StepOnce{});
  const auto after = now();
  const GrabSpring& grab = after->grab.value();
  const double bound = GrabSpring::kSpringShare * grab.max_force;
  const double most = bound * bound / grab.stiffness * (2 / std::sqrt(3.0) - 1);
  EXPECT_GT(after->account.work(), before->account.work());
  EXPECT_LT(after->account.work() - before->account.work(), most * (1 + 1e-9));
  // Another spring of the same hand begins where that one pulls.
  send_and_wait(thread, SetParameter{"mass", 0.3});
  EXPECT_NE(now()->grab.value().stiffness, grab.stiffness);
  EXPECT_EQ(now()->grab.value().cursor, grab.cursor);
}

}  // namespace
}  // namespace clothlab
