// SPDX-License-Identifier: MIT
#include "documents/recorder.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "core/text.h"
#include "io/png.h"
#include "mesh/obj_writer.h"
#include "sim/diagnostics.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

std::string frame_name(std::uint64_t number, const char* extension) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "frame-%06llu%s", static_cast<unsigned long long>(number),
                extension);
  return name.data();
}

}  // namespace

std::uintmax_t write_obj_file(const fs::path& path, const ClothMesh& mesh, std::span<const vec3> positions) {
  std::uintmax_t bytes = 0;
  OutputFile file(path);
  write_obj(mesh, positions, [&](std::string_view piece) {
    file.write(piece);
    bytes += piece.size();
  });
  file.commit();
  return bytes;
}

Recorder::Recorder(fs::path folder, const Settings& settings)
    : folder_(std::move(folder)),
      settings_(settings),
      video_file_(choose_video_file(folder_ / (settings.comparison ? "comparison.mp4" : "video.mp4"))),
      clock_(1 / settings.frames_per_second) {
  if (!settings_.comparison) diagnostics_.emplace(folder_ / "diagnostics.csv").write(kDiagnosticsHeader);
  writer_ = std::thread([this] { write_jobs(); });
}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    undrawn_.clear();  // no longer drawn
    finish_if_drawn();
  }
  writer_.join();
}

void Recorder::write_jobs() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return finishing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job& job = jobs_.front();
    lock.unlock();
    std::uintmax_t bytes = 0;
    std::string error;
    try {
      bytes = job();
    } catch (const std::bad_alloc&) {
      error = "There is not enough memory to write the file.";
    } catch (const std::exception& e) {
      error = e.what();
    }
    lock.lock();
    bytes_ += bytes;
    jobs_.pop_front();
    if (!error.empty()) {
      error_ = std::move(error);
      jobs_.clear();
    }
    lock.unlock();
    tell_room();
    lock.lock();
  }
}

void Recorder::post(Job job) {
  if (error_.empty()) jobs_.push_back(std::move(job));
  changed_.notify_one();
}

void Recorder::add_frames(WorkerPool& pool, std::span<const RunningLane> lanes, const Motion& motion) {
  if (settings_.comparison) points_.push_back(plot_points(lanes, settings_.plot));
  // A frozen lane is at an earlier time.
  std::optional<double> time;
  for (const RunningLane& lane : lanes)
    if (const double own = lane.simulation->state().t; !lane.simulation->blow_up())
      time = std::max(time.value_or(own), own);
  const std::uint64_t due = time ? clock_.due(*time) : 1;
  if (due == 0) return;
  Motion drawn = motion;
  drawn.step_of.reset();
  const auto captured = std::make_shared<Picture>();
  captured->points = std::exchange(points_, {});
  for (const RunningLane& lane : lanes) {
    auto frame = std::make_shared<Frame>();
    capture(*lane.simulation, lane.simulation->shared_scene(), *frame);
    capture_motion(pool, *lane.simulation, lane.simulation->state(), drawn, *frame);
    captured->lanes.push_back({lane.lane, std::move(frame), lane.simulation->blow_up()});
  }
  for (std::uint64_t k = 0; k < due; ++k) {
    const Shape next{added_++, captured};
    if (settings_.draws())
      undrawn_.push_back(next);
    else
      post(next, {});
  }
}

void Recorder::post(const Shape& shape, Image picture) {
  post([this, shape, picture = std::move(picture), figures = std::exchange(rows_, {})] {
    if (diagnostics_) diagnostics_->write(figures);
    std::uintmax_t bytes = figures.size();
    if (settings_.pictures && !picture.rgba.empty()) {
      const fs::path path = folder_ / frame_name(shape.number, ".png");
      write_png(path, picture);
      bytes += fs::file_size(path);
    }
    if (settings_.video && !picture.rgba.empty()) {
      if (!video_)
        video_ = std::make_unique<VideoWriter>(video_file_.path, picture.width, picture.height,
                                               settings_.frames_per_second);
      video_->add(picture);
    }
    if (settings_.meshes)
      bytes += write_obj_file(folder_ / frame_name(shape.number, ".obj"),
                              *shape.content->lanes[0].frame->mesh, shape.content->lanes[0].frame->positions);
    const std::lock_guard lock(mutex_);
    if (settings_.draws() || settings_.meshes) ++written_;
    return bytes;
  });
}

void Recorder::finish_if_drawn() {
  if (!stopped_ || !undrawn_.empty() || std::exchange(finishing_, true)) return;
  post([this, figures = std::exchange(rows_, {})] {
    if (diagnostics_) {
      diagnostics_->write(figures);
      diagnostics_->commit();
    }
    std::uintmax_t bytes = figures.size();
    if (video_) {
      video_->finish();
      bytes += fs::file_size(video_file_.path);
    }
    return bytes;
  });
}

void Recorder::tell_room() {
  const std::lock_guard lock(room_mutex_);
  if (room_) room_();
}

void Recorder::begin(WorkerPool& pool, std::span<const RunningLane> lanes, const Motion& motion,
                     std::function<void()> room) {
  {
    const std::lock_guard lock(room_mutex_);
    room_ = std::move(room);
  }
  const std::lock_guard lock(mutex_);
  if (!stopped_) add_frames(pool, lanes, motion);
}

void Recorder::add_step(WorkerPool& pool, std::span<const RunningLane> lanes, const Motion& motion,
                        double milliseconds) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !error_.empty()) return;
  if (!settings_.comparison) rows_ += diagnostics_row(lanes.front().simulation->record(), milliseconds);
  add_frames(pool, lanes, motion);
}

bool Recorder::full() const {
  const std::lock_guard lock(mutex_);
  return !stopped_ && error_.empty() && undrawn_.size() + jobs_.size() >= kMostWaiting;
}

void Recorder::forget() {
  {
    const std::lock_guard lock(room_mutex_);
    room_ = {};
  }
  stop();
}

std::shared_ptr<const Recorder::Picture> Recorder::next_picture() const {
  const std::lock_guard lock(mutex_);
  // As many as the writer can accept: the others wait undrawn, which needs less memory.
  return undrawn_.empty() || jobs_.size() >= kMostWaiting / 2 ? nullptr : undrawn_.front().content;
}

void Recorder::add_picture(int width, int height, std::vector<std::uint8_t> rgba) {
  const std::lock_guard lock(mutex_);
  if (undrawn_.empty()) return;
  post(undrawn_.front(), {width, height, std::move(rgba)});
  undrawn_.pop_front();
  finish_if_drawn();
}

void Recorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    finish_if_drawn();
  }
  tell_room();
}

Recorder::Progress Recorder::progress() const {
  const std::lock_guard lock(mutex_);
  const bool failed = !error_.empty();
  return {.frames = written_,
          .seconds = static_cast<double>(written_) / settings_.frames_per_second,
          .bytes = bytes_,
          .stopped = stopped_ || failed,
          .finished = failed || (finishing_ && jobs_.empty()),
          .error = error_};
}

std::string video_command(const Recorder::Settings& settings) {
  return "ffmpeg -framerate " + format_number(settings.frames_per_second) +
         " -i frame-%06d.png -c:v libx264 -pix_fmt yuv420p cloth.mp4";
}

}  // namespace clothlab
