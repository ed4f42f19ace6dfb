// SPDX-License-Identifier: MIT
#include "cli/analyses/work_suite.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "cli/bench/bench.h"
#include "cli/options.h"
#include "cli/output/html.h"
#include "core/error.h"
#include "core/text.h"
#include "io/png.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr const char* kTitle = "Work and precision";
// See filled().
constexpr std::string_view kSuitePage = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>[[title]]</title><style>
[[style]]</style></head><body>
[[body]]</body></html>
)";
constexpr std::size_t kRanks = 3;

std::string percent(double fraction) { return format_plain(100 * fraction) + " %"; }

const IntegratorInfo* info_of(const ChoiceFigures& choice, std::size_t point) {
  return &method_info(choice.variants[choice.points[point].variant].method);
}

/// The cheapest point of each method with at most this error, by cost. Empty if the reference cannot tell.
std::vector<std::size_t> ranking(const ChoiceFigures& choice, double error, std::size_t most = 1000) {
  std::vector<std::size_t> by_cost, first;
  if (error < choice.least_error()) return {};
  for (std::size_t k = 0; k < choice.points.size(); ++k)
    if (is_allowed(choice.points[k], {}) && choice.error_of(choice.points[k]) <= error) by_cost.push_back(k);
  std::ranges::stable_sort(by_cost, {}, [&](std::size_t k) { return choice.points[k].processor; });
  const auto method = [&](std::size_t k) { return info_of(choice, k); };
  for (const std::size_t k : by_cost)
    if (first.size() < most && std::ranges::find(first, method(k), method) == first.end()) first.push_back(k);
  return first;
}

BenchTable ranking_table(const SuiteRuns& runs) {
  const ChoiceFigures& choice = runs.choice;
  BenchTable table{.id = std::string(runs.of.name),
                   .title = "Cheapest methods",
                   .columns = {{"goal", "goal", ""},
                               {"rank", "rank", ""},
                               {"method", "method", ""},
                               {"h", "h", "ms"},
                               {"cost", "cost", "s/s"},
                               {"ratio", "cost / cheapest", "", 2},
                               {"error", "error", "%"}},
                   .keys = 3};
  for (const double goal : kSuiteErrors) {
    const std::vector<std::size_t> ranked = ranking(choice, goal, kRanks);
    for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
      const ChoicePoint& p = choice.points[ranked[rank]];
      table.rows.push_back({percent(goal), std::to_string(rank + 1), choice.variants[p.variant].title,
                            1e3 * p.h, p.processor, p.processor / choice.points[ranked[0]].processor,
                            100 * choice.error_of(p)});
    }
    if (ranked.empty())
      table.notes.push_back(
          percent(goal) + ": " +
          (goal < choice.least_error() ? "the error of the reference is larger." : "no method reached it."));
  }
  return table;
}

