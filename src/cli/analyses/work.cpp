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
#include "experiments/step_trial.h"

namespace clothlab {
namespace {

constexpr double kLargestStep = 1.0 / 60;  // [s]
constexpr double kStablePrecision = 0.2;   // of the largest stable step
constexpr double kShortRun = 300;          // [ms]; shorter ones are timed three times

/// The state at the end of a run, and the time that its steps took [ms]; `good` unless it blew up.
struct Ended {
  State state;
  double ms = 0;
  bool good = true;
};

/// Difference of two states, root mean square over the particles.
struct Error {
  double x = 0;  ///< [m]
  double v = 0;  ///< [m/s]
};

Error distance(const State& a, const State& b) { return {rms_distance(a.x, b.x), rms_distance(a.v, b.v)}; }

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
  std::optional<State> reference;
  std::uint64_t reference_steps = 0;

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

  /// Throws Cancelled.
  Ended run_to_end(const IntegratorInfo& info, std::uint64_t steps) {
    const Scene tried = trial_scene(loaded, info, end_time / static_cast<double>(steps));
    Ended ended;
    for (int repeat = 0; repeat < 3; ++repeat) {
      Simulation simulation(tried, loaded.mesh, *pool, stop, loaded.model);
      double ms = 0;
      const StepStatus status =
          run_steps(simulation, steps, *pool, stop, [&](const StepTime& took) { ms += took.wall; });
      if (status == StepStatus::stopped) throw Cancelled();
      ended.good = status == StepStatus::done;
      ended.ms = repeat == 0 ? ms : std::min(ended.ms, ms);
      ended.state = simulation.state();
      if (!ended.good || ms > kShortRun) break;
    }
    return ended;
  }

  std::uint64_t coarsest_steps() const {
    return static_cast<std::uint64_t>(std::max(1.0, std::round(end_time / kLargestStep)));
  }

  /// By the method of the highest order, with steps of at most a quarter of the fastest oscillation's limit.
  /// Twice as many steps give an estimate of its error.
  void make_reference() {
    const IntegratorInfo& best = most_accurate_method();
    std::uint64_t steps = coarsest_steps();
    while (end_time / static_cast<double>(steps) > 0.5 / loaded.omega_max) steps *= 2;
    const Ended coarse = run_to_end(best, steps);
    Ended fine = run_to_end(best, 2 * steps);
    if (!coarse.good || !fine.good)
      throw InputError(
          "analyze work: even " + std::string(best.id) +
          " with steps of 1/(2 omega_max) blows up in this scene, so there is no reference for errors.");
    const Error error = distance(coarse.state, fine.state);
    reference_steps = 2 * steps;
    reference = std::move(fine.state);
    std::printf(
        "\nErrors after %g s against %s in %llu steps (half as many: off by %.2g m, %.2g m/s), and the time "
        "of the run.\n%-29s %10s %8s %10s %12s %12s\n",
        end_time, std::string(best.id).c_str(), static_cast<unsigned long long>(reference_steps), error.x,
        error.v, "integrator", "h [s]", "steps", "ms", "error x [m]", "error v [m/s]");
  }

  void measure_precision(const IntegratorInfo& info) {
    ChartCurve look = curve(info, true);
    // There are too many curves to distinguish them by colour alone.
    if (info.family == IntegratorFamily::exponential || info.family == IntegratorFamily::position_based)
      look.dash = kChartDash;
    Points curves;
    is_completed([&] {
      for (std::uint64_t steps = coarsest_steps(); 2 * steps < reference_steps; steps *= 2) {
        const Ended ended = run_to_end(info, steps);
        if (!ended.good) continue;
        const Error error = distance(ended.state, *reference);
        const double h = end_time / static_cast<double>(steps), each = ended.ms / static_cast<double>(steps);
        std::printf("%-29s %10.4g %8llu %10.2f %12.3g %12.3g\n", std::string(label_of(info)).c_str(), h,
                    static_cast<unsigned long long>(steps), ended.ms, error.x, error.v);
        std::fflush(stdout);
        csv += csv_row("precision", label_of(info), h, steps, each, ended.ms / end_time, NAN, NAN, NAN,
                       error.x, error.v);
        curves.add(ended.ms, {error.x, error.v});
        if (ended.ms > 1000 * longest) return;
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

    if (!Interrupt::requested()) is_completed([&] { make_reference(); });
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
