// SPDX-License-Identifier: MIT
#include "documents/lane_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "chart/chart.h"
#include "core/error.h"
#include "core/text.h"
#include "documents/command_line.h"
#include "integrate/registry.h"
#include "sim/diagnostics.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr double kTileZoom = 0.8;   // a swinging sheet leaves a tile sooner than a window
constexpr int kTileGap = 2;         // between tiles [pixel]
constexpr int kLabelHeight = 26;    // height [pixel]
constexpr double kLabelText = 17;   // [pixel]
constexpr int kLabelPadding = 6;    // [pixel]
constexpr int kSmallestTile = 32;   // tile [pixel]
constexpr int kSmallestPlot = 150;  // height [pixel]
constexpr Rgb kWhite{255, 255, 255}, kDark{27, 31, 37}, kBright{226, 230, 236}, kBlownUp{160, 30, 30};

constexpr std::array<std::size_t, kMostLanes + 1> kColumnsFor{1, 1, 2, 3, 2, 3, 3, 4, 4};  // by lanes

constexpr std::array<const char*, kLanePlotNames.size()> kPlotTitles{
    "Total energy, change since the start [J]", "Kinetic energy [J]", "Spurious energy since the start [J]",
    "Largest strain [%]", "RMS distance from the first lane [m]"};

/// In a few words; blow_up_text() has the numbers.
const char* cause_of(const BlowUp& blow_up) {
  switch (blow_up.cause) {
    case BlowUp::Cause::not_finite:
      return "values are not finite";
    case BlowUp::Cause::energy:
      return "energy above its limit";
    case BlowUp::Cause::spurious_energy:
      return "spurious energy above its limit";
    case BlowUp::Cause::squeezed:
      return "contact left no free displacement";
    case BlowUp::Cause::crowded:
      return "too many contacts";
  }
  return "";
}

/// Title and h of each lane; where they are the same, also the options that the others do not have.
std::vector<std::string> labels_of(std::span<const ShownLane> lanes) {
  std::vector<std::string> titles, labels;
  std::vector<std::set<std::string>> options(lanes.size());
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Scene& scene = *lanes[k].frame->scene;
    titles.push_back(title_with(method_info(scene.method()), scene.solver) +
                     ", h = " + format_quantity(scene.h(), "s"));
    const std::string text = method_options(scene) + " --";
    for (std::size_t at = 0, end; (end = text.find(" --", at)) != std::string::npos; at = end + 1)
      options[k].insert(text.substr(at, end - at));
  }
  labels = titles;
  for (std::size_t k = 0; k < lanes.size(); ++k)
    for (const std::string& option : options[k])
      for (std::size_t other = 0; other < lanes.size(); ++other)
        if (titles[other] == titles[k] && !options[other].contains(option)) {
          labels[k] += ", " + option;
          break;
        }
  return labels;
}

ChartColours chart_colours_of(bool light) {
  if (!light) return {};
  return {.background = kWhite,
          .field = {247, 248, 250},
          .grid = {221, 225, 231},
          .frame = {150, 158, 170},
          .text = kDark,
          .muted = {84, 94, 108}};
}

ChartCurve vertical_line(double x, const AxisRange& range, const Rgb& colour, const Dash& dash) {
  return {.colour = colour, .dash = dash, .x = {x, x}, .y = {range.low, range.high}};
}

double value_of(LanePlot plot, const Simulation& simulation, const Simulation& first) {
  const StepRecord& record = simulation.record();
  switch (plot) {
    case LanePlot::total_energy:
      return record.energy.total;
    case LanePlot::kinetic_energy:
      return record.energy.kinetic;
    case LanePlot::spurious_energy:
      return record.ledger.spurious();
    case LanePlot::strain:
      return 100 * record.max_strain;
    case LanePlot::distance:
      break;
  }
  // A first lane that blew up is at an earlier time.
  return first.blow_up() ? std::nan("") : rms_distance(simulation.state().x, first.state().x);
}

}  // namespace

