// SPDX-License-Identifier: MIT
#include "cli/bench/bench.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <utility>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "core/about.h"
#include "core/error.h"
#include "core/quantile.h"
#include "io/output_file.h"

namespace clothlab {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

double mean(const std::vector<double>& values) {
  // 0 / 0 is not a number.
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double median(const std::vector<double>& values) {
  return values.empty() ? kNotMeasured : quantile(values, 0.5);
}

double p95(const std::vector<double>& values) {
  return values.empty() ? kNotMeasured : quantile(values, 0.95);
}

std::string threads_text(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string sheet_name(int n) { return std::to_string(n) + "×" + std::to_string(n); }

Scene hanging_sheet(int n, Scene scene) {
  scene.mesh = GridSource{n, n, 1, 1};
  return scene;
}

LoadedScene load_for_bench(Scene scene) {
  SceneLoadOptions loading;
  loading.stop = Interrupt::probe();
  return load_scene(std::move(scene), loading);
}

std::string RunFigures::end() const {
  return !blow_up.empty() ? "blew up" : converged ? "good" : "not all converged";
}

RunFigures run_scene(const LoadedScene& loaded, WorkerPool& pool, const RunPlan& plan) {
  Simulation simulation(loaded.scene, loaded.mesh, pool, Interrupt::probe());
  RunFigures figures;
  int counted = -plan.warm_up;
  double spent = 0;
  // The middle step of each of equal parts of the counted steps.
  const auto sample = [&] {
    const auto sampled = static_cast<int>(figures.samples.size());
    if (sampled < plan.samples && counted >= (2 * sampled + 1) * plan.steps / (2 * plan.samples))
      figures.samples.push_back(simulation.state());
  };
  sample();
  const auto steps = static_cast<std::uint64_t>(plan.warm_up + plan.steps);
  const StepStatus status = run_steps(simulation, steps, pool, Interrupt::probe(), [&](const StepTime& took) {
    const StepRecord& record = simulation.record();
    figures.converged = figures.converged && record.converged;
    figures.spurious_energy = std::max(figures.spurious_energy, record.ledger.spurious());
    if (counted == -plan.warm_up) figures.first_ms = took.wall;
    if (counted++ >= 0) {
      figures.add(record, took, loaded.scene.dt);
      figures.iterations.push_back(record.cg_iterations);
      figures.newton.push_back(record.newton_iterations);
      figures.contacts.push_back(static_cast<double>(record.contacts.pairs));
      figures.candidates.push_back(static_cast<double>(record.contacts.candidates));
      spent += took.wall * 1e-3;
    }
    sample();
    return spent <= plan.seconds;
  });
  if (status == StepStatus::stopped) throw Cancelled();
  if (status == StepStatus::blown_up) figures.blow_up = blow_up_text(simulation, pool);
  figures.max_strain = simulation.record().max_strain;
  return figures;
}

void for_each_scene(const std::vector<BenchScene>& scenes, BenchTable& table,
                    const std::function<void(const BenchScene&)>& measure) {
  for (const BenchScene& scene : scenes) try {
      measure(scene);
    } catch (const InputError& error) {
      if (scenes.size() == 1) throw;
      table.notes.push_back(scene.name + " is left out: " + error.what());
    }
}

void BenchResults::add_to(CLI::App& app) {
  const auto file = [&](const char* name, const char* extension, std::optional<std::string>& target,
                        const char* help) {
    files_.add_option(app, "Results", name, extension, target, "FILE", help);
  };
  file("--csv", ".csv", csv_, "All figures, one per line.");
  file("--json", ".json", json_, "All figures as JSON.");
  file("--markdown", ".md", markdown_, "The tables for a document.");
}

int BenchResults::run(const std::vector<BenchSection>& sections, std::vector<BenchTable>& tables) {
  std::size_t printed = 0;
  const auto print = [&] {
    for (; printed < tables.size(); ++printed) std::printf("%s\n", text_of(tables[printed]).c_str());
    std::fflush(stdout);
  };
  try {
    for (const BenchSection& section : sections) {
      section(tables);
      print();
    }
  } catch (const Cancelled&) {
  }
  print();
  std::string markdown;
  for (const BenchTable& table : tables)
    markdown += "<!-- bench: " + table.id + " -->\n" + markdown_of(table) + "<!-- end -->\n\n";
  files_.attempt(csv_, [&](const std::string& path) { write_file(path, csv_of(tables)); });
  files_.attempt(json_, [&](const std::string& path) { write_file(path, json_of(tables)); });
  files_.attempt(markdown_, [&](const std::string& path) { write_file(path, markdown); });
  return status_at_end(files_.lost(), "measured");
}

BenchTable machine_table(int threads) {
#if defined(__clang__)
  const std::string compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  const std::string compiler = "GCC " __VERSION__;
#else
  const std::string compiler = "unknown";
#endif
  return {.id = "machine",
          .title = "Machine and build",
          .columns = {{"what", "what", ""}, {"value", "", ""}},
          .rows = {{std::string("program"), "clothlab " + std::string(program_version())},
                   {std::string("commit"), std::string(program_commit())},
                   {std::string("processor"), processor()},
                   {std::string("cores in use"), static_cast<long long>(threads)},
                   {std::string("compiler"), compiler}}};
}

}  // namespace clothlab
