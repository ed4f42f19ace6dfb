// SPDX-License-Identifier: MIT
#include "app/outputs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/text_file.h"
#include "io/free_path.h"
#include "io/output_file.h"
#include "io/png.h"
#include "mesh/obj_writer.h"
#include "render/gl.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr int kSamples = 4;
// Time per picture of the window for drawing a recording.
constexpr std::chrono::milliseconds kDrawing{12};

}  // namespace

Image Outputs::picture(Canvas& canvas, const Frame& frame) const {
  return picture(canvas, [&](int width, int height) { draw_(frame, width, height); });
}

Image Outputs::picture(Canvas& canvas, const std::function<void(int width, int height)>& draw) {
  canvas.bind();
  draw(canvas.width(), canvas.height());
  Image image = canvas.read();
  Canvas::unbind();
  return image;
}

void Outputs::save_picture(const std::function<void(int width, int height)>& draw, int width, int height,
                           const fs::path& path) {
  Canvas canvas(width, height, kSamples);
  auto image = std::make_shared<const Image>(picture(canvas, draw));
  const auto job = [image, path] {
    write_png(path, image->width, image->height, image->rgba);
    return fs::file_size(path);
  };
  write(job, "Saved the picture as " + shown_path(path) + ".");
}

void Outputs::export_mesh(std::shared_ptr<const Snapshot> snapshot, const fs::path& path) {
  const auto job = [snapshot = std::move(snapshot), path] {
    check_replaceable(path);
    OutputFile file(path);
    std::uintmax_t bytes = 0;
    write_obj(*snapshot->frame.mesh, snapshot->frame.positions, [&](std::string_view piece) {
      file.write(piece);
      bytes += piece.size();
    });
    file.commit();
    return bytes;
  };
  write(job, "Saved the mesh as " + shown_path(path) + ".");
}

void Outputs::write(FileWriter::Job job, std::string done, std::function<void()> then) {
  singles_.push_back({std::make_unique<FileWriter>(), std::move(done), std::move(then)});
  singles_.back().writer->post(std::move(job));
}

Record Outputs::start_recording(const StartRecording& wanted, const std::string& stem,
                                const std::vector<LaneId>& lanes, int width, int height) {
  if (wanted.settings.pictures)
    canvas_ = std::make_unique<Canvas>(width - width % 2, height - height % 2,
                                       is_software_renderer() ? 0 : kSamples);
  const fs::path folder = make_free_folder(wanted.folder, stem);
  Record recording;
  for (const LaneId lane : lanes) {
    fs::path own = folder;
    if (lanes.size() > 1) fs::create_directory(own /= std::string("lane-") + lane_letter(lane));
    recording.recorders[lane] = std::make_shared<Recorder>(own, wanted.settings);
  }
  recording_ = recording;
  status_ = {true, folder, wanted.settings, {}, lanes.size()};
  return recording;
}

void Outputs::stop_recording() {
  for (const auto& [lane, recorder] : recording_.recorders) recorder->stop();
}

void Outputs::close_recording() {
  if (recording_.recorders.empty()) status_.shown = false;
}

/// Of all lanes; one that fails is not finished before the others are.
Recorder::Progress Outputs::progress() const {
  Recorder::Progress all;
  all.stopped = all.finished = true;
  for (const auto& [lane, recorder] : recording_.recorders) {
    const Recorder::Progress own = recorder->progress();
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
  if (recording_.recorders.empty()) return !singles_.empty();
  const auto until = std::chrono::steady_clock::now() + kDrawing;
  for (bool drew = true; std::exchange(drew, false) && std::chrono::steady_clock::now() < until;) {
    for (const auto& [lane, recorder] : recording_.recorders) {
      const std::shared_ptr<const Frame> frame = recorder->next_picture();
      if (!frame) continue;
      Image image = picture(*canvas_, *frame);
      recorder->add_picture(image.width, image.height, std::move(image.rgba));
      drew = true;
    }
  }
  status_.progress = progress();
  if (!status_.progress.error.empty()) stop_recording();  // a lane that failed ends that of all
  if (status_.progress.finished) {
    stop_recording();  // the simulation thread has them still
    recording_ = {};
    canvas_.reset();
  }
  return true;
}

std::optional<Outputs::Notice> Outputs::next_notice() {
  for (auto it = singles_.begin(); it != singles_.end(); ++it) {
    const FileWriter::Progress progress = it->writer->progress();
    if (progress.waiting > 0) continue;
    const Single single = std::move(*it);
    singles_.erase(it);
    if (!progress.error.empty()) return Notice{progress.error, true};
    if (single.then) single.then();
    return Notice{single.done, false};
  }
  return std::nullopt;
}

}  // namespace clothlab
