// SPDX-License-Identifier: MIT
// The small parts of the session, each alone: queue, mailbox, history, pacer, plots, step times.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <new>
#include <thread>
#include <vector>

#include "integrate/integrator_info.h"
#include "session/background.h"
#include "session/command_queue.h"
#include "session/history.h"
#include "session/mailbox.h"
#include "session/plot_history.h"
#include "session/real_time.h"
#include "session/revival.h"
#include "session/support.h"

namespace clothlab {
namespace {

using namespace std::chrono_literals;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

// ---- CommandQueue

const CommandQueue::Clock::time_point kForever = CommandQueue::Clock::now() + 1h;

SetParameter numbered(std::string id, double value) { return {std::move(id), value}; }

TEST(CommandQueue, KeepsTheOrderOfEverySender) {
  CommandQueue queue;
  constexpr int kSenders = 3;
  constexpr int kEach = 400;
  std::vector<std::thread> senders;
  for (int s = 0; s < kSenders; ++s) {
    senders.emplace_back([&queue, s] {
      for (int i = 0; i < kEach; ++i) queue.push(Command(numbered(std::to_string(s), i)));
    });
  }
  std::vector<double> next(kSenders, 0);
  std::uint64_t last_stamp = 0;
  for (int taken = 0; taken < kSenders * kEach;) {
    const auto request = queue.pop();
    if (!request) {
      queue.wait(kForever);
      continue;
    }
    ++taken;
    EXPECT_EQ(request->stamp, last_stamp + 1);
    last_stamp = request->stamp;
    const auto& command = std::get<SetParameter>(std::get<Command>(request->what));
    EXPECT_EQ(command.value, next[std::stoul(command.id)]++);
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_FALSE(queue.pop());
}

TEST(CommandQueue, IsUrgentOnlyWhileWhatWaitsMakesTheStepWorthless) {
  CommandQueue queue;
  queue.push(Command(numbered("dt", 1)));
  queue.push(Control(SetPlaying{false}));
  EXPECT_FALSE(queue.urgent());
  queue.push(Command(Reset{}));
  EXPECT_TRUE(queue.urgent());
  EXPECT_FALSE(queue.scene_waits());
  queue.push(Control(UseScene{}));
  EXPECT_TRUE(queue.scene_waits());
  for (int i = 0; i < 3; ++i) queue.pop();
  EXPECT_TRUE(queue.urgent()) << "UseScene still waits";
  EXPECT_TRUE(queue.scene_waits());
  queue.pop();
  EXPECT_FALSE(queue.urgent());
  EXPECT_FALSE(queue.scene_waits());
  queue.close();
  EXPECT_TRUE(queue.urgent());
  EXPECT_TRUE(queue.scene_waits());
}

TEST(CommandQueue, EndsItsWaitForARequestAWakeAndAClose) {
  CommandQueue queue;
  queue.push(Command(Release{}));
  queue.wait(kForever);  // returns at once
  queue.pop();
  queue.wake();
  queue.wait(kForever);  // returns at once
  std::thread closer([&queue] { queue.close(); });
  queue.wait(kForever);
  EXPECT_TRUE(queue.closed());
  closer.join();
}

// ---- Mailbox

TEST(Mailbox, GivesTheLatestValue) {
  Mailbox<int> mailbox;
  EXPECT_EQ(mailbox.get(), nullptr);
  constexpr int kLast = 20000;
  std::thread writer([&mailbox] {
    for (int i = 0; i <= kLast; ++i) mailbox.put(std::make_shared<const int>(i));
  });
  int seen = -1;
  while (seen < kLast) {
    const auto value = mailbox.get();
    if (!value) continue;
    ASSERT_GE(*value, seen) << "an older value after a newer one";
    seen = *value;
  }
  writer.join();
}

// ---- History

State state_at(double t, std::size_t particles = 1) {
  State state;
  state.x.assign(particles, vec3(t));
  state.v.assign(particles, vec3(-t));
  state.t = t;
  return state;
}

void add(History& history, const State& state, std::uint64_t step = 0, std::size_t residuals = 0) {
  history.add([&](Moment& to) {
    to.time = state.t;
    to.lanes.resize(1);
    to.lanes[0].checkpoint = std::make_shared<Checkpoint>();
    Checkpoint& only = *to.lanes[0].checkpoint;
    only.state = state;
    only.record.step = step;
    only.residuals.assign(residuals, 0.5);
  });
}

std::vector<double> times(const History& history) {
  std::vector<double> all;
  for (std::size_t i = 0; i < history.size(); ++i) all.push_back(history[i].time);
  return all;
}

constexpr std::size_t kMegabyte = 1u << 20;

/// What a kept state takes.
std::size_t bytes_of_state(std::size_t particles) {
  History history;
  add(history, state_at(0, particles));
  EXPECT_GE(history.bytes(), 2 * particles * sizeof(vec3));
  return history.bytes();
}

TEST(History, ThinsOutWhatIsOlderThanTheStepByStepStates) {
  History history({.seconds = 12, .step_by_step = 3, .bytes = kMegabyte, .spacing = 4});
  for (int i = 0; i <= 9; ++i) add(history, state_at(i), static_cast<std::uint64_t>(i));
  EXPECT_THAT(times(history), ElementsAre(0, 4, 7, 8, 9));
  EXPECT_EQ(history.first_step_by_step(), 2u);
  for (int i = 10; i <= 23; ++i) add(history, state_at(i), static_cast<std::uint64_t>(i));
  EXPECT_THAT(times(history), ElementsAre(12, 16, 20, 21, 22, 23)) << "what is older than 12 s is gone";
  EXPECT_EQ(history.newest()->lanes[0].checkpoint->record.step, 23u);
  EXPECT_EQ(history.newest()->lanes[0].checkpoint->state.x[0], vec3(23));
  EXPECT_EQ(history[0].lanes[0].checkpoint->state.v[0], vec3(-12))
      << "memory is reused only of states that are gone";
}

TEST(History, KeepsSomeStepsHoweverLong) {
  History history;
  for (int i = 0; i <= 20; ++i) add(history, state_at(i * 1e9));
  EXPECT_EQ(history.size(), 10U);
  EXPECT_EQ(history[0].time, 11e9);
}

TEST(History, KeepsThirtySecondsOfEverySixtiethOfASecond) {
  History history;
  const double h = 1.0 / 60;
  for (int i = 0; i <= 60 * 40; ++i) add(history, state_at(i * h));
  EXPECT_NEAR(history.newest()->time - history[0].time, 30, 1.01 * h);
  EXPECT_GE(history.size(), 1800u);
  // The small steps of explicit methods are thinned out to the same.
  History fine;
  const double small = 1.0 / 960;
  for (int i = 0; i <= 960 * 32; ++i) add(fine, state_at(i * small));
  EXPECT_NEAR(fine.newest()->time - fine[0].time, 30, 1.01 * h);
  EXPECT_LE(fine.size(), 1800u + 120u + 1u);
}

TEST(History, IsFartherApartWhereTheMemoryIsShort) {
  constexpr std::size_t kParticles = 1000;
  constexpr std::size_t kStates = 100;
  const std::size_t budget = kStates * bytes_of_state(kParticles);
  History history({.bytes = budget});
  const double h = 1.0 / 60;
  for (int i = 0; i <= 60 * 40; ++i) add(history, state_at(i * h, kParticles));
  EXPECT_LE(history.bytes(), budget);
  // A quarter step by step, and 30 s spread over the rest: 0.4 s apart, rounded up to steps.
  EXPECT_EQ(history.size() - history.first_step_by_step(), kStates / 4);
  EXPECT_NEAR(history[1].time - history[0].time, 0.4, 1.01 * h);
  EXPECT_GT(history.newest()->time - history[0].time, 29);

  // Half the memory, at once; and a residual history counts as well.
  history.set_memory(budget / 2);
  EXPECT_LE(history.bytes(), budget / 2);
  EXPECT_GT(history.newest()->time - history[0].time, 20);
  const std::size_t before = history.bytes();
  const std::size_t states = history.size();
  add(history, state_at(41, kParticles), 0, 50);
  EXPECT_LE(history.bytes(), budget / 2);
  EXPECT_EQ(history.bytes() + (states + 1 - history.size()) * (before / states),
            before + before / states + 400);
  EXPECT_EQ(history.newest()->lanes[0].checkpoint->residuals.size(), 50u);
}

TEST(History, FindsTheNearestState) {
  History history;
  for (const double t : {1.0, 2.0, 4.0}) add(history, state_at(t));
  EXPECT_EQ(history.nearest(-5), 0u);
  EXPECT_EQ(history.nearest(2), 1u);
  EXPECT_EQ(history.nearest(2.9), 1u);
  EXPECT_EQ(history.nearest(3.1), 2u);
  EXPECT_EQ(history.nearest(std::numeric_limits<double>::infinity()), 2u);
}

TEST(History, LeavesWhatIsLaterButNeverTheLastState) {
  History history({.seconds = 20, .step_by_step = 3, .bytes = kMegabyte, .spacing = 4});
  for (int i = 0; i <= 9; ++i) add(history, state_at(i));
  EXPECT_TRUE(history.branch_at(7.5));
  EXPECT_THAT(times(history), ElementsAre(0, 4, 7));
  add(history, state_at(7.75));
  EXPECT_THAT(times(history), ElementsAre(0, 4, 7, 7.75));
  EXPECT_TRUE(history.branch_at(-1));
  EXPECT_THAT(times(history), ElementsAre(0));
  history.clear();
  EXPECT_EQ(history.bytes(), 0u);
}

TEST(History, GoesBackToTheBranchThatWasLeft) {
  History history;
  const std::size_t one = bytes_of_state(1);
  for (int i = 0; i <= 6; ++i) add(history, state_at(i));
  EXPECT_EQ(history.left(), nullptr);
  EXPECT_TRUE(history.branch_at(4));
  EXPECT_FALSE(history.branch_at(4)) << "nothing is later";
  EXPECT_FALSE(history.branch_at(2)) << "a part of the same branch, as nothing was added";
  for (const double t : {2.5, 3.5}) add(history, state_at(t));
  EXPECT_EQ(history.left()->time, 6);
  EXPECT_EQ(history.bytes(), 9 * one) << "both branches count";

  const auto fails = [](const Moment&) { throw std::bad_alloc(); };
  EXPECT_THROW(history.swap_branches(fails), std::bad_alloc);
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 2.5, 3.5)) << "the run is still there";
  EXPECT_EQ(history.left()->time, 6);
  double gone_to = 0;
  const auto go = [&](const Moment& left) { gone_to = left.time; };
  history.swap_branches(go);
  EXPECT_EQ(gone_to, 6);
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(history.left()->time, 3.5);
  add(history, state_at(7));
  history.swap_branches(go);
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 2.5, 3.5));
  EXPECT_EQ(history.left()->time, 7);

  // Memory that is short takes the other branch first, the oldest of it.
  history.set_memory(8 * one);
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 2.5, 3.5));
  EXPECT_EQ(history.left()->time, 7);
  history.set_memory(5 * one);
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 2.5, 3.5));
  EXPECT_EQ(history.left(), nullptr);

  history.set_memory(kMegabyte);
  EXPECT_TRUE(history.branch_at(2)) << "a new one";
  add(history, state_at(5));
  EXPECT_TRUE(history.branch_at(1)) << "in place of the one before";
  history.swap_branches(go);
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 5));
  history.clear();
  EXPECT_EQ(history.bytes(), 0u);
  EXPECT_EQ(history.left(), nullptr);
}

