// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "bench/memory.h"
#include "bench/sections.h"
#include "bench/stream.h"
#include "bench/systems.h"
#include "slowdown.h"

namespace clothlab {
namespace {

TEST(BenchStream, CountsTheBytesOfAProduct) {
  // One spring: 2 chunk ends, 3 slot ends, 2 outer ends, 1 column, 2 ends of what comes in, and 2 numbers of
  // the one block and 2 ends of blocks, of 4 bytes each.
  const std::vector<SpringPattern::Pair> springs{{0, 1}};
  const auto pattern = SpringPattern::build(2, springs);
  const std::size_t indices = 4 * (2 + 3 + 2 + 1 + 2 + 2 + 2);
  EXPECT_EQ(product_bytes(*pattern), indices + 2 * 8 + 32 + 2 * 2 * 32);
  EXPECT_EQ(single_product_bytes(*pattern), indices + 2 * 4 + 16 + 2 * 2 * 16);
}

TEST(BenchStream, MeasuresSomethingPossible) {
  WorkerPool pool(2);
  const double rate = triad_rate(pool, 1 << 20);
  EXPECT_GT(rate, 0.01);
  EXPECT_LT(rate, 1e5);  // nothing was optimised away
}

TEST(BenchMemory, SeesWhatIsAllocatedAndGivenBack) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const MemoryMeter meter;
  if (!meter.now()) GTEST_SKIP() << "SKIPPED: the system does not tell";
  if (testing::kSlowdown > 1) GTEST_SKIP() << "SKIPPED: a sanitizer keeps what is given back";
  std::vector<char>(kBytes, 'x').swap(*std::make_unique<std::vector<char>>());
  EXPECT_GT(meter.peak().value(), 0.9 * kBytes);
  EXPECT_LT(meter.peak().value(), 1.5 * kBytes);
  EXPECT_LT(meter.now().value(), 0.5 * kBytes);
}

TEST(BenchSolvers, TheSheetFallsAsTheEulerRecurrenceSays) {
  // Far from the pins the sheet falls freely at first: by h²g, 3 h²g and 6 h²g.
  WorkerPool pool(1);
  const std::array<double, 3> fall_mm = first_steps(32, pool).fall_mm;
  const double first = 1e3 * 9.8 / 3600;
  EXPECT_NEAR(fall_mm[0], first, 0.005 * first);
  EXPECT_NEAR(fall_mm[1], 3 * first, 0.005 * 3 * first);
  EXPECT_NEAR(fall_mm[2], 6 * first, 0.005 * 6 * first);
}

TEST(BenchSystems, AllSolversReachTheSameResidual) {
  WorkerPool pool(1);
  const LoadedScene loaded = load_for_bench(hanging_sheet(16));
  const RunFigures run = run_scene(loaded, pool, {.warm_up = 5, .steps = 4, .samples = 2});
  SystemContest contest(loaded, run.samples, pool);
  const SolveFigures ours = contest.ours();
  EXPECT_EQ(ours.ms.size(), 2u);
  EXPECT_LE(ours.worst_residual, 1e-3);
  const auto others = contest.baselines(true);
  EXPECT_GE(others.size(), 3u);
  bool one_solved_all = false;
  for (const auto& [method, figures] : others) {
    EXPECT_LE(figures.worst_residual, 1.001e-3);
    one_solved_all = one_solved_all || figures.ms.size() == 2;
  }
  EXPECT_TRUE(one_solved_all);
  EXPECT_EQ(contest.baselines(false).count(BaselineMethod::ldlt), 0u);
  const PhaseFigures phases = contest.phases();
  for (const double ms : {phases.forces, phases.assembly, phases.solve, phases.energies}) EXPECT_GT(ms, 0);
}

}  // namespace
}  // namespace clothlab
