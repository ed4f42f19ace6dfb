#include "app/plot_files.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "cli/chart.h"
#include "integrate/registry.h"
#include "io/output_file.h"
#include "io/png.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr double kPixels = 1.5;  // of the picture, per interface unit

// A path in the folder that nothing has yet.
fs::path free_path(const fs::path& folder, std::string stem, const std::string& extension) {
  for (char& c : stem) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  fs::path path = folder / (stem + extension);
  for (int k = 2; fs::exists(path); ++k) path = folder / (stem + '-' + std::to_string(k) + extension);
  return path;
}

Rgb rgb(ImU32 colour) {
  const auto channel = [&](int shift) { return static_cast<std::uint8_t>((colour >> shift) & 0xFF); };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)};
}

// Half way to the ground, as ghosts are.
Rgb dimmed(Rgb colour, Rgb ground) {
  for (std::size_t c = 0; c < 3; ++c) colour[c] = static_cast<std::uint8_t>((colour[c] + ground[c]) / 2);
  return colour;
}

// The strip of the methods as the window draws it, in a panel of the picture.
std::vector<ChartStretch> strip_of(const ShownPlot& shown) {
  std::vector<ChartStretch> strip;
  if (shown.plot.runs.empty()) return strip;
  const std::vector<PlotStretch>& stretches = shown.plot.runs.front().stretches;
  const PlotAxis x(shown.x, false);
  constexpr int kLeastPiece = 6;
  for (const StripPiece& piece : strip_pieces(stretches, x, kChartPanelWidth, kLeastPiece)) {
    const ImU32 colour = colour_of(piece, stretches);
    const std::string_view letters = integrators()[stretches[piece.first].method].letters;
    const auto value = [&](int pixel) { return x.value(static_cast<double>(pixel) / kChartPanelWidth); };
    strip.push_back({value(piece.left), value(piece.right), rgb(colour), rgb(readable_on(colour)),
                     piece.merged() ? std::string() : std::string(letters)});
  }
  return strip;
}

Chart chart_of(const ShownPlot& shown) {
  const Plot& plot = shown.plot;
  const ChartColours colours{rgb(palette().panel), rgb(palette().overlay), rgb(palette().line),
                             rgb(palette().muted), rgb(palette().text),    rgb(palette().muted)};
  ChartPanel panel;
  panel.x = {.title = plot.x_title, .range = {{shown.x.low, shown.x.high}}};
  const std::string from = plot.y_title.empty() ? "" : ' ' + plot.y_title;
  panel.y = {.title = plot.title + from + (plot.unit.empty() ? "" : " [" + plot.unit + "]"),
             .logarithmic = shown.logarithmic,
             .range = {{shown.y.low, shown.y.high}}};
  for (const PlotRun& run : plot.runs) {
    const bool ghost = !run.name.empty();
    const auto add = [&](const std::string& label, Rgb colour, const std::vector<double>& y) {
      panel.curves.push_back({.label = label,
                              .colour = colour,
                              .dashed = ghost,
                              .dash = kPixels * static_cast<double>(run.dash.on),
                              .gap = kPixels * static_cast<double>(run.dash.off),
                              .x = run.x,
                              .y = y});
    };
    for (const PlotCurve& curve : run.curves) {
      const Rgb colour = rgb(curve.colour);
      add(ghost ? "" : curve.label, ghost ? dimmed(colour, colours.ground) : colour, curve.y);
    }
    // As in the window, the legend has a ghost's dash once, not every curve of it.
    if (ghost) add(run.name, colours.muted, std::vector<double>(run.x.size(), std::nan("")));
  }
  for (const PlotLevel& level : plot.levels) {
    panel.curves.push_back({.label = level.label,
                            .colour = rgb(level.colour),
                            .dashed = true,
                            .x = {shown.x.low, shown.x.high},
                            .y = {level.y, level.y}});
  }
  panel.strip = strip_of(shown);
  const std::string of =
      plot.runs.empty() || plot.runs.front().what.empty() ? "" : ": " + plot.runs.front().what;
  return {plot.title + of, {std::move(panel)}, colours};
}

}  // namespace

fs::path write_plot(const ShownPlot& shown, SavePlot::Format format, const fs::path& folder) {
  const bool table = format == SavePlot::Format::csv;
  const fs::path path = free_path(folder, shown.plot.title, table ? ".csv" : ".png");
  if (table) {
    write_file(path, plot_csv(shown));
  } else {
    const Picture picture = draw_chart(chart_of(shown), find_font_file());
    write_png(path, picture.width, picture.height, picture.rgba);
  }
  return path;
}

}  // namespace clothlab
