// SPDX-License-Identifier: MIT
#include "documents/load_job.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "documents/journal.h"
#include "documents/replay.h"
#include "documents/scene_file.h"

namespace clothlab {
namespace {

/// Continues with all lanes of a journal, as they are after its last line.
void go_to_end_of_journal(const std::filesystem::path& path, const std::filesystem::path& mesh_folder,
                          SceneLoadOptions& options, std::string& remark) {
  const std::string stage = "Repeating " + shown_path(path.filename());
  Replay replay(read_journal(path, options.stop, mesh_folder), {});
  WorkerPool pool(1);
  const auto last = static_cast<double>(std::max<std::uint64_t>(replay.last_step(), 1));
  for (;;) {
    const Replay::Event event = replay.next(pool, options.stop);
    if (event == Replay::Event::stopped) throw Cancelled();
    if (event == Replay::Event::ended) break;
    options.progress(static_cast<double>(replay.step()) / last, stage);
  }
  Moment end;
  replay.arena().save(pool, end);
  // The window shows the steps of the run, which began before the file of a session.
  remark =
      lower_case(utf8_of(path.extension())) == kSessionEnding
          ? "The session is restored, paused at step " + std::to_string(replay.simulation().steps()) + "."
          : "The journal was repeated to its end, step " + std::to_string(replay.step()) + ".";
  if (const std::size_t missing = replay.missing_steps(); missing > 0)
    remark += std::string(" Lane ") + lane_letter(end.lanes.front().lane) + " blew up or was frozen in " +
              std::to_string(missing) + (missing == 1 ? " step." : " steps.");
  if (replay.difference())
    remark += " From step " + std::to_string(replay.difference()->step) +
              " on its states differ from the recorded ones.";
  options.moment = std::make_shared<const Moment>(std::move(end));
  options.past = replay.past();
}

/// What a path names: a scene file, a checkpoint, also in a bundle, a journal or an OBJ.
Scene scene_at(const std::filesystem::path& path, UnitChoice units, bool z_up,
               const std::filesystem::path& mesh_folder, SceneLoadOptions& options, std::string& remark) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::checkpoint || kind == FileKind::bundle) {
    options.checkpoint =
        std::make_shared<const CheckpointFile>(read_checkpoint_file(path, options.stop, mesh_folder));
    return options.checkpoint->scene;
  }
  if (kind == FileKind::journal) {
    go_to_end_of_journal(path, mesh_folder, options, remark);
    return *options.moment->lanes.front().checkpoint->scene;
  }
  SceneExtras extras;
  Scene scene = scene_from_path(path, options.stop, &extras);
  remark = std::move(extras.remark);
  options.lanes = std::move(extras.lanes);
  if (kind == FileKind::scene) return scene;
  scene.z_up = z_up;
  options.units = units;
  return scene;
}

}  // namespace

LoadJob::LoadJob(FindScene find_scene, SceneLoadOptions options)
    : task_([this, find = std::move(find_scene), options = std::move(options)](const StopProbe& stop) {
        return load(find, options, stop);
      }) {}

LoadJob::LoadJob(std::filesystem::path path, UnitChoice units, bool z_up, std::filesystem::path mesh_folder)
    : LoadJob([=](SceneLoadOptions& options,
                  std::string& remark) { return scene_at(path, units, z_up, mesh_folder, options, remark); },
              SceneLoadOptions()) {}

LoadJob::LoadJob(Scene scene, SceneLoadOptions options)
    : LoadJob([scene = std::move(scene)](SceneLoadOptions&, std::string&) { return scene; },
              std::move(options)) {}

LoadJob::Result LoadJob::load(const FindScene& find_scene, SceneLoadOptions options, const StopProbe& stop) {
  Result outcome;
  try {
    options.rehearse = true;
    options.stop = stop;
    options.progress = [this](double fraction, std::string_view stage) {
      const std::lock_guard lock(mutex_);
      progress_ = {fraction, std::string(stage)};
    };
    Scene scene = find_scene(options, outcome.remark);
    outcome.scene = std::make_shared<const LoadedScene>(load_scene(std::move(scene), options));
  } catch (const Cancelled&) {  // neither a scene nor an error
  } catch (const std::bad_alloc&) {
    outcome.error = "There is not enough memory to load this.";
  } catch (const std::exception& e) {
    outcome.error = e.what();
  }
  return outcome;
}

LoadJob::Progress LoadJob::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

}  // namespace clothlab
