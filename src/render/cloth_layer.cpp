// SPDX-License-Identifier: MIT
#include "render/cloth_layer.h"

#include <algorithm>
#include <cstddef>

#include "render/scales.h"
#include "render/sticks_and_balls.h"

namespace clothlab {

ClothLayer::ClothLayer() {
  glBindVertexArray(array_.id());
  glBindBuffer(GL_ARRAY_BUFFER, vertices_.id());
  constexpr auto kStride = static_cast<GLsizei>(sizeof(Vertex));
  for (GLuint location = 0; location < 5; ++location) glEnableVertexAttribArray(location);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, kStride, byte_offset(offsetof(Vertex, position)));
  glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, kStride, byte_offset(offsetof(Vertex, normal)));
  glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, kStride, byte_offset(offsetof(Vertex, heat)));
  glBindBuffer(GL_ARRAY_BUFFER, two_sided_.id());
  glVertexAttribPointer(3, 1, GL_UNSIGNED_BYTE, GL_FALSE, 1, nullptr);
  glBindBuffer(GL_ARRAY_BUFFER, threads_.id());
  glVertexAttribPointer(4, 2, GL_FLOAT, GL_FALSE, sizeof(glm::vec2), nullptr);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_.id());

  std::vector<Rgba> texels;
  for (const glm::vec3& colour : heat_colours()) texels.push_back(rgba(colour));
  glBindTexture(GL_TEXTURE_2D, heat_colours_.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(texels.size()), 1, 0, GL_RGBA,
               GL_UNSIGNED_BYTE, texels.data());
  smooth_texture();
}

void ClothLayer::set_mesh(const ClothMesh& mesh) {
  surface_.emplace(mesh);
  glBindVertexArray(array_.id());
  weave_ = make_weave(mesh, *surface_);
  std::vector<std::uint8_t> two_sided;
  two_sided.reserve(weave_.surface_vertex.size());
  for (const std::uint32_t v : weave_.surface_vertex) two_sided.push_back(surface_->two_sided()[v]);
  upload(two_sided_, GL_ARRAY_BUFFER, two_sided, GL_STATIC_DRAW);
  const std::vector<glm::vec2> nowhere(weave_.threads.empty() ? two_sided.size() : 0);
  upload(threads_, GL_ARRAY_BUFFER, weave_.threads.empty() ? nowhere : weave_.threads, GL_STATIC_DRAW);
  upload(indices_, GL_ELEMENT_ARRAY_BUFFER, weave_.triangles, GL_STATIC_DRAW);
  drawn_triangles_ = weave_.triangles.size();
  some_left_out_ = false;
}

void ClothLayer::update(std::span<const glm::vec3> positions, std::span<const float> heat) {
  if (!surface_ || surface_->triangles().empty()) return;
  surface_->normals(positions, normals_);
  const std::span<const std::uint32_t> particles = surface_->particles();
  staging_.resize(weave_.surface_vertex.size());
  bool all_drawable = true;
  for (std::size_t v = 0; v < staging_.size(); ++v) {
    const std::uint32_t on_surface = weave_.surface_vertex[v];
    const std::uint32_t p = particles[on_surface];
    staging_[v] = {positions[p], normals_[on_surface], heat.empty() ? 0.0f : heat[p]};
    all_drawable = all_drawable && is_drawable(positions[p]);
  }
  glBindVertexArray(array_.id());
  upload(vertices_, GL_ARRAY_BUFFER, staging_, GL_STREAM_DRAW);

  if (all_drawable && !some_left_out_) return;
  drawable_.clear();
  for (const auto& t : weave_.triangles)
    if (std::all_of(t.begin(), t.end(), [&](std::uint32_t v) { return is_drawable(staging_[v].position); }))
      drawable_.push_back(t);
  upload(indices_, GL_ELEMENT_ARRAY_BUFFER, drawable_, GL_STREAM_DRAW);
  drawn_triangles_ = drawable_.size();
  some_left_out_ = !all_drawable;
}

void ClothLayer::draw() const {
  if (drawn_triangles_ == 0) return;
  glBindVertexArray(array_.id());
  glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(3 * drawn_triangles_), GL_UNSIGNED_INT, nullptr);
}

void ClothLayer::draw_lit(const View& view, const Look& look, bool heat_map, bool weave,
                          const ShaderProgram& program) const {
  program.use();
  program.set("view_projection", view.view_projection);
  program.set("eye", view.eye);
  program.set("front", look.cloth_front);
  program.set("back", look.cloth_back);
  program.set("ambient", look.ambient);
  program.set("weave", weave && !weave_.threads.empty() ? 1 : 0);
  program.set("heat_map", heat_map ? 1 : 0);
  program.set("heat_colours", 0);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, heat_colours_.id());
  draw();
}

}  // namespace clothlab
