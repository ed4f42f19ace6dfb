// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "core/stop_probe.h"
#include "sim/scene.h"

namespace clothlab {

/// What the command line asks of the window.
struct WindowRequest {
  /// The scene to open with, options applied; empty: the built-in one, `with_options`.
  std::optional<Scene> scene;
  /// A run to go on with instead, with the scene that it has; empty: none.
  std::filesystem::path checkpoint;
  /// The same scene with the command line's options on top. Throws InputError.
  std::function<Scene(Scene)> with_options;
  /// It is a mesh of its own, not a scene's: it waits to be pinned, unless it plays.
  bool is_mesh = false;
  bool play = false;
  /// The file of --initial-state, for that scene or the built-in one; empty: none.
  std::filesystem::path initial_state;
  /// Whether a mesh far from human size may be scaled to fit: not when --scale was given.
  bool may_fit = true;
  int threads = 1;
  /// Whether the program was asked to end, by Ctrl-C.
  StopProbe stop;
};

}  // namespace clothlab
