// SPDX-License-Identifier: MIT
// Warnings by a copy that runs ahead: exact step and time, none in a run that stays well, and none left once
// a command has prevented the failure. They change no bit of the run.

#include "sim/look_ahead.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>

#include "core/error.h"
#include "core/text.h"
#include "sim/checkpoint.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

constexpr double kAhead = 0.4;  // [s]

/// A run that is warned by a copy of it.
struct WarnedRun {
  explicit WarnedRun(const Scene& scene, WorkerPool& threads = one_thread())
      : pool(threads), run(scene, mesh_of(scene), threads) {
    run.warn_by_signs(false);
  }
  StepStatus step() {
    const StepStatus status = run.step(pool);
    look(status);
    return status;
  }
  void look(StepStatus status = StepStatus::done) {
    if (status == StepStatus::done) copy.follow(pool, run, false, kAhead, kInfinity);
    run.warn_of(copy.prediction());
  }
  std::vector<Notice> warnings() const {
    std::vector<Notice> found;
    for (const Notice& notice : *run.notices().list())
      if (notice.cause == NoticeCause::warning_withdrawn ||
          std::ranges::find(kWarnings, notice.cause) != kWarnings.end())
        found.push_back(notice);
    return found;
  }

  WorkerPool& pool;
  Simulation run;
  LookAhead copy;
};

/// Explicit Euler amplifies every oscillation of undamped cloth.
Scene growing() {
  Scene scene;
  scene.mesh = GridSource{8, 8, 1, 1};
  scene.integrator = "explicit-euler";
  scene.material.spring_damping = 0;
  scene.material.stretch_stiffness = 100;
  scene.dt = 2e-4;
  return scene;
}

/// A sheet that falls on a small ball, which passes between its particles.
Scene pierced() {
  Scene scene;
  scene.mesh = GridSource{8, 8, 1, 1};
  scene.pins = PinPreset::none;
  Obstacle ball;
  ball.radius = 0.01;
  ball.from = ball.to = vec3(0.52, -2, 0.46);
  scene.obstacles.bodies = {ball};
  return scene;
}

/// A sheet that one edge shakes faster and faster.
Scene shaken() {
  Scene scene;
  scene.mesh = GridSource{8, 8, 1, 1};
  scene.pins = PinPreset::none;
  scene.integrator = "backward-euler";
  scene.dt = 0.01;
  scene.solver.newton_tolerance = 1e-6;
  ParticleGroup edge;
  edge.name = "edge";
  edge.by = ParticleGroup::By::box;
  edge.low = vec3(-1, -1, 1 - 1e-6);
  edge.high = vec3(2, 2, 2);
  scene.groups = {edge};
  GroupPath path;
  for (int k = 0; k <= 200; ++k) {
    GroupKey key;
    key.time = 0.01 * k;
    key.position = vec3(0, 0.15 * std::sin(2 * key.time + 12 * key.time * key.time), 0);
    path.keys.push_back(key);
  }
  scene.drivers = {{.group = "edge", .action = path}};
  return scene;
}

/// The first step after 0.6 s that needs more of Newton's iterations than all before becomes one that does
/// not converge.
Scene not_converging() {
  Scene scene = shaken();
  Simulation simulation(scene, mesh_of(scene), one_thread());
  int most = 0;
  while (simulation.state().t < 2) {
    EXPECT_EQ(simulation.step(one_thread()), StepStatus::done);
    const int now = simulation.record().most_newton_iterations;
    if (simulation.state().t > 0.6 && now > most) break;
    most = std::max(most, now);
  }
  EXPECT_LT(simulation.state().t, 2);
  scene.solver.newton_max_iterations = most;
  return scene;
}

struct Case {
  Scene scene;
  std::size_t kind;  // as in kWarnings
  const char* cure;
};

