// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/analyses/method_analysis.h"
#include "cli/interrupt.h"
#include "core/text.h"
#include "experiments/slope_run.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

constexpr std::array kSlopeSteps{1.0 / 60, 1.0 / 600, 1.0 / 6000};  // [s]
constexpr std::array kSlopeSpeeds{1e-2, 1e-3};                      // ε [m/s]
constexpr double kGentle = 0.5, kSteep = 2;                         // tan θ / μ
constexpr double kStill = 1e-9;                                     // [m/s]

struct Friction final : MethodAnalysis {
  explicit Friction(const SubcommandContext& context)
      : MethodAnalysis(
            context,
            "integrator,contact,friction_speed,slope,h,speed,speed_theory,rate,rate_theory,blew_up\n",
            two_panels(
                "A sheet on a slope", {.title = "h μ g cos θ / ε, by penalty", .logarithmic = true},
                {.title = "tan θ = μ/2: speed over that at which it creeps by theory", .logarithmic = true},
                {.title = "tan θ = 2 μ: relative error of the acceleration",
                 .logarithmic = true,
                 .range = AxisRange{1e-6, 1.0}})) {
    chart.panels[1].x.title = "h [s], by penalty";
  }

  double friction = 0.5;

  void add_options(CLI::App& app) override {
    options.add_positive(app, "friction", "X", "", friction, "Coulomb's μ; default 0.5.");
    add_parameters_to(app);
  }

  /// Its motion, and the deviation from theory.
  static std::string said(const Slope& slope, const SlopeRun& run) {
    const auto off = [](double is, double theory) {
      std::array<char, 32> text{};
      const double percent = std::round(1e4 * (is / theory - 1)) / 100 + 0.0;
      if (percent > 1000)
        std::snprintf(text.data(), text.size(), " x %.0f", is / theory);
      else
        std::snprintf(text.data(), text.size(), " %+.2f %%", percent);
      return std::string(text.data());
    };
    if (run.blew_up) return "blew up";
    if (std::abs(run.speed) < kStill) return "sticks";
    if (!slope.sticks()) return "slides" + off(run.rate, slope.slide());
    if (slope.creep() == 0) return "slides " + format_digits(run.speed, 2) + " m/s";
    return (std::abs(run.speed) < slope.friction_speed ? "creeps" : "slides") + off(run.speed, slope.creep());
  }

  void measure(const IntegratorInfo& info, ContactModel contact, double speed, double steepness) {
    const bool forces = info_of(contact).by_forces;
    ChartCurve points = curve(info, true);
    std::string row;
    for (const double h : kSlopeSteps) {
      const Slope slope{std::atan(steepness * friction), friction, speed, contact, h};
      const SlopeRun run = run_down(slope, info, parameters(info), stop);
      if (!run.done && !run.blew_up) return;
      row += "  " + padded(said(slope, run));
      const bool sticks = slope.sticks();
      csv += csv_row(label_of(info), info_of(contact).id, forces ? speed : NAN, steepness, h,
                     run.blew_up ? NAN : run.speed, sticks ? slope.creep() : NAN,
                     run.blew_up ? NAN : run.rate, sticks ? 0.0 : slope.slide(), run.blew_up);
      if (run.blew_up) continue;
      points.x.push_back(sticks ? h * friction * 9.8 * std::cos(slope.angle) / speed : h);
      points.y.push_back(sticks ? run.speed / slope.creep() : std::abs(run.rate / slope.slide() - 1));
    }
    const std::string law =
        std::string(info_of(contact).id) + (forces ? " " + format_digits(1000 * speed, 3) + " mm/s" : "");
    std::printf("%-29s %-16s%s\n", std::string(label_of(info)).c_str(), law.c_str(), row.c_str());
    std::fflush(stdout);
    if (!forces) return;
    if (steepness < 1 || speed == kSlopeSpeeds.front())
      chart.panels[steepness < 1 ? 0 : 1].curves.push_back(std::move(points));
  }

  static std::string padded(std::string text) {
    text.resize(std::max<std::size_t>(text.size(), 16), ' ');
    return text;
  }

  void measure_all() override {
    tell_of_no_effect();
    for (const double steepness : {kGentle, kSteep}) {
      std::printf("%stan θ = %g, μ = %g: by theory it %s\n%-29s %-17s", steepness < 1 ? "" : "\n",
                  steepness * friction, friction,
                  steepness < 1 ? "sticks, and with smoothed friction creeps" : "slides", "integrator",
                  "contact, ε");
      for (const double h : kSlopeSteps)
        std::printf("  %-16s", ("h = " + format_digits(h, 3) + " s").c_str());
      std::printf("\n");
      for_each([&](const IntegratorInfo& info) {
        for (const ContactModel model : {ContactModel::filter, ContactModel::impulse})
          measure(info, model, kSlopeSpeeds.front(), steepness);
        if (!supports_contact(ContactModel::penalty, info)) return;
        for (const double speed : kSlopeSpeeds)
          if (!Interrupt::requested()) measure(info, ContactModel::penalty, speed, steepness);
      });
      if (Interrupt::requested()) break;
    }
  }
};

}  // namespace

const SubcommandRow kFrictionAnalysis{
    "friction",
    "A small sheet on a slope, with contact by filter, impulse and penalty, for some h: whether it sticks, "
    "creeps or\nslides, and how fast, compared with theory.",
    make_subcommand<Friction>};

}  // namespace clothlab