LanePicture::LanePicture(const PictureRequest& whole, std::size_t lanes,
                         const std::function<Painter(const PictureRequest&)>& make_painter,
                         std::optional<LanePlot> plot, std::optional<double> ends)
    : tile_(whole),
      columns_(kColumnsFor[lanes]),
      font_(find_font_file()),
      plot_(plot),
      ends_(ends.value_or(0)),
      grows_(!ends),
      curves_(lanes) {
  if (plot_) plot_height_ = std::max(whole.height / 3, kSmallestPlot);
  const int columns = static_cast<int>(columns_);
  const int rows = (static_cast<int>(lanes) + columns - 1) / columns;
  tile_.width = (whole.width - (columns - 1) * kTileGap) / columns;
  tile_.height = (whole.height - plot_height_ - (rows - 1) * kTileGap) / rows;
  if (tile_.width < kSmallestTile || tile_.height < kSmallestTile)
    throw InputError("--pixels: " + std::to_string(lanes) + " tiles" + (plot_ ? " and a plot" : "") +
                     " need at least " + std::to_string(columns * (kSmallestTile + kTileGap)) + "x" +
                     std::to_string(rows * (kSmallestTile + kTileGap) + (plot_ ? kSmallestPlot : 0)) +
                     " pixels.");
  tile_.zoom *= kTileZoom;
  paint_ = make_painter(tile_);
  whole_.width = whole.width;
  whole_.height = whole.height;
  whole_.rgba.resize(4 * static_cast<std::size_t>(whole.width) * static_cast<std::size_t>(whole.height));
}

Image LanePicture::draw(std::span<const ShownLane> lanes, double turn) {
  fill(0, 0, whole_.width, whole_.height, tile_.light ? kWhite : kDark);
  const std::vector<std::string> labels = labels_of(lanes);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Place place{static_cast<int>(k % columns_) * (tile_.width + kTileGap),
                      static_cast<int>(k / columns_) * (tile_.height + kTileGap)};
    copy(paint_(*lanes[k].frame, turn), place, lanes[k].blow_up.has_value());
    add_label(lanes[k], labels[k], place);
  }
  if (plot_) copy(draw_plot(lanes), {0, whole_.height - plot_height_}, false);
  return whole_;
}

std::uint8_t* LanePicture::pixel(int x, int y) {
  return &whole_.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(whole_.width) +
                           static_cast<std::size_t>(x))];
}

void LanePicture::copy(const Image& image, Place to, bool dimmed) {
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* from =
        &image.rgba[4 * static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width)];
    std::uint8_t* row = pixel(to.left, to.top + y);
    for (std::size_t c = 0; c < 4 * static_cast<std::size_t>(image.width); ++c)
      row[c] = static_cast<std::uint8_t>(dimmed && c % 4 != 3 ? (from[c] + 128) / 2 : from[c]);
  }
}

void LanePicture::add_label(const ShownLane& lane, std::string_view label, Place place) {
  fill(place.left, place.top, tile_.width, kLabelHeight, tile_.light ? kWhite : kDark);
  fill(place.left, place.top, kLabelHeight, kLabelHeight, kLaneStyles[lane.lane].colour);
  write(std::string(1, lane_letter(lane.lane)), place.left + kLabelPadding, place.top, kLabelHeight, kWhite);
  const int left = kLabelHeight + kLabelPadding;
  write(label, place.left + left, place.top, tile_.width - left, tile_.light ? kDark : kBright);
  const std::optional<BlowUp>& blow_up = lane.blow_up;
  if (!blow_up) return;
  const int top = place.top + kLabelHeight;
  fill(place.left, top, tile_.width, kLabelHeight, kBlownUp);
  write("blew up at " + format_quantity(blow_up->time, "s") + ": " + cause_of(*blow_up),
        place.left + kLabelPadding, top, tile_.width - 2 * kLabelPadding, kWhite);
}

void LanePicture::fill(int left, int top, int width, int height, const Rgb& colour) {
  const int right = std::min(left + width, whole_.width), bottom = std::min(top + height, whole_.height);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      std::copy(colour.begin(), colour.end(), pixel(x, y));
      pixel(x, y)[3] = 255;
    }
  }
}

