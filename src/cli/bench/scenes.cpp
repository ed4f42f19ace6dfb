// SPDX-License-Identifier: MIT
#include "cli/bench/bench.h"
#include "core/quantile.h"
#include "integrate/registry.h"

namespace clothlab {
namespace {

BenchTable step_table(const BenchSettings& settings) {
  const std::string all = threads_text(settings.pool.threads());
  return {
      .id = "steps",
      .title = "Whole steps, " + all + ", steps 21 to " + std::to_string(20 + settings.steps),
      .columns = {{"scene", "scene", ""},
                  {"particles", "particles", ""},
                  {"integrator", "integrator", ""},
                  {"h_ms", "h", "ms", 3},
                  {"step_ms_mean", "mean", "ms/step", 3},
                  {"step_ms_median", "median", "ms", 3},
                  {"step_ms_p95", "p95", "ms", 3},
                  {"step_cpu_ms_median", "processor, median", "ms", 3},
                  {"real_time_factor", "real time", "×", 3},
                  {"first_step_ms", "first step", "ms", 3},
                  {"one_thread_ms", "1 thread", "ms/step", 3},
                  {"thread_gain", "gain", "×", 3},
                  {"iterations_median", "CG it.", "median", 3},
                  {"iterations_max", "CG it.", "max", 3},
                  {"ns_per_particle", "each particle", "ns/step", 3},
                  {"max_strain_percent", "max strain", "%", 3},
                  {"end", "end", ""}},
      .notes = {
          "Mean: total time over the number of steps. Processor: the time of all threads. Real time: h over "
          "the mean; above 1 it is faster. Gain: 1 thread over " +
          all + "."}};
}

}  // namespace

void bench_scenes(const BenchSettings& settings, const std::vector<BenchScene>& scenes,
                  std::vector<BenchTable>& tables) {
  BenchTable& table = tables.emplace_back(step_table(settings));
  for_each_scene(scenes, table, [&](const BenchScene& scene) {
    settings.begin(scene.name);
    const LoadedScene loaded = scene.load();
    const RunPlan plan{.steps = settings.steps};
    const RunFigures run = run_scene(loaded, settings.pool, plan);
    const RunFigures alone = settings.pool.threads() > 1 ? run_scene(loaded, settings.alone, plan) : run;
    const auto particles = static_cast<long long>(loaded.mesh->positions.size());
    const double ms = mean(run.step_ms), one = mean(alone.step_ms), h_ms = 1e3 * loaded.scene.dt;
    const bool iterates =
        !run.step_ms.empty() && find_integrator(loaded.scene.integrator)->uses_linear_solver;
    table.rows.push_back({scene.name, particles, loaded.scene.integrator, h_ms, ms, median(run.step_ms),
                          p95(run.step_ms), median(run.step_cpu_ms), h_ms / ms, run.first_ms, one, one / ms,
                          iterates ? median(run.iterations) : kNotMeasured,
                          iterates ? quantile(run.iterations, 1) : kNotMeasured,
                          1e6 * ms / static_cast<double>(particles), 100 * run.max_strain, run.end()});
    if (!run.blow_up.empty()) table.notes.push_back(scene.name + ": " + run.blow_up);
  });
}

}  // namespace clothlab
