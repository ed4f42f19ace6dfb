// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/analyses/method_analysis.h"
#include "core/error.h"
#include "core/quantile.h"
#include "experiments/step_trial.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

/// Of the scene's stiffness.
double stiffness_factor(int level) { return 0.01 * std::pow(10, 0.5 * level); }

struct Cost final : SceneAnalysis {
  explicit Cost(const SubcommandContext& context)
      : SceneAnalysis(context,
                      "integrator,stretch_stiffness,h_omega_max,steps,blew_up,ms_per_step,newton_per_step,"
                      "cg_per_step,products_per_step,unconverged_steps,force_evaluations_per_step\n",
                      two_panels("Cost of a step over the stiffness of the cloth",
                                 {.title = "stretch stiffness [N/m]", .logarithmic = true},
                                 {.title = "time of a step [ms], median", .logarithmic = true},
                                 {.title = "CG iterations, or products of the exponential, per step",
                                  .logarithmic = true})) {}

  int levels = 11;

  void add_options(CLI::App& app) override {
    options.add_whole(
        app, "levels", levels, 1, 21,
        "Number of stiffnesses, each √10 times the one before, from a hundredth of the scene's; default 11.");
    add_run_to(app, 60, {"--integrator", "--adaptive-dt"});
  }

  Scene at_level(int level) const {
    Scene stiffer = loaded.scene;
    Material& material = stiffer.material;
    material.set_stretch_scale(material.stretch_scale() * stiffness_factor(level));
    (material.is_fabric() ? material.fabric.bending : material.bend_stiffness) *= stiffness_factor(level);
    return stiffer;
  }

  void check_levels() const {
    for (const int level : {0, levels - 1}) {
      try {
        check_parameters(at_level(level));
      } catch (const InputError& error) {
        throw InputError("levels: the " + std::string(level == 0 ? "first" : "last") +
                         " one is out of range. " + error.what());
      }
    }
  }

  void measure(const IntegratorInfo& info, std::uint64_t steps) {
    Points curves;
    std::string evaluations;
    std::printf("%-29s", std::string(label_of(info)).c_str());
    is_completed([&] {
      for (int level = 0; level < levels; ++level) {
        LoadedScene stiffer = loaded;
        stiffer.scene = at_level(level);
        const StepTrial trial = try_step_size(stiffer, info, loaded.scene.dt, steps, *pool, stop);
        const bool blew_up = trial.good_steps() < steps;
        const double ms = blew_up ? NAN : quantile(trial.step_ms, 0.5),
                     newton = trial.per_step(trial.newton_iterations),
                     cg = trial.per_step(trial.cg_iterations), products = trial.per_step(trial.products),
                     forces = trial.per_step(trial.force_evaluations);
        const double stiffness = stiffer.scene.material.stretch_scale(),
                     h = loaded.scene.dt / loaded.scene.substeps;
        csv += csv_row(label_of(info), stiffness, h * loaded.omega_max * std::sqrt(stiffness_factor(level)),
                       trial.good_steps(), blew_up, ms, newton, cg, products, trial.not_converged, forces);
        curves.add(stiffness, {ms, blew_up ? NAN : cg + products});
        if (blew_up)
          std::printf(" %9s", "blew up");
        else
          std::printf(" %9.3g", cg + products);
        char cell[16];
        std::snprintf(cell, sizeof cell, " %9.3g", forces);
        evaluations += blew_up ? std::string(10, ' ') : cell;
        std::fflush(stdout);
      }
    });
    std::printf("\n%-29s%s\n", "  evaluations of forces", evaluations.c_str());
    ChartCurve look = curve(info, true);
    if (info.family == IntegratorFamily::exponential) look.dash = kChartDash;
    add_curves(look, std::move(curves));
  }

  std::vector<Scene> runs() const override { return runs_and_omega_max(); }

  void measure_all() override {
    Scene sheet;
    sheet.mesh = GridSource{20, 20, 1, 1};
    sheet.dt = 1.0 / 240;
    load_or(sheet);
    leave_out_for(loaded.scene);
    check_levels();
    measure_omega_max(loaded, *pool, stop);
    const std::uint64_t steps = run_length();
    if (steps == 0) throw InputError("steps: there must be at least one.");
    if (!names_integrators())
      leave_out(
          [](const IntegratorInfo& info) {
            return info.family == IntegratorFamily::explicit_method ||
                   info.family == IntegratorFamily::position_based;
          },
          "the work of their steps does not depend on the stiffness");
    std::printf(
        "CG iterations, or products of the exponential, per step of %g s, over the stretch stiffness "
        "[N/m]; below them evaluations of the forces\n%-29s",
        loaded.scene.dt, "integrator");
    for (int level = 0; level < levels; ++level)
      std::printf(" %9.3g", at_level(level).material.stretch_scale());
    std::printf("\n");
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) { measure(info, steps); });
  }
};

}  // namespace

const SubcommandRow kCostAnalysis{
    "cost",
    "Work and time of a step over the stiffness of the cloth, by implicit, exponential and split methods. "
    "Without a\nscene: a sheet of 20 x 20 particles, at --dt 1/240; options change it like any scene.",
    make_subcommand<Cost>};

}  // namespace clothlab
