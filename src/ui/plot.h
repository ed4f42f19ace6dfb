#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace clothlab {

/// One line of a plot.
struct PlotCurve {
  std::string label;
  ImU32 colour = 0;
  float thickness = 1.4F;  ///< [interface units]
  std::vector<double> y;   ///< as long as the plot's x; values that are not finite interrupt the line
  std::string value;       ///< the newest value, shown in the legend
};

/// A vertical mark: at x something changed.
struct PlotMark {
  double x = 0;
  ImU32 colour = 0;
  std::string label;
};

/// A coloured stretch of the x axis.
struct PlotBand {
  double x0 = 0;
  double x1 = 0;
  ImU32 colour = 0;
};

/// A horizontal line with a name, such as a tolerance.
struct PlotLevel {
  double y = 0;
  ImU32 colour = 0;
  std::string label;
};

/// A line plot, drawn with an ImGui draw list.
struct Plot {
  std::string title;
  std::string x_title;  ///< with its unit: "time [s]"
  std::string y_unit;   ///< takes an SI prefix when it is "J"
  bool log_y = false;
  bool from_zero = false;  ///< the y axis starts at zero
  std::vector<double> x;
  std::vector<PlotCurve> curves;
  std::vector<PlotMark> marks;
  std::vector<PlotBand> bands;
  std::vector<PlotLevel> levels;
  std::string empty;  ///< what is said instead when there is nothing to draw
};

/// Draws into the given size at the cursor; hovering shows the values there.
void draw_plot(const Plot& plot, ImVec2 size);

}  // namespace clothlab
