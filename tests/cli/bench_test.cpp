#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/bench_memory.h"
#include "cli/bench_run.h"
#include "cli/bench_stream.h"
#include "cli/bench_systems.h"
#include "cli/bench_table.h"
#include "slowdown.h"

namespace clothlab {
namespace {

BenchTable example() {
  return {.id = "fruit",
          .title = "Fruit",
          .columns = {{"name", "name", ""}, {"mass", "mass", "kg", 2}, {"count", "count", ""}},
          .rows = {{std::string("pear, red"), 0.25, 3LL},
                   {std::string("×"), std::numeric_limits<double>::quiet_NaN(), 12LL}},
          .notes = {"All of them."}};
}

TEST(BenchTable, IsAlignedOnTheTerminal) {
  EXPECT_EQ(text_of(example()),
            "Fruit\n"
            "  name       mass  count\n"
            "               kg\n"
            "  pear, red  0.25      3\n"
            "  ×             –     12\n"
            "  All of them.\n");
}

TEST(BenchTable, IsATableInDocuments) {
  EXPECT_EQ(markdown_of(example()),
            "**Fruit**\n\n"
            "| name | mass [kg] | count |\n"
            "|---|---:|---:|\n"
            "| pear, red | 0.25 | 3 |\n"
            "| × | – | 12 |\n"
            "\nAll of them.\n");
}

TEST(BenchTable, KeepsEveryDigitInFiles) {
  EXPECT_EQ(csv_of({example()}),
            "table,row,column,unit,value\n"
            "fruit,\"pear, red\",mass,kg,0.25\n"
            "fruit,\"pear, red\",count,,3\n"
            "fruit,×,mass,kg,\n"
            "fruit,×,count,,12\n");
  EXPECT_THAT(json_of({example()}), ::testing::HasSubstr("\"mass\": 0.25"));
  EXPECT_THAT(json_of({example()}), ::testing::HasSubstr("\"mass\": null"));
}

TEST(BenchTable, GivesItsColumns) {
  const std::vector<BenchTable> tables{example()};
  ASSERT_NE(find_table(tables, "fruit"), nullptr);
  EXPECT_EQ(find_table(tables, "nuts"), nullptr);
  EXPECT_THAT(values_of(tables[0], "mass"), ::testing::ElementsAre(0.25, ::testing::IsNan()));
  EXPECT_THAT(values_of(tables[0], "count"), ::testing::ElementsAre(3, 12));
  EXPECT_TRUE(values_of(tables[0], "colour").empty());
}

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

TEST(BenchRun, FallsAsTheEulerRecurrenceSays) {
  // Far from the pins the sheet falls freely at first: by h²g, 3 h²g and 6 h²g.
  WorkerPool pool(1);
  const LoadedScene loaded = load_for_bench(hanging_sheet(32));
  const RunFigures run = run_scene(loaded, pool, {.warm_up = 2, .steps = 6, .samples = 3});
  const double first = 1e3 * 9.8 / 3600;
  EXPECT_NEAR(run.fall_mm[0], first, 0.005 * first);
  EXPECT_NEAR(run.fall_mm[1], 3 * first, 0.005 * 3 * first);
  EXPECT_NEAR(run.fall_mm[2], 6 * first, 0.005 * 6 * first);
  EXPECT_EQ(run.step_ms.size(), 6u);
  ASSERT_EQ(run.samples.size(), 3u);
  EXPECT_NEAR(run.samples[0].t, 3.0 / 60, 1e-9);  // the middle of each of three pairs of steps
  EXPECT_NEAR(run.samples[2].t, 7.0 / 60, 1e-9);
  EXPECT_TRUE(run.converged);
  EXPECT_GT(run.max_strain, 1e-4);
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
