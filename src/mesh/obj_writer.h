// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mesh/mesh.h"

namespace clothlab {

/// The shape given by `particle_positions` [m] as OBJ text, in pieces of about a megabyte: the vertices of
/// the input in the same order and number (welding undone, unused ones as read) and in the file's units,
/// its texture coordinates, names of objects, groups and materials, and its faces. If the input has normals,
/// each vertex gets the mean normal of the shape there, weighted by area. Numbers have 17 significant digits;
/// lines end in LF.
void write_obj(const ClothMesh& mesh, std::span<const vec3> particle_positions,
               const std::function<void(std::string_view piece)>& sink);

/// The same as one string.
std::string obj_text(const ClothMesh& mesh, std::span<const vec3> particle_positions);

/// A mesh as it was read or generated, as OBJ text.
std::string obj_text(const ObjMesh& mesh);

}  // namespace clothlab
