// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {

/// The triangles of a cloth that intersect others of it, or those of mesh obstacles
/// (collide/intersections.h).
struct ClothIntersections {
  std::size_t pairs = 0;
  std::size_t with_obstacles = 0;        ///< of the pairs
  std::vector<std::uint32_t> triangles;  ///< of the cloth, ascending
};

/// With particles at x and obstacles where they are [m]. Costs about a microsecond per triangle.
ClothIntersections find_intersections(WorkerPool& pool, const ClothMesh& mesh, std::span<const vec3> x,
                                      std::span<const Obstacle> bodies);

/// "12 pairs of triangles intersect at the start, 3 of them cloth and obstacle"; empty without pairs.
std::string text_of(const ClothIntersections& found, std::string_view when);

}  // namespace clothlab
