// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "documents/background_task.h"
#include "documents/scene_loader.h"

namespace clothlab {

/// One load on its own thread. It does not affect the running scene until its result is sent to the
/// SimulationThread as UseScene, so a bad file changes nothing.
class LoadJob {
 public:
  struct Progress {
    double fraction = 0;  ///< 0 to 1
    std::string stage;    ///< "Reading tshirt.obj"
  };
  struct Result {
    std::shared_ptr<const LoadedScene> scene;  ///< null when it failed or was cancelled
    std::string error;                         ///< one sentence; empty when it succeeded or was cancelled
    std::string remark;                        ///< see SceneExtras
  };

  /// A scene file, a checkpoint, a bundle, a journal, which is repeated to its end, or an OBJ. `units` and
  /// `z_up` are for an OBJ, `mesh_folder` is the folder of moved meshes of a checkpoint or a journal.
  LoadJob(std::filesystem::path path, UnitChoice units, bool z_up, std::filesystem::path mesh_folder = {});
  /// A given scene: a built-in one, or the same mesh with another unit.
  explicit LoadJob(Scene scene, SceneLoadOptions options = {});

  Progress progress() const;
  /// The destructor cancels too, and waits for the thread (at most one chunk of the load).
  void cancel() { task_.cancel(); }
  bool done() const { return task_.done(); }
  /// Waits until done.
  Result result() const { return task_.result(); }

 private:
  using FindScene = std::function<Scene(SceneLoadOptions& options, std::string& remark)>;
  LoadJob(FindScene find_scene, SceneLoadOptions options);
  Result load(const FindScene& find_scene, SceneLoadOptions options, const StopProbe& stop);

  mutable std::mutex mutex_;  // of the progress
  Progress progress_;
  BackgroundTask<Result> task_;  // last: its thread uses the other members
};

}  // namespace clothlab