void LanePicture::write(std::string_view text, int left, int top, int room, const Rgb& colour) {
  TextMask mask = font_.draw(text, kLabelText);
  if (mask.width > room) mask = font_.draw(text, kLabelText * room / mask.width);
  top += (kLabelHeight - mask.height) / 2;
  const int right = std::min({left + mask.width, left + room, whole_.width});
  const int bottom = std::min(top + mask.height, whole_.height);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const int cover = mask.at(x - left, y - top);
      std::uint8_t* to = pixel(x, y);
      for (std::size_t c = 0; c < 3; ++c)
        to[c] = static_cast<std::uint8_t>((cover * colour[c] + (255 - cover) * to[c]) / 255);
    }
  }
}

const char* title_of(LanePlot plot) { return kPlotTitles[static_cast<std::size_t>(plot)]; }

ShownLane show_lane(const RunningLane& lane) {
  auto frame = std::make_shared<Frame>();
  capture(*lane.simulation, lane.simulation->shared_scene(), *frame);
  return {lane.lane, std::move(frame), lane.simulation->blow_up()};
}

PlotPoints plot_points(std::span<const RunningLane> lanes, LanePlot plot) {
  PlotPoints points(lanes.size());
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Simulation& simulation = *lanes[k].simulation;
    if (!simulation.blow_up() && !(k == 0 && plot == LanePlot::distance))
      points[k] = {simulation.state().t, value_of(plot, simulation, *lanes[0].simulation)};
  }
  return points;
}

void LanePicture::add_point(Curve& curve, double time, double value) const {
  if (curve.x.empty()) curve.start = plot_ == LanePlot::total_energy ? value : 0;
  value -= curve.start;
  while (!curve.x.empty() && curve.x.back() > time) {  // the run went back
    curve.x.pop_back();
    curve.low.pop_back();
    curve.high.pop_back();
  }
  const double column = (ends_ - begins_) / whole_.width;
  if (!curve.x.empty() && column > 0 && std::floor(curve.x.back() / column) == std::floor(time / column)) {
    curve.low.back() = std::fmin(curve.low.back(), value);
    curve.high.back() = std::fmax(curve.high.back(), value);
  } else {
    curve.x.push_back(time);
    curve.low.push_back(value);
    curve.high.push_back(value);
  }
}

void LanePicture::add_step(const PlotPoints& points) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!points[k]) continue;
    const double time = points[k]->time;
    if (grows_ && (ends_ == 0 || time < begins_)) begins_ = time, ends_ = std::max(ends_, time + 1);
    while (grows_ && time > ends_) ends_ += ends_ - begins_;
    add_point(curves_[k], time, points[k]->value);
  }
}

Image LanePicture::draw_plot(std::span<const ShownLane> lanes) const {
  const ChartColours colours = chart_colours_of(tile_.light);
  ChartPanel panel;
  double now = 0;
  AxisFit fit(false), fit_all(false);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    now = std::max(now, lanes[k].frame->record.time);
    const LaneStyle& style = kLaneStyles[lanes[k].lane];
    ChartCurve curve{.colour = style.colour, .dash = style.dash};
    for (std::size_t i = 0; i < curves_[k].x.size(); ++i) {
      const double low = curves_[k].low[i], high = curves_[k].high[i];
      for (const double value : {low, high}) {
        curve.x.push_back(curves_[k].x[i]);
        curve.y.push_back(value);
        fit_all.include(value);
        if (!lanes[k].blow_up) fit.include(value);
      }
    }
    panel.curves.push_back(std::move(curve));
  }
  // Lanes that blew up leave the panel, so that the others can still be compared.
  panel.y.range = fit.empty() ? fit_all.range(false) : fit.range(false);
  panel.x = {.title = "Simulated time [s]", .range = AxisRange{begins_, std::max({ends_, now, 1e-9})}};
  std::array<char, 64> time{};
  std::snprintf(time.data(), time.size(), ", t = %.3f s", now);
  panel.y.title = std::string(title_of(*plot_)) + time.data();
  for (const ShownLane& lane : lanes)
    if (const auto& blow_up = lane.blow_up)
      panel.curves.push_back(
          vertical_line(blow_up->time, *panel.y.range, kLaneStyles[lane.lane].colour, kChartDash));
  panel.curves.push_back(vertical_line(now, *panel.y.range, colours.text, {}));
  return draw_panel(panel, colours, whole_.width, plot_height_, font_);
}

}  // namespace clothlab
