// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

#include "mesh/boundary_loops.h"
#include "render/camera.h"
#include "session/snapshot.h"
#include "ui/overlays.h"

namespace clothlab {

/// For the window tests: if CLOTHLAB_WINDOW_STATE names a file, writes the window's state there twenty times
/// a second as one JSON object (tests/window/README.md), each time in full.
class StateLog {
 public:
  StateLog();
  /// True at most once per period; starts the next one. `now` [s].
  bool is_due(double now);
  /// `open_edges`: that a press pins. `more`: the members that the window knows.
  void write(const Snapshot& snapshot, const Camera& camera, const Area& view,
             std::span<const BoundaryLoop> open_edges, const nlohmann::json& more);

 private:
  std::optional<std::filesystem::path> path_;
  double next_ = 0;
  unsigned long long written_ = 0;
};

}  // namespace clothlab
