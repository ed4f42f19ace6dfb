// SPDX-License-Identifier: MIT
#include "ui/plots/plot_export.h"

#include <algorithm>

#include "integrate/registry.h"
#include "io/csv.h"

namespace clothlab {
namespace {

// A text as one value of a table.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

PlotRun visible_part(const PlotRun& run, const PlotView& view, const AxisRange& x) {
  PlotRun part;
  part.name = run.name;
  part.what = run.what;
  part.dash = run.dash;
  part.stretches = run.stretches;
  part.fits = run.fits;
  const auto first = std::lower_bound(run.x.begin(), run.x.end(), x.low);
  const auto last = std::upper_bound(first, run.x.end(), x.high);
  part.x.assign(first, last);
  const auto skipped = first - run.x.begin();
  for (const PlotCurve& curve : run.curves) {
    if (view.hidden.contains(curve.label)) continue;
    const auto begin = curve.y.begin() + skipped;
    part.curves.push_back(
        {curve.label, curve.colour, curve.thickness, {begin, begin + (last - first)}, curve.stacked});
  }
  return part;
}

}  // namespace

ShownPlot shown_plot(const Plot& plot, const PlotView& view) {
  ShownPlot shown;
  shown.x = shown_x(plot, view);
  shown.y = shown_y(plot, view, shown.x);
  shown.logarithmic = view.logarithmic;
  shown.plot = plot;
  shown.plot.runs.clear();
  for (const PlotRun& run : plot.runs) {
    if (!view.hidden.contains(run.name)) shown.plot.runs.push_back(visible_part(run, view, shown.x));
  }
  return shown;
}

std::string plot_csv(const ShownPlot& shown) {
  const Plot& plot = shown.plot;
  std::string text = plot.x_is_time ? "run,method," : "run,";
  text += quoted(plot.x_title);
  if (!plot.runs.empty()) {
    const std::string from = plot.y_title.empty() ? "" : ' ' + plot.y_title;
    const std::string unit = plot.unit.empty() ? "" : " [" + plot.unit + "]";
    for (const PlotCurve& curve : plot.runs.front().curves) text += ',' + quoted(curve.label + from + unit);
  }
  text += '\n';
  std::vector<CsvValue> row;
  for (const PlotRun& run : plot.runs) {
    auto stretch = run.stretches.begin();
    for (std::size_t i = 0; i < run.x.size(); ++i) {
      row.assign(1, run.x[i]);
      for (const PlotCurve& curve : run.curves) row.emplace_back(curve.y[i]);
      text += quoted(run.what) + ',';
      if (plot.x_is_time) {
        // Where one method follows another, the sample is the first one of the latter.
        while (stretch + 1 != run.stretches.end() && run.x[i] >= stretch->x1) ++stretch;
        text += quoted(std::string(integrators()[stretch->method].title)) + ',';
      }
      text += csv_line(row);
    }
  }
  return text;
}

}  // namespace clothlab
