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

/// The triangles of a mesh as they are lit: turned to face the same way as far as the surface allows,
/// with a vertex for every normal that is needed. Where sheets meet in a non-manifold edge or corner each
/// keeps its own normal; where a one-sided surface meets itself the other way round, the vertices along
/// the seam come twice, with opposite normals. Depends on the mesh alone; no GL.
class Surface {
 public:
  explicit Surface(const ClothMesh& mesh);

  /// Indices of vertices.
  std::span<const std::array<std::uint32_t, 3>> triangles() const { return triangles_; }
  /// The particle that each vertex lies at.
  std::span<const std::uint32_t> particles() const { return particles_; }
  /// Per vertex: 1 where the surface has two sides that can be told apart, 0 where it has one.
  std::span<const std::uint8_t> two_sided() const { return two_sided_; }

  /// Area-weighted unit normals of the vertices, zero where the triangles have no area or are not finite.
  void normals(std::span<const glm::vec3> positions, std::vector<glm::vec3>& normals) const;

 private:
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::uint32_t> particles_;
  std::vector<std::uint8_t> two_sided_;
  // A vertex of the seam takes the normal of its twin, reversed; its triangles are summed up there.
  struct Twin {
    std::uint32_t vertex = 0;
    std::uint32_t of = 0;
  };
  std::vector<Twin> twins_;
};

}  // namespace clothlab
