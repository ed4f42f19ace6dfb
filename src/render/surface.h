// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "core/vec.h"
#include "mesh/mesh.h"

namespace clothlab {

/// The triangles of a mesh for lighting: oriented consistently as far as the surface allows, with a vertex
/// per normal. Sheets that meet in a non-manifold edge or corner keep their own normals; along the seam of a
/// one-sided surface vertices are doubled, with opposite normals. Depends on the mesh alone; no GL.
class Surface {
 public:
  explicit Surface(const ClothMesh& mesh);

  /// Indices of vertices.
  std::span<const std::array<std::uint32_t, 3>> triangles() const { return triangles_; }
  /// The particle that each vertex lies at.
  std::span<const std::uint32_t> particles() const { return particles_; }
  /// Per vertex: 1 on a two-sided surface, 0 on a one-sided one.
  std::span<const std::uint8_t> two_sided() const { return two_sided_; }

  /// Area-weighted unit normals of the vertices, zero where the triangles have no area or are not finite.
  void normals(std::span<const glm::vec3> positions, std::vector<glm::vec3>& normals) const;

 private:
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::uint32_t> particles_;
  std::vector<std::uint8_t> two_sided_;
  // A vertex of the seam has the reversed normal of its twin, where its triangles are summed.
  struct Twin {
    std::uint32_t vertex = 0;
    std::uint32_t of = 0;
  };
  std::vector<Twin> twins_;
};

}  // namespace clothlab