TEST(LookAhead, KnowsTheStepOfAFailure) {
  for (const auto& [scene, kind, cure] : {Case{growing(), 0, "Use a smaller h, or an implicit method"},
                                          Case{not_converging(), 1, "use more of them or a smaller h"},
                                          Case{pierced(), 2, "--contact-points triangles"}}) {
    WarnedRun warned(scene);
    std::optional<double> at;
    while (!failures_of(warned.run)[kind]) {
      const StepStatus status = warned.step();
      ASSERT_LT(warned.run.state().t, 5);
      if (!at && !warned.warnings().empty()) at = warned.run.state().t;
      if (status != StepStatus::done) break;
    }
    ASSERT_TRUE(failures_of(warned.run)[kind]);
    const bool blown = warned.run.blow_up().has_value();
    const std::uint64_t step = warned.run.steps() + (blown ? 1 : 0);
    const double time = blown ? warned.run.blow_up()->time : warned.run.state().t;
    ASSERT_GT(time, 0.5) << "too early for the test";
    const std::vector<Notice> warnings = warned.warnings();
    ASSERT_EQ(warnings.size(), 1U) << kind;
    EXPECT_EQ(warnings[0].cause, kWarnings[kind]);
    EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("(step " + std::to_string(step) + ")"));
    EXPECT_THAT(warnings[0].text, ::testing::HasSubstr(cure));
    const auto& failure = warned.copy.prediction().failures[kind];
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->step, step);
    EXPECT_EQ(failure->time, time);
    EXPECT_NEAR(time - *at, kAhead, 1.01 * scene.dt) << kind;
  }
}

TEST(LookAhead, IsSilentInARunThatStaysWell) {
  Scene scene = shaken();
  scene.obstacles = pierced().obstacles;
  scene.obstacles.bodies[0].radius = 0.3;
  WarnedRun warned(scene);
  while (warned.run.state().t < 2) ASSERT_EQ(warned.step(), StepStatus::done);
  EXPECT_TRUE(warned.warnings().empty());
  EXPECT_NEAR(warned.copy.prediction().reached, warned.run.state().t + kAhead, 0.51 * scene.dt);
  EXPECT_EQ(warned.copy.prediction().begin, scene.dt) << "without a change it starts once";
}

TEST(LookAhead, ChangesNoBitAndGivesTheSameNoticesWithAnyThreads) {
  for (const Scene& scene : {growing(), not_converging(), pierced()}) {
    WorkerPool three(3);
    WarnedRun warned(scene), other(scene, three);
    Simulation alone(scene, mesh_of(scene), one_thread());
    for (int k = 0; k < 5000 && !alone.blow_up() && alone.state().t < 2; ++k) {
      const StepStatus status = alone.step(one_thread());
      ASSERT_EQ(warned.step(), status);
      ASSERT_EQ(other.step(), status);
      ASSERT_EQ(state_hash(warned.run.state()), state_hash(alone.state())) << k;
    }
    EXPECT_EQ(state_hash(other.run.state()), state_hash(alone.state()));
    EXPECT_EQ(*warned.run.notices().list(), *other.run.notices().list());
    EXPECT_FALSE(warned.warnings().empty());
  }
}