TEST(History, KeepsThePresentThatWasLeftWhenAnAttemptFails) {
  History history;
  const std::size_t one = bytes_of_state(1);
  const auto go = [](const Moment&) {};
  for (int i = 0; i <= 6; ++i) add(history, state_at(i));
  history.branch_at(4);
  for (const double t : {4.5, 5.5}) add(history, state_at(t));
  EXPECT_FALSE(history.give_up_after(4.5));
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 3, 4, 4.5));
  EXPECT_EQ(history.left()->time, 6);
  EXPECT_EQ(history.bytes(), 8 * one) << "without the failed state";
  // Also back to before the branching.
  EXPECT_FALSE(history.give_up_after(2));
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2));
  add(history, state_at(2.5));
  history.swap_branches(go);
  EXPECT_THAT(times(history), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(history.left()->time, 2.5);

  history.clear();
  for (int i = 0; i <= 3; ++i) add(history, state_at(i));
  EXPECT_TRUE(history.give_up_after(1)) << "without another branch it is that";
  EXPECT_EQ(history.left()->time, 3);
}

TEST(History, LeavesAStateAloneThatSomebodyElseHolds) {
  History history({.seconds = 1, .step_by_step = 2, .bytes = kMegabyte, .spacing = 4});
  add(history, state_at(0));
  const std::shared_ptr<const Moment> held = history.newest();
  for (int i = 1; i <= 5; ++i) add(history, state_at(i));
  EXPECT_EQ(held->time, 0);
  EXPECT_EQ(held->lanes[0].checkpoint->state.x[0], vec3(0));
}

