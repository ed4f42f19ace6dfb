// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "collide/obstacle.h"
#include "mesh/mesh.h"

namespace clothlab {

/// The diagonals of usual cloth, and a typical one [m].
inline constexpr double kSmallestCloth = 0.2, kLargestCloth = 5, kUsualCloth = 1.5;

/// "The mesh is 141 m across. Is it in centimetres? Use --scale 0.01."; empty for a diagonal of usual cloth.
std::string mesh_size_text(const ClothMesh& mesh);

/// The same of the first unusual mesh among the obstacles, which have been read.
std::string obstacle_size_text(std::span<const Obstacle> bodies);

/// "12 doubled faces were merged and 1 face without area was dropped."; empty if there are none.
std::string mesh_repair_text(const MeshReport& report);

}  // namespace clothlab
