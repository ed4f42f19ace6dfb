// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <variant>

#include "analysis/stability_meter.h"
#include "cli/bench/bench.h"
#include "core/text.h"
#include "integrate/registry.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

constexpr int kWarmUp = 10;                // steps
constexpr double kMostSecondsOfSteps = 3;  // those that count

/// h [s] of the comparison: 1/60 s, or half of 2/ω_max if that is less and stability depends on h.
double step_of(const IntegratorInfo& info, const LoadedScene& loaded, WorkerPool& pool) {
  const double frame = loaded.scene.dt;
  if (info.family != IntegratorFamily::explicit_method && !info.inextensible) return frame;
  const Simulation simulation(loaded.scene, loaded.mesh, pool);
  StabilityMeter meter;
  const auto omega_max = meter.omega_max(simulation.system(), simulation.state().x,
                                         loaded.scene.solver.jacobian, pool, {}, info.inextensible);
  return std::min(frame, 1 / omega_max.value());
}

constexpr double kRounding = 1e-9;  // [J]
constexpr std::size_t kMeshColumn = 0, kIntegratorColumn = 1, kProcessorColumn = 6, kCostColumn = 8;

BenchTable integrators_table(const BenchSettings& settings) {
  return {
      .id = "integrators",
      .title = "All integrators, " + threads_text(settings.pool.threads()),
      .columns = {{"mesh", "mesh", ""},
                  {"integrator", "integrator", ""},
                  {"h_ms", "h", "ms", 3},
                  {"steps", "steps", ""},
                  {"step_ms_median", "median", "ms/step", 3},
                  {"step_ms_p95", "p95", "ms", 3},
                  {"step_cpu_ms_median", "processor", "ms/step", 3},
                  {"real_time_factor", "real time", "×", 3},
                  {"li", "cost", "LI", 3},
                  {"newton_median", "Newton it.", "median", 3},
                  {"iterations_median", "CG it.", "median", 4},
                  {"residual_max", "residual", "max", 2},
                  {"energy_made_mj", "spurious energy", "mJ", 2},
                  {"max_strain_percent", "max strain", "%", 3},
                  {"end", "end", ""}},
      .notes =
          {"h is the scene's; for explicit methods at most half of 2/ω_max, and for those that take "
           "stretch springs as rods half of that of bending springs. After " +
               std::to_string(kWarmUp) + " steps as many as " + format_plain(kMostSecondsOfSteps) +
               " s allow, at most " + std::to_string(settings.steps) + ".",
           "Processor: the median time of all threads. Real time: h over the median wall time; above 1 it is "
           "faster. LI: processor time of a step of semi-implicit Euler on the same mesh in the same run. "
           "Residual: of the step's equations, relative (Newton's method, projective dynamics: of momentum; "
           "XPBD: of its springs; rods: of the lengths). Spurious energy: the largest that the method "
           "itself, its solvers and its rods have added since the start, according to the energy ledger."},
      .keys = 2};
}

/// The costs of the rows from `first` on, which are of one mesh, once all of them are known.
void fill_costs(BenchTable& table, std::size_t first) {
  double unit = kNotMeasured;
  for (std::size_t r = first; r < table.rows.size(); ++r)
    if (std::get<std::string>(table.rows[r][kIntegratorColumn]) == "semi-implicit-euler")
      unit = std::get<double>(table.rows[r][kProcessorColumn]);
  for (std::size_t r = first; r < table.rows.size(); ++r)
    table.rows[r][kCostColumn] = std::get<double>(table.rows[r][kProcessorColumn]) / unit;
}

}  // namespace

void bench_integrators(const BenchSettings& settings, const std::vector<BenchScene>& scenes,
                       std::vector<BenchTable>& tables) {
  BenchTable& table = tables.emplace_back(integrators_table(settings));
  for_each_scene(scenes, table, [&](const BenchScene& scene) {
    const std::size_t first = table.rows.size();
    const LoadedScene start = scene.load();
    std::map<std::string_view, std::vector<std::string_view>> without;  // by reason
    for (const IntegratorInfo& info : integrators()) {
      if (!supports(start.scene, info)) {
        without[!supports_contact(start.scene.contact.model, info) ? kContactNotSupported
                : supports_seams(start.scene, info)                ? kDistancesNotSupported
                                                                   : kSeamsNotSupported]
            .push_back(info.id);
        continue;
      }
      settings.begin(scene.name + ", " + std::string(info.id));
      LoadedScene loaded = start;
      loaded.scene.integrator = info.id;
      loaded.scene.dt = step_of(info, loaded, settings.pool);
      const RunFigures run =
          run_scene(loaded, settings.pool,
                    {.warm_up = kWarmUp, .steps = settings.steps, .seconds = kMostSecondsOfSteps});
      const double h_ms = 1e3 * loaded.scene.dt, ms = median(run.step_ms);
      table.rows.push_back(
          {scene.name, std::string(info.id), h_ms, static_cast<long long>(run.step_ms.size()), ms,
           p95(run.step_ms), median(run.step_cpu_ms), h_ms / ms,
           kNotMeasured,  // until the costs of all are known
           info.uses_newton ? median(run.newton) : kNotMeasured,
           info.uses_linear_solver ? median(run.iterations) : kNotMeasured,
           run.residual > 0 ? run.residual : kNotMeasured,
           run.spurious_energy > kRounding ? 1e3 * run.spurious_energy : 0, 100 * run.max_strain, run.end()});
      fill_costs(table, first);
    }
    for (const auto& [why, methods] : without)
      table.notes.push_back(scene.name + ": left out are " + joined(methods) + ": " + std::string(why) + ".");
  });
}

Chart integrators_chart(const BenchTable& table) {
  constexpr std::array<Rgb, 6> kColours{Rgb{86, 180, 233}, Rgb{230, 159, 0},   Rgb{0, 158, 115},
                                        Rgb{240, 228, 66}, Rgb{204, 121, 167}, Rgb{213, 94, 0}};
  ChartPanel panel{
      .x = {.title = "time taken / time simulated", .logarithmic = true},
      .y = {.title = "h of the scene, or a share of the method's limit; without a dot it blew up"}};
  const auto count = static_cast<double>(integrators().size());
  for (const IntegratorInfo& info : integrators())
    panel.y.names.insert(panel.y.names.begin(), std::string(info.id));
  const std::vector<double> factors = values_of(table, "real_time_factor");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    const std::string& mesh = std::get<std::string>(row[kMeshColumn]);
    if (panel.curves.empty() || panel.curves.back().label != mesh)
      panel.curves.push_back({.label = mesh,
                              .colour = kColours[panel.curves.size() % kColours.size()],
                              .markers = true,
                              .line = false});
    const IntegratorInfo* info = find_integrator(std::get<std::string>(row[kIntegratorColumn]));
    if (std::get<std::string>(row.back()) == "blew up") continue;
    panel.curves.back().x.push_back(1 / factors[r]);
    panel.curves.back().y.push_back(count - 1 - static_cast<double>(info - integrators().data()));
  }
  // The dots of an integrator are next to each other.
  const auto meshes = static_cast<double>(panel.curves.size());
  for (std::size_t m = 0; m < panel.curves.size(); ++m)
    for (double& y : panel.curves[m].y) y += 0.6 * (0.5 - (static_cast<double>(m) + 0.5) / meshes);
  panel.curves.push_back({.label = "real time",
                          .colour = {226, 230, 236},
                          .dash = kChartDash,
                          .x = {1, 1},
                          .y = {-0.5, count - 0.5}});
  return {.title = "Which integrators run in real time", .panels = {panel}};
}

}  // namespace clothlab
