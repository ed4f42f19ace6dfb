// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "core/image.h"
#include "sim/frame.h"

namespace clothlab {

/// Settings of a picture without a display.
struct PictureRequest {
  int width = 1280;         ///< [pixel]
  int height = 720;         ///< [pixel]
  double yaw = 30;          ///< of the camera about the vertical axis [degree]
  double pitch = 15;        ///< of the camera above the horizon [degree]
  bool all_around = false;  ///< leave room for the same shape from every side
  double zoom = 1;          ///< 1 fits the cloth as it was at the start into the picture
  bool wireframe = false;
  bool heat_map = false;
  bool light = false;  ///< the light look, else the dark one
  double heat_max_strain = 0.1;
};

/// Draws frames with the camera of the first, turned about the vertical axis through its target by an angle
/// [degree].
using Painter = std::function<Image(const Frame&, double turn)>;

}  // namespace clothlab
