// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"
#include "documents/background_task.h"
#include "documents/recorder.h"
#include "render/canvas.h"
#include "session/snapshot.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

/// The pictures, meshes and recordings that the window writes, each on its own thread.
class Outputs {
 public:
  /// Draws a frame as in the view into the bound framebuffer, which has that size; a `zoom` below 1 shows
  /// more around it.
  using Draw = std::function<void(const Frame& frame, int width, int height, double zoom)>;
  struct Notice {
    std::string sentence;
    bool is_error = false;
  };

  explicit Outputs(Draw draw) : draw_(std::move(draw)) {}

  /// Saves what `draw` draws into the bound framebuffer of this size in pixels. Throws SystemError if such a
  /// picture cannot be drawn.
  void save_picture(const std::function<void(int width, int height)>& draw, int width, int height,
                    const std::filesystem::path& path);
  void export_mesh(std::shared_ptr<const Snapshot> snapshot, const std::filesystem::path& path);
  /// Writes one file on a thread of its own. When it is written, next_notice() returns what `job` returned
  /// and calls `then`.
  void write(std::function<std::string()> job, std::function<void()> then = {});
  /// The same for a chart, a plot's visible part or a table (CSV), in the folder under its title
  /// ("energy.png", or "energy-2.png" when that exists).
  void write_chart(const std::string& title, std::shared_ptr<const Chart> chart, bool svg,
                   const std::filesystem::path& folder);
  void write_plot(const ShownPlot& shown, bool svg, const std::filesystem::path& folder);
  void write_table(const std::string& title, std::string csv, const std::filesystem::path& folder);

  /// Starts a recording of these lanes, several lanes each in their own folder, "lane-A", and a comparison of
  /// them, dark or light; the recorders are for the simulation thread. Pictures of the view keep this size,
  /// rounded to even for video encoders, when the window changes. Throws InputError when the folder cannot be
  /// written to.
  Record start_recording(const StartRecording& wanted, const std::string& stem,
                         const std::vector<LaneId>& lanes, int width, int height, bool light);
  void stop_recording();
  /// Closes the message of an ended recording.
  void close_recording();
  const RecordingStatus& recording() const { return status_; }

  /// Draws waiting pictures of a recording for some milliseconds and updates progress. True while there is
  /// more to do.
  bool work();
  /// The notice about a file that was written, or could not be.
  std::optional<Notice> next_notice();

 private:
  struct Single {
    std::unique_ptr<BackgroundTask<std::string>> task;
    std::function<void()> then;
    std::filesystem::path path = {};  // of a title
  };

  void write_titled(const std::string& title, const std::string& extension,
                    const std::filesystem::path& folder,
                    std::function<void(const std::filesystem::path& path)> job);
  Recorder::Progress progress() const;
  Painter tile_painter(const PictureRequest& tile) const;
  static Image picture(Canvas& canvas, const std::function<void(int width, int height)>& draw);

  Draw draw_;
  std::vector<Single> singles_;
  Record recording_;
  std::unique_ptr<Canvas> canvas_;         // of the recording
  std::optional<LanePicture> comparison_;  // the same
  RecordingStatus status_;
};

}  // namespace clothlab
