// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <set>
#include <utility>

#include "analysis/amplification.h"
#include "cli/analyses/method_analysis.h"
#include "core/text.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct Response final : SceneAnalysis {
  explicit Response(const SubcommandContext& context)
      : SceneAnalysis(
            context, "integrator,mode,frequency,h_omega,h_damping,amplitude,phase,low_pass\n",
            two_panels(
                {}, {.title = "frequency of the mode [Hz]", .logarithmic = true},
                {.title = "amplitude over the exact one", .logarithmic = true, .range = AxisRange{0.1, 10.0}},
                {.title = "phase less the exact one [rad]",
                 .range = AxisRange{-std::numbers::pi, std::numbers::pi}})) {
    chart.panels.push_back({.x = chart.panels[0].x,
                            .y = {.title = "velocity after one step from rest, over explicit Euler's",
                                  .range = AxisRange{-0.5, 1.1}}});
  }

  struct Mode {
    double index, omega, damping;  // modes below it; [rad/s], [1/s]
  };
  double ratio = 0.5, h = 0;  // h in s
  std::vector<Mode> modes;

  void add_options(CLI::App& app) override {
    options.add_positive(app, "ratio", "X", "", ratio,
                         "Each mode is driven at this multiple of its own frequency; default 0.5.");
    add_run_to(app, 0, {});
  }

  /// The modes, each at least a per cent faster than the one before.
  void find_modes() {
    const Spectrum spectrum = spectrum_at_end(false);
    double index = 0;
    for (const ModeGroup& group : spectrum.groups) {
      const double omega = std::sqrt(std::max(group.eigenvalue, 0.0));
      if (omega > (modes.empty() ? 1e-6 * std::sqrt(spectrum.highest) : 1.01 * modes.back().omega))
        modes.push_back({index, omega, group.damping});
      index += group.modes;
    }
    std::printf("%zu of %zu %s, %.4g to %.4g Hz, each driven at %g times its frequency; h = %g s\n",
                modes.size(), spectrum.groups.size(), spectrum.is_exact ? "modes" : "groups of modes",
                hertz(modes.front()), hertz(modes.back()), ratio, h);
  }

  static double hertz(const Mode& mode) { return mode.omega / (2 * std::numbers::pi); }

  /// False if its steps are not linear.
  bool measure(const IntegratorInfo& info) {
    const IntegratorParameters values = integrator_parameters(loaded.scene, info);
    const auto slow = static_cast<double>(slow_modes(info, values));
    Points curves;
    std::string rows;
    for (const Mode& mode : modes) {
      const bool rest = info.growth_of_slow_modes != nullptr && mode.index >= slow;
      const auto response =
          measure_response(info, values, h * mode.omega, rest ? ModeKind::rest : ModeKind::slow, ratio, stop,
                           h * mode.damping);
      if (stop_requested(stop)) throw Cancelled();
      if (!response) return false;
      // A force that changes its sign within a step has no frequency.
      const bool sampled = ratio * h * mode.omega < std::numbers::pi;
      const std::complex<double> over_exact =
          sampled ? response->steady / exact_response(ratio, mode.damping / mode.omega) : NAN;
      const double amplitude = std::abs(over_exact), phase = sampled ? std::arg(over_exact) : NAN;
      rows += csv_row(label_of(info), mode.index, hertz(mode), h * mode.omega, h * mode.damping, amplitude,
                      phase, response->low_pass);
      curves.add(hertz(mode), {amplitude, phase, response->low_pass});
    }
    csv += rows;
    std::printf("%-32s", std::string(label_of(info)).c_str());
    for (const std::size_t k : {std::size_t{0}, modes.size() / 2})
      std::printf(" %12.5g %10.4f", curves.y[0][k], curves.y[1][k]);
    std::printf(" %12.4g\n", curves.y[2].back());
    add_curves(curve(info), std::move(curves));
    return true;
  }

  void measure_all() override {
    load();
    h = loaded.scene.dt / loaded.scene.substeps;
    tell_of_no_effect_on_modes();
    if (!is_completed([&] { find_modes(); })) return;
    chart.title = "Response of each mode to a force at " + format_plain(ratio) + " times its frequency";
    std::printf("%-32s %23s %23s %12s\n%-32s %12s %10s %12s %10s %12s\n", "", "slowest mode", "middle mode",
                "fastest mode", "integrator", "amplitude", "phase", "amplitude", "phase", "low-pass");
    leave_out([](const IntegratorInfo& info) { return info.inextensible; },
              "they treat stretch springs as rods, so their cloth has other modes");
    std::set<const IntegratorInfo*> not_linear;
    for_each([&](const IntegratorInfo& info) {
      if (!measure(info)) not_linear.insert(&info);
    });
    leave_out([&](const IntegratorInfo& info) { return not_linear.contains(&info); },
              "their steps are not linear");
  }
};

}  // namespace

const SubcommandRow kResponseAnalysis{
    "response",
    "Steady motion of each of the cloth's modes under a harmonic force, by steps of --dt, over the exact "
    "one; and\nthe velocity that one step gives to each mode at rest.",
    make_subcommand<Response>};

}  // namespace clothlab
