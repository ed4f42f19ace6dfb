// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ui/plots/plot.h"

namespace clothlab {

/// The visible part of a plot along x, without hidden curves, and its ranges.
struct ShownPlot {
  Plot plot;
  AxisRange x, y;
  bool logarithmic = false;
};

ShownPlot shown_plot(const Plot& plot, const PlotView& view);

/// A table of it: a header line, then a row per sample with the run it belongs to, over time the method at
/// work, x, and a value per curve. Numbers have 17 significant digits; "nan" where there is no value.
std::string plot_csv(const ShownPlot& shown);

}  // namespace clothlab
