// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

class MeshMaker;

/// A generated mesh. `assets/<name>.obj` is its text, written by the target clothlab_make_assets.
struct GeneratedMesh {
  std::string_view name;
  void (*build)(MeshMaker& maker);
  std::vector<std::uint32_t> (*pins)() = nullptr;  ///< 0-based `v` indices that its scene pins; of cloth

  ObjMesh make() const;
};

/// All cloth, in a fixed order.
std::span<const GeneratedMesh> generated_meshes();
/// All obstacles.
std::span<const GeneratedMesh> generated_bodies();

/// Cloth by name. Throws InputError naming the valid ones.
const GeneratedMesh& find_generated_mesh(std::string_view name);

}  // namespace clothlab
