// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/analyses/method_analysis.h"
#include "cli/interrupt.h"
#include "cli/output/html.h"
#include "cli/output/progress.h"
#include "cli/output/table.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "experiments/choice_chart.h"
#include "experiments/recorded_run.h"
#include "experiments/step_trial.h"
#include "io/output_file.h"
#include "io/png.h"

namespace clothlab {
namespace {

// See filled().
constexpr std::string_view kChoicePage = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Which method for this scene?</title><style>
[[style]]</style></head><body>
<h1>Which method for this scene?</h1>
<p>[[answer]]</p>
<p>[[reference]] Repeat it with <code>[[command]]</code>.</p>
<figure>[[chart]]<figcaption>Error over computing time. Dots without a line have other tolerances or substeps of their own. No run within the limits is both cheaper and more accurate than one on the line <i>best</i>. Errors within the grey band are not significant, because the reference changes by as much with half its steps.</figcaption></figure>
<div class="wide"><table>[[rows]]</table></div>
<p class="small"><b>RMS</b> is the error of the positions after [[duration]], in per cent of the displacement of the particles until then (both root mean squares); <b>largest</b> is the error of the particle that is farthest off then, and <b>path</b> the error of one particle, root mean square over the whole time, in per cent of the same displacement. <b>Energy</b> is the largest difference of the total energy, in per cent of the energy that the reference exchanged: its largest kinetic energy, or change of all other energy if that is larger. Paths and energies are compared at the times of the coarsest steps. <b>Cost</b> is processor time per simulated time, <b>real time</b> simulated time over wall-clock time, <b>strain</b> the largest of a stretch spring in the whole run.</p>
</body></html>
)";

/// A run as cells of a table.
struct Column {
  const char* heading;
  std::function<std::string(const ChoiceFigures& choice, const ChoicePoint& point)> value;
  bool is_text = false;
};

Column error_column(const char* heading, ErrorMeasure measure) {
  return {heading, [measure](const ChoiceFigures& choice, const ChoicePoint& p) {
            const bool known = p.failure.empty() && (measure != ErrorMeasure::path || choice.script.particle);
            return known ? format_plain(100 * choice.error_of(p, measure)) : std::string("–");
          }};
}

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns{
      {"method", [](const auto& choice, const auto& p) { return choice.variants[p.variant].title; }, true},
      {"h [ms]", [](const auto&, const auto& p) { return format_plain(1e3 * p.h); }},
      {"cost", [](const auto&, const auto& p) { return format_plain(p.processor); }},
      {"real time", [](const auto&, const auto& p) { return format_plain(1 / p.wall) + "×"; }},
      error_column("RMS [%]", ErrorMeasure::rms),
      error_column("largest [%]", ErrorMeasure::largest),
      error_column("energy [%]", ErrorMeasure::energy),
      error_column("path [%]", ErrorMeasure::path),
      {"strain [%]", [](const auto&, const auto& p) { return format_plain(100 * p.max_strain); }},
      {"not converged", [](const auto&, const auto& p) { return std::to_string(p.not_converged); }},
      {"end",
       [](const auto&, const auto& p) {
         if (!p.failure.empty()) return p.failure;
         return std::string(p.gains_energy ? "gained energy" : "good");
       },
       true},
  };
  return kColumns;
}

struct Choose final : SceneAnalysis {
  explicit Choose(const SubcommandContext& context)
      : SceneAnalysis(context, "", {.title = {}, .panels = {{}}}), line(context.line) {}

  std::string line;
  ChoiceGoal goal;
  MethodChoice::Settings settings;
  std::optional<std::string> report, journal;
  std::optional<double> end_time;
  std::optional<std::uint32_t> vertex;