TEST(LookAhead, WithdrawsAWarningOnceACommandPreventsTheFailure) {
  for (const Command& command :
       {Command(SetIntegrator{"backward-euler"}), Command(SetParameter{"bend-stiffness", 1.001}),
        Command(SetParameter{"spring-damping", 1e-5})}) {
    const bool prevents = std::holds_alternative<SetIntegrator>(command);
    WarnedRun warned(growing());
    while (warned.warnings().empty()) ASSERT_EQ(warned.step(), StepStatus::done);
    const double expected = warned.copy.prediction().failures[0]->time;
    // So that the copy reaches a later failure at once.
    while (warned.run.state().t < expected - kAhead + 0.05) ASSERT_EQ(warned.step(), StepStatus::done);
    warned.run.apply(one_thread(), command);
    const double changed = warned.run.state().t;
    warned.look();
    EXPECT_EQ(warned.copy.prediction().begin, changed) << "the copy starts again";
    ASSERT_EQ(warned.copy.prediction().failures[0].has_value(), !prevents);
    const bool is_later = !prevents && warned.copy.prediction().failures[0]->time > expected;
    const auto* set = std::get_if<SetParameter>(&command);
    EXPECT_EQ(is_later, set != nullptr && set->id == "spring-damping");
    const auto names_the_step = [&] {
      const auto& failure = warned.copy.prediction().failures[0];
      return failure && warned.warnings().back().text == failure->text;
    };
    EXPECT_EQ(warned.warnings().size(), prevents ? 2U : 1U) << "one of a kind";
    EXPECT_EQ(names_the_step(), !prevents && !is_later) << "quiet while a slider moves";
    const double end = changed + 0.15;
    while (warned.run.state().t < end) ASSERT_EQ(warned.step(), StepStatus::done);
    const std::vector<Notice> warnings = warned.warnings();
    ASSERT_EQ(warnings.size(), prevents ? 2U : 1U);
    if (prevents) {
      EXPECT_EQ(warnings[1].cause, NoticeCause::warning_withdrawn);
      EXPECT_THAT(warnings[1].text, ::testing::HasSubstr("The expected blow-up no longer occurs"));
      while (warned.run.state().t < expected + 0.5) ASSERT_EQ(warned.step(), StepStatus::done);
      EXPECT_EQ(warned.warnings().size(), 2U);
    } else {
      EXPECT_TRUE(names_the_step());
      EXPECT_GT(std::abs(warned.copy.prediction().failures[0]->time - expected), 0);
    }
  }
}

/// Any number of changes, and the notices are those of the last one.
TEST(LookAhead, DoesNotUseUpItsWarningsWhileASliderMoves) {
  WarnedRun warned(growing());
  while (warned.warnings().empty()) ASSERT_EQ(warned.step(), StepStatus::done);
  // So that the copy reaches later failures too.
  const double expected = warned.copy.prediction().failures[0]->time;
  while (warned.run.state().t < expected - kAhead / 2) ASSERT_EQ(warned.step(), StepStatus::done);
  const auto causes = [&] {
    std::vector<NoticeCause> found;
    for (const Notice& notice : warned.warnings()) found.push_back(notice.cause);
    return found;
  };
  for (int k = 1; k <= 10; ++k) {
    warned.run.apply(one_thread(), SetParameter{"bend-stiffness", 1 + 0.01 * k});
    warned.look();
    EXPECT_THAT(causes(), ::testing::ElementsAre(NoticeCause::blow_up_soon)) << k;
  }
  for (int k = 0; k < 5; ++k) {
    warned.run.apply(one_thread(), SetIntegrator{"backward-euler"});
    warned.look();
    EXPECT_THAT(causes(), ::testing::ElementsAre(NoticeCause::blow_up_soon, NoticeCause::warning_withdrawn));
    warned.run.apply(one_thread(), SetIntegrator{"explicit-euler"});
    warned.look();
    EXPECT_THAT(causes(), ::testing::ElementsAre(NoticeCause::blow_up_soon));
  }
}

/// A rewind, then a change that prevents the failure.
TEST(LookAhead, WithdrawsAWarningOfTheMomentToWhichTheRunReturned) {
  WarnedRun warned(growing());
  while (warned.warnings().empty()) ASSERT_EQ(warned.step(), StepStatus::done);
  Checkpoint moment;
  warned.run.save(one_thread(), moment);
  for (int k = 0; k < 100; ++k) ASSERT_EQ(warned.step(), StepStatus::done);
  warned.run.load(one_thread(), moment);
  warned.look();
  EXPECT_EQ(warned.warnings().size(), 1U) << "it is still true";
  warned.run.apply(one_thread(), SetIntegrator{"backward-euler"});
  // So that the copy passes the expected time.
  ASSERT_EQ(warned.step(), StepStatus::done);
  ASSERT_EQ(warned.warnings().size(), 2U);
  EXPECT_EQ(warned.warnings().back().cause, NoticeCause::warning_withdrawn);
}

