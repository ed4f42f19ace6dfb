// SPDX-License-Identifier: MIT
#include "experiments/stiff_limit.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/analyses/method_analysis.h"
#include "core/error.h"
#include "core/text.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

/// Of the scene's stiffness.
double factor_of_level(int level) { return std::pow(10, 0.5 * level); }

/// A strip of 2 x 8 particles that hangs from both ends, 0.8 m apart, and comes to rest.
Scene hanging_strip() {
  constexpr double kWidth = 1, kDepth = 0.15;
  constexpr double kAngle = 1.1311;  // sin(a)/a = 0.8, half the arc of the start
  const GridSource sheet{.rows = 2, .cols = 8, .width = kWidth, .depth = kDepth};
  Scene scene = pinned_strip(sheet, [](double along, double across) {
    const double angle = kAngle * (2 * along - 1), radius = kWidth / (2 * kAngle);
    return vec3(radius * std::sin(angle), -radius * std::cos(angle), kDepth * across);
  });
  scene.material.rayleigh_mass = 10;
  scene.dt = 0.01;
  scene.solver.newton_tolerance = 1e-13;
  scene.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  return scene;
}

struct StiffLimitAnalysis final : SceneAnalysis {
  explicit StiffLimitAnalysis(const SubcommandContext& context)
      : SceneAnalysis(
            context, "integrator,stretch_stiffness,largest_rod_force,force_difference,distance\n",
            two_panels(
                "Ever stiffer springs: the limit is a rod with a finite force",
                {.title = "stretch stiffness [N/m]", .logarithmic = true},
                {.title = "largest difference of a spring's force from λ, relative", .logarithmic = true},
                {.title = "distance of the positions from those by rods [m]", .logarithmic = true})) {}

  int levels = 9;

  void add_options(CLI::App& app) override {
    options.add_whole(app, "levels", levels, 1, 21,
                      "Number of stiffnesses, each √10 times the one before, from the scene's; default 9.");
    add_run_to(app, 3000, {"--integrator", "--adaptive-dt"});
  }

  void measure(const IntegratorInfo& info, const SpringForcesAtEnd& rods, std::uint64_t steps) {
    Points curves;
    std::printf("%-29s", std::string(label_of(info)).c_str());
    is_completed([&] {
      for (int level = 0; level < levels; ++level) {
        const double stiffness = factor_of_level(level) * loaded.scene.material.stretch_scale();
        const SpringForcesAtEnd end = run_to_forces(loaded, info, stiffness, steps, *pool, stop);
        if (end.status == StepStatus::stopped) return;
        StiffLimit limit = compare_with_rods(end, rods);
        if (end.status == StepStatus::blown_up) limit.force = limit.distance = NAN;
        csv += csv_row(label_of(info), stiffness, limit.largest, limit.force, limit.distance);
        curves.add(stiffness, {limit.force, limit.distance});
        if (end.status == StepStatus::blown_up)
          std::printf(" %9s", "blew up");
        else
          std::printf(" %9.3g", limit.force);
        std::fflush(stdout);
      }
    });
    std::printf("\n");
    add_curves(curve(info, true), std::move(curves));
  }

  /// Also that with rods.
  std::vector<Scene> runs() const override {
    std::vector<Scene> out = SceneAnalysis::runs();
    out.push_back(scene_for(*find_integrator("rattle")));
    return out;
  }

  void measure_all() override {
    load_or(hanging_strip());
    leave_out_for(loaded.scene);
    const std::uint64_t steps = run_length();
    if (steps == 0) throw InputError("steps: there must be at least one.");
    const double softest = loaded.scene.material.stretch_scale(),
                 most = find_scene_parameter("stretch-stiffness")->spec.max;
    if (factor_of_level(levels - 1) * softest > most)
      throw InputError("levels: the last of them has more than the largest stretch stiffness, " +
                       format_quantity(most, "N/m") + ".");
    const SpringForcesAtEnd rods =
        run_to_forces(loaded, *find_integrator("rattle"), softest, steps, *pool, stop);
    if (rods.status == StepStatus::stopped) return;
    if (rods.status == StepStatus::blown_up)
      throw InputError("The run with rods, by rattle, blew up. Use a smaller --dt.");
    const double largest = compare_with_rods(rods, rods).largest;
    if (!(largest > 0)) throw InputError("No rod of this scene carries a force. Choose a scene with a load.");
    if (!rods.reason.empty())
      std::fprintf(stderr, "clothlab: the rods did not converge: %s.\n", std::string(rods.reason).c_str());
    std::printf(
        "Rods by rattle after %llu steps of %g s: forces up to %.6g N.\n"
        "Relative difference of the springs' forces, over the stretch stiffness [N/m]\n%-29s",
        static_cast<unsigned long long>(steps), loaded.scene.dt, largest, "integrator");
    for (int level = 0; level < levels; ++level) std::printf(" %9.3g", factor_of_level(level) * softest);
    std::printf("\n");
    leave_out(
        [&](const IntegratorInfo& info) {
          const bool by_default =
              info.family == IntegratorFamily::implicit || info.family == IntegratorFamily::linearly_implicit;
          return info.inextensible || (!by_default && !names_integrators());
        },
        names_integrators() ? "their stretch springs are rods" : nullptr);
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) { measure(info, rods, steps); });
  }
};

}  // namespace

const SubcommandRow kStiffLimitAnalysis{
    "stiff-limit",
    "The force of ever stiffer springs at the end of a run: it tends to the force λ of rods. Without a "
    "scene: a\nstrip of 2 x 8 particles that hangs from both ends and comes to rest, at --dt 0.01; options "
    "change it like any\nscene.",
    make_subcommand<StiffLimitAnalysis>};

}  // namespace clothlab
