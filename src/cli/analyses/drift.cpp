// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <glm/geometric.hpp>
#include <utility>

#include "cli/analyses/method_analysis.h"
#include "cli/interrupt.h"

namespace clothlab {
namespace {

constexpr const char* kProjection = "velocity-projection";

/// A rod of 1 m with 0.1 kg at its end, released from a level position.
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

/// Deviations of stretch springs from rods.
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

struct DriftAnalysis final : SceneAnalysis {
  explicit DriftAnalysis(const SubcommandContext& context)
      : SceneAnalysis(context, "method,step,time,length_error,rate,total_energy,rod_force\n",
                      two_panels("Stretch springs as rods: length changes that the velocities leave",
                                 {.title = "time [s]"},
                                 {.title = "largest |n·v_ij|: speed at which a length would change [m/s]",
                                  .logarithmic = true,
                                  .range = AxisRange{1e-18, 10.0}},
                                 {.title = "total energy [J]"})) {}

  LengthOptions length{500};

  void add_to(CLI::App& app) override {
    MethodAnalysis::add_to(app);
    length.add_to(app);
    add_scene_to(app, {"--integrator", "--velocity-projection"});
  }

  void run_one(const IntegratorInfo& info, const Scene& tried, std::uint64_t steps, bool plain) {
    Simulation simulation(tried, loaded.mesh, *pool, stop);
    ChartCurve look = curve(info);
    if (plain) look.label = "plain PBD (projection off)";
    if (plain) look.dash = kChartDash;
    Points curves;
    const double start = simulation.record().energy.total;
    Drift worst;
    const auto add_state = [&] {
      const StepRecord& record = simulation.record();
      const Drift now = drift(simulation);
      worst = {std::max(worst.length, now.length), std::max(worst.rate, now.rate)};
      csv += csv_row(plain ? "plain-pbd" : label_of(info), record.step, record.time, now.length, now.rate,
                     record.energy.total, record.rod_force);
      curves.add(record.time, now.rate, record.energy.total);
    };
    add_state();
    const StepStatus status =
        run_steps(simulation, steps, *pool, stop, [&](const StepTime&) { add_state(); });
    std::printf("%-32s %16.3g %16.3g %16.6f%s\n", look.label.c_str(), worst.length, worst.rate,
                curves.y1.back() - start, status == StepStatus::blown_up ? "  blew up" : "");
    add_curves(look, std::move(curves));
  }

  void measure_all() override {
    load_or(rod_pendulum());
    leave_out_for(loaded.scene);
    const std::uint64_t steps = length.steps(loaded.scene.dt, scene);
    std::printf("%-32s %16s %16s %16s\n", "largest over the run", "|l - L| [m]", "|n·v_ij| [m/s]",
                " energy gain [J]");
    std::vector<const IntegratorInfo*> skipped;
    for_each([&](const IntegratorInfo& info) {
      if (!info.inextensible) {
        skipped.push_back(&info);
        return;
      }
      Scene tried = scene_for(info);
      const bool projects =
          std::ranges::find(info.parameters, kProjection, &ParameterSpec::id) != info.parameters.end();
      tried.integrator_parameters.erase(kProjection);
      run_one(info, tried, steps, false);
      if (!projects || Interrupt::requested()) return;
      tried.integrator_parameters[kProjection] = 0;
      run_one(info, tried, steps, true);
    });
    if (names_integrators()) report_skipped(skipped, "their stretch springs are elastic");
  }
};

}  // namespace

const SubcommandRow kDriftAnalysis{
    "drift",
    "Methods that treat stretch springs as rods: the rate at which their velocities change the lengths, and "
    "the\nenergy, over time; PBD with and without velocity projection. Without a scene: a pendulum of one "
    "rod, at\n--dt 0.01; options change it like any scene.",
    make_subcommand<DriftAnalysis>};

}  // namespace clothlab
