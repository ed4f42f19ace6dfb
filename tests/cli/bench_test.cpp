// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "cli/bench/bench.h"
#include "cli/output/table.h"
#include "core/error.h"
#include "integrate/registry.h"

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
            "fruit,×,mass,kg,nan\n"
            "fruit,×,count,,12\n");
  EXPECT_THAT(json_of({example()}), ::testing::HasSubstr("\"mass\": 0.25"));
  EXPECT_THAT(json_of({example()}), ::testing::HasSubstr("\"mass\": null"));
}

TEST(BenchTable, NamesARowByItsFirstColumns) {
  BenchTable table = example();
  table.keys = 2;
  EXPECT_THAT(text_of(table), ::testing::HasSubstr("  pear, red  0.25      3\n  ×          –        12\n"));
  EXPECT_THAT(markdown_of(table), ::testing::HasSubstr("|---|---|---:|\n"));
  EXPECT_THAT(csv_of({table}), ::testing::HasSubstr("fruit,\"pear, red 0.25\",count,,3\n"));
}

TEST(BenchTable, GivesItsColumns) {
  const std::vector<BenchTable> tables{example()};
  ASSERT_NE(find_table(tables, "fruit"), nullptr);
  EXPECT_EQ(find_table(tables, "nuts"), nullptr);
  EXPECT_THAT(values_of(tables[0], "mass"), ::testing::ElementsAre(0.25, ::testing::IsNan()));
  EXPECT_THAT(values_of(tables[0], "count"), ::testing::ElementsAre(3, 12));
  EXPECT_TRUE(values_of(tables[0], "colour").empty());
}

TEST(BenchIntegrators, MeasuresAllOnEveryMeshInUnitsOfTheFirst) {
  WorkerPool pool(1);
  const BenchSettings settings{.pool = pool, .alone = pool, .steps = 2, .begin = [](std::string_view) {}};
  std::vector<BenchScene> scenes;
  for (const int n : {4, 5})
    scenes.push_back({sheet_name(n), [n] { return load_for_bench(hanging_sheet(n)); }});
  scenes.push_back({"none", []() -> LoadedScene { throw InputError("There is none."); }});
  std::vector<BenchTable> tables;
  bench_integrators(settings, scenes, tables);
  const BenchTable& table = tables.at(0);
  ASSERT_EQ(table.rows.size(), 2 * integrators().size());
  EXPECT_EQ(table.notes.back(), "none is left out: There is none.");
  const std::vector<double> cost = values_of(table, "li"), ms = values_of(table, "step_cpu_ms_median");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::size_t unit = r / integrators().size() * integrators().size() + 4;
    EXPECT_EQ(std::get<std::string>(table.rows[unit][1]), "semi-implicit-euler");
    if (std::isnan(ms[r])) continue;
    EXPECT_DOUBLE_EQ(cost[r], ms[r] / ms[unit]);
  }
  // A group of dots for each mesh, and the line of real time.
  const Chart chart = integrators_chart(table);
  ASSERT_EQ(chart.panels.at(0).curves.size(), 3u);
  EXPECT_EQ(chart.panels[0].curves[1].label, "5×5");
  EXPECT_EQ(chart.panels[0].y.names.size(), integrators().size());
  EXPECT_EQ(chart.panels[0].y.names.back(), integrators()[0].id);
}

TEST(BenchRun, SamplesTheStepsThatCount) {
  WorkerPool pool(1);
  const LoadedScene loaded = load_for_bench(hanging_sheet(16));
  const RunFigures run = run_scene(loaded, pool, {.warm_up = 2, .steps = 6, .samples = 3});
  EXPECT_EQ(run.step_ms.size(), 6u);
  ASSERT_EQ(run.samples.size(), 3u);
  EXPECT_NEAR(run.samples[0].t, 3.0 / 60, 1e-9);  // the middle of each of three pairs of steps
  EXPECT_NEAR(run.samples[2].t, 7.0 / 60, 1e-9);
  EXPECT_EQ(run.end(), "good");
  EXPECT_GT(run.max_strain, 1e-4);
}

}  // namespace
}  // namespace clothlab
