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

/// A point of the curves.
struct DriftPoint {
  std::uint64_t step = 0;
  double time = 0;  // [s]
  Drift drift;
  double energy = 0, rod_force = 0;  // [J], [N]
};

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

  std::array<std::optional<std::string>, kStabilisation.size()> texts;
  StabilisationSettings settings;
  std::optional<Stabilisation> only;

  void add_to(CLI::App& app) override {
    MethodAnalysis::add_to(app);
    for (std::size_t p = 0; p < texts.size(); ++p)
      add_parameter_option(app, kStabilisation[p], texts[p])->group(kAnalysisGroup);
    add_run_to(app, 500, {"--integrator", "--velocity-projection"});
  }

  void run_one(const IntegratorInfo& info, const Scene& tried, std::uint64_t steps, bool plain) {
    Simulation simulation(tried, loaded.mesh, *pool, stop);
    ChartCurve look = curve(info);
    if (plain) look.label = "plain PBD (projection off)";
    if (plain) look.dash = kChartDash;
    std::vector<DriftPoint> moments;
    const auto add_state = [&] {
      const StepRecord& record = simulation.record();
      moments.push_back({record.step, record.time, drift(simulation.system(), simulation.state()),
                         record.energy.total, record.rod_force});
    };
    add_state();
    const StepStatus status =
        run_steps(simulation, steps, *pool, stop, [&](const StepTime&) { add_state(); });
    add(look, plain ? "plain-pbd" : label_of(info), moments, status == StepStatus::blown_up);
  }

  /// The scene's cloth and pins, without contact, by steps of their own.
  void run_stabilised(Stabilisation kind, const IntegratorInfo& coloured, std::uint64_t steps) {
    const Simulation simulation(loaded.scene, loaded.mesh, *pool, stop);
    const ClothSystem& system = simulation.system();
    StabilisedRods method({kind, settings.baumgarte, settings.cfm});
    State state = simulation.state();
    std::vector<DriftPoint> moments;
    const auto add_state = [&](std::uint64_t step, double rod_force) {
      moments.push_back({step, state.t, drift(system, state), energy_of(system, *pool, state), rod_force});
      return std::isfinite(moments.back().energy);
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
    ChartCurve look = curve(coloured);
    look.label = "velocities: " + std::string(kStabilisationNames[static_cast<std::size_t>(kind)]);
    look.dash = {3, 4};
    add(look, kStabilisationNames[static_cast<std::size_t>(kind)], moments, !good);
  }

  void add(const ChartCurve& look, std::string_view name, const std::vector<DriftPoint>& moments,
           bool blew_up) {
    for (ChartPanel& panel : chart.panels) panel.curves.push_back(look);
    Drift worst;
    for (const DriftPoint& at : moments) {
      worst = {std::max(worst.length, at.drift.length), std::max(worst.rate, at.drift.rate)};
      csv += csv_row(name, at.step, at.time, at.drift.length, at.drift.rate, at.energy, at.rod_force);
      const std::array values{at.drift.length, at.drift.rate, at.energy};
      for (std::size_t p = 0; p < values.size(); ++p) {
        ChartCurve& shown = chart.panels[p].curves.back();
        shown.x.push_back(at.time);
        shown.y.push_back(values[p]);
      }
    }
    std::printf("%-32s %16.3g %16.3g %16.6f%s\n", look.label.c_str(), worst.length, worst.rate,
                moments.back().energy - moments.front().energy, blew_up ? "  blew up" : "");
  }

  void read_stabilisation() {
    if (texts[0]) only = static_cast<Stabilisation>(parse_parameter(kStabilisation[0], *texts[0]));
    if (texts[1]) settings.baumgarte = parse_parameter(kStabilisation[1], *texts[1]);
    if (texts[2]) settings.cfm = parse_parameter(kStabilisation[2], *texts[2]);
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
    read_stabilisation();
    load_or(rod_pendulum());
    leave_out_for(loaded.scene);
    const std::uint64_t steps = run_length();
    std::printf("%-32s %16s %16s %16s\n", "largest over the run", "|l - L| [m]", "|n·v_ij| [m/s]",
                " energy gain [J]");
    leave_out([](const IntegratorInfo& info) { return !info.inextensible; },
              names_integrators() ? "their stretch springs are elastic" : nullptr);
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
