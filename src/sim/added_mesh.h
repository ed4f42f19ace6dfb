// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/vec.h"

namespace clothlab {

struct MeshPart;

/// An OBJ file that is joined to the mesh of a scene (mesh/join.h): both are one cloth.
struct AddedMesh {
  std::string path;  ///< as FileSource::path
  vec3 position{0};  ///< of the origin of its file [m]
  vec3 turn{0};      ///< about that, after the scene has turned z up, see turn_of() [°]
  double scale = 1;  ///< multiplies it on load, as the scale of the scene does

  bool operator==(const AddedMesh&) const = default;
};

/// With files of at most kMaxObjBytes, indices of a joined mesh stay below 2³¹, those of corners below 2³².
inline constexpr std::size_t kMostAddedMeshes = 16;

/// Throws InputError: there are too many, a file has no name, or a number is out of its range.
void check_added_meshes(std::span<const AddedMesh> meshes);

/// The name of the first mesh, followed by those of the added files: "shirt.obj + skirt.obj".
std::string with_added_names(std::string first, const MeshPart& cloth);

}  // namespace clothlab
