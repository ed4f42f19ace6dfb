// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/analyses/analysis.h"
#include "cli/analyses/analyze_options.h"
#include "cli/interrupt.h"
#include "cli/output/energy_strip.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "io/csv.h"

namespace clothlab {
namespace {

struct Energy final : Analysis {
  explicit Energy(const Services& services) : options(services) {}

  AnalyzeOptions options;
  SceneOptions scene;
  LengthOptions length{600};
  double highest = -INFINITY, lowest = INFINITY;  ///< of the pictures [J], from runs that did not blow up

  std::string csv = "integrator,step,time,kinetic,stretch,bend,gravity,pressure,total\n";
  Chart chart{.title = "Energies of the same cloth by several integrators",
              .panels = {{.x = {.title = "time [s]"}, .y = {.title = "potential energy [J]"}, .curves = {}},
                         {.x = {.title = "time [s]"}, .y = {.title = "total energy [J]"}, .curves = {}}}};

  void add_to(CLI::App& app) override {
    options.add_to(app);
    length.add_to(app);
    scene.add_to(app);
    app.remove_option(app.get_option("--integrator"));
  }

  void run_one(const IntegratorInfo& info, const LoadedScene& loaded, WorkerPool& pool, std::uint64_t steps) {
    Scene tried = loaded.scene;
    tried.integrator = info.id;
    Simulation simulation(std::move(tried), loaded.mesh, pool, Interrupt::probe());
    const std::string name(info.id);
    ChartCurve potential = options.curve(info);
    ChartCurve total = potential;
    const double start = simulation.record().energy.total;
    std::string ended;
    for (std::uint64_t k = 0;; ++k) {
      const StepRecord& record = simulation.record();
      const EnergyReport& e = record.energy;
      csv += name + "," +
             csv_line({static_cast<long long>(record.step), record.time, e.kinetic, e.stretch, e.bend,
                       e.gravity, e.pressure, e.total});
      potential.x.push_back(record.time);
      potential.y.push_back(e.stretch + e.bend + e.gravity + e.pressure);
      total.y.push_back(e.total);
      if (k == steps || Interrupt::requested()) break;
      const StepStatus status = simulation.step(pool, Interrupt::probe());
      if (status == StepStatus::stopped) break;
      if (status == StepStatus::blown_up) {
        ended = "  blew up in step " + std::to_string(k + 1);
        break;
      }
    }
    total.x = potential.x;
    if (ended.empty()) {
      // The picture is as high above the start as the lowest energy is below; methods that gain may leave it.
      lowest = std::min(lowest, *std::ranges::min_element(potential.y));
      highest = std::max(highest, start + (start - lowest));
    }
    const std::size_t last = total.y.size() - 1;
    std::printf("%-32s %12.6f %12.6f %12.6f %12.6f%s\n", name.c_str(), start, total.y[last / 2] - start,
                total.y[last] - start, simulation.record().energy.kinetic, ended.c_str());
    chart.panels[0].curves.push_back(std::move(potential));
    chart.panels[1].curves.push_back(std::move(total));
  }

  int run() override {
    const Interrupt interrupt;
    options.check();
    const LoadedScene loaded = load_with_state(
        scene.names_a_scene() ? scene.scene() : scene.applied_to(energy_strip()), scene, options.outputs());
    options.leave_out_for(loaded.scene);
    WorkerPool pool(scene.threads());
    const std::uint64_t steps = length.steps(loaded.scene.dt, scene.steps_of_summary());
    std::printf("%-32s %12s %12s %12s %12s\n", "energies [J]", "total, start", "gain, half", "gain, end",
                "kinetic, end");
    options.for_each(scene.quiet(), [&](const IntegratorInfo& info) { run_one(info, loaded, pool, steps); });
    const double margin = 0.04 * (highest - lowest);
    if (margin > 0)
      for (ChartPanel& panel : chart.panels) panel.y.range = AxisRange{lowest - margin, highest + margin};
    return options.finish(csv, chart);
  }
};

}  // namespace

std::unique_ptr<Analysis> make_energy_analysis(const Services& services) {
  return std::make_unique<Energy>(services);
}

}  // namespace clothlab
