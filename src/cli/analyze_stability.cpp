#include "cli/analyze_stability.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "analysis/stability.h"
#include "analysis/stable_step.h"
#include "cli/analyze_options.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "core/error.h"
#include "core/text.h"
#include "io/csv.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr double kPrecision = 0.005;

struct Stability {
  explicit Stability(const Services& services) : options(services) {}

  AnalyzeOptions options;
  SceneOptions scene;
  std::optional<std::string> steps_text, largest_text;

  LoadedScene loaded;
  std::unique_ptr<WorkerPool> pool;
  std::shared_ptr<const ClothModel> model;
  double omega_max = 0;
  std::uint64_t steps = 400;

  std::string csv = "integrator,omega_max,stable_h,unstable_h,stable_h_omega,theory_h,theory_h_omega\n";
  Chart chart{
      .title = "h·ω_max at which a run stays bounded",
      .panels = {{.x = {.title = "h·ω_max", .logarithmic = true},
                  .y = {.title = "dashed: 2, the limit of symplectic Euler and Verlet; ≥: no limit was found",
                        .bare = true},
                  .curves = {}}}};

  void add_to(CLI::App& app) {
    options.add_to(app);
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const char* help) {
      app.add_option(name, target, help)->type_name(type)->take_last()->group("Analysis");
    };
    text("--steps", steps_text, "N", "Steps of each trial; default 400.");
    text("--largest-step", largest_text, "S",
         "The largest h that is tried; default 4/omega_max or 1/60 s, whichever is larger.");
    scene.add_to(app);
    for (const char* fixed : {"--integrator", "--dt", "--adaptive-dt"})
      app.remove_option(app.get_option(fixed));
  }

  /// What became of a run with steps of h: nothing where it was interrupted.
  struct Trial {
    bool stable = true;
    std::uint64_t steps = 0;  ///< good ones
  };
  std::optional<Trial> run_trial(const IntegratorInfo& info, double h) {
    Scene tried = loaded.scene;
    tried.integrator = info.id;
    tried.stepping.dt = h;
    tried.stepping.adaptive = false;
    Simulation simulation(std::move(tried), loaded.mesh, *pool, Interrupt::probe(), model);
    GrowthWatch watch;
    for (std::uint64_t k = 0; k < steps; ++k) {
      const StepStatus status = simulation.step(Interrupt::probe());
      if (status == StepStatus::stopped || Interrupt::requested()) return std::nullopt;
      if (status == StepStatus::blown_up) return Trial{false, k};
      const EnergyReport& energy = simulation.record().energy;
      watch.add(energy.total, energy.kinetic + energy.stretch + energy.bend);
    }
    return Trial{!watch.grows(), steps};
  }

  /// Limit on h·ω_max; not a number where springs are rods, for then it is about another ω.
  static double theory(const IntegratorInfo& info) { return info.inextensible ? NAN : info.stability_limit; }

  void write_row(const IntegratorInfo& info, double stable, double unstable) {
    const double limit = theory(info);
    csv += std::string(info.id) + "," +
           csv_line({omega_max, stable, unstable, stable * omega_max, limit / omega_max, limit});
  }

  /// No step is stable, says theory: what happens at h = 1/ω_max.
  void show_growth(const IntegratorInfo& info) {
    const std::optional<Trial> trial = run_trial(info, 1 / omega_max);
    if (!trial) return;
    const IntegratorParameters values = integrator_parameters(loaded.scene, info);
    std::printf("%-32s never stable; at h·ω_max = 1 it multiplies the stiffest oscillation by %.4g,",
                std::string(info.id).c_str(), stiffest_growth(info, 1, values));
    if (info.growth_of_the_rest != nullptr)
      std::printf(" its slow modes, at a tenth of that, by %.6g,", info.growth(0.1, values));
    if (trial->stable)
      std::printf(" and showed no growth in %llu steps\n", static_cast<unsigned long long>(steps));
    else if (trial->steps < steps)
      std::printf(" and blew up in step %llu\n", static_cast<unsigned long long>(trial->steps + 1));
    else
      std::printf(" and its energy grew in %llu steps\n", static_cast<unsigned long long>(steps));
    write_row(info, 0, NAN);
  }

  void bisect(const IntegratorInfo& info, double largest) {
    const auto trial = [&](double h) -> std::optional<bool> {
      const std::optional<Trial> outcome = run_trial(info, h);
      if (!outcome) return std::nullopt;
      return outcome->stable;
    };
    const double smallest = 1e-3 * std::min(largest, 1 / omega_max);
    const std::optional<StableRange> range = find_stable_range(smallest, largest, kPrecision, trial);
    if (!range) return;
    const double limit = theory(info);
    const std::string said = std::isnan(limit)   ? "of another ω"
                             : std::isinf(limit) ? "no limit"
                                                 : format_digits(limit / omega_max, 4) + " s";
    std::printf("%-32s %s %-11.5g %14.5g %16s\n", std::string(info.id).c_str(), range->unstable ? " " : "≥",
                range->stable, range->stable * omega_max, said.c_str());
    write_row(info, range->stable, range->unstable.value_or(NAN));
    const double row = -static_cast<double>(chart.panels[0].curves.size());
    chart.panels[0].curves.push_back({.label = std::string(info.id) + (range->unstable ? "" : " ≥"),
                                      .colour = options.colour(info),
                                      .markers = true,
                                      .x = {0.1, range->stable * omega_max},
                                      .y = {row, row}});
  }

  int run() {
    const Interrupt interrupt;
    options.check();
    if (steps_text) steps = static_cast<std::uint64_t>(parse_whole("steps", *steps_text, 8, 1'000'000));
    std::optional<double> largest;
    if (largest_text) largest = parse_positive("largest-step", *largest_text);
    loaded = load_with_state(named_scene(scene), scene);
    pool = std::make_unique<WorkerPool>(scene.threads());
    {
      const Simulation start(loaded.scene, loaded.mesh, *pool, Interrupt::probe());
      model = start.system().shared_model();
      StabilityMeter meter;
      omega_max =
          meter.omega_max(start.system(), start.state().x, loaded.scene.stepping.solver.jacobian, *pool)
              .value_or(0);
    }
    if (!(omega_max > 0))
      throw InputError("Nothing in this scene can oscillate, so no step size is too large.");
    if (!largest) largest = std::max(4 / omega_max, 1.0 / 60);

    std::printf("ω_max = %.6g rad/s at the start, 2/ω_max = %.6g s; trials of %llu steps up to h = %.4g s\n",
                omega_max, 2 / omega_max, static_cast<unsigned long long>(steps), *largest);
    std::printf("%-32s %13s %14s %16s\n", "integrator", "stable h [s]", "h·ω_max", "theory");
    {
      Progress progress(options.integrators().size(), scene.quiet());
      std::uint64_t done = 0;
      for (const IntegratorInfo* info : options.integrators()) {
        progress.show_part(done++, info->id);
        if (info->stability_limit == 0 && info->growth != nullptr)
          show_growth(*info);
        else
          bisect(*info, *largest);
        if (Interrupt::requested()) break;
      }
    }
    auto& curves = chart.panels[0].curves;
    chart.panels[0].curves.push_back({.label = "2/ω_max",
                                      .colour = {226, 230, 236},
                                      .dashed = true,
                                      .x = {2, 2},
                                      .y = {0.6, -static_cast<double>(curves.size()) + 0.4}});
    return options.finish(csv, chart);
  }
};

}  // namespace

std::function<std::optional<int>()> add_analyze_stability(CLI::App& analyze, const Services& services) {
  auto command = std::make_shared<Stability>(services);
  CLI::App& sub = *analyze.add_subcommand("stability",
                                          "The largest stable h on a scene, found by bisection, beside "
                                          "2/omega_max: a run that blows up, or whose\n"
                                          "energy grows, was not stable.");
  command->add_to(sub);
  return [command, &sub]() -> std::optional<int> {
    if (!sub.parsed()) return std::nullopt;
    return command->run();
  };
}

}  // namespace clothlab
