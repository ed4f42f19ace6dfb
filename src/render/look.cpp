// SPDX-License-Identifier: MIT
#include "render/look.h"

namespace clothlab {

Look light_look() {
  Look look;
  look.sky_top = {0.78f, 0.84f, 0.91f};
  look.horizon = {0.945f, 0.955f, 0.965f};
  look.sky_bottom = {0.83f, 0.845f, 0.865f};
  look.ground_lines = {0.25f, 0.31f, 0.40f};
  look.ambient = 1.7f;
  look.shadow = 0.34f;
  look.cloth_front = {0.24f, 0.50f, 0.82f};
  look.cloth_back = {0.88f, 0.60f, 0.33f};
  look.obstacle = {0.62f, 0.64f, 0.68f};
  look.pin = {0.13f, 0.16f, 0.21f};
  look.grab = {0.72f, 0.22f, 0.03f};
  look.rod = {0.36f, 0.42f, 0.51f};
  look.ball = {0.16f, 0.42f, 0.74f};
  look.particle = {0.20f, 0.10f, 0.02f};
  look.stretch_spring = {0.0f, 0.46f, 0.36f};
  look.velocity = {0.10f, 0.46f, 0.08f};
  look.force = {0.70f, 0.06f, 0.38f};
  look.sticking = {0.55f, 0.33f, 0.0f};
  look.sliding = {0.0f, 0.40f, 0.55f};
  look.intersection = {0.80f, 0.0f, 0.0f};
  look.bend_spring = {0.76f, 0.24f, 0.10f};
  return look;
}

}  // namespace clothlab
