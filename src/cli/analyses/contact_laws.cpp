// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <utility>

#include "cli/analyses/method_analysis.h"
#include "contact/contact_law.h"
#include "core/text.h"
#include "dynamics/smooth_friction.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

struct ContactLaws final : MethodAnalysis {
  explicit ContactLaws(const SubcommandContext& context)
      : MethodAnalysis(context, "function,parameter,x,value,slope\n",
                       {.title = "Barrier and smoothed friction of contact by forces",
                        .panels = {{.x = {.title = "gap g [m]"}, .y = {.title = "b(g; δ) = E/κ [m²]"}},
                                   {.x = {.title = "sliding speed y [m/s]"},
                                    .y = {.title = "s(y; ε): friction over μλ"}}}}) {}

  int points = 201;
  double distance = 2e-3, speed = 1e-2;  // [m], [m/s]

  void add_options(CLI::App& app) override {
    app.remove_option(app.get_option("--integrators"));
    // Up to the largest size in a scene. 0 chooses one there by the cloth, which is missing here.
    const auto add_size = [&](const char* id, const char* type, double& size, const char* help) {
      ParameterSpec spec = find_scene_parameter(id)->spec;
      spec.min = 1e-9;
      options.add_value(app, spec, type, size, help);
    };
    add_size("contact-distance", "M", distance, "Largest δ, up to 1 m; default 0.002.");
    add_size("friction-speed", "M/S", speed, "Largest ε, up to 10 m/s; default 0.01.");
    options.add_whole(app, "points", points, 2, 100'000, "Values of g and y; default 201.");
  }

  /// A function of x from 0 to `end`, with its derivative.
  void add(std::size_t panel, const std::string& label, double parameter, double end, Rgb colour,
           const auto& value, const auto& slope) {
    ChartCurve& curve = chart.panels[panel].curves.emplace_back(ChartCurve{.label = label, .colour = colour});
    for (int k = 0; k < points; ++k) {
      const double x = end * k / (points - 1);
      csv += csv_row(panel == 0 ? "b" : "s", parameter, x, value(x), slope(x));
      curve.x.push_back(x);
      curve.y.push_back(value(x));
    }
  }

  void measure_all() override {
    constexpr std::array<std::pair<double, Rgb>, 3> kShares{
        {{1.0, {96, 165, 250}}, {0.5, {251, 191, 36}}, {0.25, {74, 222, 128}}}};
    for (const auto& [share, colour] : kShares) {
      const ContactLaw law{.stiffness = 1, .distance = share * distance, .barrier = true};
      const SmoothFriction friction{share * speed};
      add(
          0, "δ = " + format_quantity(law.distance, "m"), law.distance, 1.25 * distance, colour,
          [&](double g) { return law.energy(g); }, [&](double g) { return -law.push(g); });
      add(
          1, "ε = " + format_quantity(friction.speed, "m/s"), friction.speed, 1.5 * speed, colour,
          [&](double y) { return y * friction.secant(y); }, [&](double y) { return friction.slope(y); });
      std::printf("δ = %g m: b(δ/2) = %.6g m²; ε = %g m/s: s(ε/2) = %.6g\n", law.distance,
                  law.energy(law.distance / 2), friction.speed,
                  friction.secant(friction.speed / 2) * friction.speed / 2);
    }
  }
};

}  // namespace

const SubcommandRow kContactLawsAnalysis{
    "contact-laws",
    "The barrier b over the gap and the smoothed friction s over the sliding speed, as the program computes "
    "them, for\nthree contact distances and three friction speeds.",
    make_subcommand<ContactLaws>};

}  // namespace clothlab
