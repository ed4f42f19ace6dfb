// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chart/axis.h"
#include "chart/chart.h"
#include "ui/plots/figure.h"

namespace clothlab {

struct IntegratorInfo;

/// An interval of x with one method.
struct PlotStretch {
  double x0 = 0;
  double x1 = 0;
  const IntegratorInfo* method = nullptr;  ///< null: unknown
};

/// One line of a plot.
struct PlotCurve {
  std::string label;
  ImU32 colour = 0;
  float thickness = 1.4F;  ///< [interface units]
  std::vector<double> y;  ///< as long as its run's x; values off the axis (not finite, or ≤ 0 on a logarithm)
                          ///< interrupt the line
  bool stacked = false;  ///< an area on top of those before it, except on a logarithmic axis
};

/// Curves over the same ascending x: of the only run, or of a lane.
struct PlotRun {
  std::string name;  ///< of a lane, in the legend; empty for the only run, whose curves are named instead
  std::string what;  ///< the run's description in exports
  Dash dash;         ///< tells lanes apart without colours
  std::vector<double> x;
  std::vector<PlotCurve> curves;
  std::vector<PlotStretch> stretches;  ///< over time: the methods used, ascending
  bool fits = true;                    ///< the y axis fits it; false for a lane that blew up while others run
};

/// A horizontal line with a name, such as a tolerance.
struct PlotLevel {
  double y = 0;
  ImU32 colour = 0;
  std::string label;
};

/// The contents of a plot; PlotView has its display state.
struct Plot {
  std::string title;
  std::string x_title;  ///< with its unit: "time [s]"
  std::string y_title;  ///< what y is measured from, "relative to start"; empty: from zero
  std::string y_help = "The change since the common origin of all lanes.";  ///< of y_title
  std::string unit;        ///< of y, at its numbers and in exports; empty for plain numbers
  bool from_zero = false;  ///< a linear y axis starts at zero
  std::vector<PlotRun> runs;
  std::vector<PlotLevel> levels;
  std::optional<AxisRange> fit_x;  ///< range of x until the user zooms; default all
  std::optional<double> cursor;    ///< the x of the shown moment
  std::optional<double> origin;    ///< the x from which all runs count
  bool x_is_time = false;          ///< dragging along the x axis moves the cursor
  std::string empty;               ///< text when there is nothing to draw
};

/// Display state of a plot.
struct PlotView : AxesView {
  bool logarithmic = false;      ///< y
  std::set<std::string> hidden;  ///< labels of curves and names of runs switched off in the legend
};

/// The curves of the only run, or the lanes.
std::vector<LegendEntry> legend_of(const Plot& plot);

/// The shown ranges: those of the view, or fitted to the visible curves.
AxisRange shown_x(const Plot& plot, const PlotView& view);
AxisRange shown_y(const Plot& plot, const PlotView& view, const AxisRange& x);

/// A stacked curve as the area between two lines.
struct PlotBand {
  ImU32 colour = 0;
  std::vector<double> low, high;  ///< as long as the points; not finite where there are no samples
};

/// The visible stacked curves of a run at `points` that divide the range of x evenly, both ends included.
/// Positive values go up from zero and negative ones down, so that each curve has two bands.
std::vector<PlotBand> stacked_bands(const PlotRun& run, const PlotView& view, const AxisRange& x,
                                    std::size_t points);

/// Where a curve leaves the y axis, at least for the next sample.
struct PlotExit {
  double x = 0;
  bool above = false;  ///< the upper end
};
/// Of samples in the range of x, at least a fiftieth of that range apart.
std::vector<PlotExit> exits_of(const PlotRun& run, const PlotCurve& curve, const AxisRange& x, const Axis& y);

/// Draws a plot of the given size at the cursor, with triangles where curves leave it, a legend whose entries
/// switch curves off and on and a strip of the current run's methods. Hovering shows the values of the
/// nearest sample; the mouse zooms as in Figure::zoom. Returns the x chosen on the time axis, if any.
/// Controls are noted under names that begin with `name`.
std::optional<double> draw_plot(const std::string& name, const Plot& plot, PlotView& view, ImVec2 size);

/// The visible part of a plot along x, without hidden curves, and its ranges.
struct ShownPlot {
  Plot plot;
  AxisRange x, y;
  bool logarithmic = false;
};

ShownPlot shown_plot(const Plot& plot, const PlotView& view);

/// A table of it: a header line, then a row per sample with the run it belongs to, over time the current
/// method, x, and a value per curve. Numbers have 17 significant digits; "nan" where there is no value.
std::string plot_csv(const ShownPlot& shown);

/// A piece of the strip: one stretch, or several that are too narrow to be told apart.
struct StripPiece {
  int left = 0, right = 0;          ///< [px] from the strip's left end
  std::size_t first = 0, last = 0;  ///< the stretches, both ends included
  bool merged() const { return first != last; }
  /// Whether a mark of that width [px] has room on it.
  bool has_room_for(float mark) const { return !merged() && mark <= static_cast<float>(right - left); }
};

/// Divides a strip of `width` pixels, which lies along x, among the visible stretches, ascending. The pieces
/// never overlap. A stretch narrower than `least` pixels is merged with such neighbours; alone it has at
/// least one pixel.
std::vector<StripPiece> strip_pieces(const std::vector<PlotStretch>& stretches, const Axis& x, int width,
                                     int least);
/// The method's colour, or that of merged ones.
ImU32 colour_of(const StripPiece& piece, const std::vector<PlotStretch>& stretches);

/// Draws the strip into the given size at `at`: the methods' marks on lines of their colours. The tooltip
/// names all visible stretches. Its rectangle is noted under `name`. Returns the pieces.
std::vector<StripPiece> draw_strip(const std::string& name, const std::vector<PlotStretch>& stretches,
                                   const Axis& x, ImVec2 at, ImVec2 size);

}  // namespace clothlab
