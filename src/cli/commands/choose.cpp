// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
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
#include "experiments/method_choice.h"
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
<figure>[[chart]]<figcaption>Error of the positions over computing time. No run within the limits is both cheaper and more accurate than one on the line <i>best</i>. Errors within the grey band are not significant, because the reference changes by as much with half its steps.</figcaption></figure>
<div class="wide"><table>[[rows]]</table></div>
<p class="small">Errors are of the state after [[duration]], in per cent of the displacement of the particles until then (both root mean squares); <b>largest</b> is that of the particle that is farthest off. <b>Cost</b> is processor time per simulated time, <b>real time</b> simulated time over wall-clock time. <b>Energy</b> is the total at the end less that of the reference, <b>strain</b> the largest of a stretch spring in the whole run.</p>
</body></html>
)";

/// A run as cells of a table.
struct Column {
  const char* heading;
  std::function<std::string(const ChoiceFigures& choice, const ChoicePoint& point)> value;
  bool is_text = false;
};

std::string error_text(const ChoicePoint& point, double error) {
  return point.failure.empty() ? format_plain(error) : std::string("–");
}

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns{
      {"method", [](const auto& choice, const auto& p) { return choice.variants[p.variant].title; }, true},
      {"h [ms]", [](const auto&, const auto& p) { return format_plain(1e3 * p.h); }},
      {"cost", [](const auto&, const auto& p) { return format_plain(p.processor); }},
      {"real time", [](const auto&, const auto& p) { return format_plain(1 / p.wall) + "×"; }},
      {"error [%]",
       [](const auto& choice, const auto& p) { return error_text(p, 100 * choice.error_of(p)); }},
      {"largest [%]", [](const auto& choice,
                         const auto& p) { return error_text(p, 100 * p.largest_x / choice.displacement); }},
      {"energy [J]", [](const auto&, const auto& p) { return error_text(p, p.error_energy); }},
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
  std::optional<std::string> report;

  void add_options(CLI::App& app) override {
    options.add(app, "goal", "GOAL",
                "error=1%: the cheapest run with at most this error of the positions, in per cent of their "
                "displacement. realtime: the most accurate run that takes no longer than it simulates. "
                "Default error=1%.",
                [this](const std::string& text) { goal.error = error_of_goal(text); });
    options.add(app, "require-strain", "X", "Only runs whose stretch springs are strained by at most this.",
                [this](const std::string& text) { goal.strain = parse_positive("require-strain", text); });
    app.add_flag("--no-energy-gain", goal.no_energy_gain, "Only runs that report no spurious energy.")
        ->group("Analysis");
    options.add_positive(app, "end-time", "S", "s", settings.duration,
                         "Simulated time after which errors are measured; default 1.");
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

  std::filesystem::path page() const { return path_of(*report) / "index.html"; }

  void measure_all() override {
    if (report && has_folder(path_of(*report))) outputs.add(page(), ".html");
    load();
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
    std::optional<MethodChoice> choice;
    is_completed([&] {
      choice.emplace(loaded, std::move(variants), make_reference(loaded, settings.duration, *pool, stop),
                     settings);
      std::printf("%s\n", reference_text(choice->figures()).c_str());
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

  std::string reference_text(const ChoiceFigures& choice) const {
    return "Errors after " + format_quantity(settings.duration, "s") + " against " +
           std::string(choice.reference->title) + " in " + std::to_string(choice.reference_steps) +
           " steps, in per cent of the displacement, " + format_quantity(choice.displacement, "m") +
           ". With half as many steps it changes by " + format_plain(100 * choice.least_error()) + " %.";
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
    ChartPanel& panel = chart.panels[0];
    chart.title = "Error against computing time after " + format_quantity(settings.duration, "s");
    panel.x = {.title = "processor time per simulated time [s/s]", .logarithmic = true};
    panel.y = {.title = "error of the positions [% of the displacement]", .logarithmic = true};
    double cheapest = INFINITY, most_expensive = 0;
    for (std::size_t k = 0; k < choice.variants.size(); ++k) {
      const MethodVariant& variant = choice.variants[k];
      Points points;
      for (const ChoicePoint& p : choice.points) {
        if (p.variant != k || !p.failure.empty()) continue;
        points.add(p.processor, {100 * choice.error_of(p)});
        cheapest = std::min(cheapest, p.processor);
        most_expensive = std::max(most_expensive, p.processor);
      }
      if (points.x.empty()) continue;
      ChartCurve look = curve(method_info(variant.method), true);
      look.label = variant.title;
      if (variant.method.solver.stage_solve == StageSolve::linear) look.dash = kChartDash;
      add_curves(look, std::move(points));
    }
    ChartCurve front{.label = "best", .colour = chart.colours.text};
    for (const std::size_t k : pareto_front(choice.points, goal)) {
      front.x.push_back(choice.points[k].processor);
      front.y.push_back(100 * choice.error_of(choice.points[k]));
    }
    panel.curves.push_back(std::move(front));
    const double uncertain = 100 * choice.least_error();
    if (uncertain > 0 && cheapest < most_expensive)
      panel.bands.push_back({chart.colours.grid,
                             {cheapest, most_expensive},
                             {uncertain / 10, uncertain / 10},
                             {uncertain, uncertain}});
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
