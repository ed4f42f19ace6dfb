// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
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
  /// The particle of each vertex.
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

/// The vertices of a surface with texture coordinates; a vertex of the surface appears once per texture
/// coordinate, along a seam twice.
struct Weave {
  std::vector<std::uint32_t> surface_vertex;  ///< per vertex
  /// Per vertex, counted in threads; empty where the mesh has no texture coordinates, or none that
  /// measure an area.
  std::vector<glm::vec2> threads;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< the surface's, of these vertices
};

/// A grid is woven along its rows and columns, another mesh along its texture coordinates, scaled to metres
/// by the area of its triangles. `surface` is the surface of the mesh.
Weave make_weave(const ClothMesh& mesh, const Surface& surface);

}  // namespace clothlab
