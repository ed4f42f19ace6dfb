#include "render/cloth_layer.h"

#include <algorithm>
#include <cstddef>

#include "render/heat_colours.h"
#include "render/sticks_and_balls.h"

namespace clothlab {

ClothLayer::ClothLayer() {
  glBindVertexArray(array_.id());
  glBindBuffer(GL_ARRAY_BUFFER, vertices_.id());
  constexpr auto kStride = static_cast<GLsizei>(sizeof(Vertex));
  for (GLuint location = 0; location < 4; ++location) glEnableVertexAttribArray(location);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, kStride, byte_offset(offsetof(Vertex, position)));
  glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, kStride, byte_offset(offsetof(Vertex, normal)));
  glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, kStride, byte_offset(offsetof(Vertex, heat)));
  glBindBuffer(GL_ARRAY_BUFFER, two_sided_.id());
  glVertexAttribPointer(3, 1, GL_UNSIGNED_BYTE, GL_FALSE, 1, nullptr);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_.id());

  std::vector<Rgba> texels;
  for (const glm::vec3& colour : heat_colours()) texels.push_back(rgba(colour));
  glBindTexture(GL_TEXTURE_2D, heat_colours_.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(texels.size()), 1, 0, GL_RGBA,
               GL_UNSIGNED_BYTE, texels.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

void ClothLayer::set_mesh(const ClothMesh& mesh) {
  surface_.emplace(mesh);
  glBindVertexArray(array_.id());
  upload(two_sided_, GL_ARRAY_BUFFER, surface_->two_sided(), GL_STATIC_DRAW);
  upload(indices_, GL_ELEMENT_ARRAY_BUFFER, surface_->triangles(), GL_STATIC_DRAW);
  drawn_triangles_ = surface_->triangles().size();
  some_left_out_ = false;
}

void ClothLayer::update(std::span<const glm::vec3> positions, std::span<const float> heat) {
  if (!surface_ || surface_->triangles().empty()) return;
  surface_->normals(positions, normals_);
  const std::span<const std::uint32_t> particles = surface_->particles();
  staging_.resize(particles.size());
  bool all_drawable = true;
  for (std::size_t v = 0; v < particles.size(); ++v) {
    const std::uint32_t p = particles[v];
    staging_[v] = {positions[p], normals_[v], heat.empty() ? 0.0f : heat[p]};
    all_drawable = all_drawable && is_drawable(positions[p]);
  }
  glBindVertexArray(array_.id());
  upload(vertices_, GL_ARRAY_BUFFER, staging_, GL_STREAM_DRAW);

  if (all_drawable && !some_left_out_) return;
  drawable_.clear();
  for (const auto& t : surface_->triangles())
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

void ClothLayer::draw_lit(const View& view, const Look& look, bool heat_map,
                          const ShaderProgram& program) const {
  program.use();
  program.set("view_projection", view.view_projection);
  program.set("eye", view.eye);
  program.set("front", look.cloth_front);
  program.set("back", look.cloth_back);
  program.set("heat_map", heat_map ? 1 : 0);
  program.set("heat_colours", 0);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, heat_colours_.id());
  draw();
}

}  // namespace clothlab
