// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "analysis/amplification.h"
#include "cli/analyses/method_analysis.h"
#include "cli/interrupt.h"

namespace clothlab {
namespace {

constexpr double kFrom = 0.01, kTo = 100;  // hω

struct Damping final : MethodAnalysis {
  explicit Damping(const SubcommandContext& context)
      : MethodAnalysis(
            context, "integrator,modes,h_omega,amplitude,amplitude_theory,damping,phase_error\n",
            two_panels("Effect of one step on an undamped oscillator",
                       {.title = "hω", .logarithmic = true, .range = AxisRange{kFrom, kTo}},
                       {.title = "damping d/ω of x'' + d x' + ω\xC2\xB2x = 0 with the same loss per step",
                        .range = AxisRange{-0.4, 1.0}},
                       {.title = "error of the phase per step, over hω: above 0 the method is too fast",
                        .range = AxisRange{-0.6, 0.6}})) {
    chart.panels[1].x.range = AxisRange{kFrom, std::numbers::pi};
  }

  int points = 201;

  void add_options(CLI::App& app) override {
    options.add_whole(app, "points", points, 2, 100'000, "Values of hω from 0.01 to 100; default 201.");
    add_parameters_to(app);
  }

  /// One row of the printed table, one curve in each panel, and their rows of the CSV.
  void measure(const IntegratorInfo& info, ModeKind kind) {
    const IntegratorParameters values = parameters(info);
    const bool splits = info.growth_of_slow_modes != nullptr;
    const bool rest = kind == ModeKind::rest;
    const char* modes = !splits ? "all" : rest ? "rest" : "slow";
    const std::string label = std::string(label_of(info)) + (rest ? " (rest)" : "");
    ChartCurve look = curve(info);
    look.label = label;
    if (rest) look.dash = kChartDash;
    Points curves;
    double off = 0;
    for (int k = 0; k < points; ++k) {
      const double h_omega = kFrom * std::pow(kTo / kFrom, double(k) / (points - 1));
      const auto eigenvalues = measure_amplification(info, values, h_omega, kind, stop);
      if (Interrupt::requested()) return;
      if (eigenvalues.empty()) continue;  // not finite
      const double amplitude = std::abs(eigenvalues[0]);
      const double theory = rest ? info.growth(h_omega, 0, values) : slow_growth(info, h_omega, values);
      const double angle = phase_error(eigenvalues[0], h_omega), d = equivalent_damping(amplitude, h_omega);
      off = std::max(off, std::abs(amplitude / theory - 1));
      csv += csv_row(label_of(info), modes, h_omega, amplitude, theory, d, angle);
      curves.add(h_omega, {d, h_omega < std::numbers::pi ? angle / h_omega : NAN});
    }
    const auto amplitude_at = [&](double h_omega) {
      const auto eigenvalues = measure_amplification(info, values, h_omega, kind);
      return eigenvalues.empty() ? NAN : std::abs(eigenvalues[0]);
    };
    std::printf("%-36s %10.6f %10.6f %12.6g %12.6g %12.1e\n", label.c_str(), amplitude_at(0.1),
                amplitude_at(1), amplitude_at(10), amplitude_at(100), off);
    add_curves(look, std::move(curves));
  }

  void measure_all() override {
    std::printf("%-36s %10s %10s %12s %12s %12s\n", "|R| per step at hω =", "0.1", "1", "10", "100",
                "off theory");
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) {
      measure(info, ModeKind::slow);
      if (info.growth_of_slow_modes != nullptr) measure(info, ModeKind::rest);
    });
  }
};

}  // namespace

const SubcommandRow kDampingAnalysis{
    "damping",
    "Effect of one step on an undamped oscillator, for hω from 0.01 to 100: the eigenvalues of its "
    "amplification\nmatrix, measured by stepping unit states, compared with the closed form.",
    make_subcommand<Damping>};

}  // namespace clothlab
