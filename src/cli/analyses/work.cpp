// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <utility>

#include "cli/analyses/method_analysis.h"
#include "cli/analyses/work_suite.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "core/error.h"
#include "core/quantile.h"
#include "core/text.h"
#include "core/text_file.h"
#include "experiments/method_choice.h"
#include "experiments/step_trial.h"
#include "io/asset_path.h"
#include "io/output_file.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

constexpr double kLargestStep = 1.0 / 60;                  // [s]
constexpr double kStablePrecision = 0.2;                   // of the largest stable step
constexpr double kEndTime = 0.1;                           // [s]
constexpr double kLongestRun = 3, kLongestSuiteRun = 0.5;  // [s]

struct Work final : SceneAnalysis {
  explicit Work(const SubcommandContext& context)
      : SceneAnalysis(
            context,
            "measured,integrator,h,steps,ms_per_step,ms_per_simulated_second,newton_per_step,cg_per_step,"
            "unconverged_steps,error_x,error_v\n",
            two_panels({}, {.title = "time of the run [ms]", .logarithmic = true},
                       {.title = "error of the positions [m]", .logarithmic = true},
                       {.title = "error of the velocities [m/s]", .logarithmic = true})),
        line(context.line) {}

  const std::string line;
  const CLI::App* app_of_options = nullptr;
  std::uint64_t trial_steps = 40;
  std::optional<double> end_time, longest;  // [s]
  std::optional<Reference> reference;
  // Of the suite.
  bool suite = false;
  std::vector<SuiteScene> suite_scenes{kSuite.begin(), kSuite.end()};
  std::optional<std::string> html, markdown;
  std::vector<Scene> suite_runs;  // of all scenes

  void add_options(CLI::App& app) override {
    app_of_options = &app;
    options.add_whole(app, "steps", trial_steps, 8, 1'000'000,
                      "Steps of each trial of the largest stable h, ten times as many for the "
                      "explicit methods, which take small ones; default 40.");
    const auto time = [&](const char* name, std::optional<double>& value, const char* help) {
      options.add(app, name, "S", help,
                  [=, &value](const std::string& text) { value = parse_positive(name, text, "s"); });
    };
    time("end-time", end_time,
         "Simulated time after which the error is measured; default 0.1, in the suite that of the scene.");
    time("longest-run", longest,
         "Computing time [s] of a run after which its integrator gets no smaller h; default 3, in the suite "
         "0.5.");
    app.add_flag("--suite", suite,
                 "Ranks the integrators on six scenes instead: soft, stiff, damped, garment, contact, wind. "
                 "Needs some minutes, on one thread, and a machine that does nothing else.")
        ->group("Analysis");
    options.add(app, "scenes", "A,B,...", "Only these scenes of the suite.",
                [this](const std::string& text) { suite_scenes = parse_suite("scenes", text); });
    outputs.add_option(app, "Analysis", "--html", ".html", html, "FILE",
                       "The page of the suite, which needs no other file.");
    outputs.add_option(app, "Analysis", "--markdown", ".md", markdown, "FILE",
                       "The same as Markdown, with its charts in the folder images next to it.");
    add_scene_to(app, {"--integrator", "--dt", "--adaptive-dt"});
  }

  /// Also that of the reference, which is known by then.
  std::vector<Scene> runs() const override {
    std::vector<Scene> out = runs_and_omega_max();
    out.push_back(scene_for(*reference->info));
    return out;
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
    const double duration = end_time.value_or(kEndTime);
    reference = make_reference(loaded, duration, *pool, stop);
    std::printf(
        "\nErrors after %g s against %s in %llu steps (half as many: off by %.2g m, %.2g m/s), and the time "
        "of the run.\n%-29s %10s %8s %10s %12s %12s\n",
        duration, std::string(reference->info->id).c_str(), static_cast<unsigned long long>(reference->steps),
        reference->change_x, reference->change_v, "integrator", "h [s]", "steps", "ms", "error x [m]",
        "error v [m/s]");
  }

  void measure_precision(const IntegratorInfo& info) {
    const double duration = end_time.value_or(kEndTime);
    ChartCurve look = curve(info, true);
    // There are too many curves to distinguish them by colour alone.
    if (info.family == IntegratorFamily::exponential || info.family == IntegratorFamily::position_based)
      look.dash = kChartDash;
    Points curves;
    is_completed([&] {
      for (std::uint64_t steps = coarsest_steps(duration); 2 * steps < reference->steps; steps *= 2) {
        const RunEnd run = run_to(loaded, scene_for(info), duration, steps, *pool, stop);
        if (!run.failure.empty()) continue;
        const double x = rms_distance(run.state.x, reference->end.state.x),
                     v = rms_distance(run.state.v, reference->end.state.v);
        const double h = duration / static_cast<double>(steps), ms = run.took.wall;
        std::printf("%-29s %10.4g %8llu %10.2f %12.3g %12.3g\n", std::string(label_of(info)).c_str(), h,
                    static_cast<unsigned long long>(steps), ms, x, v);
        std::fflush(stdout);
        csv += csv_row("precision", label_of(info), h, steps, ms / static_cast<double>(steps), ms / duration,
                       NAN, NAN, NAN, x, v);
        curves.add(ms, {x, v});
        if (ms > 1000 * longest.value_or(kLongestRun)) return;
      }
    });
    if (!curves.x.empty()) add_curves(look, std::move(curves));
  }

