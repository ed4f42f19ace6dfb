// SPDX-License-Identifier: MIT
#include "app/outputs.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <utility>

#include "chart/chart.h"
#include "core/text_file.h"
#include "integrate/registry.h"
#include "io/free_path.h"
#include "io/output_file.h"
#include "io/png.h"
#include "render/gl.h"
#include "ui/theme.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr int kSamples = 4;
int samples() { return is_software_renderer() ? 0 : kSamples; }
// Time per picture of the window for drawing a recording.
constexpr std::chrono::milliseconds kDrawing{12};

constexpr double kPixels = 1.5;  // of the picture, per interface unit

// An unused path in the folder.
template <class IsTaken>
fs::path free_path(const fs::path& folder, std::string stem, const std::string& extension,
                   const IsTaken& is_taken) {
  for (char& c : stem) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  fs::path path = folder / (stem + extension);
  for (int k = 2; fs::exists(path) || is_taken(path); ++k)
    path = folder / (stem + '-' + std::to_string(k) + extension);
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
    const std::string_view letters = stretches[piece.first].method->letters;
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
  return {plot.title + of, {std::move(panel)}, chart_colours(), std::move(legend)};
}

}  // namespace

Image Outputs::picture(Canvas& canvas, const std::function<void(int width, int height)>& draw) {
  canvas.bind();
  draw(canvas.width(), canvas.height());
  Image image = canvas.read();
  Canvas::unbind();
  return image;
}

/// Draws the tiles of a comparison with the camera of the view.
Painter Outputs::tile_painter(const PictureRequest& tile) const {
  const auto canvas = std::make_shared<Canvas>(tile.width, tile.height, samples());
  return [this, canvas, zoom = tile.zoom](const Frame& frame, double /*turn*/) {
    return picture(*canvas, [&](int width, int height) { draw_(frame, width, height, zoom); });
  };
}

void Outputs::save_picture(const std::function<void(int width, int height)>& draw, int width, int height,
                           const fs::path& path) {
  Canvas canvas(width, height, kSamples);
  auto image = std::make_shared<const Image>(picture(canvas, draw));
  write([image, path] {
    write_png(path, *image);
    return "Saved the picture as " + shown_path(path) + ".";
  });
}

void Outputs::export_mesh(std::shared_ptr<const Snapshot> snapshot, const fs::path& path) {
  const auto job = [snapshot = std::move(snapshot), path] {
    check_replaceable(path);
    write_obj_file(path, *snapshot->frame.mesh, snapshot->frame.positions);
    return "Saved the mesh as " + shown_path(path) + ".";
  };
  write(job);
}

void Outputs::write(std::function<std::string()> job, std::function<void()> then) {
  auto task = std::make_unique<BackgroundTask<std::string>>(
      [job = std::move(job)](const StopProbe&) { return job(); });
  singles_.push_back({std::move(task), std::move(then)});
}

void Outputs::write_titled(const std::string& title, const std::string& extension, const fs::path& folder,
                           std::function<void(const fs::path& path)> job) {
  const fs::path path = free_path(folder, title, extension, [&](const fs::path& tried) {
    return std::ranges::find(singles_, tried, &Single::path) != singles_.end();  // and not there yet
  });
  write([path, job = std::move(job)] {
    job(path);
    return "Saved as " + shown_path(path) + ".";
  });
  singles_.back().path = path;
}

void Outputs::write_chart(const std::string& title, std::shared_ptr<const Chart> chart, bool svg,
                          const fs::path& folder) {
  write_titled(title, svg ? ".svg" : ".png", folder, [chart = std::move(chart), svg](const fs::path& path) {
    if (svg)
      write_file(path, svg_of(*chart));
    else
      write_png(path, draw_chart(*chart));
  });
}

void Outputs::write_plot(const ShownPlot& shown, bool svg, const fs::path& folder) {
  write_chart(shown.plot.title, std::make_shared<const Chart>(chart_of(shown)), svg, folder);
}

void Outputs::write_table(const std::string& title, std::string csv, const fs::path& folder) {
  write_titled(title, ".csv", folder,
               [csv = std::move(csv)](const fs::path& path) { write_file(path, csv); });
}

