// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
#include <vector>

#include "mesh/mesh.h"
#include "render/surface.h"

namespace clothlab {

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
/// by the area of its triangles. `surface` is that of the mesh.
Weave make_weave(const ClothMesh& mesh, const Surface& surface);

}  // namespace clothlab
