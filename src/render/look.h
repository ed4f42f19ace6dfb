// SPDX-License-Identifier: MIT
#pragma once

#include <glm/vec3.hpp>

namespace clothlab {

/// The colours of a picture, in sRGB from 0 to 1.
struct Look {
  glm::vec3 sky_top{0.125f, 0.145f, 0.180f};
  glm::vec3 horizon{0.265f, 0.300f, 0.350f};
  glm::vec3 sky_bottom{0.190f, 0.210f, 0.245f};
  glm::vec3 ground_lines{0.80f, 0.88f, 1.0f};
  float ambient = 1;     ///< ambient light on the cloth
  float shadow = 0.45f;  ///< darkness in the middle of the cloth's shadow

  // Blue and sand leave yellow for the grab and white for pins.
  glm::vec3 cloth_front{0.33f, 0.57f, 0.86f};
  glm::vec3 cloth_back{0.92f, 0.68f, 0.42f};
  glm::vec3 obstacle{0.50f, 0.53f, 0.58f};
  glm::vec3 edge{0.05f, 0.08f, 0.13f};  ///< of the wireframe
  glm::vec3 pin{0.96f, 0.97f, 1.0f};
  glm::vec3 grab{1.0f, 0.84f, 0.25f};
  glm::vec3 rod{0.55f, 0.62f, 0.72f};
  glm::vec3 ball{0.36f, 0.60f, 0.88f};
  glm::vec3 particle{0.98f, 0.93f, 0.70f};
  glm::vec3 stretch_spring{0.40f, 0.86f, 0.76f};
  glm::vec3 bend_spring{0.95f, 0.45f, 0.30f};
  glm::vec3 velocity{0.55f, 0.90f, 0.42f};
  glm::vec3 force{0.96f, 0.42f, 0.66f};
  glm::vec3 sticking{0.98f, 0.80f, 0.30f};  ///< of contacts
  glm::vec3 sliding{0.35f, 0.90f, 0.98f};
  glm::vec3 intersection{1.0f, 0.25f, 0.20f};
  glm::vec3 driver{0.72f, 0.62f, 1.0f};
  glm::vec3 seam{1.0f, 0.60f, 0.15f};
};

/// The default values are those of the dark look.
inline Look light_look() {
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
  look.driver = {0.38f, 0.16f, 0.72f};
  look.seam = {0.68f, 0.26f, 0.0f};
  return look;
}

}  // namespace clothlab