TEST(History, AlwaysHasThePresentState) {
  History tiny({.bytes = 1});
  for (int i = 0; i < 3; ++i) add(tiny, state_at(i, 1000));
  EXPECT_THAT(times(tiny), ElementsAre(2));
  tiny.set_memory(0);
  EXPECT_THAT(times(tiny), ElementsAre(2));
}

TEST(PlotHistory, TurnsBackInTimeAndBeforeItsStart) {
  PlotHistory plot;
  const auto add = [&](double time, double energy) {
    PlotSample sample;
    sample.time = time;
    sample.energy.total = energy;
    plot.add(sample, 0);
  };
  const auto shown = [&] {
    std::vector<std::pair<double, double>> samples;
    for (const PlotSample& sample : *plot.share()) samples.emplace_back(sample.time, sample.energy.total);
    return samples;
  };
  using Samples = std::vector<std::pair<double, double>>;
  for (int k = 0; k <= 3; ++k) add(k, k);
  add(2.5, 10);
  EXPECT_EQ(shown(), (Samples{{0, 0}, {1, 1}, {2, 2}, {2.5, 10}}));
  add(1, 11);
  EXPECT_EQ(shown(), (Samples{{0, 0}, {1, 11}}));
  for (int k = 1; k <= 3; ++k) add(-k, k);
  EXPECT_EQ(shown(), (Samples{{-3, 3}, {-2, 2}, {-1, 1}, {0, 0}})) << "in order of time";
  EXPECT_EQ(plot.newest()->time, -3);
  plot.forget_after(-3);
  EXPECT_EQ(shown().size(), 4u);
  plot.forget_after(-2);
  EXPECT_EQ(shown(), (Samples{{-2, 2}, {-1, 1}, {0, 0}}));
  add(-1.5, 12);
  EXPECT_EQ(shown(), (Samples{{-1.5, 12}, {-1, 1}, {0, 0}}));
  add(1, 13);
  EXPECT_EQ(shown(), (Samples{{0, 0}, {1, 13}})) << "forwards again";
  add(0, 14);
  EXPECT_EQ(shown(), (Samples{{0, 14}}));
}

