// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chart/axis.h"
#include "chart/chart.h"
#include "ui/plot_line.h"
#include "ui/plot_strip.h"

namespace clothlab {

/// One line of a plot.
struct PlotCurve {
  std::string label;
  ImU32 colour = 0;
  float thickness = 1.4F;  ///< [interface units]
  std::vector<double>
      y;  ///< as long as its run's x; values that have no place on the axis interrupt the line
};

/// Curves over the same x, ascending: the present run, or one that it is compared with.
struct PlotRun {
  std::string name;  ///< empty for the present one; the others, ghosts, are drawn dimmed
  std::string what;  ///< in exports: which run it is
  Dash dash;         ///< tells ghosts apart without colours
  std::vector<double> x;
  std::vector<PlotCurve> curves;
  std::vector<PlotStretch> stretches;  ///< over time: which method was at work, ascending
};

/// A horizontal line with a name, such as a tolerance.
struct PlotLevel {
  double y = 0;
  ImU32 colour = 0;
  std::string label;
};

/// What there is to see; how it is looked at is in PlotView.
struct Plot {
  std::string title;
  std::string x_title;     ///< with its unit: "time [s]"
  std::string y_title;     ///< what y is measured from, "relative to start"; empty: from zero
  std::string unit;        ///< of y, at its numbers and in exports; empty for plain numbers
  bool from_zero = false;  ///< a linear y axis starts at zero
  std::vector<PlotRun> runs;
  std::vector<PlotLevel> levels;
  std::optional<AxisRange> fit_x;  ///< what to show of x until the user zooms; else all
  std::optional<double> cursor;    ///< the x that everything else shows
  bool x_is_whole = false;         ///< a count
  bool x_is_time = false;          ///< dragging along the x axis asks for another cursor
  std::string empty;               ///< what is said instead when there is nothing to draw
};

/// How a plot is looked at.
struct PlotView {
  bool logarithmic = false;    ///< y
  std::optional<AxisRange> x;  ///< after a zoom or pan; otherwise it fits
  std::optional<AxisRange> y;
  std::set<std::string> hidden;  ///< labels of curves and names of runs that the legend has switched off
  std::optional<ImVec2> box;     ///< corner of a box that is being drawn, in window coordinates

  bool zoomed() const { return x || y; }
  void fit() { x = y = std::nullopt; }
};

/// The curves of the present run, and each of the others by its dash.
std::vector<LegendEntry> legend_of(const Plot& plot);

/// The ranges that are shown: the view's, or those that fit what is visible.
AxisRange shown_x(const Plot& plot, const PlotView& view);
AxisRange shown_y(const Plot& plot, const PlotView& view, const AxisRange& x);

/// Draws into the given size at the cursor, under a legend whose entries switch curves off and on, and a
/// strip of the methods of the present run. Hovering shows the values of the nearest sample. The wheel zooms
/// x, with Ctrl or over the numbers of y it zooms y; a left-drag pans; a right-drag zooms into a box; a
/// double click fits. Answers with the x that was pointed at on the time axis, if any. Controls are noted
/// under names that begin with `name`.
std::optional<double> draw_plot(const std::string& name, const Plot& plot, PlotView& view, ImVec2 size);

}  // namespace clothlab
