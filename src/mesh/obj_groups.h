// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

/// Removes all faces that belong to none of the groups; their vertices stay. Without names all faces stay.
/// Throws InputError, naming the mesh and its groups, for a group that it does not have or that has no face.
void keep_groups(ObjMesh& mesh, std::span<const std::string> names);

/// The faces of a group, ascending. Throws InputError as keep_groups does.
std::vector<std::uint32_t> faces_of_group(const ObjMesh& mesh, const std::string& name);

/// The groups that have faces, in ascending order.
std::vector<std::string> groups_of(const ObjMesh& mesh);

}  // namespace clothlab