// ---- Pacer

TEST(Pacer, SpacesStepsBySpeed) {
  Pacer pacer;
  const Pacer::Clock::time_point start{};
  pacer.restart(start);
  EXPECT_EQ(pacer.due(), start) << "the first step at once";
  Pacer::Clock::time_point now = start;
  for (int i = 1; i <= 400; ++i) {
    now = pacer.due() + 100us;  // every step ends a little after it was due
    pacer.stepped(0.01, 0.5, now);
    EXPECT_EQ(pacer.due(), start + i * 20ms) << "lateness must not add up";
  }
  EXPECT_THAT(pacer.actual_speed(now), DoubleNear(0.5, 0.5 * 0.02));
}

TEST(Pacer, NeverCatchesUpAfterAStall) {
  Pacer pacer;
  Pacer::Clock::time_point now{};
  pacer.restart(now);
  pacer.stepped(0.01, 1, now);
  now += 10s;
  pacer.stepped(0.01, 1, now);
  EXPECT_GE(pacer.due(), now) << "the ten seconds are lost";
}

TEST(Pacer, FallsBehindWhenStepsAreTooSlow) {
  Pacer pacer;
  Pacer::Clock::time_point now{};
  pacer.restart(now);
  for (int i = 0; i < 50; ++i) {
    now = std::max(now, pacer.due()) + 100ms;  // a step of 10 ms takes 100 ms
    pacer.stepped(0.01, 1, now);
    EXPECT_LE(now - pacer.due(), Pacer::kSlack) << "the debt must not grow";
  }
  EXPECT_THAT(pacer.actual_speed(now), DoubleNear(0.1, 0.001));
}

