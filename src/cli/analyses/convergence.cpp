// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/analyses/analysis.h"
#include "cli/analyses/analyze_options.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "core/text.h"
#include "experiments/convergence.h"
#include "io/csv.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct Convergence final : Analysis {
  explicit Convergence(const Services& services) : options(services) {}

  AnalyzeOptions options;
  std::optional<std::string> levels_text;
  std::optional<std::string> jacobian_text, contact_text;
  std::optional<ContactModel> contact;

  std::string csv = "integrator,order,steps,h,error_x,error_v,order_x,order_v,same_pairs\n";
  Chart chart{.title = "A swinging, stretched sheet after 0.1 s: error against h",
              .panels = {{.x = {.title = "h [s]", .logarithmic = true},
                          .y = {.title = "error of the positions [m]", .logarithmic = true},
                          .curves = {}},
                         {.x = {.title = "h [s]", .logarithmic = true},
                          .y = {.title = "error of the velocities [m/s]", .logarithmic = true},
                          .curves = {}}}};

  static constexpr const char *kJacobian = "jacobian", *kContact = "contact";

  void add_to(CLI::App& app) override {
    options.add_to(app);
    AnalyzeOptions::add_option(app, "--levels", levels_text, "N",
                               "Number of step sizes 0.1/10 s, 0.1/20 s, ...; default 8.");
    AnalyzeOptions::add_option(
        app, "--jacobian", jacobian_text, "NAME",
        "exact (the default), or clamped, with which some methods are only of order 1.");
    AnalyzeOptions::add_option(app, "--contact", contact_text, "NAME",
                               "The sheet lies on a sphere without friction, pressed on it, with contact by "
                               "filter, penalty, barrier or impulse.");
    options.add_parameters_to(app);
  }

  void measure(const IntegratorInfo& info, JacobianMode jacobian, int levels) {
    const IntegratorParameters values = options.parameters(info);
    const auto points = measure_convergence(info, values, jacobian, levels, contact, Interrupt::probe());
    if (Interrupt::requested()) return;
    const int expected = order_with(info, values, jacobian);
    ChartCurve x = options.curve(info);
    x.markers = true;
    ChartCurve v = x;
    std::string changed;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const ConvergencePoint& p = points[k];
      const auto slope = [&](double ConvergencePoint::*error) {
        return k == 0 ? NAN : std::log2(points[k - 1].*error / p.*error);
      };
      csv += std::string(info.id) + "," +
             csv_line({static_cast<long long>(expected), static_cast<long long>(p.steps), p.h, p.error_x,
                       p.error_v, slope(&ConvergencePoint::error_x), slope(&ConvergencePoint::error_v),
                       static_cast<long long>(p.same_pairs)});
      if (!p.same_pairs) changed = "  contacts changed down to h = " + format_digits(p.h, 2) + " s";
      x.x.push_back(p.h);
      x.y.push_back(p.error_x);
      v.y.push_back(p.error_v);
    }
    v.x = x.x;
    const MeasuredOrder order = measured_order(points);
    const ConvergencePoint last = points.empty() ? ConvergencePoint{} : points.back();
    std::printf("%-32s %6d %12.3f %12.3f %14.3g %14.3g%s\n", std::string(info.id).c_str(), expected, order.x,
                order.v, last.error_x, last.error_v, changed.c_str());
    chart.panels[0].curves.push_back(std::move(x));
    chart.panels[1].curves.push_back(std::move(v));
  }

  int run() override {
    const Interrupt interrupt;
    options.check();
    const int levels = levels_text ? static_cast<int>(parse_whole("levels", *levels_text, 2, 12)) : 8;
    const bool clamped =
        jacobian_text && parse_parameter(find_scene_parameter(kJacobian)->spec, *jacobian_text) ==
                             static_cast<double>(JacobianMode::clamped);
    if (contact_text)
      contact =
          static_cast<ContactModel>(parse_parameter(find_scene_parameter(kContact)->spec, *contact_text));
    if (contact) {
      chart.title = "A sheet pressed on a sphere, contact by " + std::string(info_of(*contact).id) +
                    ", after 0.1 s: error against h";
    }
    std::printf("%-32s %6s %12s %12s %14s %14s\n", "integrator", "order", "measured x", "measured v",
                "error x [m]", "error v [m/s]");
    std::vector<const IntegratorInfo*> skipped, without_place;
    options.for_each(options.quiet(), [&](const IntegratorInfo& info) {
      if (info.order == 0)
        skipped.push_back(&info);
      else if (contact && info.inextensible)
        without_place.push_back(&info);
      else
        measure(info, clamped ? JacobianMode::clamped : JacobianMode::exact, levels);
    });
    AnalyzeOptions::report_skipped(skipped, "no order is defined for them");
    AnalyzeOptions::report_skipped(without_place, "rods leave a sheet on a sphere no freedom");
    return options.finish(csv, chart);
  }
};

}  // namespace

std::unique_ptr<Analysis> make_convergence_analysis(const Services& services) {
  return std::make_unique<Convergence>(services);
}

}  // namespace clothlab
