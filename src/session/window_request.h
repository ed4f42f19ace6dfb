// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "core/stop_probe.h"
#include "sim/scene.h"

namespace clothlab {

/// The command line's request to the window.
struct WindowRequest {
  /// The scene to open with, options applied; empty: the built-in one, `with_options`.
  std::optional<Scene> scene;
  /// Its lanes (LoadedScene::lanes).
  std::vector<LaneMethod> lanes = {};
  /// A checkpoint or a bundle to continue instead, with its scene, or a journal to repeat; empty: none.
  std::filesystem::path checkpoint;
  /// Folder of the moved meshes of that checkpoint or journal; empty: they were not moved.
  std::filesystem::path mesh_folder;
  /// The same scene with the command line's options on top. Throws InputError.
  std::function<Scene(Scene)> with_options;
  /// A mesh without a scene: it waits to be pinned, unless it plays.
  bool is_mesh = false;
  bool play = false;
  bool dress = false;  ///< see SceneLoadOptions
  /// The file of --initial-state, for that scene or the built-in one; empty: none.
  std::filesystem::path initial_state;
  /// Whether a mesh far from human size is scaled to fit: not with --scale.
  bool may_fit = true;
  int threads = 1;
  /// Whether to end, after Ctrl-C.
  StopProbe stop;
};

}  // namespace clothlab
