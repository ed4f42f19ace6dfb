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

/// A field of an instance for glVertexAttribPointer.
struct InstanceField {
  GLint components;
  GLenum type;
  std::size_t offset;
};

/// Instances of a square, of which a shader makes lines or balls. They are collected and then drawn, all in
/// one call.
template <class Instance>
class Instances {
 public:
  using Style = typename Instance::Style;

  Instances();
  /// Instances that are not drawable are left out.
  void add(const Instance& instance) {
    if (instance.drawable()) instances_.push_back(instance);
  }
  /// Draws those that were added since the last call.
  void draw(const Style& style, const View& view, const ShaderProgram& program);

 private:
  GlVertexArray array_;
  GlBuffer buffer_;
  std::vector<Instance> instances_;
};

/// A smooth segment of any width.
struct Line {
  glm::vec3 from;
  glm::vec3 to;
  Rgba colour;

  struct Style {
    float radius = 0;               ///< [m]
    glm::vec2 radius_pixels{0.6f};  ///< least and most, in units of View::pixel_scale
    float roundness = 0;            ///< 1: lit as a rod, 0: flat
    float towards_eye = 0;          ///< share of the distance by which they are drawn nearer
    float taper = 0;                ///< 1: the far end is a point

    /// Sets the uniforms that only lines have; Instances::draw sets the others.
    void set(const ShaderProgram& program, const View& view) const;
  };
  static std::array<InstanceField, 3> fields();
  bool drawable() const { return is_drawable(from) && is_drawable(to); }
};
using Lines = Instances<Line>;

/// A shaded ball.
struct Ball {
  glm::vec3 centre;
  float radius;  ///< [m]
  Rgba colour;

  struct Style {
    glm::vec2 radius_pixels{1, 1e6f};  ///< least and most, in units of View::pixel_scale
    float towards_eye = 0;             ///< radii by which they are drawn nearer

    /// Sets the uniforms that only balls have.
    void set(const ShaderProgram& program, const View& view) const;
  };
  static std::array<InstanceField, 3> fields();
  bool drawable() const { return is_drawable(centre); }
};
using Balls = Instances<Ball>;

}  // namespace clothlab
