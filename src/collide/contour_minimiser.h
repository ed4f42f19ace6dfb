// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collide/obstacle.h"
#include "collide/triangle_tree.h"
#include "core/disjoint_sets.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/projection.h"

namespace clothlab {

/// Resolves intersections of a cloth with itself and with meshes: where an edge pierces a triangle, the two
/// move relative to each other so that the contour of the intersection becomes shorter [Volino 2006]. Where
/// contours separate a small region from the rest of its surface, the region moves back through the triangle
/// that it has passed [Baraff 2003]. It keeps memory only: results depend on the arguments alone.
class ContourMinimiser {
 public:
  using Triangle = TriangleTree::Triangle;

  struct Cloth {
    std::span<const Triangle> triangles;
    std::span<const double> masses;  ///< by particle [kg]
    const Projection& pins;          ///< these particles do not move
    bool with_itself = true;         ///< resolves intersections of the cloth with itself
  };

  /// Moves particles at x [m] a little, at most `most` [m] each, where the cloth intersects itself or the
  /// mesh `bodies` (null: none). A pair of cloth and cloth without pins keeps its centre of mass. Returns the
  /// number of edges that pierce triangles and of triangles that touch; 0: nothing intersects.
  std::size_t shorten(WorkerPool& pool, const Cloth& cloth, std::span<const Obstacle* const> bodies,
                      double most, std::span<vec3> x);

 private:
  static constexpr std::size_t kMostParticles = 6;
  // A triangle of the cloth or of a mesh. Vertices of meshes are numbered from the particles of the cloth on.
  struct Face {
    std::uint32_t number = 0;
    bool is_cloth = true;
    Triangle corners{};
    std::array<vec3, 3> at{};  // [m]
  };
  // An edge that pierces a triangle, or two triangles that touch.
  struct Piercing {
    std::array<std::uint32_t, 2> edge{};  // the smaller vertex first; of triangles that touch two equal ones
    std::uint32_t triangle = 0, surface = 0;
    std::array<bool, 2> is_cloth{};  // what pierces, what is pierced
    // Three particles of each. The relative displacement of the two is Σ weight x displacement.
    std::array<std::uint32_t, kMostParticles> particle{};
    std::array<double, kMostParticles> weight{};
    std::array<double, 2> height{};  // of the ends of the edge above the triangle [m]
    double size = 0;                 // shortest edge of the two [m]
    vec3 normal{0};                  // of the triangle, of length 1
    vec3 shortens{0};                // relative displacement that shortens the contour
  };
  struct Pair {
    std::uint32_t surface = 0, triangle = 0, other = 0;
    auto operator<=>(const Pair&) const = default;
  };

  void find_pairs(WorkerPool& pool, const Cloth& cloth, std::span<const Obstacle* const> bodies,
                  std::span<const vec3> x);
  void find_piercings(const Cloth& cloth, std::span<const Obstacle* const> bodies, std::span<const vec3> x);
  void add_piercings(std::uint32_t surface, const Face& one, const Face& other);
  void add_touching(std::uint32_t surface, const Face& one, const Face& other);
  void merge();
  void find_regions(const Cloth& cloth, std::span<const Obstacle* const> bodies);
  void join_uncut(std::span<const Triangle> triangles, std::uint32_t first);
  vec3 displacement(const Piercing& piercing, double most);
  template <class Each>
  void for_moved(const Piercing& piercing, const Each& each) const;

  TriangleTree tree_;
  std::vector<double> mobility_;      // of particles [1/kg]; 0: it does not move
  std::vector<std::uint32_t> first_;  // vertex of each surface
  std::vector<std::vector<Pair>> pairs_by_task_;
  std::vector<Pair> pairs_;
  std::vector<Piercing> piercings_;
  std::vector<std::array<std::uint32_t, 2>> cut_;  // edges with their ends on two sides of a contour
  DisjointSets regions_;                           // of vertices
  std::vector<std::uint32_t> size_;                // of regions, in vertices
  std::vector<std::uint32_t> pushes_;              // of particles
};

}  // namespace clothlab
