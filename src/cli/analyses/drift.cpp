// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <glm/geometric.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/analyses/analysis.h"
#include "cli/analyses/analyze_options.h"
#include "cli/interrupt.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "io/csv.h"

namespace clothlab {
namespace {

constexpr const char* kProjection = "velocity-projection";

/// A rod of 1 m with 0.1 kg at its end, let go when it is level.
Scene rod_pendulum() {
  Scene scene;
  scene.mesh = GeneratedSource{"pendulum"};
  scene.pins = std::vector<std::uint32_t>{0};
  scene.material.spring_damping = 0;
  scene.dt = 0.01;
  scene.solver.newton_tolerance = 1e-6;
  scene.initial_state = InitialState{{vec3(0), vec3(1, 0, 0)}, {vec3(0), vec3(0)}};
  return scene;
}

/// How far stretch springs are from being rods.
struct Drift {
  double length = 0;  ///< largest |l − L| [m]
  double rate = 0;    ///< largest |n·v_ij|, the speed at which a length would change [m/s]
};

Drift drift(const Simulation& simulation) {
  Drift worst;
  const State& state = simulation.state();
  for (const ElasticElement e : simulation.system().elements()) {
    if (!e.stretch) continue;
    const vec3 x = state.x[e.i] - state.x[e.j];
    const double l = glm::length(x);
    worst.length = std::max(worst.length, std::abs(l - e.rest_length));
    if (l > 0) worst.rate = std::max(worst.rate, std::abs(glm::dot(x, state.v[e.i] - state.v[e.j])) / l);
  }
  return worst;
}

struct DriftAnalysis final : Analysis {
  explicit DriftAnalysis(const Services& services) : options(services) {}

  AnalyzeOptions options;
  SceneOptions scene;
  LengthOptions length{500};

  std::string csv = "method,step,time,length_error,rate,total_energy\n";
  Chart chart{.title = "Stretch springs as rods: length changes that the velocities leave",
              .panels = {{.x = {.title = "time [s]"},
                          .y = {.title = "largest |n·v_ij|: speed at which a length would change [m/s]",
                                .logarithmic = true,
                                .range = AxisRange{1e-18, 10.0}},
                          .curves = {}},
                         {.x = {.title = "time [s]"}, .y = {.title = "total energy [J]"}, .curves = {}}}};

  void add_to(CLI::App& app) override {
    options.add_to(app);
    length.add_to(app);
    scene.add_to(app);
    for (const std::string fixed : {"integrator", kProjection})
      app.remove_option(app.get_option("--" + fixed));
  }

  void run_one(const IntegratorInfo& info, const Scene& tried, const LoadedScene& loaded, WorkerPool& pool,
               std::uint64_t steps, bool plain) {
    Simulation simulation(tried, loaded.mesh, pool, Interrupt::probe());
    ChartCurve rate = options.curve(info);
    if (plain) rate.label = "plain PBD (projection off)";
    if (plain) rate.dash = kChartDash;
    ChartCurve energy = rate;
    const double start = simulation.record().energy.total;
    Drift worst;
    const char* ended = "";
    for (std::uint64_t k = 0;; ++k) {
      const StepRecord& record = simulation.record();
      const Drift now = drift(simulation);
      worst = {std::max(worst.length, now.length), std::max(worst.rate, now.rate)};
      csv += (plain ? "plain-pbd" : std::string(info.id)) + "," +
             csv_line({static_cast<long long>(record.step), record.time, now.length, now.rate,
                       record.energy.total});
      rate.x.push_back(record.time);
      rate.y.push_back(now.rate);
      energy.y.push_back(record.energy.total);
      if (k == steps || Interrupt::requested()) break;
      const StepStatus status = simulation.step(pool, Interrupt::probe());
      if (status == StepStatus::blown_up) ended = "  blew up";
      if (status != StepStatus::done) break;
    }
    energy.x = rate.x;
    std::printf("%-32s %16.3g %16.3g %16.6f%s\n", rate.label.c_str(), worst.length, worst.rate,
                energy.y.back() - start, ended);
    chart.panels[0].curves.push_back(std::move(rate));
    chart.panels[1].curves.push_back(std::move(energy));
  }

  int run() override {
    const Interrupt interrupt;
    options.check();
    const LoadedScene loaded = load_with_state(
        scene.names_a_scene() ? scene.scene() : scene.applied_to(rod_pendulum()), scene, options.outputs());
    options.leave_out_for(loaded.scene);
    WorkerPool pool(scene.threads());
    const std::uint64_t steps = length.steps(loaded.scene.dt, scene.steps_of_summary());
    std::printf("%-32s %16s %16s %16s\n", "largest over the run", "|l - L| [m]", "|n·v_ij| [m/s]",
                " energy gain [J]");
    std::vector<const IntegratorInfo*> skipped;
    options.for_each(scene.quiet(), [&](const IntegratorInfo& info) {
      if (!info.inextensible) {
        skipped.push_back(&info);
        return;
      }
      Scene tried = loaded.scene;
      tried.integrator = info.id;
      const bool projects =
          std::ranges::find(info.parameters, kProjection, &ParameterSpec::id) != info.parameters.end();
      tried.integrator_parameters.erase(kProjection);
      run_one(info, tried, loaded, pool, steps, false);
      if (!projects || Interrupt::requested()) return;
      tried.integrator_parameters[kProjection] = 0;
      run_one(info, tried, loaded, pool, steps, true);
    });
    if (options.names_integrators())
      AnalyzeOptions::report_skipped(skipped, "their stretch springs are elastic");
    return options.finish(csv, chart);
  }
};

}  // namespace

std::unique_ptr<Analysis> make_drift_analysis(const Services& services) {
  return std::make_unique<DriftAnalysis>(services);
}

}  // namespace clothlab
