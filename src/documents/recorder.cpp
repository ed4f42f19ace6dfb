// SPDX-License-Identifier: MIT
#include "documents/recorder.h"

#include <array>
#include <cstdio>
#include <deque>
#include <mutex>
#include <utility>

#include "core/text.h"
#include "documents/file_writer.h"
#include "io/output_file.h"
#include "io/png.h"
#include "mesh/obj_writer.h"
#include "sim/diagnostics.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// Simulated time is a sum of rounded steps: a frame that is due within so much of its spacing is due now.
constexpr double kRounding = 1e-6;

std::string frame_name(std::uint64_t number, const char* extension) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "frame-%06llu%s", static_cast<unsigned long long>(number),
                extension);
  return name.data();
}

std::uintmax_t write_mesh(const fs::path& path, const Frame& frame) {
  std::uintmax_t bytes = 0;
  OutputFile file(path);
  write_obj(*frame.mesh, frame.positions, [&](std::string_view piece) {
    file.write(piece);
    bytes += piece.size();
  });
  file.commit();
  return bytes;
}

}  // namespace

struct Recorder::Impl {
  Impl(fs::path the_folder, const Settings& the_settings)
      : folder(std::move(the_folder)), settings(the_settings), diagnostics(folder / "diagnostics.csv") {
    diagnostics.write(kDiagnosticsHeader);
  }

  struct Shape {
    std::uint64_t number = 0;
    std::shared_ptr<const Frame> frame;
  };

  // Call with the mutex locked.

  void add_frames(WorkerPool& pool, const Simulation& simulation, const std::shared_ptr<const Scene>& scene,
                  Motion motion) {
    const double spacing = 1 / settings.frames_per_second;
    const double time = simulation.state().t;
    if (time < last_time) {
      clock_start = time;
      on_clock = 0;
    }
    last_time = time;
    std::shared_ptr<const Frame> shape;
    while (clock_start + (static_cast<double>(on_clock) - kRounding) * spacing <= time) {
      if (!shape) {
        auto captured = std::make_shared<Frame>();
        capture(simulation, scene, *captured);
        capture_motion(pool, simulation, simulation.state(), motion, *captured);
        shape = std::move(captured);
      }
      ++on_clock;
      const Shape next{added++, shape};
      if (settings.pictures) {
        undrawn.push_back(next);
      } else {
        post(next, {});
      }
    }
  }

  struct Pixels {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;
  };

  /// Writes a frame, after the figures of the steps until now.
  void post(const Shape& shape, Pixels pixels) {
    writer.post([this, shape, pixels = std::move(pixels), figures = std::exchange(rows, {})] {
      diagnostics.write(figures);
      std::uintmax_t bytes = figures.size();
      if (!pixels.rgba.empty()) {
        const fs::path path = folder / frame_name(shape.number, ".png");
        write_png(path, pixels.width, pixels.height, pixels.rgba);
        bytes += fs::file_size(path);
      }
      if (settings.meshes) bytes += write_mesh(folder / frame_name(shape.number, ".obj"), *shape.frame);
      const std::lock_guard lock(mutex);
      ++written;
      return bytes;
    });
  }

  void finish_if_drawn() {
    if (!stopped || !undrawn.empty() || std::exchange(finishing, true)) return;
    writer.post([this, figures = std::exchange(rows, {})] {
      diagnostics.write(figures);
      diagnostics.commit();
      return std::uintmax_t{figures.size()};
    });
  }

  void tell_room() {
    const std::lock_guard lock(room_mutex);
    if (room) room();
  }

  const fs::path folder;
  const Settings settings;
  OutputFile diagnostics;  // used by the writer only

  mutable std::mutex mutex;  // of all following members
  std::deque<Shape> undrawn;
  std::string rows;
  std::uint64_t added = 0;
  std::uint64_t written = 0;
  double clock_start = 0;
  double last_time = 0;
  std::uint64_t on_clock = 0;  // frames since clock_start
  bool stopped = false;
  bool finishing = false;

  std::mutex room_mutex;  // locked while it is called
  std::function<void()> room;

  FileWriter writer{[this] { tell_room(); }};  // last: its jobs use the others
};

Recorder::Recorder(fs::path folder, const Settings& settings)
    : impl_(std::make_unique<Impl>(std::move(folder), settings)) {}

Recorder::~Recorder() {
  const std::lock_guard lock(impl_->mutex);
  impl_->stopped = true;
  impl_->undrawn.clear();  // no longer drawn
  impl_->finish_if_drawn();
}

const fs::path& Recorder::folder() const { return impl_->folder; }
const Recorder::Settings& Recorder::settings() const { return impl_->settings; }

void Recorder::begin(WorkerPool& pool, const Simulation& simulation, std::shared_ptr<const Scene> scene,
                     Motion motion, std::function<void()> room) {
  {
    const std::lock_guard lock(impl_->room_mutex);
    impl_->room = std::move(room);
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->clock_start = impl_->last_time = simulation.state().t;
  if (!impl_->stopped) impl_->add_frames(pool, simulation, scene, motion);
}

void Recorder::add_step(WorkerPool& pool, const Simulation& simulation, std::shared_ptr<const Scene> scene,
                        Motion motion, double milliseconds) {
  const bool failed = !impl_->writer.progress().error.empty();
  const std::lock_guard lock(impl_->mutex);
  if (impl_->stopped || failed) return;
  impl_->rows += diagnostics_row(simulation.record(), milliseconds);
  impl_->add_frames(pool, simulation, scene, motion);
}

bool Recorder::full() const {
  const FileWriter::Progress writing = impl_->writer.progress();
  const std::lock_guard lock(impl_->mutex);
  return !impl_->stopped && writing.error.empty() && impl_->undrawn.size() + writing.waiting >= kMostWaiting;
}

void Recorder::forget() {
  {
    const std::lock_guard lock(impl_->room_mutex);
    impl_->room = {};
  }
  stop();
}

std::shared_ptr<const Frame> Recorder::next_picture() const {
  // As many as the writer can accept: the others wait undrawn, which needs less memory.
  if (impl_->writer.progress().waiting >= kMostWaiting / 2) return nullptr;
  const std::lock_guard lock(impl_->mutex);
  return impl_->undrawn.empty() ? nullptr : impl_->undrawn.front().frame;
}

void Recorder::add_picture(int width, int height, std::vector<std::uint8_t> rgba) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->undrawn.empty()) return;
  impl_->post(impl_->undrawn.front(), {width, height, std::move(rgba)});
  impl_->undrawn.pop_front();
  impl_->finish_if_drawn();
}

void Recorder::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
    impl_->finish_if_drawn();
  }
  impl_->tell_room();
}

Recorder::Progress Recorder::progress() const {
  const FileWriter::Progress writing = impl_->writer.progress();
  const std::lock_guard lock(impl_->mutex);
  Progress progress;
  progress.frames = impl_->written;
  progress.seconds = static_cast<double>(impl_->written) / impl_->settings.frames_per_second;
  progress.bytes = writing.bytes;
  progress.error = writing.error;
  progress.stopped = impl_->stopped || !writing.error.empty();
  progress.finished = !writing.error.empty() || (impl_->finishing && writing.waiting == 0);
  return progress;
}

std::string video_command(const Recorder::Settings& settings) {
  return "ffmpeg -framerate " + format_number(settings.frames_per_second) +
         " -i frame-%06d.png -c:v libx264 -pix_fmt yuv420p cloth.mp4";
}

}  // namespace clothlab
