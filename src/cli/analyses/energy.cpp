// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <utility>

#include "cli/analyses/method_analysis.h"

namespace clothlab {
namespace {

struct Energy final : SceneAnalysis {
  explicit Energy(const SubcommandContext& context)
      : SceneAnalysis(context, "integrator,step,time,kinetic,stretch,bend,gravity,pressure,total\n",
                      two_panels("Energies of the same cloth by several integrators", {.title = "time [s]"},
                                 {.title = "potential energy [J]"}, {.title = "total energy [J]"})) {}

  double highest = -INFINITY, lowest = INFINITY;  ///< of the pictures [J], from runs that did not blow up

  void add_options(CLI::App& app) override { add_run_to(app, 600, {"--integrator"}); }

  void run_one(const IntegratorInfo& info, std::uint64_t steps) {
    Simulation simulation(scene_for(info), loaded.mesh, *pool, stop);
    Points curves;
    const double start = simulation.record().energy.total;
    const auto add_state = [&] {
      const StepRecord& record = simulation.record();
      const EnergyReport& e = record.energy;
      csv += csv_row(label_of(info), record.step, record.time, e.kinetic, e.stretch, e.bend, e.gravity,
                     e.pressure, e.total);
      curves.add(record.time, {e.stretch + e.bend + e.gravity + e.pressure + e.drivers, e.total});
    };
    add_state();
    const StepStatus status =
        run_steps(simulation, steps, *pool, stop, [&](const StepTime&) { add_state(); });
    const std::vector<double>& total = curves.y[1];
    std::string ended;
    if (status == StepStatus::blown_up) {
      ended = "  blew up in step " + std::to_string(total.size());
    } else {
      // The panel extends as far above the start as the lowest energy is below; methods that gain energy may
      // leave it.
      lowest = std::min(lowest, *std::ranges::min_element(curves.y[0]));
      highest = std::max(highest, start + (start - lowest));
    }
    const std::size_t last = total.size() - 1;
    std::printf("%-32s %12.6f %12.6f %12.6f %12.6f%s\n", std::string(label_of(info)).c_str(), start,
                total[last / 2] - start, total[last] - start, simulation.record().energy.kinetic,
                ended.c_str());
    add_curves(curve(info), std::move(curves));
  }

  void measure_all() override {
    load_or(energy_strip());
    leave_out_for(loaded.scene);
    const std::uint64_t steps = run_length();
    std::printf("%-32s %12s %12s %12s %12s\n", "energies [J]", "total, start", "gain, half", "gain, end",
                "kinetic, end");
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) { run_one(info, steps); });
    const double margin = 0.04 * (highest - lowest);
    if (margin > 0)
      for (ChartPanel& panel : chart.panels) panel.y.range = AxisRange{lowest - margin, highest + margin};
  }
};

}  // namespace

Scene energy_strip() {
  constexpr double kWidth = 1, kDepth = 0.16;
  const GridSource sheet{.rows = 5, .cols = 25, .width = kWidth, .depth = kDepth};
  Scene scene = pinned_strip(sheet, [](double along, double across) {
    const double arch = 0.08 * std::sin(std::numbers::pi * along);
    const double twist = 0.03 * std::sin(2 * std::numbers::pi * along) * (across - 0.5);
    return vec3(kWidth * along, arch + twist, kDepth * across);
  });
  scene.material.mass = 0.1;
  scene.material.stretch_stiffness = 60;
  scene.material.bend_stiffness = 0.6;
  scene.material.spring_damping = 0;
  scene.dt = 0.005;
  scene.solver.linear.cg.tolerance = scene.solver.newton_tolerance = 1e-6;
  return scene;
}

const SubcommandRow kEnergyAnalysis{
    "energy",
    "Energies over time, one run per integrator. Without a scene: a soft undamped strip of 5 x 25 particles, "
    "fixed\nat both ends, that falls from an arch, at --dt 0.005; options change it like any scene.",
    make_subcommand<Energy>};

}  // namespace clothlab
