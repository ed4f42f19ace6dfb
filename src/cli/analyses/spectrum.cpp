// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

#include "cli/analyses/method_analysis.h"

namespace clothlab {
namespace {

constexpr double kNoStiffness = 1e-12;  // of the largest eigenvalue

struct SpectrumAnalysis final : SceneAnalysis {
  explicit SpectrumAnalysis(const SubcommandContext& context)
      : SceneAnalysis(context, "kind,mode,modes,omega_squared,frequency,damping,real,imaginary\n",
                      two_panels("Eigenvalues of the cloth", {.title = "number of the mode"},
                                 {.title = "ω\xC2\xB2 [1/s\xC2\xB2], eigenvalue of M⁻¹K, in ascending order",
                                  .logarithmic = true},
                                 {.title = "frequency ω/2π [Hz]"})) {}

  std::size_t most_exact = kDenseDirections;

  void add_options(CLI::App& app) override {
    app.remove_option(app.get_option("--integrators"));
    options.add_whole(
        app, "exact", most_exact, 1, 10'000,
        "Most free directions for which every mode is computed, in a time of their third power; more are "
        "counted by estimate. Default 2000, at most 10000.");
    add_run_to(app, 0, {});
  }

  static double hertz(double squared) {
    return std::copysign(std::sqrt(std::abs(squared)), squared) / (2 * std::numbers::pi);
  }

  void add(const Spectrum& spectrum) {
    ChartCurve look{.label = spectrum.is_exact ? "all modes" : "estimated counts",
                    .colour = {96, 165, 250},
                    .markers = !spectrum.is_exact};
    Points curves;
    double below = 0;
    for (const auto& [squared, damping, modes] : spectrum.groups) {
      // λ² + dλ + ω² = 0, as far as the modes do not share damping.
      const double root = damping * damping / 4 - squared;
      const double real = -damping / 2 + std::sqrt(std::max(root, 0.0));
      csv += csv_row("mode", below + 1, modes, squared, hertz(squared), damping, real,
                     std::sqrt(std::max(-root, 0.0)));
      // Modes without stiffness have the rounding errors of the stiffest.
      const bool visible = squared > kNoStiffness * spectrum.highest;
      curves.add(below + (modes + 1) / 2, {visible ? squared : NAN, hertz(squared)});
      below += modes;
    }
    add_curves(look, std::move(curves));
    if (!spectrum.is_damped || spectrum.jacobian.empty()) return;
    ChartCurve& plane = chart.panels.emplace_back().curves.emplace_back(
        ChartCurve{.label = "eigenvalues of J", .colour = {251, 191, 36}, .markers = true, .line = false});
    chart.panels.back().x.title = "real part of the eigenvalues of J [1/s]";
    chart.panels.back().y.title = "imaginary part [rad/s]";
    for (const std::complex<double> l : spectrum.jacobian) {
      if (l.imag() < 0) continue;  // of a pair
      const bool oscillates = l.imag() > 0;
      const double omega = oscillates ? std::abs(l) : 0, damping = (oscillates ? -2 : -1) * l.real();
      csv += csv_row("jacobian", NAN, 1, omega * omega, omega / (2 * std::numbers::pi), damping, l.real(),
                     l.imag());
      plane.x.push_back(l.real());
      plane.y.push_back(l.imag());
    }
  }

  static void print(const Spectrum& spectrum) {
    const double zero = kNoStiffness * spectrum.highest, buckle = modes_below(spectrum, -zero);
    std::printf("%zu modes%s: %.0f buckle, %.0f have no stiffness; ω_max = %.6g rad/s, 2/ω_max = %.4g s\n",
                spectrum.free_directions, spectrum.is_exact ? "" : ", counted by estimate to 1.3 %", buckle,
                modes_below(spectrum, zero) - buckle, std::sqrt(spectrum.highest),
                2 / std::sqrt(spectrum.highest));
  }

  /// Only that of the scene, before its modes.
  std::vector<Scene> runs() const override { return {}; }

  void measure_all() override {
    load();
    tell_of_no_effect_on_modes();
    is_completed([&] {
      const Spectrum spectrum = spectrum_at_end(true, most_exact);
      print(spectrum);
      add(spectrum);
    });
  }
};

}  // namespace

const SubcommandRow kSpectrumAnalysis{
    "spectrum",
    "All modes of the cloth at the start, or after --steps: the eigenvalues of M⁻¹K and of the Jacobian J "
    "of its\nequations of motion, in ascending order.",
    make_subcommand<SpectrumAnalysis>};

}  // namespace clothlab