TEST(Pacer, BearsExtremeSteps) {
  Pacer pacer;
  const Pacer::Clock::time_point now{};
  pacer.restart(now);
  EXPECT_EQ(pacer.actual_speed(now), 0);
  pacer.stepped(1e300, 0.001, now);
  EXPECT_EQ(pacer.due(), now + 1000s) << "as a step of one second";
  pacer.restart(now);
  pacer.stepped(-0.5, 1, now);
  EXPECT_EQ(pacer.due(), now + 500ms) << "back in time at the same pace";
}

// ---- Real time

TEST(RealTimeStep, IsAReadableStepWithAMargin) {
  const auto step = [](double cost, double limit = kNoStabilityLimit, std::optional<double> before = {}) {
    return real_time_step(cost, 1, limit, before);
  };
  EXPECT_EQ(step(1.9e-3), 2.5e-3);
  EXPECT_EQ(step(1.6e-3), 2e-3) << "a quarter more, and no more than that";
  EXPECT_EQ(step(1.61e-3), 2.5e-3);
  EXPECT_EQ(step(2.1e-3), 5e-3);
  EXPECT_EQ(step(7e-3), 1e-2);
  EXPECT_EQ(step(0.04), 0.05);
  EXPECT_EQ(step(0.041), 0) << "slower than a cloth that moves smoothly";
  EXPECT_EQ(real_time_step(1.9e-3, 0.1, kNoStabilityLimit), 2.5e-4) << "slow motion asks for less";
  EXPECT_EQ(step(0), 0) << "nothing was measured";
}

TEST(RealTimeStep, StaysBelowTheStabilityLimit) {
  EXPECT_EQ(real_time_step(1e-3, 1, 1.3e-3), 0) << "the margin has no room";
  EXPECT_EQ(real_time_step(1.7e-3, 1, 2.5e-3), 2.2e-3) << "2.5 is too near: two digits of 0.9 of the limit";
  EXPECT_EQ(real_time_step(1.7e-3, 1, 2.8e-3), 2.5e-3);
  EXPECT_EQ(real_time_step(1e-3, 1, 0), 0) << "no step is stable";
}

TEST(RealTimeStep, DoesNotFlickerButGrowsWhereItProvesTooSmall) {
  std::optional<double> step;
  for (const double cost : {1.98e-3, 2.02e-3, 1.95e-3, 2.2e-3, 1.7e-3}) {
    step = real_time_step(cost, 1, kNoStabilityLimit, step);
    EXPECT_EQ(step, 2.5e-3) << cost;
  }
  // At h = 2.5 ms a step takes 2.6 ms.
  step = real_time_step(2.6e-3, 1, kNoStabilityLimit, step);
  EXPECT_EQ(step, 5e-3);
  EXPECT_EQ(real_time_step(1.7e-3, 1, kNoStabilityLimit, step), 2.5e-3) << "twice as large as it need be";
  EXPECT_EQ(real_time_step(1e-4, 1, kNoStabilityLimit, step), 2e-4) << "the cloth got far cheaper";
  EXPECT_EQ(real_time_step(2.6e-3, 1, 4e-3, step), 3.6e-3) << "the limit fell below it";
}

