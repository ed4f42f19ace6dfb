// SPDX-License-Identifier: MIT
#include "experiments/choice_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"

namespace clothlab {

Chart chart_of(const ChoiceFigures& choice, const ChoiceGoal& goal, double duration,
               const ChartColours& colours, const std::function<Rgb(const MethodVariant&)>& colour) {
  ChartPanel panel;
  panel.x = {.title = "processor time per simulated time [s/s]", .logarithmic = true};
  panel.y = {.title = choice.axis_title(goal.measure), .logarithmic = true};
  const auto percent = [&](const ChoicePoint& p) { return 100 * choice.error_of(p, goal.measure); };
  double cheapest = INFINITY, most_expensive = 0;
  for (std::size_t k = 0; k < choice.variants.size(); ++k) {
    const MethodVariant& variant = choice.variants[k];
    ChartCurve curve{.label = variant.is_tuned ? "" : variant.title,
                     .colour = colour(variant),
                     .markers = true,
                     .line = !variant.is_tuned};
    if (variant.method.solver.stage_solve == StageSolve::linear) curve.dash = kChartDash;
    for (const ChoicePoint& p : choice.points) {
      if (p.variant != k || !p.failure.empty()) continue;
      curve.x.push_back(p.processor);
      curve.y.push_back(percent(p));
      cheapest = std::min(cheapest, p.processor);
      most_expensive = std::max(most_expensive, p.processor);
    }
    if (!curve.x.empty()) panel.curves.push_back(std::move(curve));
  }
  ChartCurve front{.label = "best", .colour = colours.text};
  for (const std::size_t k : pareto_front(choice.points, goal)) {
    front.x.push_back(choice.points[k].processor);
    front.y.push_back(percent(choice.points[k]));
  }
  panel.curves.push_back(std::move(front));
  const double uncertain = 100 * choice.least_error(goal.measure);
  if (uncertain > 0 && cheapest < most_expensive)
    panel.bands.push_back(
        {colours.grid, {cheapest, most_expensive}, {uncertain / 10, uncertain / 10}, {uncertain, uncertain}});
  Chart chart{"Error against computing time after " + format_quantity(duration, "s"), {}, colours};
  chart.panels.push_back(std::move(panel));
  return chart;
}

}  // namespace clothlab
