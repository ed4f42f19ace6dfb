// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <glm/geometric.hpp>

#include "cli/analyses/method_analysis.h"
#include "cli/interrupt.h"
#include "integrate/stabilised_rods.h"

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

Drift drift(const ClothSystem& system, const State& state) {
  Drift worst;
  for (const ElasticElement e : system.elements()) {
    if (!e.stretch) continue;
    const vec3 x = state.x[e.i] - state.x[e.j];
    const double l = glm::length(x);
    worst.length = std::max(worst.length, std::abs(l - e.rest_length));
    if (l > 0) worst.rate = std::max(worst.rate, std::abs(glm::dot(x, state.v[e.i] - state.v[e.j])) / l);
  }
  return worst;
}

/// The total energy of a scene with rods [J].
double energy_of(const ClothSystem& system, WorkerPool& pool, const State& state) {
  const ClothSystem::Energies potential = system.energies(pool, state.x);
  double sum = potential.bend + potential.gravity + potential.pressure;
  for (std::size_t i = 0; i < state.v.size(); ++i)
    sum += system.masses()[i] / 2 * glm::dot(state.v[i], state.v[i]);
  return sum;
}

constexpr std::array kStabilisation{
    ParameterSpec{.id = "stabilisation",
                  .title = "Stabilisation",
                  .unit = "",
                  .kind = ParameterSpec::Kind::choice,
                  .max = 3,
                  .help = "Adds only this one of the four runs that constrain velocities.",
                  .choices = kStabilisationNames},
    ParameterSpec{.id = "baumgarte",
                  .title = "Baumgarte",
                  .unit = "1/s",
                  .max = 1e6,
                  .fallback = StabilisationSettings{}.baumgarte,
                  .help = "Rate α at which Baumgarte's stabilisation and cfm remove length errors."},
    ParameterSpec{.id = "cfm",
                  .title = "Constraint force mixing",
                  .unit = "",
                  .max = 1e6,
                  .fallback = StabilisationSettings{}.cfm,
                  .help = "Speed per force with which cfm lets a rod yield, in (m/s)/N."}};

struct DriftAnalysis final : SceneAnalysis {
  explicit DriftAnalysis(const SubcommandContext& context)
      : SceneAnalysis(
            context, "method,step,time,length_error,rate,total_energy,rod_force\n",
            two_panels("Stretch springs as rods: errors of lengths and velocities", {.title = "time [s]"},
                       {.title = "largest |l − L|: error of a length [m]",
                        .logarithmic = true,
                        .range = AxisRange{1e-18, 10.0}},
                       {.title = "largest |n·v_ij|: speed at which a length would change [m/s]",
                        .logarithmic = true,
                        .range = AxisRange{1e-18, 10.0}})) {
    chart.panels.push_back({.x = chart.panels[0].x, .y = {.title = "total energy [J]"}});
  }

  StabilisationSettings settings;
  std::optional<Stabilisation> only;

  void add_options(CLI::App& app) override {
    options.add_parameter(app, kStabilisation[0],
                          [this](double value) { only = static_cast<Stabilisation>(value); });
    options.add_parameter(app, kStabilisation[1], [this](double value) { settings.baumgarte = value; });
    options.add_parameter(app, kStabilisation[2], [this](double value) { settings.cfm = value; });
    add_run_to(app, 500, {"--integrator", "--velocity-projection"});
  }

  struct Run {
    ChartCurve look;
    std::string_view name;
    Points points = {};
    Drift worst = {};
  };

  void run_one(const IntegratorInfo& info, const Scene& tried, std::uint64_t steps, bool plain) {
    Simulation simulation(tried, loaded.mesh, *pool, stop);
    ChartCurve look = curve(info);
    if (plain) look.label = "plain PBD (projection off)";
    if (plain) look.dash = kChartDash;
    Run run{look, plain ? "plain-pbd" : label_of(info)};
    const auto add_state = [&] {
      const StepRecord& record = simulation.record();
      add(run, record.step, simulation.system(), simulation.state(), record.energy.total, record.rod_force);
    };
    add_state();
    const StepStatus status =
        run_steps(simulation, steps, *pool, stop, [&](const StepTime&) { add_state(); });
    finish(std::move(run), status == StepStatus::blown_up);
  }

