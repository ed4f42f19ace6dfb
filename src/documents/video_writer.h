// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/image.h"
#include "io/png.h"

namespace clothlab {

/// Which states a video shows. Its frames are even in simulated time, and each shows the first state at or
/// after its time, which is less than a step later.
class FrameClock {
 public:
  /// `spacing`: simulated time between two frames [s].
  explicit FrameClock(double spacing) : spacing_(spacing) {}
  /// The number of frames that show the state at this time [s]: 0 between two frames, several if steps are
  /// longer. The first time is that of the first frame; an earlier time than the last starts again from
  /// there.
  std::uint64_t due(double time);

 private:
  double spacing_;
  double last_ = 0;
  std::optional<double> start_;
  std::uint64_t shown_ = 0;  // since the start
};

/// Where a video is written.
struct VideoFile {
  std::filesystem::path path;
  std::string notice;  ///< why it is not the file that was asked for; empty if it is
};
/// The path itself if the program ffmpeg is in PATH or the extension is not .mp4; else an animated PNG,
/// with the extension .apng.
VideoFile choose_video_file(const std::filesystem::path& path);

/// A video from pictures of one size: H.264 in an MP4 file, which the program ffmpeg encodes in a process of
/// its own, or an animated PNG for every other extension. The file appears in finish(), complete, or not at
/// all. Memory does not grow with the number of pictures.
class VideoWriter {
 public:
  /// Throws InputError if `path` cannot be written or is no regular file, or if the size of an MP4 video is
  /// odd; SystemError if ffmpeg cannot be started. `patience`: for an ffmpeg that does nothing, before it
  /// counts as failed [s].
  VideoWriter(const std::filesystem::path& path, int width, int height, double frames_per_second,
              int patience = 60);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Adds a picture; waits while the encoder is behind. Throws SystemError, with the last line that ffmpeg
  /// printed if it has failed.
  void add(const Image& picture);
  /// Call once, after the last picture, of which there is at least one. Throws SystemError in the same way,
  /// and if ffmpeg neither ends nor writes.
  void finish();

 private:
  struct Ffmpeg;
  std::unique_ptr<Ffmpeg> ffmpeg_;       // of an MP4 file
  std::optional<AnimatedPng> animated_;  // of others
};

/// Throws InputError if an MP4 video cannot have this size: with half the colour samples of each direction it
/// is even.
void check_video_size(const std::filesystem::path& path, int width, int height);

}  // namespace clothlab
