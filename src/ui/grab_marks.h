// SPDX-License-Identifier: MIT
#pragma once

#include <glm/vec3.hpp>
#include <optional>
#include <string>

#include "sim/frame.h"
#include "ui/overlays.h"

namespace clothlab {

/// What is drawn over the view for the grab, in window coordinates.
struct GrabMarks {
  struct Target {
    ImVec2 at;
    bool is_pin = false;
  };
  struct Held {
    ImVec2 at;              ///< of the cursor that pulls
    double depth = 0;       ///< of it behind the plane that the cloth was taken in [m]
    double half_depth = 1;  ///< the depth that half of the scale shows [m]
  };
  glm::vec3 colour{1};           ///< sRGB in [0, 1]
  std::optional<Target> target;  ///< what a press would take hold of
  std::optional<Held> held;
};
void draw_grab_marks(const GrabMarks& marks, const Area& view);

/// The force of the grab [N], how far the held point lags behind it, and how far it was moved in depth, away
/// from the viewer where `depth` > 0 [m].
std::string grab_reading(const Frame::Grab& grab, double depth);

}  // namespace clothlab
