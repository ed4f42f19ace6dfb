#include "cli/analyze_convergence.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "analysis/convergence.h"
#include "cli/analyze_options.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "cli/progress.h"
#include "cli/scene_options.h"
#include "io/csv.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct Convergence {
  explicit Convergence(const Services& services) : options(services) {}

  AnalyzeOptions options;
  std::optional<std::string> levels_text;
  std::optional<std::string> jacobian_text;

  std::string csv = "integrator,order,steps,h,error_x,error_v,order_x,order_v\n";
  Chart chart{.title = "A swinging, stretched sheet after 0.1 s: error against h",
              .panels = {{.x = {.title = "h [s]", .logarithmic = true},
                          .y = {.title = "error of the positions [m]", .logarithmic = true},
                          .curves = {}},
                         {.x = {.title = "h [s]", .logarithmic = true},
                          .y = {.title = "error of the velocities [m/s]", .logarithmic = true},
                          .curves = {}}}};

  static constexpr const char* kJacobian = "jacobian";

  void add_to(CLI::App& app) {
    options.add_to(app);
    app.add_option("--levels", levels_text, "Steps of 0.1/10 s, 0.1/20 s, ..., so many; default 8.")
        ->type_name("N")
        ->take_last()
        ->group("Analysis");
    app.add_option("--jacobian", jacobian_text,
                   "exact (the default), or clamped, with which some methods are of order 1 only.")
        ->type_name("NAME")
        ->take_last()
        ->group("Analysis");
    options.add_parameters_to(app);
  }

  void measure(const IntegratorInfo& info, JacobianMode jacobian, int levels) {
    const auto points =
        measure_convergence(info, options.parameters(info), jacobian, levels, Interrupt::probe());
    if (Interrupt::requested()) return;
    ChartCurve x{
        .label = std::string(info.id), .colour = options.colour(info), .markers = true, .x = {}, .y = {}};
    ChartCurve v = x;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const ConvergencePoint& p = points[k];
      const auto slope = [&](double ConvergencePoint::*error) {
        return k == 0 ? NAN : std::log2(points[k - 1].*error / p.*error);
      };
      csv += std::string(info.id) + "," +
             csv_line({static_cast<long long>(info.order), static_cast<long long>(p.steps), p.h, p.error_x,
                       p.error_v, slope(&ConvergencePoint::error_x), slope(&ConvergencePoint::error_v)});
      x.x.push_back(p.h);
      x.y.push_back(p.error_x);
      v.y.push_back(p.error_v);
    }
    v.x = x.x;
    const MeasuredOrder order = measured_order(points);
    const ConvergencePoint last = points.empty() ? ConvergencePoint{} : points.back();
    std::printf("%-32s %6d %12.3f %12.3f %14.3g %14.3g\n", std::string(info.id).c_str(), info.order, order.x,
                order.v, last.error_x, last.error_v);
    chart.panels[0].curves.push_back(std::move(x));
    chart.panels[1].curves.push_back(std::move(v));
  }

  int run() {
    const Interrupt interrupt;
    options.check();
    const int levels = levels_text ? static_cast<int>(parse_whole("levels", *levels_text, 2, 12)) : 8;
    const bool clamped =
        jacobian_text && parse_parameter(find_scene_parameter(kJacobian)->spec, *jacobian_text) ==
                             static_cast<double>(JacobianMode::clamped);
    std::printf("%-32s %6s %12s %12s %14s %14s\n", "integrator", "order", "measured x", "measured v",
                "error x [m]", "error v [m/s]");
    std::vector<const IntegratorInfo*> skipped;
    {
      Progress progress(options.integrators().size(), options.quiet());
      std::uint64_t done = 0;
      for (const IntegratorInfo* info : options.integrators()) {
        progress.show_part(done++, info->id);
        if (info->order == 0)
          skipped.push_back(info);
        else
          measure(*info, clamped ? JacobianMode::clamped : JacobianMode::exact, levels);
        if (Interrupt::requested()) break;
      }
    }
    AnalyzeOptions::report_skipped(skipped, "no order is defined for them");
    return options.finish(csv, chart);
  }
};

}  // namespace

std::function<std::optional<int>()> add_analyze_convergence(CLI::App& analyze, const Services& services) {
  auto command = std::make_shared<Convergence>(services);
  CLI::App& sub = *analyze.add_subcommand(
      "convergence",
      "The order in which the error falls with h, of positions and velocities, on a swinging, stretched\n"
      "sheet, against a reference of far smaller error.");
  command->add_to(sub);
  return [command, &sub]() -> std::optional<int> {
    if (!sub.parsed()) return std::nullopt;
    return command->run();
  };
}

}  // namespace clothlab
