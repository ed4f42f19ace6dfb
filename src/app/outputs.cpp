// SPDX-License-Identifier: MIT
#include "app/outputs.h"

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

std::shared_ptr<Recorder> Outputs::start_recording(const StartRecording& wanted, const std::string& stem,
                                                   int width, int height) {
  if (wanted.settings.pictures)
    canvas_ = std::make_unique<Canvas>(width - width % 2, height - height % 2,
                                       is_software_renderer() ? 0 : kSamples);
  const fs::path folder = make_free_folder(wanted.folder, stem);
  recorder_ = std::make_shared<Recorder>(folder, wanted.settings);
  status_ = {true, folder, wanted.settings, {}};
  return recorder_;
}

void Outputs::stop_recording() {
  if (recorder_) recorder_->stop();
}

void Outputs::close_recording() {
  if (!recorder_) status_.shown = false;
}

bool Outputs::work() {
  if (!recorder_) return !singles_.empty();
  const auto until = std::chrono::steady_clock::now() + kDrawing;
  while (const std::shared_ptr<const Frame> frame = recorder_->next_picture()) {
    Image image = picture(*canvas_, *frame);
    recorder_->add_picture(image.width, image.height, std::move(image.rgba));
    if (std::chrono::steady_clock::now() >= until) break;
  }
  status_.progress = recorder_->progress();
  if (status_.progress.finished) {
    recorder_->stop();  // the simulation thread has it still
    recorder_.reset();
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
