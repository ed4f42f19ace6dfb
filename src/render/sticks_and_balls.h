// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "render/drawing.h"
#include "render/gl.h"

namespace clothlab {

/// 8-bit sRGB with opacity.
using Rgba = std::array<std::uint8_t, 4>;

/// `shown`: sRGB in [0, 1].
Rgba rgba(const glm::vec3& shown, float opacity = 1);

/// Smooth segments of any width, all in one call.
class Lines {
 public:
  struct Line {
    glm::vec3 from;
    glm::vec3 to;
    Rgba colour;
  };
  struct Style {
    float radius = 0;               ///< [m]
    glm::vec2 radius_pixels{0.6f};  ///< least and most, in units of View::pixel_scale
    float roundness = 0;            ///< 1: lit as a rod, 0: flat
    float towards_eye = 0;          ///< share of the distance by which they are drawn nearer
    float taper = 0;                ///< 1: the far end is a point
  };

  Lines();
  /// Lines with an end that is not drawable are left out.
  void draw(const std::vector<Line>& lines, const Style& style, const View& view,
            const ShaderProgram& program);

 private:
  GlVertexArray array_;
  GlBuffer buffer_;
  std::vector<Line> drawable_;
};

/// Shaded balls, all in one call.
class Balls {
 public:
  struct Ball {
    glm::vec3 centre;
    float radius;  ///< [m]
    Rgba colour;
  };
  struct Style {
    glm::vec2 radius_pixels{1, 1e6f};  ///< least and most, in units of View::pixel_scale
    float towards_eye = 0;             ///< radii by which they are drawn nearer
  };

  Balls();
  /// Balls that are not drawable are left out.
  void draw(const std::vector<Ball>& balls, const Style& style, const View& view,
            const ShaderProgram& program);

 private:
  GlVertexArray array_;
  GlBuffer buffer_;
  std::vector<Ball> drawable_;
};

}  // namespace clothlab
