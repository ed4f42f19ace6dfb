// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>

#include "analysis/stability_meter.h"
#include "cli/analyses/method_analysis.h"
#include "core/error.h"
#include "core/text.h"
#include "experiments/step_trial.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct Stability final : SceneAnalysis {
  explicit Stability(const SubcommandContext& context)
      : SceneAnalysis(
            context, "integrator,omega_max,stable_h,unstable_h,stable_h_omega,theory_h,theory_h_omega\n",
            {.title = "h·ω_max at which a run stays bounded",
             .panels = {
                 {.x = {.title = "h·ω_max", .logarithmic = true},
                  .y = {.title = "dashed: 2, the limit of symplectic Euler and Verlet; ≥: no limit was found",
                        .bare = true}}}}) {}

  std::uint64_t steps = kTrialSteps;
  double largest = 0;                         // [s]; 0: not given
  std::optional<StabilityEstimate> estimate;  // of a method that uses these blocks
  JacobianMode measured_blocks{};

  void add_options(CLI::App& app) override {
    options.add_whole(app, "steps", steps, 8, 1'000'000, "Steps of each trial; default 400.");
    options.add_positive(app, "largest-step", "S", "s", largest,
                         "Largest h to try; default 4/omega_max or 1/60 s, whichever is larger.");
    add_scene_to(app, {"--integrator", "--dt", "--adaptive-dt"});
  }

  /// The linear limit of the cloth at its start [s]; NaN if unknown, and for rods, which may have a lower
  /// limit than bending springs. Throws Cancelled.
  double theory(const IntegratorInfo& info) {
    if (info.inextensible) return NAN;
    const JacobianMode blocks = stability_blocks(info, loaded.scene.solver.jacobian);
    const bool other = !estimate || blocks != measured_blocks;
    if (other || needs_eigenvalues(info, *estimate)) {
      const Simulation start(loaded.scene, loaded.mesh, *pool, stop, loaded.model);
      estimate = measure_stability(start, start.state(), info, *pool, stop);
      measured_blocks = blocks;
    }
    if (!estimate) throw Cancelled();
    return largest_stable_step(info, integrator_parameters(loaded.scene, info), *estimate).value_or(NAN);
  }

  /// Relation of the theoretical limit to the limit of the cloth.
  std::string relation(const IntegratorInfo& info) const {
    const bool only_raised = info.coupling == StepCoupling::undamped && estimate->damping_max > 0;
    if (only_raised) return "≥ ";
    return is_approximate(info, integrator_parameters(loaded.scene, info), *estimate) ? "≈ " : "";
  }

  void write_row(const IntegratorInfo& info, double stable, double unstable, double limit) {
    const double omega_max = loaded.omega_max;
    csv += csv_row(label_of(info), omega_max, stable, unstable, stable * omega_max, limit, limit * omega_max);
  }

  /// The result at h = 1/ω_max, for methods without a stable step or without a limit in theory.
  void show_growth(const IntegratorInfo& info, double limit) {
    const StepTrial trial = try_step_size(loaded, info, 1 / loaded.omega_max, steps, *pool, stop);
    const IntegratorParameters values = integrator_parameters(loaded.scene, info);
    std::printf("%-32s %s; at h·ω_max = 1 it multiplies the stiffest oscillation by %.4g,",
                std::string(label_of(info)).c_str(), limit == 0 ? "never stable" : "limit unknown",
                info.growth(1, estimate->stiffest.damping / loaded.omega_max, values));
    if (info.growth_of_slow_modes != nullptr)
      std::printf(" its slow modes, at a tenth of that, by %.6g,", slow_growth(info, 0.1, values));
    if (trial.stable)
      std::printf(" and showed no growth in %llu steps\n", static_cast<unsigned long long>(steps));
    else if (trial.good_steps() < steps)
      std::printf(" and blew up in step %llu\n", static_cast<unsigned long long>(trial.good_steps() + 1));
    else
      std::printf(" and its energy grew in %llu steps\n", static_cast<unsigned long long>(steps));
    write_row(info, 0, NAN, limit);
  }

  void bisect(const IntegratorInfo& info, double limit) {
    const double omega_max = loaded.omega_max;
    const StableRange range = find_largest_stable_step(loaded, info, largest, steps, *pool, stop);
    const std::string said = std::isnan(limit)   ? "of another ω"
                             : std::isinf(limit) ? "no limit"
                                                 : relation(info) + format_digits(limit, 4) + " s";
    std::printf("%-32s %s %-11.5g %14.5g %16s\n", std::string(label_of(info)).c_str(),
                range.unstable ? " " : "≥", range.stable, range.stable * omega_max, said.c_str());
    write_row(info, range.stable, range.unstable.value_or(NAN), limit);
    const double row = -static_cast<double>(chart.panels[0].curves.size());
    ChartCurve bar = curve(info, true);
    if (!range.unstable) bar.label += " ≥";
    bar.x = {0.1, range.stable * omega_max};
    bar.y = {row, row};
    chart.panels[0].curves.push_back(std::move(bar));
  }

  std::vector<Scene> runs() const override { return runs_and_omega_max(); }

  void measure_all() override {
    load();
    leave_out_for(loaded.scene);
    note_distances();
    measure_omega_max(loaded, *pool, stop);
    const double omega_max = loaded.omega_max;
    if (largest == 0) largest = largest_trial_step(omega_max);

    std::printf("ω_max = %.6g rad/s at the start, 2/ω_max = %.6g s; trials of %llu steps up to h = %.4g s\n",
                omega_max, 2 / omega_max, static_cast<unsigned long long>(steps), largest);
    std::printf("%-32s %13s %14s %16s\n", "integrator", "stable h [s]", "h·ω_max", "theory");
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) {
      const double limit = theory(info);
      if (limit > 0 || info.inextensible)
        bisect(info, limit);
      else
        show_growth(info, limit);
    });
    auto& curves = chart.panels[0].curves;
    chart.panels[0].curves.push_back({.label = "2/ω_max",
                                      .colour = {226, 230, 236},
                                      .dash = kChartDash,
                                      .x = {2, 2},
                                      .y = {0.6, -static_cast<double>(curves.size()) + 0.4}});
  }
};

}  // namespace

const SubcommandRow kStabilityAnalysis{
    "stability",
    "The largest stable h on a scene, found by bisection, compared with theory; a run that blows up or whose "
    "energy\ngrows counts as unstable.",
    make_subcommand<Stability>};

}  // namespace clothlab
