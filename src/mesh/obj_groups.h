// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

/// Removes all faces that belong to none of the groups; their vertices stay. Without names all faces stay.
/// Throws InputError, naming the mesh and its groups, for a group that it does not have or that has no face.
void keep_groups(ObjMesh& mesh, std::span<const std::string> names);

/// The groups that have faces, in ascending order.
std::vector<std::string> groups_of(const ObjMesh& mesh);

}  // namespace clothlab
