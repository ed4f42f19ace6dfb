// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collide/obstacle.h"
#include "contact/surfaces.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {

/// A triangle of a cloth that intersects another of it, or one of a mesh obstacle.
struct IntersectingPair {
  std::uint32_t surface = 0;   ///< as in ContactPair
  std::uint32_t triangle = 0;  ///< of the cloth
  std::uint32_t other = 0;     ///< of the surface
};

/// Those of a cloth (collide/intersections.h).
struct ClothIntersections {
  std::size_t pairs = 0;
  std::size_t with_obstacles = 0;        ///< of the pairs
  std::vector<std::uint32_t> triangles;  ///< of the cloth, ascending
  std::vector<IntersectingPair> first;   ///< at most kNamedPairs, those with obstacles first
  static constexpr std::size_t kNamedPairs = 3;
};

/// Every pair, those with obstacles first, and every particle inside a body.
struct IntersectionList {
  struct Interior {
    std::uint32_t surface = 0;
    std::uint32_t particle = 0;
    double depth = 0;  ///< in the drawn surface [m]
  };
  std::vector<IntersectingPair> pairs;
  std::vector<Interior> particles;
};

/// With particles at x [m] and a scene's obstacles at the positions of `bodies`. `joined`: see
/// intersecting_triangles().
IntersectionList list_intersections(WorkerPool& pool, const ClothMesh& mesh, std::span<const vec3> x,
                                    const Floor& floor, std::span<const Obstacle> bodies,
                                    std::span<const std::uint32_t> joined = {});

/// With particles at x and obstacles at their current positions [m]. Costs about a microsecond per triangle.
ClothIntersections find_intersections(WorkerPool& pool, const ClothMesh& mesh, std::span<const vec3> x,
                                      std::span<const Obstacle> bodies,
                                      std::span<const std::uint32_t> joined = {});

/// "12 pairs of triangles intersect at the start, 3 of them cloth and obstacle"; empty without pairs.
std::string text_of(const ClothIntersections& found, std::string_view when);

/// "triangles 3 and 17 of the cloth, triangle 4 of the cloth and 12 of obstacle 1, ..."; counted from 0.
std::string names_of_first(const ClothIntersections& found);

}  // namespace clothlab