/// Running ahead is switched off, then a change prevents the failure.
TEST(LookAhead, LeavesItsWarningsToSigns) {
  WarnedRun warned(growing());
  while (warned.warnings().empty()) ASSERT_EQ(warned.step(), StepStatus::done);
  const double expected = warned.copy.prediction().failures[0]->time;
  warned.run.warn_by_signs(true);
  warned.run.apply(one_thread(), SetIntegrator{"backward-euler"});
  while (warned.run.state().t < expected) ASSERT_EQ(warned.run.step(one_thread()), StepStatus::done);
  EXPECT_EQ(warned.warnings().size(), 1U);
  while (warned.run.state().t < expected + 0.01) ASSERT_EQ(warned.run.step(one_thread()), StepStatus::done);
  ASSERT_EQ(warned.warnings().size(), 2U);
  EXPECT_EQ(warned.warnings().back().text, "The expected blow-up did not occur.");
}

TEST(LookAhead, ReplacesAndWithdrawsWarningsBySigns) {
  WarnedRun warned(growing());
  warned.run.warn_by_signs(true);
  while (warned.warnings().empty()) ASSERT_EQ(warned.run.step(one_thread()), StepStatus::done);
  Checkpoint moment;
  warned.run.save(one_thread(), moment);
  const double t = warned.run.state().t;
  warned.run.warn_by_signs(false);
  warned.run.warn_of({.failures = {}, .begin = 0, .reached = t + kAhead});
  EXPECT_EQ(warned.warnings().size(), 1U) << "signs do not foretell it so soon";
  Prediction found;
  found.failures[0] = {1, t + 0.3, "text"};
  warned.run.warn_of(found);
  ASSERT_EQ(warned.warnings().size(), 1U);
  EXPECT_EQ(warned.warnings()[0].text, "text");
  warned.run.load(one_thread(), moment);
  warned.run.warn_of({.failures = {}, .begin = 0, .reached = t + 3});
  ASSERT_EQ(warned.warnings().size(), 2U);
  EXPECT_EQ(warned.warnings()[1].cause, NoticeCause::warning_withdrawn);
}

TEST(LookAhead, TellsAnEarlierFailureAtOnce) {
  WarnedRun warned(shaken());
  const auto tell = [&](double time, double begin) {
    Prediction found{.failures = {}, .begin = begin, .reached = time};
    found.failures[0] = {1, time, "at " + format_plain(time)};
    warned.run.warn_of(found);
    EXPECT_EQ(warned.warnings().size(), 1U);
    return warned.warnings().back().text;
  };
  EXPECT_EQ(tell(3, 0), "at 3");
  EXPECT_EQ(tell(3, 0), "at 3") << "known";
  EXPECT_EQ(tell(4, 0), "at 3") << "later: quiet after a change";
  EXPECT_EQ(tell(2, 0), "at 2") << "earlier";
  EXPECT_EQ(tell(4, -kInfinity), "at 4") << "not quiet";
}

/// A cure of the reason of the failure prevents it.
TEST(LookAhead, ProposesACureThatHelps) {
  struct Cured {
    Scene scene;
    const char* cure;
    void (*apply)(Scene&);
  };
  Scene solved_roughly = shaken(), rods = shaken();
  solved_roughly.solver.linear.cg.max_iterations = 2;
  rods.integrator = "rattle";
  rods.dt = 1e-3;
  for (const auto& [scene, cure, apply] :
       {Cured{not_converging(), "Newton's method reached its largest number of iterations; use more of them",
              [](Scene& of) { of.solver.newton_max_iterations = 100; }},
        Cured{solved_roughly, "use more CG iterations",
              [](Scene& of) { of.solver.linear.cg.max_iterations = 1000; }},
        Cured{rods, "use a method with springs", [](Scene& of) { of.integrator = "symplectic-euler"; }}}) {
    const auto ends = [](const Scene& of, double end) {
      auto run = std::make_unique<Simulation>(of, mesh_of(of), one_thread());
      while (run->state().t < end && !failures_of(*run)[1])
        EXPECT_EQ(run->step(one_thread()), StepStatus::done);
      return run;
    };
    const auto failed = ends(scene, 2);
    ASSERT_TRUE(failures_of(*failed)[1]) << cure;
    EXPECT_THAT(failure_text(one_thread(), *failed, 1, {}), ::testing::HasSubstr(cure));
    Scene cured = scene;
    apply(cured);
    EXPECT_FALSE(failures_of(*ends(cured, failed->state().t + 1e-9))[1]) << cure;
  }
}

