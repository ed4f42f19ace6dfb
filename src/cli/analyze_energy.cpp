#include "cli/analyze_energy.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "cli/analyze_options.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "io/csv.h"

namespace clothlab {
namespace {

/// A soft undamped strip of 1 m × 0.16 m, fixed at both ends, that begins as an arch with a twist and falls
/// [after Ascher et al., figure 6; docs/analysis.md].
Scene strip() {
  constexpr int kRows = 5, kCols = 25;
  constexpr double kWidth = 1, kDepth = 0.16;
  Scene scene;
  scene.mesh = GridSource{kRows, kCols, kWidth, kDepth};
  scene.material.mass = 0.1;
  scene.material.stretch_stiffness = 60;
  scene.material.bend_stiffness = 0.6;
  scene.material.spring_damping = 0;
  scene.stepping.dt = 0.005;
  scene.stepping.solver.linear.cg.tolerance = 1e-6;
  InitialState start;
  std::vector<std::uint32_t> ends;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      const double along = double(c) / (kCols - 1), across = double(r) / (kRows - 1);
      const double arch = 0.08 * std::sin(std::numbers::pi * along);
      const double twist = 0.03 * std::sin(2 * std::numbers::pi * along) * (across - 0.5);
      start.positions.emplace_back(kWidth * along, arch + twist, kDepth * across);
      if (c == 0 || c == kCols - 1) ends.push_back(static_cast<std::uint32_t>(r * kCols + c));
    }
  start.velocities.assign(start.positions.size(), vec3(0));
  scene.initial_state = std::move(start);
  scene.pins = std::move(ends);
  return scene;
}

struct Energy {
  explicit Energy(const Services& services) : options(services) {}

  AnalyzeOptions options;
  SceneOptions scene;
  LengthOptions length{600};
  double highest = -INFINITY, lowest = INFINITY;  ///< of the pictures [J], from runs that did not blow up

  std::string csv = "integrator,step,time,kinetic,stretch,bend,gravity,total\n";
  Chart chart{.title = "Energies of the same cloth by several integrators",
              .panels = {{.x = {.title = "time [s]"}, .y = {.title = "potential energy [J]"}, .curves = {}},
                         {.x = {.title = "time [s]"}, .y = {.title = "total energy [J]"}, .curves = {}}}};

  void add_to(CLI::App& app) {
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
    ChartCurve potential{.label = name, .colour = options.colour(info), .x = {}, .y = {}};
    ChartCurve total = potential;
    const double start = simulation.record().energy.total;
    std::string ended;
    for (std::uint64_t k = 0;; ++k) {
      const StepRecord& record = simulation.record();
      const EnergyReport& e = record.energy;
      csv += name + "," +
             csv_line({static_cast<long long>(record.step), record.time, e.kinetic, e.stretch, e.bend,
                       e.gravity, e.total});
      potential.x.push_back(record.time);
      potential.y.push_back(e.stretch + e.bend + e.gravity);
      total.y.push_back(e.total);
      if (k == steps || Interrupt::requested()) break;
      const StepStatus status = simulation.step(Interrupt::probe());
      if (status == StepStatus::stopped) break;
      if (status == StepStatus::blown_up) {
        ended = "  blew up in step " + std::to_string(k + 1);
        break;
      }
    }
    total.x = potential.x;
    if (ended.empty()) {
      // A method that gains may leave the picture: it is as high above the start as the lowest energy is
      // below.
      lowest = std::min(lowest, *std::ranges::min_element(potential.y));
      highest = std::max(highest, start + (start - lowest));
    }
    const std::size_t last = total.y.size() - 1;
    std::printf("%-32s %12.6f %12.6f %12.6f %12.6f%s\n", name.c_str(), start, total.y[last / 2] - start,
                total.y[last] - start, simulation.record().energy.kinetic, ended.c_str());
    chart.panels[0].curves.push_back(std::move(potential));
    chart.panels[1].curves.push_back(std::move(total));
  }

  int run() {
    const Interrupt interrupt;
    options.check();
    const LoadedScene loaded =
        load_with_state(scene.names_a_scene() ? scene.scene() : scene.applied_to(strip()), scene);
    WorkerPool pool(scene.threads());
    const std::uint64_t steps = length.steps(loaded.scene.stepping.dt);
    std::printf("%-32s %12s %12s %12s %12s\n", "energies [J]", "total, start", "gain, half", "gain, end",
                "kinetic, end");
    {
      Progress progress(options.integrators().size(), scene.quiet());
      std::uint64_t done = 0;
      for (const IntegratorInfo* info : options.integrators()) {
        progress.show_part(done++, info->id);
        run_one(*info, loaded, pool, steps);
        if (Interrupt::requested()) break;
      }
    }
    const double margin = 0.04 * (highest - lowest);
    if (margin > 0)
      for (ChartPanel& panel : chart.panels) panel.y.range = std::pair{lowest - margin, highest + margin};
    return options.finish(csv, chart);
  }
};

}  // namespace

std::function<std::optional<int>()> add_analyze_energy(CLI::App& analyze, const Services& services) {
  auto command = std::make_shared<Energy>(services);
  CLI::App& sub = *analyze.add_subcommand(
      "energy",
      "Energies over time, one run by each integrator. Without a scene: a soft undamped strip of 5 x 25\n"
      "particles, fixed at both ends, that falls from an arch; --dt 0.005, and options change it like any "
      "scene.");
  command->add_to(sub);
  return [command, &sub]() -> std::optional<int> {
    if (!sub.parsed()) return std::nullopt;
    return command->run();
  };
}

}  // namespace clothlab
