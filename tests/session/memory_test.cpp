// SPDX-License-Identifier: MIT
// Memory of a sheet, and its peak while the sheet is built; requests that are refused because memory is
// short.

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "session/edit_history.h"
#include "session/session_journal.h"
#include "session/support.h"
#include "sim/simulation.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

// Bytes of each particle of a sheet with all defaults, from its mesh to the solver's hierarchy
// (docs/performance.md), with what the system adds. 64 of them are the copies by row of positions and
// velocities, 72 the impulses of the energy ledger.
constexpr double kMost = 1536;

TEST(Memory, OfASheetIsBounded) {
  for (const int n : {64, 128}) {  // ascending: the most is that since the start
    WorkerPool pool(2);
    const std::size_t before = allocated_bytes();
    {
      Scene scene;
      scene.mesh = GridSource{n, n, 1, 1};
      const LoadedScene loaded = load_scene(scene);
      Simulation simulation(loaded.scene, loaded.mesh, pool);
      for (int step = 0; step < 3; ++step) ASSERT_EQ(simulation.step(pool), StepStatus::done);
      const auto of_a_particle = [&](std::size_t bytes) {
        return static_cast<double>(bytes - before) / (static_cast<double>(n) * n);
      };
      EXPECT_LT(of_a_particle(most_allocated_bytes()), kMost) << n;
      EXPECT_GT(of_a_particle(allocated_bytes()), 0.5 * kMost) << n;  // counts at all
    }
    EXPECT_LT(allocated_bytes() - before, 1000u * sizeof(double)) << "is given back";
  }
}

TEST(Memory, ASessionFileThatFindsNoneIsTold) {
  const TemporaryFolder folder;
  SessionPart part;
  part.loaded = testing::loaded(testing::sheet_scene(16));
  part.moment = SimulationThread(part.loaded, testing::paused(1)).keep_moment().get().moment;
  SessionJournal journal(folder.path());
  fail_allocations_from(100);  // the sentence is longer
  journal.add(std::move(part));
  const auto start = std::chrono::steady_clock::now();
  while (journal.works() && std::chrono::steady_clock::now() - start < std::chrono::seconds(60))
    std::this_thread::yield();
  fail_allocations_from(0);
  EXPECT_NE(journal.take_notice().value_or("").find("there is not enough memory"), std::string::npos);
}

/// The first step of the copy needs a matrix.
TEST(Memory, ACopyThatFindsNoneEndsRunningAhead) {
  SimulationThread thread(testing::loaded(testing::sheet_scene(64)), testing::paused(1));
  fail_allocations_from(300'000);
  thread.send(SetLookAhead{LookAheadChoice::on});
  const auto failed =
      testing::wait_for(thread, [](const Snapshot& s) { return !s.look_ahead.failure.empty() && !s.ahead; });
  fail_allocations_from(0);
  EXPECT_EQ(text_of(failed->look_ahead), "off: there is not enough memory for a copy");
  EXPECT_EQ(failed->error,
            "Running ahead has ended: there is not enough memory for a copy. Signs in past steps give the "
            "warnings.");
  EXPECT_EQ(testing::send_and_wait(thread, StepOnce{})->frame.record.step, 1u) << "the run continues";
  thread.send(SetLookAhead{LookAheadChoice::on});
  EXPECT_TRUE(
      testing::wait_for(thread, [](const Snapshot& s) { return s.ahead.value_or(0) > 0; })->look_ahead.on())
      << "tries again";
}

TEST(Memory, WhatFindsNoneIsTakenOutOfTheEditsAgain) {
  const auto first = testing::loaded(testing::sheet_scene(16));
  const auto large = testing::loaded(testing::sheet_scene(100));
  SimulationThread thread(first, testing::paused(1));
  EditHistory edits(first);
  fail_allocations_from(100'000);
  std::uint64_t last = 0;
  const auto set = [&](const char* id, double value) {
    edits.record(SetParameter{id, value});
    edits.sent(last = thread.send(Command(SetParameter{id, value})));
  };
  set("cg-max-iterations", 100'000);  // whose residuals there is no room for
  set("mass", 1);
  edits.record_scene(large, EditHistory::Arrival::another);
  edits.sent(thread.send(Control(UseScene{large})));
  set("mass", 2);
  EXPECT_EQ(edits.scene().solver.linear.cg.max_iterations, 500);
  const auto shown = testing::wait_applied(thread, last);
  fail_allocations_from(0);
  EXPECT_EQ(*shown->refused, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(shown->error, "There is not enough memory for that.");
  edits.resolve(shown->applied, *shown->refused);
  EXPECT_EQ(&edits.loaded(), first.get());
  for (const Scene* scene : {&edits.scene(), shown->frame.scene.get()}) {
    EXPECT_EQ(scene->solver.linear.cg.max_iterations, 500);
    EXPECT_EQ(scene->material.mass, 2);
  }
  // The two are one gesture now.
  EXPECT_EQ(edits.undo()->lanes[0].scene->material.mass, 0.2);
  EXPECT_FALSE(edits.can_undo());
  EXPECT_EQ(testing::send_and_wait(thread, StepOnce{})->frame.record.step, 1u);
}

}  // namespace
}  // namespace clothlab
