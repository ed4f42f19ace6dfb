// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

/// A generated mesh. `assets/<name>.obj` is its text, written by the target clothlab_make_assets.
struct GeneratedMesh {
  std::string_view name;
  void (*build)(ObjMesh& mesh);
  std::vector<std::uint32_t> (*pins)() = nullptr;  ///< 0-based `v` indices that its scene pins; of cloth

  ObjMesh make() const;
};

/// All cloth, in a fixed order.
std::span<const GeneratedMesh> generated_meshes();
/// All obstacles.
std::span<const GeneratedMesh> generated_bodies();

/// Cloth by name. Throws InputError naming the valid ones.
const GeneratedMesh& find_generated_mesh(std::string_view name);

/// A flat sheet of rows × cols particles, row by row, in the plane y = 0: x runs from 0 to `width` along a
/// row, z from 0 in row 0 to `depth` in the last one [m]. Each quad (r, c) is split along its
/// (r, c+1)–(r+1, c) diagonal; the triangles face up. Throws InputError for fewer than 2 rows or columns,
/// for more particles or springs than a mesh may have, and for a size that is not positive and finite.
ObjMesh make_grid_obj(int rows, int cols, double width = 1, double depth = 1);

}  // namespace clothlab
