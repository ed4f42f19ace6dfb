// SPDX-License-Identifier: MIT
#include "render/sticks_and_balls.h"

#include <cstddef>
#include <glm/common.hpp>

namespace clothlab {
namespace {

constexpr GLsizei kCorners = 4;  // of the square

}  // namespace

Rgba rgba(const glm::vec3& shown, float opacity) {
  const auto byte = [](float value) {
    return static_cast<std::uint8_t>(std::lround(255.0f * glm::clamp(value, 0.0f, 1.0f)));
  };
  return {byte(shown.x), byte(shown.y), byte(shown.z), byte(opacity)};
}

std::array<InstanceField, 3> Line::fields() {
  return {{{3, GL_FLOAT, offsetof(Line, from)},
           {3, GL_FLOAT, offsetof(Line, to)},
           {4, GL_UNSIGNED_BYTE, offsetof(Line, colour)}}};
}

void Line::Style::set(const ShaderProgram& program, const View& view) const {
  program.set("view_projection", view.view_projection);
  program.set("depth_offset", view.projection[3].z);
  program.set("viewport", view.size);
  program.set("radius", radius);
  program.set("roundness", roundness);
  program.set("taper", taper);
}

std::array<InstanceField, 3> Ball::fields() {
  return {{{3, GL_FLOAT, offsetof(Ball, centre)},
           {1, GL_FLOAT, offsetof(Ball, radius)},
           {4, GL_UNSIGNED_BYTE, offsetof(Ball, colour)}}};
}

void Ball::Style::set(const ShaderProgram& program, const View& view) const {
  program.set("view", view.view);
  program.set("projection", view.projection);
  program.set("light", glm::mat3(view.view) * kToLight);
}

template <class Instance>
Instances<Instance>::Instances() {
  glBindVertexArray(array_.id());
  glBindBuffer(GL_ARRAY_BUFFER, buffer_.id());
  GLuint location = 0;
  for (const auto& [components, type, offset] : Instance::fields()) {
    glEnableVertexAttribArray(location);
    glVertexAttribPointer(location, components, type, type == GL_UNSIGNED_BYTE ? GL_TRUE : GL_FALSE,
                          static_cast<GLsizei>(sizeof(Instance)), byte_offset(offset));
    glVertexAttribDivisor(location, 1);
    ++location;
  }
}

template <class Instance>
void Instances<Instance>::draw(const Style& style, const View& view, const ShaderProgram& program) {
  if (instances_.empty()) return;
  program.use();
  style.set(program, view);
  program.set("pixels_at_one", view.pixels_at_one);
  program.set("radius_pixels", style.radius_pixels * view.pixel_scale);
  program.set("near_plane", view.near_plane);
  program.set("towards_eye", style.towards_eye);
  glBindVertexArray(array_.id());
  upload(buffer_, GL_ARRAY_BUFFER, instances_, GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, kCorners, static_cast<GLsizei>(instances_.size()));
  instances_.clear();
}

template class Instances<Line>;
template class Instances<Ball>;

}  // namespace clothlab
