// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/analyses/method_analysis.h"
#include "cli/interrupt.h"
#include "core/error.h"
#include "core/quantile.h"
#include "core/text.h"
#include "experiments/method_choice.h"
#include "experiments/step_trial.h"

namespace clothlab {
namespace {

constexpr double kLargestStep = 1.0 / 60;  // [s]
constexpr double kStablePrecision = 0.2;   // of the largest stable step

struct Work final : SceneAnalysis {
  explicit Work(const SubcommandContext& context)
      : SceneAnalysis(
            context,
            "measured,integrator,h,steps,ms_per_step,ms_per_simulated_second,newton_per_step,cg_per_step,"
            "unconverged_steps,error_x,error_v\n",
            two_panels({}, {.title = "time of the run [ms]", .logarithmic = true},
                       {.title = "error of the positions [m]", .logarithmic = true},
                       {.title = "error of the velocities [m/s]", .logarithmic = true})) {}

  std::uint64_t trial_steps = 40;
  double end_time = 0.1;  // [s]
  double longest = 3;     // [s]
  std::optional<Reference> reference;

  void add_options(CLI::App& app) override {
    options.add_whole(app, "steps", trial_steps, 8, 1'000'000,
                      "Steps of each trial of the largest stable h, ten times as many for the "
                      "explicit methods, which take small ones; default 40.");
    options.add_positive(app, "end-time", "S", "s", end_time,
                         "Simulated time after which the error is measured; default 0.1.");
    options.add_positive(
        app, "longest-run", "S", "s", longest,
        "Computing time [s] of a run after which its integrator gets no smaller h; default 3.");
    add_scene_to(app, {"--integrator", "--dt", "--adaptive-dt"});
  }

  // ---- The largest stable step, and its cost

  void measure_cost(const IntegratorInfo& info) {
    const bool is_explicit = info.family == IntegratorFamily::explicit_method;
    StepTrial best;
    const double smallest = smallest_trial_step(loaded.omega_max);
    const StableRange range = find_stable_range(smallest, kLargestStep, kStablePrecision, [&](double h) {
      StepTrial trial =
          try_step_size(loaded, info, h, is_explicit ? 10 * trial_steps : trial_steps, *pool, stop);
      const bool stable = trial.stable;
      if (stable) best = std::move(trial);  // h grows from one stable trial to the next
      return stable;
    });
    const std::string id(label_of(info));
    if (range.stable == 0) {
      std::printf("%-29s no h down to %.3g s was stable\n", id.c_str(), smallest);
      return;
    }
    const double h = range.stable, ms = quantile(best.step_ms, 0.5);
    const double newton = best.per_step(best.newton_iterations), cg = best.per_step(best.cg_iterations);
    std::printf("%-29s %s %-10.4g %9.3f %12.1f %8.1f %9.1f %8llu\n", id.c_str(), range.unstable ? " " : "≥",
                h, ms, ms / h, newton, cg, static_cast<unsigned long long>(best.not_converged));
    std::fflush(stdout);
    csv += csv_row("cost", label_of(info), h, best.good_steps(), ms, ms / h, newton, cg, best.not_converged,
                   NAN, NAN);
  }

  // ---- Error against time

  void find_reference() {
    reference = make_reference(loaded, end_time, *pool, stop);
    std::printf(
        "\nErrors after %g s against %s in %llu steps (half as many: off by %.2g m, %.2g m/s), and the time "
        "of the run.\n%-29s %10s %8s %10s %12s %12s\n",
        end_time, std::string(reference->info->id).c_str(), static_cast<unsigned long long>(reference->steps),
        reference->change_x, reference->change_v, "integrator", "h [s]", "steps", "ms", "error x [m]",
        "error v [m/s]");
  }

  void measure_precision(const IntegratorInfo& info) {
    ChartCurve look = curve(info, true);
    // There are too many curves to distinguish them by colour alone.
    if (info.family == IntegratorFamily::exponential || info.family == IntegratorFamily::position_based)
      look.dash = kChartDash;
    Points curves;
    is_completed([&] {
      for (std::uint64_t steps = coarsest_steps(end_time); 2 * steps < reference->steps; steps *= 2) {
        const RunEnd run = run_to(loaded, scene_for(info), end_time, steps, *pool, stop);
        if (!run.failure.empty()) continue;
        const double x = rms_distance(run.state.x, reference->end.state.x),
                     v = rms_distance(run.state.v, reference->end.state.v);
        const double h = end_time / static_cast<double>(steps), ms = run.took.wall;
        std::printf("%-29s %10.4g %8llu %10.2f %12.3g %12.3g\n", std::string(label_of(info)).c_str(), h,
                    static_cast<unsigned long long>(steps), ms, x, v);
        std::fflush(stdout);
        csv += csv_row("precision", label_of(info), h, steps, ms / static_cast<double>(steps), ms / end_time,
                       NAN, NAN, NAN, x, v);
        curves.add(ms, {x, v});
        if (ms > 1000 * longest) return;
      }
    });
    if (!curves.x.empty()) add_curves(look, std::move(curves));
  }

  void measure_all() override {
    load();
    leave_out_for(loaded.scene);
    measure_omega_max(loaded, *pool, stop);

    std::printf(
        "Largest h up to 1/60 s that was stable for %llu steps (explicit methods: ten times as many), to %g "
        "%%, and its\ncost: medians, on %d thread%s.\n%-29s %12s %9s %12s %8s %9s %8s\n",
        static_cast<unsigned long long>(trial_steps), 100 * kStablePrecision, scene.threads(),
        scene.threads() == 1 ? "" : "s", "integrator", "h [s]", "ms/step", "ms/simul. s", "Newton",
        "CG /step", "not conv.");
    for_each([&](const IntegratorInfo& info) { measure_cost(info); });

    if (!Interrupt::requested()) is_completed([&] { find_reference(); });
    if (!reference) return;
    chart.title = "Error after " + format_plain(end_time) + " s against the time that the run takes";
    leave_out([](const IntegratorInfo& info) { return info.inextensible; },
              "they treat stretch springs as rods, so their cloth differs");
    for_each([&](const IntegratorInfo& info) { measure_precision(info); });
  }
};

}  // namespace

const SubcommandRow kWorkAnalysis{"work",
                                  "Cost of a second of motion with each integrator at its own largest stable "
                                  "h, and the computing time for a\ngiven error.",
                                  make_subcommand<Work>};

}  // namespace clothlab