/// Power iterations for the cure of a blow-up.
TEST(LookAhead, IsStoppedWhileItExplainsAFailure) {
  Simulation run(growing(), mesh_of(growing()), one_thread());
  while (run.step(one_thread()) == StepStatus::done) {
  }
  int polls = 0;
  EXPECT_THROW(failure_text(one_thread(), run, 0, [&] { return ++polls == 3; }), Cancelled);
  EXPECT_EQ(polls, 3);
  EXPECT_THAT(failure_text(one_thread(), run, 0, {}), ::testing::HasSubstr("A blow-up will occur"));
}

TEST(LookAhead, IsStoppedAtItsStart) {
  const Scene scene = growing();
  const auto mesh = mesh_of(scene);
  Simulation run(scene, mesh, one_thread());
  Checkpoint now;
  run.save(one_thread(), now);
  LookAhead copy;
  EXPECT_THROW(copy.begin(one_thread(), now, mesh, nullptr, false, [] { return true; }), Cancelled);
  copy.follow(one_thread(), run, false, kAhead, kInfinity);
  EXPECT_GT(copy.prediction().reached, 0.9 * kAhead);
}

/// A new lane changes the automatic stiffness of a barrier; a rewind and a grab change the future.
TEST(LookAhead, StartsAgainAfterEveryChange) {
  WarnedRun warned(shaken());
  LookAhead& copy = warned.copy;
  Checkpoint moment;
  for (int k = 0; k < 5; ++k) ASSERT_EQ(warned.step(), StepStatus::done);
  warned.run.save(one_thread(), moment);
  EXPECT_EQ(copy.prediction().begin, warned.run.scene().dt);
  copy.follow(one_thread(), warned.run, true, kAhead, kInfinity);
  EXPECT_EQ(copy.prediction().begin, warned.run.state().t);
  ASSERT_EQ(warned.step(), StepStatus::done);
  EXPECT_EQ(copy.prediction().begin, warned.run.state().t) << "no longer alone";
  for (const Command& command : {Command(Grab{{20, 21, 28}, {1, 0, 0}, vec3(0.5, -1, 0.5), 100, 1}),
                                 Command(MoveCursor{vec3(0.5, -2, 0.5)}), Command(Release{}),
                                 Command(ReverseVelocities{}), Command(Reset{})}) {
    for (int k = 0; k < 3; ++k) ASSERT_EQ(warned.step(), StepStatus::done);
    EXPECT_LT(copy.prediction().begin, warned.run.state().t);
    warned.run.apply(one_thread(), command);
    warned.look();
    EXPECT_EQ(copy.prediction().begin, warned.run.state().t);
  }
  for (int k = 0; k < 3; ++k) ASSERT_EQ(warned.step(), StepStatus::done);
  warned.run.load(one_thread(), moment);
  warned.look();
  EXPECT_EQ(copy.prediction().begin, moment.state.t);
}

TEST(LookAhead, LooksNoFartherThanTheEnd) {
  const Scene scene = growing();
  WarnedRun warned(scene);
  while (!warned.run.blow_up()) warned.step();
  const double failure = warned.run.blow_up()->time;
  for (const double end : {failure - 0.1, failure + 0.1}) {
    Simulation run(scene, mesh_of(scene), one_thread());
    LookAhead copy;
    while (run.state().t < failure - 0.2) {
      ASSERT_EQ(run.step(one_thread()), StepStatus::done);
      copy.follow(one_thread(), run, false, kAhead, end);
    }
    EXPECT_EQ(copy.prediction().failures[0].has_value(), end > failure);
    EXPECT_LE(copy.prediction().reached, std::min(end, failure) + 0.51 * scene.dt);
  }
}

}  // namespace
}  // namespace clothlab::testing
