// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
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
#include "experiments/slope_run.h"
#include "io/csv.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

constexpr std::array kSlopeSteps{1.0 / 60, 1.0 / 600, 1.0 / 6000};  // [s]
constexpr std::array kSlopeSpeeds{1e-2, 1e-3};                      // ε [m/s]
constexpr double kGentle = 0.5, kSteep = 2;                         // tan θ / μ
constexpr double kStill = 1e-9;                                     // [m/s]

struct Friction final : Analysis {
  explicit Friction(const Services& services) : options(services) {}

  AnalyzeOptions options;
  std::optional<std::string> friction_text;
  double friction = 0.5;

  std::string csv = "integrator,contact,friction_speed,slope,h,speed,speed_theory,rate,rate_theory,blew_up\n";
  Chart chart{.title = "A sheet on a slope",
              .panels = {{.x = {.title = "h μ g cos θ / ε, by penalty", .logarithmic = true},
                          .y = {.title = "tan θ = μ/2: speed over that at which it creeps by theory",
                                .logarithmic = true},
                          .curves = {}},
                         {.x = {.title = "h [s], by penalty", .logarithmic = true},
                          .y = {.title = "tan θ = 2 μ: relative error of the acceleration",
                                .logarithmic = true,
                                .range = AxisRange{1e-6, 1.0}},
                          .curves = {}}}};

  void add_to(CLI::App& app) override {
    options.add_to(app);
    AnalyzeOptions::add_option(app, "--friction", friction_text, "X", "Coulomb's μ; default 0.5.");
    options.add_parameters_to(app);
  }

  /// What it does, and how far that is from theory.
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
    if (!slope.holds()) return "slides" + off(run.rate, slope.slide());
    if (slope.creep() == 0) return "slides " + format_digits(run.speed, 2) + " m/s";
    return (std::abs(run.speed) < slope.friction_speed ? "creeps" : "slides") + off(run.speed, slope.creep());
  }

  void measure(const IntegratorInfo& info, ContactModel contact, double speed, double steepness) {
    const bool forces = info_of(contact).by_forces;
    const std::string name = std::string(info.id) + "," + std::string(info_of(contact).id);
    ChartCurve curve = options.curve(info);
    curve.markers = true;
    std::string row;
    for (const double h : kSlopeSteps) {
      const Slope slope{std::atan(steepness * friction), friction, speed, contact, h};
      const SlopeRun run = run_down(slope, info, options.parameters(info), Interrupt::probe());
      if (!run.done && !run.blew_up) return;
      row += "  " + padded(said(slope, run));
      const bool holds = slope.holds();
      csv += name + "," +
             csv_line({forces ? speed : NAN, steepness, h, run.blew_up ? NAN : run.speed,
                       holds ? slope.creep() : NAN, run.blew_up ? NAN : run.rate, holds ? 0.0 : slope.slide(),
                       static_cast<long long>(run.blew_up)});
      if (run.blew_up) continue;
      curve.x.push_back(holds ? h * friction * 9.8 * std::cos(slope.angle) / speed : h);
      curve.y.push_back(holds ? run.speed / slope.creep() : std::abs(run.rate / slope.slide() - 1));
    }
    const std::string law =
        std::string(info_of(contact).id) + (forces ? " " + format_digits(1000 * speed, 3) + " mm/s" : "");
    std::printf("%-29s %-16s%s\n", std::string(info.id).c_str(), law.c_str(), row.c_str());
    std::fflush(stdout);
    if (!forces) return;
    if (steepness < 1 || speed == kSlopeSpeeds.front())
      chart.panels[steepness < 1 ? 0 : 1].curves.push_back(std::move(curve));
  }

  static std::string padded(std::string text) {
    text.resize(std::max<std::size_t>(text.size(), 16), ' ');
    return text;
  }

  int run() override {
    const Interrupt interrupt;
    options.check();
    if (friction_text) friction = parse_positive("friction", *friction_text);
    for (const double steepness : {kGentle, kSteep}) {
      std::printf("%stan θ = %g, μ = %g: by theory it %s\n%-29s %-17s", steepness < 1 ? "" : "\n",
                  steepness * friction, friction,
                  steepness < 1 ? "sticks, and with smoothed friction creeps" : "slides", "integrator",
                  "contact, ε");
      for (const double h : kSlopeSteps)
        std::printf("  %-16s", ("h = " + format_digits(h, 3) + " s").c_str());
      std::printf("\n");
      options.for_each(options.quiet(), [&](const IntegratorInfo& info) {
        for (const ContactModel held : {ContactModel::filter, ContactModel::impulse})
          measure(info, held, kSlopeSpeeds.front(), steepness);
        if (!has_place_for(ContactModel::penalty, info)) return;
        for (const double speed : kSlopeSpeeds)
          if (!Interrupt::requested()) measure(info, ContactModel::penalty, speed, steepness);
      });
      if (Interrupt::requested()) break;
    }
    return options.finish(csv, chart);
  }
};

}  // namespace

std::unique_ptr<Analysis> make_friction_analysis(const Services& services) {
  return std::make_unique<Friction>(services);
}

}  // namespace clothlab
