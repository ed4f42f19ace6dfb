// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "mesh/mesh.h"

namespace clothlab {

/// A state as PLY text, in pieces: per `v` line of the input position and velocity in the file's units
/// (double), and the largest strain |l/L - 1| of the stretch springs there (0 without one); then the faces.
/// `positions` [m] and `velocities` [m/s] are those of the particles.
void write_ply(const ClothMesh& mesh, std::span<const vec3> positions, std::span<const vec3> velocities,
               const std::function<void(std::string_view piece)>& sink);

}  // namespace clothlab