TEST(StepCost, IsAMeanThatBeginsAnewWithAnotherStep) {
  StepCost cost;
  for (int i = 0; i < 4; ++i) {
    cost.add(3, 0.01, 0.1);
    EXPECT_FALSE(cost.mean());
  }
  cost.add(3, 0.01, 0.2);
  EXPECT_NEAR(cost.mean().value(), 0.12, 1e-12);
  cost.add(3, 0.01, 10);
  EXPECT_EQ(cost.mean(), 10);
  cost.add(3, 0.02, 0.1);
  EXPECT_FALSE(cost.mean()) << "another h";
  cost.add(3, 0.02, 10);
  cost.add(4, 0.02, 0.1);
  EXPECT_FALSE(cost.mean()) << "another method";
}

// ---- PlotHistory

PlotSample sample_at(double time, std::uint16_t integrator = 0) {
  PlotSample sample;
  sample.time = time;
  sample.integrator = &integrators()[integrator];
  return sample;
}

TEST(PlotHistory, KeepsTheSpacingAndThePresent) {
  PlotHistory plot;
  for (int i = 0; i <= 10; ++i) plot.add(sample_at(i), 4);
  std::vector<double> kept;
  for (const PlotSample& s : *plot.share()) kept.push_back(s.time);
  EXPECT_THAT(kept, ElementsAre(0, 4, 8, 10));
}

TEST(PlotHistory, ThinsOutALongRunButNeitherItsNewestSamplesNorItsSwitches) {
  PlotHistory plot;
  const double h = 1.0 / 60;
  constexpr std::size_t kSteps = 20000;
  for (std::size_t i = 0; i < kSteps; ++i) {
    plot.add(sample_at(static_cast<double>(i) * h, i < 700 ? 0 : 1), h);
    if (i % 500 == 0) {
      ASSERT_LE(plot.share()->size(), kPlotSamples);
    }
  }
  const auto samples = plot.share();
  EXPECT_EQ(samples->front().time, 0) << "the whole run";
  const std::size_t newest = samples->size() - kNewestPlotSamples;
  for (std::size_t i = 0; i < kNewestPlotSamples; ++i)
    ASSERT_EQ((*samples)[newest + i].time, static_cast<double>(kSteps - kNewestPlotSamples + i) * h);
  const auto first_after = std::find_if(samples->begin(), samples->end(), [](const PlotSample& sample) {
    return sample.integrator == &integrators()[1];
  });
  EXPECT_EQ(first_after->time, 700 * h);
  EXPECT_EQ((first_after - 1)->time, 699 * h);
}

TEST(PlotHistory, IsBoundedEvenWhenEverySampleIsASwitch) {
  PlotHistory plot;
  for (int i = 0; i < 4000; ++i) plot.add(sample_at(i, static_cast<std::uint16_t>(i % 2)), 1);
  EXPECT_LE(plot.share()->size(), kPlotSamples);
  EXPECT_EQ(plot.share()->front().time, 0) << "energies are relative to start";
  EXPECT_EQ(plot.share()->back().time, 3999);
}

TEST(PlotHistory, ShowsASwitchHoweverCloseItComes) {
  PlotHistory plot;
  for (int i = 0; i < 10; ++i) plot.add(sample_at(0.01 * i, i < 5 ? 1 : 2), 1);
  const auto samples = plot.share();
  ASSERT_EQ(samples->size(), 4u);
  EXPECT_EQ((*samples)[1].time, 0.04) << "the last of the first integrator";
  EXPECT_EQ((*samples)[2].time, 0.05) << "the first of the second one";
}

TEST(PlotHistory, ForgetsWhatWasRewound) {
  PlotHistory plot;
  for (int i = 0; i < 10; ++i) plot.add(sample_at(i), 1);
  const auto before = plot.share();
  plot.forget_after(3);
  EXPECT_EQ(plot.share()->back().time, 3);
  EXPECT_EQ(before->back().time, 9) << "what was shared never changes";
}

