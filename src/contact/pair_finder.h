// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collide/feature_pair.h"
#include "collide/triangle_tree.h"
#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

/// Finds the features of a cloth that may collide with each other, or with those of other meshes: vertex and
/// triangle, edge and edge. Each vertex and each edge belongs to one of its triangles, so that a pair is
/// found once [Curtis 2008].
class PairFinder {
 public:
  using Triangle = TriangleTree::Triangle;

  static constexpr std::size_t kMostOfTriangle = 500;

  /// Adds a mesh; the cloth is the first. `positions` of all particles so far, which the triangles number
  /// [m]. Near positions should stay near: the tree of boxes is built for them.
  void add(std::span<const Triangle> triangles, std::span<const vec3> positions);

  /// All pairs of the cloth's features with each other (if `with_itself`) and with those of other meshes that
  /// may come nearer than `reach` on the displacements of all particles from x [m].
  struct Search {
    std::span<const vec3> x;
    std::span<const vec3> displacement;  ///< empty: all particles are at rest
    double reach = 0;
    bool with_itself = true;
    std::span<const double> room = {};  ///< that each particle may move farther [m]; empty: none
    std::span<const char> of = {};  ///< if not empty, pairs without a particle marked here may be left out
    /// If not empty, particles of the cloth with the same number here are sewn together: features that have
    /// them are neighbours, as those that share a particle, and are no pair.
    std::span<const std::uint32_t> joined = {};
  };
  /// Returns at least these pairs. The order does not depend on the pool or on other pairs. Nothing if there
  /// are more than kMostOfTriangle per triangle. Valid until the next call of any member; allocates if there
  /// are more than ever before.
  std::optional<std::span<const FeaturePair>> find(WorkerPool& pool, Search search);

 private:
  // Contains a triangle and half the reach around it; moves by `displacement`.
  struct Ball {
    vec3 centre{0}, displacement{0};
    double radius = 0;

    bool overlaps(const Ball& other) const;
  };
  struct Mesh {
    std::vector<Triangle> triangles;
    std::vector<std::uint8_t> owned;  // of each triangle: bit k its corner k, bit 3 + k the edge from there
    TriangleTree tree;
    std::vector<Ball> balls;  // of the triangles
  };
  struct Facing;
  void list_leaves(std::span<const char> of);

  std::vector<Mesh> meshes_;
  std::vector<std::vector<FeaturePair>> by_chunk_;
  std::vector<PackedBox> boxes_;     // of particles on their displacements, without the common translation
  std::vector<std::size_t> leaves_;  // that are searched
  std::vector<char> is_searched_;    // by slot of the cloth's tree
  std::vector<vec3> still_;
  std::vector<FeaturePair> pairs_;
};

}  // namespace clothlab
