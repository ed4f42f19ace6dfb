// SPDX-License-Identifier: MIT
#include "cli/bench/bench.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/interrupt.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "core/quantile.h"

namespace clothlab {

double mean(const std::vector<double>& values) {
  // 0 / 0 is not a number.
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double median(const std::vector<double>& values) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(values, 0.5);
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
  StepLoop loop(simulation, static_cast<std::uint64_t>(plan.warm_up + plan.steps), pool, Interrupt::probe());
  RunFigures figures;
  double spent = 0;
  for (int counted = -plan.warm_up; spent <= plan.seconds; ++counted) {
    // The middle step of each of equal parts of the counted steps.
    const auto sampled = static_cast<int>(figures.samples.size());
    if (sampled < plan.samples && counted >= (2 * sampled + 1) * plan.steps / (2 * plan.samples))
      figures.samples.push_back(simulation.state());
    if (!loop.next()) break;
    const StepRecord& record = simulation.record();
    figures.converged = figures.converged && record.converged;
    figures.energy_made = std::max(figures.energy_made, record.books.from_nothing());
    if (counted == -plan.warm_up) figures.first_ms = loop.took().wall;
    if (counted < 0) continue;
    figures.add(record, loop.took(), loaded.scene.dt);
    figures.iterations.push_back(record.cg_iterations);
    figures.newton.push_back(record.newton_iterations);
    figures.contacts.push_back(static_cast<double>(record.contacts.pairs));
    figures.candidates.push_back(static_cast<double>(record.contacts.candidates));
    spent += loop.took().wall * 1e-3;
  }
  if (loop.stopped()) throw Cancelled();
  if (loop.blew_up()) figures.blow_up = blow_up_text(simulation, pool);
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

}  // namespace clothlab
