// SPDX-License-Identifier: MIT
#include "render/ground.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <limits>

namespace clothlab {
namespace {

constexpr GLsizei kTexels = 96;

}  // namespace

Ground::Canvas::Canvas() {
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, kTexels, kTexels, 0, GL_RED, GL_UNSIGNED_BYTE, nullptr);
  smooth_texture();
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer.id());
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.id(), 0);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(bound));
}

Ground::Ground() = default;

void Ground::set_mesh(const ClothMesh& mesh) {
  const double size = mesh.diagonal > 0 && std::isfinite(mesh.diagonal) ? mesh.diagonal : 1;
  centre_ = 0.5 * (mesh.box.low + mesh.box.high);
  // A flat sheet or a chain swings down by its own length, an upright mesh only sags.
  without_floor_ = std::min(mesh.box.low.y - 0.1 * size, mesh.box.high.y - 1.12 * size);
  centre_.y = without_floor_;
  radius_ = 5 * size;
  spacing_ = std::pow(10, std::round(std::log10(size / 7)));
  shadow_size_ = 0;
}

void Ground::set_floor(const std::optional<double>& height) {
  constexpr double kBelow = 4e-4;  // of the radius: below the cloth that lies on the floor
  centre_.y = height ? *height - kBelow * radius_ : without_floor_;
}

void Ground::cast_shadow(std::span<const Caster> casters, const vec3& target, const Programs& programs) {
  shadow_size_ = 0;
  const glm::vec3 centre = centre_from(target);
  glm::vec2 low(std::numeric_limits<float>::max());
  glm::vec2 high(std::numeric_limits<float>::lowest());
  for (const Caster& caster : casters) {
    for (const glm::vec3& p : caster.positions) {
      const glm::vec3 above = p - centre;
      if (!is_drawable(p) || above.y < 0) continue;
      const glm::vec2 fallen =
          glm::vec2(above.x, above.z) - glm::vec2(kToLight.x, kToLight.z) * (above.y / kToLight.y);
      low = glm::min(low, fallen);
      high = glm::max(high, fallen);
    }
  }
  if (!(low.x <= high.x)) return;
  // A square with room for the blur, which is equally wide in both directions.
  const float extent = std::max({high.x - low.x, high.y - low.y, 0.05f * static_cast<float>(radius_)});
  shadow_size_ = 1.35f * extent;
  shadow_low_ = 0.5f * (low + high) - 0.5f * shadow_size_;

  glDisable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  glDisable(GL_SCISSOR_TEST);
  glViewport(0, 0, kTexels, kTexels);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, sharp_.framebuffer.id());
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  programs.shadow.use();
  programs.shadow.set("centre", centre);
  programs.shadow.set("shadow_low", shadow_low_);
  programs.shadow.set("shadow_size", shadow_size_);
  for (const Caster& caster : casters) caster.surface.draw();

  glBindVertexArray(no_vertices_.id());
  glActiveTexture(GL_TEXTURE0);
  programs.blur.use();
  programs.blur.set("source", 0);
  const auto blur = [&](const Canvas& from, const Canvas& to, glm::vec2 texels) {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to.framebuffer.id());
    glBindTexture(GL_TEXTURE_2D, from.texture.id());
    programs.blur.set("texel", texels / static_cast<float>(kTexels));
    glDrawArrays(GL_TRIANGLES, 0, 3);
  };
  for (const float width : {1.0f, 1.4f}) {  // two Gaussians make a wider one
    blur(sharp_, soft_, {width, 0});
    blur(soft_, sharp_, {0, width});
  }
}

void Ground::draw(const vec3& target, const Look& look, bool grid, bool shadow, const View& view,
                  const Programs& programs) const {
  glBindVertexArray(no_vertices_.id());
  const auto draw_square = [&](const ShaderProgram& program, const glm::vec2& low, float size) {
    program.set("view_projection", view.view_projection);
    program.set("centre", centre_from(target));
    program.set("low", low);
    program.set("size", size);
    program.set("one_over_radius", static_cast<float>(1 / radius_));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  };
  if (grid) {
    const double coarse = 10 * spacing_;
    programs.ground.use();
    programs.ground.set("tint", look.ground_lines);
    programs.ground.set("one_over_spacing", static_cast<float>(1 / spacing_));
    programs.ground.set("lines_from",
                        glm::vec2(-std::remainder(centre_.x, coarse), -std::remainder(centre_.z, coarse)));
    programs.ground.set("half_width", 0.55f * view.pixel_scale);
    const auto radius = static_cast<float>(radius_);
    draw_square(programs.ground, glm::vec2(-radius), 2 * radius);
  }
  if (shadow && shadow_size_ > 0) {
    programs.ground_shadow.use();
    programs.ground_shadow.set("darkness", look.shadow);
    programs.ground_shadow.set("shadow", 0);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, sharp_.texture.id());
    draw_square(programs.ground_shadow, shadow_low_, shadow_size_);
  }
}

}  // namespace clothlab