  // ---- The suite

  /// Runs a scene with all methods that can. Returns the time of all runs.
  StepTime measure_scene(const SuiteScene& each, SuitePage& page) {
    load_or(read_scene_file(asset_directory(executable_path("")) / "scenes" / each.file, stop));
    if (!scene.names_threads()) pool = std::make_unique<WorkerPool>(1);
    loaded.scene.substeps = 1;  // h is the ladder's
    std::vector<const IntegratorInfo*> able;
    std::string left_out;
    for (const IntegratorInfo* info : methods()) {
      if (!names_integrators() && !info->table.empty()) continue;
      if (!info->inextensible && supports_contact(loaded.scene.contact.model, *info))
        able.push_back(info);
      else
        left_out += (left_out.empty() ? "" : ", ") + std::string(info->title);
    }
    measure_omega_max(loaded, *pool, stop);
    const MethodChoice::Settings settings{.duration = end_time.value_or(each.duration),
                                          .longest_run = longest.value_or(kLongestSuiteRun),
                                          .accurate_enough = kSuiteErrors.back()};
    std::vector<MethodVariant> variants = variants_of(loaded.scene, able);
    std::erase_if(variants, [](const MethodVariant& variant) { return variant.is_tuned; });
    MethodChoice choice(loaded, std::move(variants), make_reference(loaded, settings.duration, *pool, stop),
                        settings);
    suite_runs.push_back(scene_for(*choice.figures().reference));
    for (const IntegratorInfo* info : able) suite_runs.push_back(scene_for(*info));
    Progress progress(1000, quiet());
    do {
      progress.show_part(static_cast<std::uint64_t>(1000 * choice.figures().fraction), choice.next_name());
    } while (choice.next(*pool, stop));
    page.add({each, loaded, choice.figures(), settings, left_out},
             [&](const IntegratorInfo& info) { return curve(info, true); });
    std::istringstream rows(csv_of(choice.figures(), loaded.scene, {}));
    for (std::string row; std::getline(rows, row);)
      if (!row.starts_with("method,"))
        csv += std::string(each.name) + "," + row + "\n";
      else if (csv.empty())
        csv = "scene," + row + "\n";
    StepTime took;
    for (const ChoicePoint& point : choice.figures().points) {
      took.wall += point.wall;
      took.processor += point.processor;
    }
    return {settings.duration * took.wall, settings.duration * took.processor};
  }

  /// Throws InputError for an option that would be ignored.
  void check_options() const {
    const auto refuse = [&](std::initializer_list<const char*> names, const char* why) {
      for (const char* name : names)
        if (app_of_options->count(name) > 0) throw InputError("analyze work: " + std::string(name) + why);
    };
    if (suite)
      refuse(
          {"--steps", "--png", "--svg"},
          " is not allowed with --suite, whose runs have --end-time and --longest-run, and whose charts are "
          "in --html and --markdown.");
    else
      refuse({"--scenes", "--html", "--markdown"}, " is only for --suite: add it.");
  }

  void measure_suite() {
    if (scene.names_a_scene()) throw InputError("--suite has its own scenes: leave out the scene.");
    const std::filesystem::path images =
        markdown ? path_of(*markdown).parent_path() / "images" : std::filesystem::path();
    if (markdown && has_folder(images))
      for (const SuiteScene& each : suite_scenes)
        outputs.add(images / ("work-" + std::string(each.name) + ".png"), ".png");
    csv.clear();
    SuitePage page(line);
    StepTime took;
    const auto measure = [&](const SuiteScene& each) {
      const StepTime more = measure_scene(each, page);
      took = {took.wall + more.wall, took.processor + more.processor};
    };
    try {
      for (const SuiteScene& each : suite_scenes)
        if (!is_completed([&] { measure(each); })) break;
    } catch (const InputError& error) {
      if (page.charts().empty()) throw;
      std::fprintf(stderr, "clothlab: %s\n", error.what());  // the scenes before it are written
      failed = true;
    }
    if (page.charts().empty()) return;
    warn_of_no_effect(scene.given_parameters(), suite_runs);
    page.end(scene.names_threads() ? scene.threads() : 1, took);
    outputs.attempt(html, [&](const std::string& path) { write_file(path, page.html()); });
    outputs.attempt(markdown, [&](const std::string& path) {
      make_folder(images);
      for (const auto& [file, png] : page.charts()) write_file(images.parent_path() / file, png);
      write_file(path, page.markdown());
    });
  }

  void measure_all() override {
    check_options();
    if (suite) return measure_suite();
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
    tell_of_no_effect();
    chart.title =
        "Error after " + format_plain(end_time.value_or(kEndTime)) + " s against the time that the run takes";
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