  /// The scene's cloth and pins, without contact, by steps of their own.
  void run_stabilised(Stabilisation kind, const IntegratorInfo& coloured, std::uint64_t steps) {
    const Simulation simulation(loaded.scene, loaded.mesh, *pool, stop);
    const ClothSystem& system = simulation.system();
    StabilisedRods method({kind, settings.baumgarte, settings.cfm});
    State state = simulation.state();
    const std::string_view name = kStabilisationNames[static_cast<std::size_t>(kind)];
    Run run{curve(coloured), name};
    run.look.label = "velocities: " + std::string(name);
    run.look.dash = {3, 4};
    const auto add_state = [&](std::uint64_t step, double rod_force) {
      const double energy = energy_of(system, *pool, state);
      add(run, step, system, state, energy, rod_force);
      return std::isfinite(energy);
    };
    bool good = add_state(0, 0);
    for (std::uint64_t step = 1; good && step <= steps; ++step) {
      StepReport report;
      for (int part = 0; part < loaded.scene.substeps && !report.stopped; ++part)
        report = method.advance(system, state, loaded.scene.h(), {loaded.scene.solver, *pool, stop});
      if (report.stopped) break;
      double largest = 0;
      for (const double force : report.rod_forces) largest = std::max(largest, std::abs(force));
      good = add_state(step, largest);
    }
    finish(std::move(run), !good);
  }

  void add(Run& run, std::uint64_t step, const ClothSystem& system, const State& state, double energy,
           double rod_force) {
    const Drift now = drift(system, state);
    run.worst = {std::max(run.worst.length, now.length), std::max(run.worst.rate, now.rate)};
    csv += csv_row(run.name, step, state.t, now.length, now.rate, energy, rod_force);
    run.points.add(state.t, {now.length, now.rate, energy});
  }

  void finish(Run run, bool blew_up) {
    const std::vector<double>& energy = run.points.y[2];
    std::printf("%-32s %16.3g %16.3g %16.6f%s\n", run.look.label.c_str(), run.worst.length, run.worst.rate,
                energy.back() - energy.front(), blew_up ? "  blew up" : "");
    add_curves(run.look, std::move(run.points));
  }

  /// One after the other; with --integrators only if --stabilisation names one.
  void add_stabilised(std::uint64_t steps) {
    if (names_integrators() && !only) return;
    const Scene& of = loaded.scene;
    if (of.floor.on || of.wind.on || !of.obstacles.bodies.empty() || !of.drivers.empty()) {
      std::fprintf(stderr, "clothlab: left out: --stabilisation: it has no contact, wind and drivers.\n");
      return;
    }
    constexpr std::array kColours{"explicit-euler", "velocity-verlet", "bdf2", "implicit-midpoint"};
    for (std::size_t k = 0; k < kColours.size(); ++k)
      if (const auto kind = static_cast<Stabilisation>(k);
          !Interrupt::requested() && only.value_or(kind) == kind)
        run_stabilised(kind, *find_integrator(kColours[k]), steps);
  }

  void measure_all() override {
    load_or(rod_pendulum());
    leave_out_for(loaded.scene);
    const std::uint64_t steps = run_length();
    std::printf("%-32s %16s %16s %16s\n", "largest over the run", "|l - L| [m]", "|n·v_ij| [m/s]",
                " energy gain [J]");
    leave_out([](const IntegratorInfo& info) { return !info.inextensible; },
              names_integrators() ? "their stretch springs are elastic" : nullptr);
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) {
      Scene tried = scene_for(info);
      const bool projects =
          std::ranges::find(info.parameters, kProjection, &ParameterSpec::id) != info.parameters.end();
      tried.integrator_parameters.erase(kProjection);
      run_one(info, tried, steps, false);
      if (!projects || Interrupt::requested()) return;
      tried.integrator_parameters[kProjection] = 0;
      run_one(info, tried, steps, true);
    });
    is_completed([&] { add_stabilised(steps); });
  }
};

}  // namespace

const SubcommandRow kDriftAnalysis{
    "drift",
    "Methods that treat stretch springs as rods: errors of lengths and velocities, and the energy, over "
    "time; PBD\nwith and without velocity projection, and rods that constrain velocities only, with each "
    "kind of stabilisation.\nWithout a scene: a pendulum of one rod, at --dt 0.01; options change it like "
    "any scene.",
    make_subcommand<DriftAnalysis>};

}  // namespace clothlab
