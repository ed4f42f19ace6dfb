// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <optional>
#include <span>
#include <vector>

#include "mesh/mesh.h"
#include "render/drawing.h"
#include "render/gl.h"
#include "render/look.h"
#include "render/surface.h"

namespace clothlab {

/// The lit triangles of a mesh.
class ClothLayer {
 public:
  ClothLayer();

  /// Adopts the topology of a mesh.
  void set_mesh(const ClothMesh& mesh);

  /// `positions` relative to the target, per particle; `heat` in [0, 1] per particle, or empty.
  void update(std::span<const glm::vec3> positions, std::span<const float> heat);

  /// Draws with the current program, the cloth's or another that reads positions.
  void draw() const;

  /// Draws with the cloth's own program. `weave` shows the threads where the mesh has their directions.
  void draw_lit(const View& view, const Look& look, bool heat_map, bool weave,
                const ShaderProgram& program) const;

 private:
  struct Vertex {
    glm::vec3 position;
    glm::vec3 normal;
    float heat;
  };

  std::optional<Surface> surface_;
  Weave weave_;
  GlVertexArray array_;
  GlBuffer vertices_;
  GlBuffer two_sided_;
  GlBuffer threads_;
  GlBuffer indices_;
  GlTexture heat_colours_;
  std::size_t drawn_triangles_ = 0;
  bool some_left_out_ = false;  // the index buffer lacks triangles that were not drawable
  std::vector<glm::vec3> normals_;
  std::vector<Vertex> staging_;
  std::vector<std::array<std::uint32_t, 3>> drawable_;
};

}  // namespace clothlab
