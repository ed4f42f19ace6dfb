// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/image.h"
#include "documents/lane_picture.h"
#include "documents/video_writer.h"
#include "io/output_file.h"
#include "sim/frame.h"

namespace clothlab {

// Three threads work on a recording. A frame is captured on the thread that takes the step, drawn on the one
// with a GL context, and written on a thread that may wait for the disk:
//
//   simulation thread          window                 writer
//   add_step() ── undrawn ──▶  next_picture()
//       ▲                      add_picture() ── jobs ──▶  frame-000000.png, frame-000000.obj,
//       └── room(): a frame was written ───────────────── rows of diagnostics.csv
//
//   simulated time  0 ────┬────┬────┬────┬───▶     steps of h
//   frames          0   1   2   3   4   5 ───▶     every 1/rate s, see FrameClock

/// A recording in a folder: pictures frame-000000.png and on, meshes frame-000000.obj and on, video.mp4
/// (see VideoWriter), and the figures of every step in diagnostics.csv, with the columns of
/// `simulate --diagnostics`. A comparison is a single video, comparison.mp4, of several lanes next to each
/// other with a plot (LanePicture); each lane may have a recording of its own as well.
///
/// Frames follow simulated time, so that a video runs at the speed of the simulated world however long its
/// steps take. At most kMostWaiting frames wait: while full(), the simulation thread takes no step but still
/// handles requests. A recording may slow the simulation down; it never drops a frame. An error ends it, with
/// a sentence.
class Recorder {
 public:
  static constexpr std::size_t kMostWaiting = 8;

  struct Settings {
    bool pictures = true;
    bool meshes = false;
    double frames_per_second = 60;  ///< of simulated time
    bool video = false;
    bool comparison = false;                 ///< only the video, of several lanes
    LanePlot plot = LanePlot::total_energy;  ///< of the comparison

    bool draws() const { return pictures || video; }
  };
  /// What a picture shows: the lanes, and the points of the plot since the frame before.
  struct Picture {
    std::vector<ShownLane> lanes;
    std::vector<PlotPoints> points;
  };
  struct Progress {
    std::uint64_t frames = 0;  ///< written
    double seconds = 0;        ///< simulated time that they show
    std::uintmax_t bytes = 0;
    bool stopped = false;   ///< no more steps are added
    bool finished = false;  ///< and all is written, as far as it could be
    std::string error;      ///< one sentence; empty without an error
  };

  /// `folder` exists and is empty. Throws InputError when nothing can be written into it.
  Recorder(std::filesystem::path folder, const Settings& settings);
  /// Writes the waiting frames.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  const Settings& settings() const { return settings_; }
  /// Where its video is, if it makes one.
  const VideoFile& video() const { return video_file_; }

  // For the simulation thread.

  /// The first state of the recording, which is of one lane unless it is a comparison; `motion`: the arrows
  /// of its pictures. `room` is called, on any thread, whenever full() may have changed; until forget().
  void begin(WorkerPool& pool, std::span<const RunningLane> lanes, const Motion& motion,
             std::function<void()> room);
  /// Call after every step, with the milliseconds of the first lane. After a reset the frames continue from
  /// the earlier time. When all lanes have blown up, there is one more frame.
  void add_step(WorkerPool& pool, std::span<const RunningLane> lanes, const Motion& motion,
                double milliseconds);
  bool full() const;
  /// Ends the calls of this thread and those of `room`.
  void forget();

  // For the window.

  /// The oldest frame whose picture has not been drawn; null when there is none.
  std::shared_ptr<const Picture> next_picture() const;
  /// The picture of it, rows of RGBA from the top.
  void add_picture(int width, int height, std::vector<std::uint8_t> rgba);
  /// Ends the recording; waiting frames are still drawn and written.
  void stop();

  Progress progress() const;

 private:
  struct Shape {
    std::uint64_t number = 0;
    std::shared_ptr<const Picture> content;
  };

  /// Writes files and returns their size [byte].
  using Job = std::function<std::uintmax_t()>;

  // Call with the mutex locked.
  void add_frames(WorkerPool& pool, std::span<const RunningLane> lanes, const Motion& motion);
  /// Writes a frame, after the figures of the steps until now. Without a picture its rgba is empty.
  void post(const Shape& shape, Image picture);
  void post(Job job);
  void finish_if_drawn();

  void write_jobs();
  void tell_room();

  const std::filesystem::path folder_;
  const Settings settings_;
  const VideoFile video_file_;
  std::optional<OutputFile> diagnostics_;  // used by the writer only; none of a comparison
  std::unique_ptr<VideoWriter> video_;     // the same; from the first picture on

  mutable std::mutex mutex_;  // of all following members
  std::condition_variable changed_;
  std::deque<Job> jobs_;  // the first is being written
  std::uintmax_t bytes_ = 0;
  std::string error_;  // after it nothing more is written
  std::deque<Shape> undrawn_;
  std::string rows_;
  std::vector<PlotPoints> points_;  // since the last frame
  std::uint64_t added_ = 0;
  std::uint64_t written_ = 0;
  FrameClock clock_;
  bool stopped_ = false;
  bool finishing_ = false;  // the last job was posted

  std::mutex room_mutex_;  // locked while it is called
  std::function<void()> room_;

  std::thread writer_;
};

/// Writes the shape as an OBJ file with the faces of the mesh's own file; returns its size.
std::uintmax_t write_obj_file(const std::filesystem::path& path, const ClothMesh& mesh,
                              std::span<const vec3> positions);

/// The command that turns the pictures of a recording into a video, to be typed in its folder.
std::string video_command(const Recorder::Settings& settings);

}  // namespace clothlab
