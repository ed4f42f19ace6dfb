// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "core/vec.h"
#include "render/camera.h"
#include "render/shader_program.h"

namespace clothlab {

// Shared by the parts of a picture. Positions are single-precision and relative to the camera's target.

struct Programs {
  ShaderProgram background{"background.vert", "background.frag"};
  ShaderProgram ground{"ground.vert", "ground.frag"};
  ShaderProgram ground_shadow{"ground.vert", "ground_shadow.frag"};
  ShaderProgram shadow{"shadow.vert", "shadow.frag"};
  ShaderProgram blur{"screen.vert", "blur.frag"};
  ShaderProgram cloth{"cloth.vert", "cloth.frag"};
  ShaderProgram line{"line.vert", "line.frag"};
  ShaderProgram ball{"ball.vert", "ball.frag"};
};

struct View {
  glm::mat4 view{1};
  glm::mat4 projection{1};
  glm::mat4 view_projection{1};
  glm::vec3 eye{0};
  glm::vec2 size{1};        ///< [pixel]
  float near_plane = 0;     ///< [m]
  float pixels_at_one = 1;  ///< pixels that a metre at a metre's depth covers
  float pixel_scale = 1;    ///< pixels per unit of line widths and marker sizes
};

/// The direction to the light, kToLight of shaders/common.glsl.
inline const glm::vec3 kToLight{0.3015f, 0.8614f, 0.4091f};

/// Whether single precision can represent it; other points are not drawn.
inline bool is_drawable(const glm::vec3& p) {
  constexpr float kFar = 1e9f;
  return std::abs(p.x) < kFar && std::abs(p.y) < kFar && std::abs(p.z) < kFar;
}

/// A field of a vertex or instance for glVertexAttribPointer.
inline const void* byte_offset(std::size_t bytes) { return reinterpret_cast<const void*>(bytes); }

}  // namespace clothlab