BenchTable method_table(const SuiteRuns& runs) {
  const ChoiceFigures& choice = runs.choice;
  BenchTable table{.id = std::string(runs.of.name) + "-methods",
                   .title = "All methods: cost [s/s] and h for each error",
                   .columns = {{"method", "method", ""}},
                   .keys = 1};
  for (const double goal : kSuiteErrors) table.columns.push_back({"goal", percent(goal), ""});
  table.columns.push_back({"least", "least error", "%", 2});
  table.columns.push_back({"failed", "blows up at", "ms"});
  std::vector<std::pair<std::pair<double, double>, std::vector<BenchCell>>> rows;  // by cost of 1 %, error
  std::vector<const IntegratorInfo*> methods;
  for (std::size_t k = 0; k < choice.points.size(); ++k)
    if (std::ranges::find(methods, info_of(choice, k)) == methods.end())
      methods.push_back(info_of(choice, k));
  for (const IntegratorInfo* info : methods) {
    double cost = INFINITY, least = INFINITY, failed = INFINITY;
    std::vector<BenchCell> row{std::string(info->title)};
    for (const double goal : kSuiteErrors) {
      std::string cell = "–";
      for (const std::size_t k : ranking(choice, goal)) {
        if (info_of(choice, k) != info) continue;
        const ChoicePoint& p = choice.points[k];
        cell = format_plain(p.processor) + " (" + format_quantity(p.h, "s") + ")";
        if (goal == kSuiteErrors[1]) cost = p.processor;
      }
      row.emplace_back(cell);
    }
    for (std::size_t k = 0; k < choice.points.size(); ++k) {
      if (info_of(choice, k) != info) continue;
      const ChoicePoint& p = choice.points[k];
      if (p.failure.empty())
        least = std::min(least, choice.error_of(p));
      else
        failed = std::min(failed, p.h);
    }
    row.emplace_back(std::isfinite(least) ? 100 * least : kNotMeasured);
    row.emplace_back(std::isfinite(failed) ? 1e3 * failed : kNotMeasured);
    rows.push_back({{cost, least}, std::move(row)});
  }
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
  for (auto& row : rows) table.rows.push_back(std::move(row.second));
  table.notes.push_back(
      "By the cost for 1 %. –: not reached before a run needs " +
      format_quantity(runs.settings.longest_run, "s") +
      " of computing time or half the steps of the reference. The last column is the smallest h that blew "
      "up; a method without a least error blew up in all runs.");
  if (!runs.left_out.empty())
    table.notes.push_back(
        "Left out, because they cannot run this scene or treat springs as rods: " + runs.left_out + ".");
  return table;
}

/// Methods with a rank have colours and names, all others are grey.
Chart suite_chart(const SuiteRuns& runs, const std::function<ChartCurve(const IntegratorInfo& info)>& look) {
  const ChoiceFigures& choice = runs.choice;
  Chart chart{.title = "Error against computing time after " + format_quantity(runs.settings.duration, "s"),
              .panels = {{.x = {.title = "processor time per simulated time [s/s]", .logarithmic = true},
                          .y = {.title = choice.axis_title(ErrorMeasure::rms), .logarithmic = true}}}};
  std::vector<bool> is_named(choice.variants.size());
  for (const double goal : kSuiteErrors)
    for (const std::size_t k : ranking(choice, goal, kRanks)) is_named[choice.points[k].variant] = true;
  ChartBand band{chart.colours.grid, {}, {}, {}};
  for (const bool named : {false, true})  // in front of the others
    for (std::size_t k = 0; k < choice.variants.size(); ++k) {
      const MethodVariant& variant = choice.variants[k];
      if (is_named[k] != named) continue;
      ChartCurve curve = look(method_info(variant.method));
      curve.label = named ? variant.title : "";
      if (!named) curve.colour = chart.colours.frame;
      if (variant.method.solver.stage_solve == StageSolve::linear) curve.dash = kChartDash;
      for (const ChoicePoint& p : choice.points) {
        if (p.variant != k || !p.failure.empty()) continue;
        curve.x.push_back(p.processor);
        curve.y.push_back(100 * choice.error_of(p));
        band.x.push_back(p.processor);
      }
      chart.panels[0].curves.push_back(std::move(curve));
    }
  std::ranges::sort(band.x);
  band.high.assign(band.x.size(), 100 * choice.least_error());
  band.low.assign(band.x.size(), 10 * choice.least_error());
  if (choice.least_error() > 0) chart.panels[0].bands.push_back(std::move(band));
  return chart;
}

std::string setup_text(const SuiteRuns& runs) {
  const ChoiceFigures& choice = runs.choice;
  const LoadedScene& loaded = runs.loaded;
  return "Scene " + std::string(runs.of.file) + ", " + std::to_string(loaded.mesh->positions.size()) +
         " particles, ω_max = " + format_plain(loaded.omega_max) + " rad/s. Errors after " +
         format_quantity(runs.settings.duration, "s") + " against " + std::string(choice.reference->title) +
         " in " + std::to_string(choice.reference_steps) + " steps, in per cent of the displacement, " +
         format_quantity(choice.displacement, "m") + ". Error of the reference: at most " +
         percent(choice.least_error()) + ", its change with half as many steps. Tolerances: Newton " +
         format_plain(loaded.scene.solver.newton_tolerance) + ", conjugate gradients " +
         format_plain(loaded.scene.solver.linear.cg.tolerance) + ".";
}

}  // namespace