  void add_options(CLI::App& app) override {
    options.add(app, "goal", "GOAL",
                "error=1%: the cheapest run with at most this error. realtime: the most accurate run that "
                "takes no longer than it simulates. "
                "Default error=1%.",
                [this](const std::string& text) { goal.error = error_of_goal(text); });
    options.add(app, "measure", "NAME",
                "The measure of the error. rms: of the positions at the end, root mean square over the "
                "particles. largest: of the worst particle then. energy: largest difference of the total "
                "energy, in per cent of the exchanged energy. path: of the particle of --vertex, root mean "
                "square over the time. Lengths are in per cent of the displacement. Default rms.",
                [this](const std::string& text) { goal.measure = measure_of(text); });
    options.add_whole(app, "vertex", vertex, 0, std::numeric_limits<std::int32_t>::max(),
                      "0-based vertex of the mesh whose path is compared.");
    options.add(app, "require-strain", "X", "Only runs whose stretch springs are strained by at most this.",
                [this](const std::string& text) { goal.strain = parse_positive("require-strain", text); });
    app.add_flag("--no-energy-gain", goal.no_energy_gain, "Only runs that report no spurious energy.")
        ->group("Analysis");
    options.add(app, "end-time", "S",
                "Simulated time after which errors are measured; default 1, of a journal its whole time.",
                [this](const std::string& text) { end_time = parse_positive("end-time", text, "s"); });
    add_text(app, "Analysis", "--journal", journal, "FILE",
             "Starts from the last scene of this journal, or of a bundle, instead of a scene. Every run "
             "repeats its drags, "
             "pins and changes of values at their times. Only the scene options --mesh and --mesh-folder can "
             "be combined with it.");
    options.add_positive(app, "longest-run", "S", "s", settings.longest_run,
                         "Computing time [s] of a run after which its method gets no smaller h; default 3.");
    add_text(app, "Analysis", "--report", report, "DIR",
             "Writes the page DIR/index.html with the answer, the chart and a table, which needs no other "
             "file. Creates DIR if it is missing.");
    add_scene_to(app, {"--dt", "--substeps", "--adaptive-dt"});
  }

  /// None: real time.
  static std::optional<double> error_of_goal(const std::string& text) {
    constexpr std::string_view kError = "error=";
    if (text == "realtime") return {};
    if (!text.starts_with(kError))
      throw InputError("--goal " + text + ": a goal is error=X%, such as error=1%, or realtime.");
    return parse_positive("goal error", text.substr(kError.size()));
  }

  static ErrorMeasure measure_of(const std::string& text) {
    const auto found = std::ranges::find(kErrorMeasureNames, text);
    if (found == kErrorMeasureNames.end())
      throw InputError("--measure " + text + ": a measure is rms, largest, energy or path.");
    return static_cast<ErrorMeasure>(found - kErrorMeasureNames.begin());
  }

  void load_journal() {
    LaneSource source = read_lane_source(journal, scene, outputs);
    pool = std::make_unique<WorkerPool>(scene.threads());
    constexpr std::uint64_t kParts = 1000;
    Progress progress(kParts, quiet());
    RecordedRun run =
        recorded_run(std::move(source.journal), source.replay, end_time, {*pool, stop}, [&](double fraction) {
          progress.show_part(static_cast<std::uint64_t>(kParts * fraction), "the journal");
        });
    loaded = std::move(run.loaded);
    settings.script = std::move(run.script);
    settings.duration = run.duration;
    std::printf("%zu recorded changes in %s.\n", settings.script.changes.size(),
                format_quantity(run.duration, "s").c_str());
  }

  void find_particle() {
    if (!vertex) {
      if (goal.measure == ErrorMeasure::path)
        throw InputError("--measure path: name the particle with --vertex N.");
      return;
    }
    const std::vector<std::int32_t>& particles = loaded.mesh->particle_of_vertex;
    if (*vertex >= particles.size() || particles[*vertex] < 0)
      throw InputError("--vertex: no face uses vertex " + std::to_string(*vertex) +
                       "; the mesh has vertices 0 to " + std::to_string(particles.size() - 1) + ".");
    settings.script.particle = static_cast<std::uint32_t>(particles[*vertex]);
  }

  std::filesystem::path page() const { return path_of(*report) / "index.html"; }