// ---- StepTimer

TEST(StepTimer, KnowsTheMedianAndTheTailOfTheRecentSteps) {
  StepTimer timer;
  EXPECT_EQ(timer.times().median, 0);
  for (int i = 0; i < 1000; ++i) timer.add(1000, 1000);  // long ago
  for (int i = 1; i <= 120; ++i) timer.add(i, 2 * i);
  EXPECT_EQ(timer.times().last, 120);
  EXPECT_EQ(timer.times().median, 61);
  EXPECT_EQ(timer.times().p95, 114);
  EXPECT_EQ(timer.times().wall, 122);
  EXPECT_EQ(timer.last_wall(), 240);
  EXPECT_EQ(factor_text(timer.times().real_time_factor(1)), "8.2×") << "1 s in steps of 122 ms";
  EXPECT_EQ(factor_text(0.4), "0.4×");
  EXPECT_EQ(factor_text(123.4), "123×");
}

// ---- Processor time

TEST(ProcessorTime, CountsAllThreadsOfThePool) {
#if !defined(__linux__)
  GTEST_SKIP() << "other threads are not known here";
#endif
  constexpr double kEach = 0.02;  // [s]
  constexpr std::size_t kChunks = 6;
  WorkerPool pool(3);
  const double begin = pool_seconds(pool);
  pool.for_chunks(kChunks, 1, [&](std::size_t, std::size_t) {
    const double since = pool_seconds(pool);  // of this thread alone
    while (pool_seconds(pool) < since + kEach) {
    }
  });
  EXPECT_GE(pool_seconds(pool) - begin, kChunks * kEach);
}

// ---- Blow-ups

// A lane that blew up stands, while bodies are removed from the world of all lanes.
TEST(BlowUpFacts, NameABodyThatIsGone) {
  WorkerPool pool(1);
  const Scene scene = testing::sheet_scene(4);
  const Simulation simulation(scene, testing::loaded(scene)->mesh, pool);
  BlowUp blow_up;
  const auto name = [&](std::uint32_t surface, std::optional<Obstacle::Shape> shape) {
    blow_up.contact = FailedContact{.particle = 3, .surface = surface, .shape = shape};
    return blow_up_facts(blow_up, simulation).contact_with;
  };
  EXPECT_EQ(name(2, Obstacle::Shape::plane), "obstacle 2 (plane)");
  EXPECT_EQ(name(0, std::nullopt), "the floor");
  EXPECT_EQ(name(kClothItself, std::nullopt), "the cloth itself");
}

// The file of a moment does not keep the spring.
TEST(BlowUpFacts, FindTheSpringOfAnOpenedMoment) {
  WorkerPool pool(1);
  const Scene scene = testing::sheet_scene(4);
  Simulation simulation(scene, testing::loaded(scene)->mesh, pool);
  EXPECT_FALSE(blow_up_facts(BlowUp(), simulation).spring) << "the last good state";
  simulation.apply(pool, MovePins{{{0, vec3(-1, 0, -1)}}, 0});
  simulation.step(pool);
  EXPECT_TRUE(blow_up_facts(BlowUp(), simulation).spring);
}

TEST(BlowUpFacts, NameContactModelsThatTheMethodCanHave) {
  WorkerPool pool(1);
  Scene scene = testing::sheet_scene(4);
  const auto others = [&](const char* method, BlowUp::Cause cause) {
    scene.integrator = method;
    BlowUp blow_up;
    blow_up.cause = cause;
    return blow_up_facts(blow_up, Simulation(scene, testing::loaded(scene)->mesh, pool)).other_contact;
  };
  EXPECT_EQ(others("bdf2", BlowUp::Cause::energy), "contact by filter, penalty or barrier");
  EXPECT_EQ(others("xpbd", BlowUp::Cause::energy), "contact by filter or penalty");
  EXPECT_EQ(others("rattle", BlowUp::Cause::squeezed), "contact by filter");
}

}  // namespace
}  // namespace clothlab
