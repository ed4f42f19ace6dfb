// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "chart/axis.h"

namespace clothlab {

/// The ranges that the mouse has chosen for two axes; without them they fit what is drawn.
struct AxesView {
  std::optional<AxisRange> x;
  std::optional<AxisRange> y;
  std::optional<ImVec2> box;  ///< first corner of the zoom box, in window coordinates

  bool zoomed() const { return x || y; }
  void fit() { x = y = std::nullopt; }
};

/// A frame with axes under the mouse, in window coordinates.
struct AxesFrame {
  const Axis& x;
  const Axis& y;
  ImVec2 a, b;            ///< corners
  float left = 0;         ///< of the numbers of y
  bool as_plane = false;  ///< both axes are zoomed and moved together
};

/// The wheel zooms x about the mouse, with Ctrl or over the numbers of y it zooms y; a left-drag pans, y only
/// where it was zoomed; a right-drag zooms into a box; a double click fits. The frame is noted under `name`.
/// True where the mouse rests in it, to read values there.
bool zoom_by_mouse(const std::string& name, const AxesFrame& frame, AxesView& view);

}  // namespace clothlab
