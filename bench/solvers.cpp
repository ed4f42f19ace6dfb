// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bench/memory.h"
#include "bench/sections.h"
#include "bench/stream.h"
#include "bench/systems.h"
#include "cli/bench/bench.h"
#include "cli/interrupt.h"
#include "core/text.h"

namespace clothlab {
namespace {

constexpr int kLargestForLdlt = 128;
constexpr int kSmallSheet = 20;  // by 20 particles: large enough for multigrid

struct Sheet {
  std::string name;
  double particles = 0;
  RunFigures run = {};
  FirstSteps first = {};
};

/// The particle nearest the middle of the box around all.
std::size_t middle_particle(const std::vector<vec3>& x) {
  vec3 low = x.front(), high = x.front();
  for (const vec3& p : x) low = glm::min(low, p), high = glm::max(high, p);
  const auto distance = [&](const vec3& p) { return glm::length(p - 0.5 * (low + high)); };
  return static_cast<std::size_t>(std::ranges::min_element(x, {}, distance) - x.begin());
}

BenchTable sheet_table() {
  return {.id = "sheets",
          .title = "The first three steps of the hanging sheet, and its memory",
          .columns = {{"sheet", "sheet", ""},
                      {"particles", "particles", ""},
                      {"fall_1_mm", "fall 1", "mm", 3},
                      {"fall_2_mm", "fall 2", "mm", 3},
                      {"fall_3_mm", "fall 3", "mm", 3},
                      {"peak_kib_per_particle", "peak memory", "KiB/part.", 3},
                      {"kept_kib_per_particle", "kept", "KiB/part.", 3}},
          .notes = {"Fall: of the sheet's centre after 1, 2 and 3 steps. Peak memory: largest resident set "
                    "while the sheet is loaded and stepped three times, kept: at the end of that; both above "
                    "that of the process before, which has stepped a small sheet."}};
}

BenchTable solver_table(const BenchSettings& settings, int samples) {
  BenchTable table{.id = "solvers",
                   .title = "Our solver and others on the same systems, " +
                            threads_text(settings.pool.threads()) +
                            ": to ‖r‖ ≤ 1e-3 ‖b‖ from 0, mean over the systems of " +
                            std::to_string(samples) + " of the steps",
                   .columns = {{"sheet", "sheet", ""},
                               {"particles", "particles", ""},
                               {"step_ms", "our step", "ms", 3},
                               {"ours_ms", "our solve", "ms", 3},
                               {"ours_iterations", "it.", "", 3}}};
  for (const BaselineName& name : kBaselines) {
    table.columns.push_back({std::string(name.id) + "-ms", std::string(name.title), "ms", 3});
    if (name.method == BaselineMethod::cg_lower || name.method == BaselineMethod::cg_full)
      table.columns.push_back({std::string(name.id) + "-iterations", "it.", "", 4});
  }
  table.columns.push_back({"best", "best of them", ""});
  table.columns.push_back({"solve_over_solve", "its solve/our solve", "×", 3});
  table.columns.push_back({"solve_over_step", "its solve/our step", "×", 3});
  table.notes.push_back(
      "Solve: all that depends on the numbers of the matrix, so preconditioner or factor included; what "
      "depends on "
      "its pattern alone is done before, and so is the copy into Eigen's format. Our step is whole, the mean "
      "time of it: forces, assembly, solve and all else. Who took more than twice as long as the best on the "
      "first system was "
      "not "
      "asked again.");
  if (!EigenBaseline::has(BaselineMethod::cholmod))
    table.notes.push_back("CHOLMOD was not there when the program was built.");
  else
    table.notes.push_back("CHOLMOD has the threads of its BLAS (OPENBLAS_NUM_THREADS).");
  if (!EigenBaseline::has_threads())
    table.notes.push_back("Eigen had no OpenMP when the program was built: one thread.");
  return table;
}

BenchTable phase_table(const BenchSettings& settings) {
  return {
      .id = "phases",
      .title = "Where the time of a step goes, " + threads_text(settings.pool.threads()),
      .columns = {{"sheet", "sheet", ""},
                  {"particles", "particles", ""},
                  {"forces_ms", "forces", "ms", 3},
                  {"assembly_ms", "assembly", "ms", 3},
                  {"setup_ms", "setup", "ms", 3},
                  {"solve_ms", "iterations", "ms", 3},
                  {"energies_ms", "energies", "ms", 3},
                  {"sum_ms", "sum", "ms", 3},
                  {"step_ms", "step (median)", "ms", 3},
                  {"rest_percent", "rest", "% of step", 3},
                  {"forces_assembly_percent", "forces + assembly", "% of step", 3}},
      .notes = {"The same operations outside of a step, on the states of the sampled steps, in the same "
                "order; medians. Assembly: what A and K v add to forces; setup: multigrid's numbers. Rest: "
                "what the step takes beyond their sum."}};
}

std::vector<BenchCell> sheet_row(const Sheet& sheet) {
  const FirstSteps& first = sheet.first;
  return {sheet.name,
          static_cast<long long>(sheet.particles),
          first.fall_mm[0],
          first.fall_mm[1],
          first.fall_mm[2],
          first.peak.value_or(kNotMeasured) / 1024 / sheet.particles,
          first.kept.value_or(kNotMeasured) / 1024 / sheet.particles};
}

std::vector<BenchCell> phase_row(const Sheet& sheet, const PhaseFigures& p) {
  const double step = median(sheet.run.step_ms);
  const double sum = p.forces + p.assembly + (std::isnan(p.setup) ? 0 : p.setup) + p.solve + p.energies;
  return {sheet.name,
          static_cast<long long>(sheet.particles),
          p.forces,
          p.assembly,
          p.setup,
          p.solve,
          p.energies,
          sum,
          step,
          100 * (step - sum) / step,
          100 * (p.forces + p.assembly) / step};
}

std::vector<BenchCell> solver_row(const Sheet& sheet, const SolveFigures& ours,
                                  const std::map<BaselineMethod, SolveFigures>& others) {
  std::vector<BenchCell> row{sheet.name, static_cast<long long>(sheet.particles), mean(sheet.run.step_ms),
                             mean(ours.ms), mean(ours.iterations)};
  // The best is one that has solved all systems.
  double best = std::numeric_limits<double>::infinity();
  std::string_view winner = "–";
  for (const BaselineName& name : kBaselines) {
    const auto found = others.find(name.method);
    const bool there = found != others.end();
    row.emplace_back(there ? mean(found->second.ms) : kNotMeasured);
    if (name.method == BaselineMethod::cg_lower || name.method == BaselineMethod::cg_full)
      row.emplace_back(there ? mean(found->second.iterations) : kNotMeasured);
    if (there && found->second.ms.size() == ours.ms.size() && mean(found->second.ms) < best) {
      best = mean(found->second.ms);
      winner = name.title;
    }
  }
  row.emplace_back(std::string(winner));
  row.emplace_back(best / mean(ours.ms));
  row.emplace_back(best / mean(sheet.run.step_ms));
  return row;
}

/// How the cost per particle grows from the sheet with 4096 particles to the largest, beside what the machine
/// itself charges more for a byte there.
std::string growth_note(const std::vector<Sheet>& sheets, WorkerPool& pool) {
  const auto small = std::ranges::find(sheets, 4096.0, &Sheet::particles);
  const auto large = std::ranges::max_element(sheets, {}, &Sheet::particles);
  if (small == sheets.end() || small == large || !small->first.kept || !large->first.kept) return {};
  const auto cost = [](const Sheet& sheet) { return mean(sheet.run.step_ms) / sheet.particles; };
  const auto rate = [&](const Sheet& sheet) {
    return triad_rate(pool, static_cast<std::size_t>(*sheet.first.kept));
  };
  const double growth = cost(*large) / cost(*small), triad = rate(*small) / rate(*large);
  return "A particle's step costs " + format_plain(growth) + "× as much at " + large->name + " as at " +
         small->name +
         "; between working sets of what they keep in memory the triad's cost of a byte grows " +
         format_plain(triad) + "×. The quotient is " + format_plain(growth / triad) + ".";
}

}  // namespace

FirstSteps first_steps(int n, WorkerPool& pool) {
  const auto with_sheet = [&pool](int side, const auto& then) {
    const LoadedScene loaded = load_for_bench(hanging_sheet(side));
    Simulation simulation(loaded.scene, loaded.mesh, pool, Interrupt::probe());
    return then(simulation);
  };
  // What any sheet costs the process once, such as the pages of code.
  with_sheet(kSmallSheet, [&pool](Simulation& simulation) {
    for (int step = 0; step < 3; ++step) simulation.step(pool, Interrupt::probe());
  });
  const MemoryMeter meter;
  return with_sheet(n, [&meter, &pool](Simulation& simulation) {
    FirstSteps first = {};
    const std::size_t middle = middle_particle(simulation.state().x);
    const double start = simulation.state().x[middle].y;
    for (double& fall : first.fall_mm) {
      simulation.step(pool, Interrupt::probe());
      fall = 1e3 * (start - simulation.state().x[middle].y);
    }
    first.peak = meter.peak();
    first.kept = meter.now();
    return first;
  });
}

void bench_solvers(const BenchSettings& settings, int samples, const std::vector<int>& sizes,
                   std::vector<BenchTable>& tables) {
  const std::size_t at = tables.size();
  tables.push_back(sheet_table());
  tables.push_back(solver_table(settings, samples));
  tables.push_back(phase_table(settings));
  std::vector<Sheet> sheets;
  for (const int n : sizes) {
    Sheet sheet{.name = sheet_name(n), .particles = static_cast<double>(n) * n};
    settings.begin("sheet " + sheet.name);
    sheet.first = first_steps(n, settings.pool);
    const LoadedScene loaded = load_for_bench(hanging_sheet(n));
    sheet.run = run_scene(loaded, settings.pool, {.steps = settings.steps, .samples = samples});
    if (!sheet.run.converged) tables[at].notes.push_back("At " + sheet.name + " not every step converged.");
    SystemContest contest(loaded, sheet.run.samples, settings.pool);
    const PhaseFigures phases = contest.phases();
    const SolveFigures ours = contest.ours();
    const auto others = contest.baselines(n <= kLargestForLdlt);
    tables[at].rows.push_back(sheet_row(sheet));
    tables[at + 1].rows.push_back(solver_row(sheet, ours, others));
    tables[at + 2].rows.push_back(phase_row(sheet, phases));
    sheet.run.samples.clear();
    sheets.push_back(std::move(sheet));
  }
  if (std::ranges::any_of(sizes, [](int n) { return n > kLargestForLdlt; }))
    tables[at + 1].notes.push_back("SimplicialLDLT is left out above 128×128: seconds for each system.");
  const std::string growth = growth_note(sheets, settings.pool);
  if (!growth.empty()) tables[at].notes.push_back(growth);
}

}  // namespace clothlab
