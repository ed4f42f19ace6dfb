// SPDX-License-Identifier: MIT
#include "app/plot_files.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "chart/chart.h"
#include "integrate/registry.h"
#include "io/output_file.h"
#include "io/png.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr double kPixels = 1.5;  // of the picture, per interface unit

// An unused path in the folder.
fs::path free_path(const fs::path& folder, std::string stem, const std::string& extension) {
  for (char& c : stem) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  fs::path path = folder / (stem + extension);
  for (int k = 2; fs::exists(path); ++k) path = folder / (stem + '-' + std::to_string(k) + extension);
  return path;
}

// The strip of the methods as the window draws it, in a panel of the picture.
std::vector<ChartStretch> strip_of(const ShownPlot& shown) {
  std::vector<ChartStretch> strip;
  if (shown.plot.runs.empty() || !shown.plot.runs.front().name.empty()) return strip;
  const std::vector<PlotStretch>& stretches = shown.plot.runs.front().stretches;
  const Axis x(shown.x, false);
  constexpr int kLeastPiece = 6;
  for (const StripPiece& piece : strip_pieces(stretches, x, kChartPanelWidth, kLeastPiece)) {
    const ImU32 colour = colour_of(piece, stretches);
    const std::string_view letters = integrators()[stretches[piece.first].method].letters;
    const auto value = [&](int pixel) { return x.value(static_cast<double>(pixel) / kChartPanelWidth); };
    strip.push_back({value(piece.left), value(piece.right), rgb_of(colour), rgb_of(readable_on(colour)),
                     piece.merged() ? std::string() : std::string(letters)});
  }
  return strip;
}

// The stacked curves of a run, a rectangle for each pixel.
void add_bands(const PlotRun& run, const AxisRange& x, ChartPanel& panel) {
  constexpr std::size_t kPlaces = kChartPanelWidth + 1;
  std::vector<double> at;
  for (std::size_t k = 0; k < kPlaces; ++k)
    at.push_back(x.low + (x.high - x.low) * static_cast<double>(k) / kChartPanelWidth);
  for (PlotBand& band : stacked_bands(run, {}, x, kPlaces))
    panel.bands.push_back({rgb_of(band.colour), at, std::move(band.low), std::move(band.high)});
}

Chart chart_of(const ShownPlot& shown) {
  const Plot& plot = shown.plot;
  const ChartColours colours{rgb_of(palette().panel), rgb_of(palette().overlay), rgb_of(palette().line),
                             rgb_of(palette().muted), rgb_of(palette().text),    rgb_of(palette().muted)};
  ChartPanel panel;
  panel.x = {.title = plot.x_title, .range = shown.x};
  const std::string from = plot.y_title.empty() ? "" : ' ' + plot.y_title;
  panel.y = {.title = plot.title + from + (plot.unit.empty() ? "" : " [" + plot.unit + "]"),
             .logarithmic = shown.logarithmic,
             .range = shown.y};
  for (const PlotRun& run : plot.runs) {
    if (!shown.logarithmic) add_bands(run, shown.x, panel);
    for (const PlotCurve& curve : run.curves) {
      if (curve.stacked && !shown.logarithmic) continue;
      const Rgb colour = rgb_of(curve.colour);
      panel.curves.push_back({.colour = colour, .dash = run.dash.scaled(kPixels), .x = run.x, .y = curve.y});
    }
  }
  std::vector<LegendEntry> legend = legend_of(plot);
  for (LegendEntry& entry : legend) entry.dash = entry.dash.scaled(kPixels);
  for (const PlotLevel& level : plot.levels) {
    const Rgb colour = rgb_of(level.colour);
    panel.curves.push_back(
        {.colour = colour, .dash = kChartDash, .x = {shown.x.low, shown.x.high}, .y = {level.y, level.y}});
    legend.push_back({level.label, colour, kChartDash});
  }
  panel.strip = strip_of(shown);
  const bool alone = plot.runs.size() == 1 && !plot.runs.front().what.empty();
  const std::string of = alone ? ": " + plot.runs.front().what : std::string();
  return {plot.title + of, {std::move(panel)}, colours, std::move(legend)};
}

}  // namespace

fs::path write_table(const std::string& title, const std::string& csv, const fs::path& folder) {
  const fs::path path = free_path(folder, title, ".csv");
  write_file(path, csv);
  return path;
}

fs::path write_plot(const ShownPlot& shown, SavePlot::Format format, const fs::path& folder) {
  if (format == SavePlot::Format::csv) return write_table(shown.plot.title, plot_csv(shown), folder);
  const fs::path path = free_path(folder, shown.plot.title, ".png");
  const Image image = draw_chart(chart_of(shown));
  write_png(path, image.width, image.height, image.rgba);
  return path;
}

}  // namespace clothlab