  void measure_all() override {
    if (report && has_folder(path_of(*report))) outputs.add(page(), ".html");
    if (end_time) settings.duration = *end_time;
    if (journal) {
      if (!is_completed([&] { load_journal(); })) return;
    } else {
      load();
    }
    find_particle();
    loaded.scene.substeps = 1;  // h is the ladder's
    leave_out_for(loaded.scene);
    if (!names_integrators())
      leave_out([](const IntegratorInfo& info) { return !info.table.empty(); }, nullptr);
    leave_out([](const IntegratorInfo& info) { return info.inextensible; },
              "they treat stretch springs as rods, so their cloth differs");
    std::vector<MethodVariant> variants = variants_of(loaded.scene, methods());
    if (variants.empty()) throw InputError("choose: no method is left to run.");
    measure_omega_max(loaded, *pool, stop);
    settings.accurate_enough = goal.error.value_or(0);
    settings.measure = goal.measure;
    std::optional<MethodChoice> choice;
    is_completed([&] {
      choice.emplace(loaded, std::move(variants),
                     make_reference(loaded, settings.duration, *pool, stop, settings.script), settings);
      if (goal.measure == ErrorMeasure::path && !choice->figures().script.particle)
        throw InputError("--vertex: a pin or driver moves vertex " + std::to_string(*vertex) +
                         " in this time, so its path has no errors; name a free one.");
      std::printf("%s\n", reference_text(choice->figures()).c_str());
      warn_of_no_effect(scene.given_parameters(), runs_of(choice->figures()));
      constexpr std::uint64_t kParts = 1000;
      Progress progress(kParts, quiet());
      do {
        progress.show_part(static_cast<std::uint64_t>(kParts * choice->figures().fraction),
                           choice->next_name());
      } while (choice->next(*pool, stop));
    });
    if (!choice) return;
    const ChoiceFigures& figures = choice->figures();
    csv = csv_of(figures, loaded.scene, goal);
    std::printf("%s\n%s\n", table_of(figures).c_str(), text_of(figures, goal).c_str());
    draw(figures);
    if (report) write_report(figures);
  }

  /// The scene by every variant, and by the reference.
  std::vector<Scene> runs_of(const ChoiceFigures& choice) const {
    std::vector<Scene> out{scene_for(*choice.reference)};
    out.front().solver.stage_solve = StageSolve::newton;
    for (const MethodVariant& variant : choice.variants)
      out.push_back(with_method(loaded.scene, variant.method));
    return out;
  }

  std::string reference_text(const ChoiceFigures& choice) const {
    return "Errors after " + format_quantity(settings.duration, "s") + " against " +
           std::string(choice.reference->title) + " in " + std::to_string(choice.reference_steps) +
           " steps. The " + choice.axis_title(goal.measure) + "; the displacement is " +
           format_quantity(choice.displacement, "m") + ". With half as many steps the reference changes by " +
           format_plain(100 * choice.least_error(goal.measure)) + " %.";
  }

  static std::string table_of(const ChoiceFigures& choice) {
    std::vector<std::vector<std::string>> rows(1);
    for (const Column& column : columns()) rows[0].emplace_back(column.heading);
    for (const ChoicePoint* point : by_variant(choice)) {
      auto& row = rows.emplace_back();
      for (const Column& column : columns()) row.push_back(column.value(choice, *point));
    }
    return aligned(rows, "", [](std::size_t k) { return columns()[k].is_text; });
  }

  static std::vector<const ChoicePoint*> by_variant(const ChoiceFigures& choice) {
    std::vector<const ChoicePoint*> points;
    for (const ChoicePoint& point : choice.points) points.push_back(&point);
    std::ranges::stable_sort(points, {}, &ChoicePoint::variant);
    return points;
  }

  void draw(const ChoiceFigures& choice) {
    chart = chart_of(choice, goal, settings.duration, chart.colours,
                     [&](const MethodVariant& variant) { return curve(method_info(variant.method)).colour; });
  }

  void write_report(const ChoiceFigures& choice) {
    std::string rows = "<tr>";
    for (const Column& column : columns()) rows += cell("th", column.is_text, escaped(column.heading));
    for (const ChoicePoint* point : by_variant(choice)) {
      rows += "</tr>\n<tr>";
      for (const Column& column : columns())
        rows += cell("td", column.is_text, escaped(column.value(choice, *point)));
    }
    rows += "</tr>\n";
    const std::string png = picture(png_bytes(draw_chart(chart)), "Error over computing time");
    const std::string text = filled(kChoicePage, {{"style", kReportStyle},
                                                  {"answer", escaped(text_of(choice, goal))},
                                                  {"reference", escaped(reference_text(choice))},
                                                  {"command", escaped(line)},
                                                  {"chart", png},
                                                  {"rows", rows},
                                                  {"duration", format_quantity(settings.duration, "s")}});
    outputs.attempt(report, [&](const std::string& folder) {
      make_folder(path_of(folder));
      write_file(page(), text);
    });
  }
};

}  // namespace

const SubcommandRow kChooseCommand{
    "choose",
    "Which method, at which h, for this scene: error against cost of all methods, and the best for a goal.",
    make_subcommand<Choose>};

}  // namespace clothlab
