// SPDX-License-Identifier: MIT
#pragma once

#include <glm/vec3.hpp>
#include <optional>
#include <string>

#include "sim/frame.h"
#include "ui/overlays.h"

namespace clothlab {

/// The marks of a grab over the view, in window coordinates.
struct GrabMarks {
  struct Target {
    ImVec2 at;
    bool is_pin = false;
  };
  struct Held {
    ImVec2 at;
    double depth = 0;       ///< behind the plane where the grab began [m]
    double half_depth = 1;  ///< depth of half of the scale [m]
  };
  glm::vec3 colour{1};           ///< sRGB in [0, 1]
  std::optional<Target> target;  ///< the point that a press would grab
  std::optional<Held> held;
};
void draw_grab_marks(const GrabMarks& marks, const Area& view);

/// Force of the grab [N], distance of the held point from the cursor, and depth of the cursor, away from the
/// viewer where `depth` > 0 [m].
std::string grab_reading(const Frame::Grab& grab, double depth);

}  // namespace clothlab
