#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "integrate/registry.h"
#include "sim/parameters.h"
#include "ui/panels.h"
#include "ui/plot.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

using Samples = std::vector<PlotSample>;

// Coloured stretches of time by integrator, and a named mark at each switch.
void mark_switches(const Samples& samples, Plot& plot) {
  std::size_t start = 0;
  for (std::size_t i = 1; i <= samples.size(); ++i) {
    if (i < samples.size() && samples[i].integrator == samples[start].integrator) continue;
    const std::size_t row = samples[start].integrator;
    const ImU32 colour = integrator_colour(row);
    plot.bands.push_back({samples[start].time, samples[std::min(i, samples.size() - 1)].time, colour});
    if (start > 0 && row < integrators().size()) {
      plot.marks.push_back({samples[start].time, colour, std::string(integrators()[row].title)});
    }
    start = i;
  }
}

template <class Get>
PlotCurve curve(const Samples& samples, std::string label, ImU32 colour, std::string_view unit, Get get) {
  PlotCurve out;
  out.label = std::move(label);
  out.colour = colour;
  out.y.reserve(samples.size());
  for (const PlotSample& sample : samples) out.y.push_back(static_cast<double>(get(sample)));
  if (!out.y.empty())
    out.value = unit.empty() ? format_plain(out.y.back()) : format_quantity(out.y.back(), unit);
  return out;
}

Plot over_time(const Samples& samples, const char* title) {
  Plot plot;
  plot.title = title;
  plot.x_title = "time [s]";
  plot.empty = "Nothing yet: press Space to play, S for one step.";
  plot.x.reserve(samples.size());
  for (const PlotSample& sample : samples) plot.x.push_back(sample.time);
  mark_switches(samples, plot);
  return plot;
}

Plot energy_plot(const Samples& samples) {
  Plot plot = over_time(samples, "Energy");
  plot.y_unit = "J";
  plot.curves.push_back(
      curve(samples, "gravity", palette().gravity, "", [](const PlotSample& s) { return s.energy.gravity; }));
  plot.curves.push_back(curve(samples, "elastic", palette().elastic, "",
                              [](const PlotSample& s) { return s.energy.stretch + s.energy.bend; }));
  plot.curves.push_back(
      curve(samples, "kinetic", palette().kinetic, "", [](const PlotSample& s) { return s.energy.kinetic; }));
  plot.curves.push_back(
      curve(samples, "total", palette().total, "", [](const PlotSample& s) { return s.energy.total; }));
  for (PlotCurve& energy : plot.curves) energy.value.clear();  // there is room for the names alone
  plot.curves.back().thickness = 2;
  std::rotate(plot.curves.begin(), plot.curves.end() - 1, plot.curves.end());
  return plot;
}

Plot iterations_plot(const Samples& samples) {
  Plot plot = over_time(samples, "Iterations per step");
  plot.from_zero = true;
  plot.curves.push_back(
      curve(samples, "CG", palette().kinetic, "", [](const PlotSample& s) { return s.cg_iterations; }));
  plot.curves.push_back(curve(samples, "Newton", palette().elastic, "",
                              [](const PlotSample& s) { return s.newton_iterations; }));
  return plot;
}

Plot residual_plot(const Snapshot& now) {
  Plot plot;
  plot.title = "CG residual, last step";
  plot.x_title = "iteration";
  plot.log_y = true;
  const Scene& scene = *now.frame.scene;
  const IntegratorInfo& info = integrators()[now.integrator];
  const auto& linear = scene.stepping.solver.linear;
  plot.empty = !info.uses_linear_solver ? std::string(info.title) + " leaves no CG residuals to show."
               : linear.kind == LinearSolverSettings::Kind::cholesky
                   ? "Cholesky is a direct solver: no iterations."
                   : "Nothing solved yet.";
  PlotCurve residual;
  residual.label = "relative";
  residual.colour = palette().kinetic;
  for (std::size_t i = 0; i < now.frame.residuals.size(); ++i) {
    plot.x.push_back(static_cast<double>(i));
    residual.y.push_back(now.frame.residuals[i]);
  }
  if (!residual.y.empty()) residual.value = format_plain(residual.y.back(), 2);
  plot.curves.push_back(std::move(residual));
  plot.levels.push_back(
      {linear.cg.tolerance, palette().careful, "tolerance " + format_plain(linear.cg.tolerance)});
  return plot;
}

}  // namespace

void plots_panel(const PanelContext& context, float width, float height) {
  static const Samples kNone;
  const Samples& samples = context.snapshot.plot ? *context.snapshot.plot : kNone;
  const float gap = units(8);
  const float each = std::floor((width - 2 * gap) / 3);
  draw_plot(energy_plot(samples), ImVec2(each, height));
  ImGui::SameLine(0, gap);
  draw_plot(iterations_plot(samples), ImVec2(each, height));
  ImGui::SameLine(0, gap);
  draw_plot(residual_plot(context.snapshot), ImVec2(each, height));
}

}  // namespace clothlab
