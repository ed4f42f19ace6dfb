// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chart/axis.h"
#include "chart/dash.h"
#include "chart/font.h"
#include "core/image.h"

namespace clothlab {

inline constexpr Dash kChartDash{9, 6};  // [pixel]

/// One curve. Values that are not finite, and on a logarithmic axis those that are not positive, interrupt
/// it.
struct ChartCurve {
  std::string label = {};  ///< in the legend, once for all panels; empty: not listed
  Rgb colour = {};
  Dash dash = {};        ///< [pixel]
  bool markers = false;  ///< a dot at every point
  bool line = true;      ///< through the points
  std::vector<double> x = {}, y = {};
};

/// Without a `range` the axis contains all curves.
struct ChartAxis {
  std::string title;  ///< with its unit
  bool logarithmic = false;
  bool bare = false;  ///< without numbers
  std::optional<AxisRange> range = std::nullopt;
  /// Names of the values 0, 1, 2 … instead of numbers, each with a row of the panel; only for y.
  std::vector<std::string> names = {};
};

/// A coloured interval of a strip along x; its text is drawn where there is room.
struct ChartStretch {
  double x0 = 0, x1 = 0;
  Rgb colour = {}, text_colour = {};
  std::string text = {};
};

/// The area between two curves over the same x; empty where one of them is not finite.
struct ChartBand {
  Rgb colour = {};
  std::vector<double> x, low, high;
};

struct ChartPanel {
  ChartAxis x, y;  ///< the title of y is above the panel
  std::vector<ChartCurve> curves = {};
  std::vector<ChartBand> bands = {};     ///< behind the curves
  std::vector<ChartStretch> strip = {};  ///< above the panel, within the range of x
};
/// Width of a panel without names [pixel].
inline constexpr int kChartPanelWidth = 734;

/// Colours behind the curves; by default those of the dark window.
struct ChartColours {
  Rgb background{27, 31, 37}, field{33, 38, 45}, grid{48, 55, 65}, frame{84, 94, 108};
  Rgb text{226, 230, 236}, muted{163, 172, 184};
};

/// A line of a legend: a sample of the curve, and its name.
struct LegendEntry {
  std::string label;
  Rgb colour = {};
  Dash dash = {};
  bool markers = false;
  bool line = true;
};

/// Panels of the same width, one below the other, and a legend on their right.
struct Chart {
  std::string title;
  std::vector<ChartPanel> panels;
  ChartColours colours = {};
  std::vector<LegendEntry> legend = {};  ///< instead of the curves' labels
};

/// Draws without a display.
Image draw_chart(const Chart& chart);
/// One panel without a legend in a picture of this size [pixel].
Image draw_panel(const ChartPanel& panel, const ChartColours& colours, int width, int height,
                 const Font& font);
/// The same picture as the text of an SVG file. Its letters are those of the reader's font.
std::string svg_of(const Chart& chart);

}  // namespace clothlab
