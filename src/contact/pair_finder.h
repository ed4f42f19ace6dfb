// SPDX-License-Identifier: MIT
#pragma once

#include <array>
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

/// Finds the features of a cloth that may meet each other, or those of other meshes: vertices and triangles,
/// edges and edges. Each vertex and each edge belongs to one of its triangles, so that a pair is found once
/// [Curtis 2008].
class PairFinder {
 public:
  using Triangle = TriangleTree::Triangle;

  static constexpr std::size_t kMostOfTriangle = 500;

  /// Adds a mesh; the cloth is the first. `positions` of all particles so far, which the triangles number
  /// [m]. Near places of them stay near: the tree of boxes is made for them.
  void add(std::span<const Triangle> triangles, std::span<const vec3> positions);

  /// Among others all pairs of the cloth's features with each other, where `with_itself`, and with those of
  /// other meshes, that may come nearer than `reach` on the ways from x of all particles [m]. In an order
  /// that neither the pool nor other pairs change; none where there are more than kMostOfTriangle for each
  /// triangle. Valid until the next call of any member; allocates where there are more than ever before.
  std::optional<std::span<const FeaturePair>> find(WorkerPool& pool, std::span<const vec3> x,
                                                   std::span<const vec3> way, double reach,
                                                   bool with_itself) {
    return search(pool, x, way, {}, {}, reach, with_itself);
  }
  /// The same while no particle goes farther than its room from x [m]; pairs with a particle that is not
  /// among those `of` whom they are wanted may be left out, nothing: all are wanted.
  std::optional<std::span<const FeaturePair>> find_within(WorkerPool& pool, std::span<const vec3> x,
                                                          std::span<const double> room, double reach,
                                                          bool with_itself, std::span<const char> of);

 private:
  // It goes along `way` and holds all of a triangle, with half the reach around it.
  struct Ball {
    vec3 centre{0}, way{0};
    double radius = 0;

    bool meets(const Ball& other) const;
  };
  struct Mesh {
    std::vector<Triangle> triangles;
    std::vector<std::uint8_t> owned;  // of each triangle: bit k its corner k, bit 3 + k the edge from there
    TriangleTree tree;
    std::vector<Ball> balls;  // of the triangles
  };
  struct Facing;
  std::optional<std::span<const FeaturePair>> search(WorkerPool& pool, std::span<const vec3> x,
                                                     std::span<const vec3> way, std::span<const double> room,
                                                     std::span<const char> of, double reach,
                                                     bool with_itself);
  void list_leaves(std::span<const char> of);

  std::vector<Mesh> meshes_;
  std::vector<std::vector<FeaturePair>> by_chunk_;
  std::vector<PackedBox> boxes_;     // of particles on their ways, less what all have in common
  std::vector<std::size_t> leaves_;  // that are looked at
  std::vector<char> is_looked_at_;   // of places of the cloth's tree
  std::vector<vec3> still_;
  std::vector<FeaturePair> pairs_;
};

}  // namespace clothlab