Record Outputs::start_recording(const StartRecording& wanted, const std::string& stem,
                                const std::vector<LaneId>& lanes, int width, int height, bool light) {
  Recorder::Settings of_lane = wanted.settings;
  const bool compares = std::exchange(of_lane.comparison, false) && lanes.size() > 1;
  comparison_.reset();
  if (compares)
    comparison_.emplace(
        PictureRequest{.light = light}, lanes.size(),
        [this](const PictureRequest& tile) { return tile_painter(tile); }, wanted.settings.plot);
  if (of_lane.draws()) canvas_ = std::make_unique<Canvas>(width - width % 2, height - height % 2, samples());
  const fs::path folder = make_free_folder(wanted.folder, stem);
  Record recording;
  for (const LaneId lane : lanes) {
    fs::path own = folder;
    if (lanes.size() > 1) fs::create_directory(own /= std::string("lane-") + lane_letter(lane));
    recording.recordings.push_back({{lane}, std::make_shared<Recorder>(own, of_lane)});
  }
  const VideoFile video = recording.recordings.front().recorder->video();
  std::optional<VideoFile> compared;
  if (compares) {
    recording.recordings.push_back(
        {lanes,
         std::make_shared<Recorder>(folder, Recorder::Settings{.pictures = false,
                                                               .frames_per_second = of_lane.frames_per_second,
                                                               .video = true,
                                                               .comparison = true,
                                                               .plot = of_lane.plot})});
    compared = recording.recordings.back().recorder->video();
  }
  recording_ = recording;
  status_ = {true,         folder, of_lane,  {},
             lanes.size(), video,  compared, {width - width % 2, height - height % 2}};
  return recording;
}

void Outputs::stop_recording() {
  for (const auto& each : recording_.recordings) each.recorder->stop();
}

void Outputs::close_recording() {
  if (recording_.recordings.empty()) status_.shown = false;
}

/// The progress of all lanes together; a failed lane is finished only when the others are.
Recorder::Progress Outputs::progress() const {
  Recorder::Progress all;
  all.stopped = all.finished = true;
  for (const auto& each : recording_.recordings) {
    const Recorder::Progress own = each.recorder->progress();
    all.frames += own.frames;
    all.seconds = std::max(all.seconds, own.seconds);
    all.bytes += own.bytes;
    all.stopped = all.stopped && own.stopped;
    all.finished = all.finished && own.finished;
    if (all.error.empty()) all.error = own.error;
  }
  return all;
}

bool Outputs::work() {
  if (recording_.recordings.empty()) return !singles_.empty();
  const auto until = std::chrono::steady_clock::now() + kDrawing;
  for (bool drew = true; std::exchange(drew, false) && std::chrono::steady_clock::now() < until;) {
    for (const auto& [lanes, recorder] : recording_.recordings) {
      const std::shared_ptr<const Recorder::Picture> next = recorder->next_picture();
      if (!next) continue;
      const bool compares = recorder->settings().comparison;
      if (compares)
        for (const PlotPoints& points : next->points) comparison_->add_step(points);
      Image image =
          compares ? comparison_->draw(next->lanes, 0) : picture(*canvas_, [&](int width, int height) {
            draw_(*next->lanes.front().frame, width, height, 1);
          });
      recorder->add_picture(image.width, image.height, std::move(image.rgba));
      drew = true;
    }
  }
  status_.progress = progress();
  if (!status_.progress.error.empty()) stop_recording();  // a failed lane ends the recording of all
  if (status_.progress.finished) {
    stop_recording();  // the simulation thread still has them
    recording_ = {};
    canvas_.reset();
    comparison_.reset();
  }
  return true;
}

std::optional<Outputs::Notice> Outputs::next_notice() {
  for (auto it = singles_.begin(); it != singles_.end(); ++it) {
    if (!it->task->done()) continue;
    const Single single = std::move(*it);
    singles_.erase(it);
    std::string done;
    try {
      done = single.task->result();
    } catch (const std::bad_alloc&) {
      return Notice{"There is not enough memory to write the file.", true};
    } catch (const std::exception& e) {
      return Notice{e.what(), true};
    }
    if (single.then) single.then();
    return Notice{std::move(done), false};
  }
  return std::nullopt;
}

}  // namespace clothlab
