// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>

#include "cli/analyses/method_analysis.h"
#include "cli/interrupt.h"
#include "core/text.h"
#include "experiments/convergence.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct Convergence final : MethodAnalysis {
  explicit Convergence(const SubcommandContext& context)
      : MethodAnalysis(
            context,
            "integrator,order,steps,h,error_x,error_v,order_x,order_v,same_pairs,signed_x,error_energy\n",
            two_panels("A swinging, stretched sheet after 0.1 s: error against h",
                       {.title = "h [s]", .logarithmic = true},
                       {.title = "error of the positions [m]", .logarithmic = true},
                       {.title = "error of the velocities [m/s]", .logarithmic = true})) {}

  int levels = 8;
  SolverSettings settings;
  std::optional<ContactModel> contact;

  void add_options(CLI::App& app) override {
    options.add_whole(app, "levels", levels, 2, 12,
                      "Number of step sizes 0.1/10 s, 0.1/20 s, ...; default 8.");
    settings.jacobian = JacobianMode::exact;
    const auto add_setting = [&](const char* id, auto& value, const char* help) {
      options.add_value(app, find_scene_parameter(id)->spec, "NAME", value, help);
    };
    add_setting("jacobian", settings.jacobian,
                "exact (the default), or clamped, with which some methods are only of order 1.");
    add_setting("stage-solve", settings.stage_solve,
                "newton (the default), or linear: implicit methods in their semi-implicit form.");
    options.add(app, "contact", "NAME",
                "The sheet lies on a sphere without friction, pressed on it, with contact by "
                "filter, penalty, barrier or impulse.",
                [this](const std::string& text) {
                  contact =
                      static_cast<ContactModel>(parse_parameter(find_scene_parameter("contact")->spec, text));
                });
    add_parameters_to(app);
  }

  void measure(const IntegratorInfo& info, const SolverSettings& solver) {
    const IntegratorParameters values = parameters(info);
    const auto points = measure_convergence(info, values, solver, levels, contact, stop);
    if (Interrupt::requested()) return;
    const int expected = order_with(info, values, solver);
    Points curves;
    std::string changed;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const ConvergencePoint& p = points[k];
      const auto slope = [&](double ConvergencePoint::*error) {
        return k == 0 ? NAN : std::log2(points[k - 1].*error / p.*error);
      };
      csv += csv_row(label_of(info), expected, p.steps, p.h, p.error_x, p.error_v,
                     slope(&ConvergencePoint::error_x), slope(&ConvergencePoint::error_v), p.same_pairs,
                     p.signed_x, p.error_energy);
      if (!p.same_pairs) changed = "  contacts changed down to h = " + format_digits(p.h, 2) + " s";
      curves.add(p.h, {p.error_x, p.error_v});
    }
    const MeasuredOrder order = measured_order(points);
    const ConvergencePoint last = points.empty() ? ConvergencePoint{} : points.back();
    std::printf("%-32s %6d %12.3f %12.3f %14.3g %14.3g %13.1f %% %13.3g%s\n",
                std::string(label_of(info)).c_str(), expected, order.x, order.v, last.error_x, last.error_v,
                100 * last.signed_x / last.error_x, last.error_energy, changed.c_str());
    add_curves(curve(info, true), std::move(curves));
  }

  void measure_all() override {
    if (contact)
      chart.title = "A sheet pressed on a sphere, contact by " + std::string(info_of(*contact).id) +
                    ", after 0.1 s: error against h";
    if (settings.stage_solve == StageSolve::linear) {
      chart.title += ", implicit methods with one linear solve per stage";
      std::printf("Implicit methods with one linear solve per stage.\n");
    }
    std::printf("%-32s %6s %12s %12s %14s %14s %15s %13s\n", "integrator", "order", "measured x",
                "measured v", "error x [m]", "error v [m/s]", "along Euler's", "energy [J]");
    leave_out([](const IntegratorInfo& info) { return info.order == 0; }, "no order is defined for them");
    if (contact)
      leave_out([](const IntegratorInfo& info) { return info.inextensible; },
                "rods leave no freedom to a sheet on a sphere");
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) { measure(info, settings); });
  }
};

}  // namespace

const SubcommandRow kConvergenceAnalysis{
    "convergence",
    "Order of convergence of positions and velocities on a swinging, stretched sheet, against a "
    "reference of far\nsmaller error; with --contact on a sheet that is pressed on a sphere.",
    make_subcommand<Convergence>};

}  // namespace clothlab
