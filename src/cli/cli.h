#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "sim/scene.h"

namespace clothlab {

/// What the command line asks of the window.
struct WindowRequest {
  /// The scene to open with, options applied; empty: the built-in one.
  std::optional<Scene> scene;
  /// Folder that the scene's relative mesh path is taken from.
  std::filesystem::path base_folder;
  /// Whether a mesh far from human size may be scaled to fit: not when --scale was given.
  bool may_fit = true;
  int threads = 1;
};

/// Opens the window; returns the exit status.
using OpenWindow = std::function<int(const WindowRequest&)>;

/// The whole command line of cli.md. Returns the exit status: 0 done, 1 a fault of the program or the
/// system, 2 usage or bad input, 3 the run blew up, 130 interrupted. Messages go to stderr.
int run_cli(int argc, const char* const* argv, const OpenWindow& open_window);

}  // namespace clothlab
