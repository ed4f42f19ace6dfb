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
  /// Draws a frame as in the view into the bound framebuffer, which has that size.
  using Draw = std::function<void(const Frame& frame, int width, int height)>;
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
  /// Writes one file on a thread of its own. When it is written, next_notice() returns `done` and calls
  /// `then`.
  void write(std::function<void()> job, std::string done, std::function<void()> then = {});

  /// Starts a recording of these lanes, several lanes each in their own folder, "lane-A"; the recorders are
  /// for the simulation thread. Its pictures keep this size, rounded to even for video encoders, when the
  /// window changes. Throws InputError when the folder cannot be written to.
  Record start_recording(const StartRecording& wanted, const std::string& stem,
                         const std::vector<LaneId>& lanes, int width, int height);
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
    std::unique_ptr<BackgroundTask<void>> task;
    std::string done;  // the message and the action after writing
    std::function<void()> then;
  };

  Recorder::Progress progress() const;
  static Image picture(Canvas& canvas, const std::function<void(int width, int height)>& draw);

  Draw draw_;
  std::vector<Single> singles_;
  Record recording_;
  std::unique_ptr<Canvas> canvas_;  // of the recording
  RecordingStatus status_;
};

/// Writes a table as CSV into the folder, under its title, like write_chart.
std::filesystem::path write_table(const std::string& title, const std::string& csv,
                                  const std::filesystem::path& folder);

/// Draws a chart into the folder, under its title ("energy.png", or "energy-2.png" when that exists). Returns
/// the path. Throws InputError or SystemError, one sentence.
std::filesystem::path write_chart(const std::string& title, const Chart& chart, bool svg,
                                  const std::filesystem::path& folder);
/// The same of the visible part of a plot.
std::filesystem::path write_plot(const ShownPlot& shown, bool svg, const std::filesystem::path& folder);

}  // namespace clothlab
