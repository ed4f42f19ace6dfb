// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "mesh/boundary_loops.h"
#include "render/camera.h"
#include "session/snapshot.h"
#include "ui/overlays.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

/// For the window tests: if CLOTHLAB_WINDOW_STATE names a file, writes the window's state there twenty times
/// a second as one JSON object (tests/window/README.md), each time in full.
class StateLog {
 public:
  struct Picture {
    const Snapshot& snapshot;
    const Camera& camera;
    Area view;
    int width = 0;
    int height = 0;
    unsigned long long frames = 0;  ///< drawn so far
    double frames_per_second = 0;
    bool loading = false;
    bool dialog_open = false;
    std::string message;
    std::string tab;
    bool plots = true;
    std::string window_title;
    const RecordingStatus& recording;
    std::span<const BoundaryLoop> open_edges;  ///< that a press pins
  };

  StateLog();
  /// `now` [s].
  void write(double now, const Picture& picture);

 private:
  std::optional<std::filesystem::path> path_;
  double next_ = 0;
  unsigned long long written_ = 0;
};

}  // namespace clothlab
