// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

struct MeshToJoin {
  ObjMesh mesh;
  std::string group;  ///< wanted name of the group of all its faces
};

/// The meshes as one, each after the one before. Their own groups stay, and those of one name become one
/// group. All faces of a mesh also belong to a group with its wanted name, in which "_" replaces spaces
/// and the characters , = # \; a name that is taken gets the ending "-2", "-3" and so on. Vertices of two
/// meshes are never welded.
ObjMesh joined(std::vector<MeshToJoin> meshes);

}  // namespace clothlab
