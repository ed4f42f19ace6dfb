// SPDX-License-Identifier: MIT
#include "experiments/reversal.h"

#include <cstdio>
#include <utility>

#include "cli/analyses/method_analysis.h"

namespace clothlab {
namespace {

/// The scene "There and back": an undamped strip that swings down from a level position.
Scene there_and_back() {
  Scene scene;
  scene.mesh = GridSource{2, 6, 1, 0.2};
  scene.pins = std::vector<std::uint32_t>{0, 6};
  scene.material.stretch_stiffness = 50;
  scene.material.spring_damping = 0;
  scene.dt = 1.0 / 240;
  scene.solver.newton_tolerance = 1e-12;
  scene.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  return scene;
}

struct ReversalAnalysis final : SceneAnalysis {
  explicit ReversalAnalysis(const SubcommandContext& context)
      : SceneAnalysis(context, "integrator,step,time,error_x,error_v\n",
                      two_panels("Distance from the forward run after all velocities were reversed",
                                 {.title = "time since the reversal [s]"},
                                 {.title = "distance of the positions [m]", .logarithmic = true},
                                 {.title = "distance of the velocities [m/s]", .logarithmic = true})) {}

  void add_options(CLI::App& app) override { add_run_to(app, 1200, {"--integrator"}); }

  void measure(const IntegratorInfo& info, std::uint64_t steps) {
    Simulation simulation(scene_for(info), loaded.mesh, *pool, stop);
    const Reversal reversal = measure_reversal(simulation, steps, *pool, stop);
    Points curves;
    for (const ReversalPoint& p : reversal.points) {
      const double time = static_cast<double>(p.step) * loaded.scene.dt;
      csv += csv_row(label_of(info), p.step, time, p.error_x, p.error_v);
      curves.add(time, {p.error_x, p.error_v});
    }
    const ReversalPoint end = reversal.points.empty() ? ReversalPoint{} : reversal.points.back();
    std::printf("%-32s", std::string(label_of(info)).c_str());
    if (reversal.status == StepStatus::done)
      std::printf(" %14.3g %14.3g %14.3g\n", end.error_x, end.error_v, reversal.energy_gain);
    else
      std::printf(" %s\n", reversal.status == StepStatus::blown_up ? "blew up" : "stopped");
    if (!curves.x.empty()) add_curves(curve(info), std::move(curves));
  }

  void measure_all() override {
    load_or(there_and_back());
    leave_out_for(loaded.scene);
    const std::uint64_t steps = run_length();
    std::printf("%llu steps of %g s forward and back\n%-32s %14s %14s %14s\n",
                static_cast<unsigned long long>(steps), loaded.scene.dt, "distance from the start", "x [m]",
                "v [m/s]", "energy [J]");
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) { measure(info, steps); });
  }
};

}  // namespace

const SubcommandRow kReversalAnalysis{
    "reversal",
    "Runs forward, reverses all velocities, runs back: the distance from the start. Methods that are "
    "symmetric in\ntime return. Without a scene: an undamped strip of 2 x 6 particles, at --dt 1/240; "
    "options change it like any\nscene.",
    make_subcommand<ReversalAnalysis>};

}  // namespace clothlab