std::vector<SuiteScene> parse_suite(std::string_view option, std::string_view names) {
  std::vector<std::string_view> known;
  for (const SuiteScene& scene : kSuite) known.push_back(scene.name);
  const std::vector<std::string_view> wanted = split(names, ',');
  for (const std::string_view name : wanted)
    if (std::ranges::find(known, name) == known.end())
      throw InputError("--" + std::string(option) + ": unknown scene '" + printable(name) + "' (" +
                       joined(known) + ")" + suggestion(name, known));
  std::vector<SuiteScene> scenes(kSuite.begin(), kSuite.end());
  std::erase_if(
      scenes, [&](const SuiteScene& scene) { return std::ranges::find(wanted, scene.name) == wanted.end(); });
  return scenes;
}

SuitePage::SuitePage(std::string_view line) {
  add_text("h1", "# ", kTitle);
  add_text(
      "p", "",
      "The computing time that each time integrator needs for a given error, in six scenes of cloth. "
      "Every method runs a scene from its start with h = 1/60 s, the half, and so on. The error is the "
      "root mean square distance of the particles from a reference at the end. The cost is processor "
      "time per simulated time; only the cost depends on the machine. S- is an implicit method with one "
      "linear solve per stage instead of Newton's method, dashed in the charts. Methods without a rank "
      "are grey. Errors in the grey band are not significant, because the reference changes by as much.");
  add_text("p", "", "This command writes the page:");
  add_text("pre", "    ", line);
}

void SuitePage::add_text(const char* tag, const char* mark, std::string_view text) {
  html_ += cell(tag, false, escaped(text)) + "\n";
  markdown_ += mark + std::string(text) + "\n\n";
}

void SuitePage::add_table(const BenchTable& table) {
  html_ += html_of(table);
  markdown_ += markdown_of(table) + "\n";
}

void SuitePage::add(const SuiteRuns& runs,
                    const std::function<ChartCurve(const IntegratorInfo& info)>& look) {
  const std::string name(runs.of.name), file = "images/work-" + name + ".png";
  const std::string title = "Error over processor time: " + runs.loaded.scene.title;
  add_text("h2", "## ", name + ": " + runs.loaded.scene.title);
  add_text("p", "", setup_text(runs));
  std::string png = png_bytes(draw_chart(suite_chart(runs, look)));
  html_ += "<figure>" + picture(png, title.c_str()) + "</figure>\n";
  markdown_ += "![" + title + "](" + file + ")\n\n";
  charts_.emplace_back(file, std::move(png));
  for (const BenchTable& table : {ranking_table(runs), method_table(runs)}) {
    add_table(table);
    std::printf("%s: %s\n", name.c_str(), text_of(table).c_str());
  }
  std::fflush(stdout);
}

void SuitePage::end(int threads, const StepTime& took) {
  BenchTable table = machine_table(threads);
  const std::time_t now = std::time(nullptr);
  char date[11];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::string load = "unknown";
  std::ifstream("/proc/loadavg") >> load;
  table.rows.push_back({std::string("date"), std::string(date)});
  table.rows.push_back({std::string("load of the machine at the end"), load});
  if (took.wall > 0)
    table.rows.push_back(
        {std::string("processor time over wall-clock time"), percent(took.processor / took.wall)});
  table.notes.push_back(
      "On a quiet machine, processor time is about wall-clock time times cores, and the load about the "
      "number of cores in use. Otherwise the costs are too large, because programs share the caches.");
  add_text("h2", "## ", "Machine");
  add_table(table);
  markdown_.pop_back();  // no blank line at the end
}

std::string SuitePage::html() const {
  return filled(kSuitePage, {{"title", kTitle}, {"style", kReportStyle}, {"body", html_}});
}

}  // namespace clothlab
