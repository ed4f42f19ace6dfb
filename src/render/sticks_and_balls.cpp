// SPDX-License-Identifier: MIT
#include "render/sticks_and_balls.h"

#include <algorithm>
#include <cstddef>
#include <glm/common.hpp>
#include <iterator>

namespace clothlab {
namespace {

constexpr GLsizei kCorners = 4;

void instance_field(GLuint location, GLint components, GLenum type, std::size_t stride, std::size_t offset) {
  glEnableVertexAttribArray(location);
  glVertexAttribPointer(location, components, type, type == GL_UNSIGNED_BYTE ? GL_TRUE : GL_FALSE,
                        static_cast<GLsizei>(stride), byte_offset(offset));
  glVertexAttribDivisor(location, 1);
}

}  // namespace

Rgba rgba(const glm::vec3& shown, float opacity) {
  const auto byte = [](float value) {
    return static_cast<std::uint8_t>(std::lround(255.0f * glm::clamp(value, 0.0f, 1.0f)));
  };
  return {byte(shown.x), byte(shown.y), byte(shown.z), byte(opacity)};
}

Lines::Lines() {
  glBindVertexArray(array_.id());
  glBindBuffer(GL_ARRAY_BUFFER, buffer_.id());
  instance_field(0, 3, GL_FLOAT, sizeof(Line), offsetof(Line, from));
  instance_field(1, 3, GL_FLOAT, sizeof(Line), offsetof(Line, to));
  instance_field(2, 4, GL_UNSIGNED_BYTE, sizeof(Line), offsetof(Line, colour));
}

void Lines::draw(const std::vector<Line>& lines, const Style& style, const View& view,
                 const ShaderProgram& program) {
  drawable_.clear();
  std::ranges::copy_if(lines, std::back_inserter(drawable_),
                       [](const Line& line) { return is_drawable(line.from) && is_drawable(line.to); });
  if (drawable_.empty()) return;
  program.use();
  program.set("view_projection", view.view_projection);
  program.set("depth_offset", view.projection[3].z);
  program.set("viewport", view.size);
  program.set("near_plane", view.near_plane);
  program.set("pixels_at_one", view.pixels_at_one);
  program.set("radius", style.radius);
  program.set("radius_pixels", style.radius_pixels * view.pixel_scale);
  program.set("towards_eye", style.towards_eye);
  program.set("roundness", style.roundness);
  program.set("taper", style.taper);
  glBindVertexArray(array_.id());
  upload(buffer_, GL_ARRAY_BUFFER, drawable_, GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, kCorners, static_cast<GLsizei>(drawable_.size()));
}

Balls::Balls() {
  glBindVertexArray(array_.id());
  glBindBuffer(GL_ARRAY_BUFFER, buffer_.id());
  instance_field(0, 3, GL_FLOAT, sizeof(Ball), offsetof(Ball, centre));
  instance_field(1, 1, GL_FLOAT, sizeof(Ball), offsetof(Ball, radius));
  instance_field(2, 4, GL_UNSIGNED_BYTE, sizeof(Ball), offsetof(Ball, colour));
}

void Balls::draw(const std::vector<Ball>& balls, const Style& style, const View& view,
                 const ShaderProgram& program) {
  drawable_.clear();
  std::ranges::copy_if(balls, std::back_inserter(drawable_), is_drawable, &Ball::centre);
  if (drawable_.empty()) return;
  program.use();
  program.set("view", view.view);
  program.set("projection", view.projection);
  program.set("pixels_at_one", view.pixels_at_one);
  program.set("radius_pixels", style.radius_pixels * view.pixel_scale);
  program.set("near_plane", view.near_plane);
  program.set("towards_eye", style.towards_eye);
  program.set("light", glm::mat3(view.view) * kToLight);
  glBindVertexArray(array_.id());
  upload(buffer_, GL_ARRAY_BUFFER, drawable_, GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, kCorners, static_cast<GLsizei>(drawable_.size()));
}

}  // namespace clothlab
