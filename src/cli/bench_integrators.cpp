// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include "analysis/stability_meter.h"
#include "cli/bench_run.h"
#include "cli/bench_sections.h"
#include "core/quantile.h"
#include "core/text.h"
#include "integrate/registry.h"

namespace clothlab {
namespace {

constexpr int kWarmUp = 10;                // steps
constexpr double kMostSecondsOfSteps = 5;  // those that count

/// h [s] of the comparison: 1/60 s, or half of 2/ω_max where that is less and stability depends on h.
double step_of(const IntegratorInfo& info, const LoadedScene& loaded, WorkerPool& pool) {
  const double frame = loaded.scene.stepping.dt;
  if (info.family != IntegratorFamily::explicit_method && !info.inextensible) return frame;
  const Simulation simulation(loaded.scene, loaded.mesh, pool);
  StabilityMeter meter;
  const auto omega_max = meter.omega_max(simulation.system(), simulation.state().x,
                                         loaded.scene.stepping.solver.jacobian, pool, {}, info.inextensible);
  return std::min(frame, 1 / omega_max.value());
}

}  // namespace

void bench_integrators(const BenchSettings& settings, const BenchScene& scene,
                       std::vector<BenchTable>& tables) {
  const std::size_t first = tables.size();
  tables.push_back(
      {.id = "integrators",
       .title = "All integrators on " + scene.name + ", " + threads_text(settings.pool.threads()),
       .columns = {{"integrator", "integrator", ""},
                   {"h_ms", "h", "ms", 3},
                   {"steps", "steps", ""},
                   {"step_ms_median", "median", "ms/step", 3},
                   {"step_ms_p95", "p95", "ms", 3},
                   {"iterations_median", "CG it.", "median", 4},
                   {"real_time_factor", "time taken", "× simulated", 3},
                   {"max_strain_percent", "max strain", "%", 3},
                   {"end", "end", ""}},
       .notes = {"h is the scene's; for explicit methods at most half of 2/ω_max, and for those that take "
                 "stretch springs as rods half of that of bending springs. After " +
                 std::to_string(kWarmUp) + " steps as many as " + format_plain(kMostSecondsOfSteps) +
                 " s allow, at most " + std::to_string(settings.steps) + "."}});
  const LoadedScene start = scene.load();
  for (const IntegratorInfo& info : integrators()) {
    settings.begin(info.id);
    LoadedScene loaded = start;
    loaded.scene.integrator = info.id;
    loaded.scene.stepping.dt = step_of(info, loaded, settings.pool);
    const RunFigures run = run_scene(
        loaded, settings.pool, {.warm_up = kWarmUp, .steps = settings.steps, .seconds = kMostSecondsOfSteps});
    const bool any = !run.step_ms.empty();
    const double ms = median(run.step_ms);
    const double h_ms = 1e3 * loaded.scene.stepping.dt;
    tables[first].rows.push_back({std::string(info.id), h_ms, static_cast<long long>(run.step_ms.size()), ms,
                                  any ? quantile(run.step_ms, 0.95) : kNotMeasured,
                                  any && info.uses_linear_solver ? median(run.iterations) : kNotMeasured,
                                  ms / h_ms, 100 * run.max_strain, run.end()});
  }
}

}  // namespace clothlab
