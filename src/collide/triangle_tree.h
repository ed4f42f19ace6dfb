// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <span>
#include <utility>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/registers.h"

namespace clothlab {

/// An axis-aligned box.
struct Bounds {
  vec3 low{0}, high{0};

  static Bounds around(const vec3& x) { return {x, x}; }
  void include(const Bounds& other) {
    low = glm::min(low, other.low);
    high = glm::max(high, other.high);
  }
  void grow(double by) {
    low -= by;
    high += by;
  }
  bool overlaps(const Bounds& other) const {
    return low.x <= other.high.x && low.y <= other.high.y && low.z <= other.high.z && other.low.x <= high.x &&
           other.low.y <= high.y && other.low.z <= high.z;
  }
  /// Squared distance of x from the box; 0 within.
  double squared_distance(const vec3& x) const {
    const vec3 outside = glm::max(glm::max(low - x, x - high), vec3(0));
    return glm::dot(outside, outside);
  }
};

/// A box in single precision, rounded outwards; the fourth component is 0. Half as large as Bounds, and
/// tested for overlap in a few instructions. A box that is not a number overlaps nothing.
struct PackedBox {
  Quad low{}, high{};

  PackedBox() = default;
  explicit PackedBox(const Bounds& box) {
    low = Quad{outwards(box.low.x, -1), outwards(box.low.y, -1), outwards(box.low.z, -1), 0};
    high = Quad{outwards(box.high.x, 1), outwards(box.high.y, 1), outwards(box.high.z, 1), 0};
  }
  void include(const PackedBox& other) {
    low = where_greater(other.low, low, low, other.low);
    high = where_greater(high, other.high, high, other.high);
  }
  bool overlaps(const PackedBox& other) const {
#if defined(__GNUC__) && defined(__SSE__)
    return __builtin_ia32_movmskps(std::bit_cast<Quad>((low <= other.high) & (other.low <= high))) == 15;
#elif defined(__GNUC__)
    const auto halves =
        std::bit_cast<std::array<std::uint64_t, 2>>((low <= other.high) & (other.low <= high));
    return (halves[0] & halves[1]) == ~std::uint64_t{0};
#else
    bool overlaps = true;
    for (std::size_t k = 0; k < 3; ++k)
      overlaps = overlaps && low[k] <= other.high[k] && other.low[k] <= high[k];
    return overlaps;
#endif
  }

 private:
  static float outwards(double x, float side) {
    constexpr float kUlp = 0x1p-23F, kLeast = 0x1p-126F;
    const auto near = static_cast<float>(x);
    return near + side * (kUlp * std::abs(near) + kLeast);
  }
};

/// A binary tree of boxes over the triangles of a mesh, to find triangles near a point. It is built for one
/// shape and can be fitted to others: neighbours on a cloth stay neighbours however it folds. Its slots are
/// the positions of triangles in the order of the tree.
class TriangleTree {
 public:
  using Triangle = std::array<std::uint32_t, 3>;

  TriangleTree() = default;
  TriangleTree(std::span<const Triangle> triangles, std::span<const vec3> positions);

  /// Fits the boxes to other positions of the same triangles.
  void move(std::span<const Triangle> triangles, std::span<const vec3> positions);
  /// Fits a second set of boxes to triangles whose corners lie in boxes, one box per particle.
  void refit(WorkerPool& pool, std::span<const Triangle> triangles, std::span<const PackedBox> corners);
  /// The fitted box of the triangle in a slot.
  const PackedBox& fitted(std::uint32_t slot) const { return fitted_triangles_[slot]; }

  const Bounds& bounds() const { return nodes_.front().box; }

  /// Calls found(triangle) for every triangle whose box overlaps `box`.
  template <class Found>
  void find(const Bounds& box, const Found& found) const {
    std::array<std::uint32_t, kDeepest> open;
    std::size_t count = 0;
    if (!nodes_.empty()) open[count++] = 0;
    while (count > 0) {
      const std::uint32_t at = open[--count];
      const Node& node = nodes_[at];
      if (!node.box.overlaps(box)) continue;
      if (node.count == 0) {
        open[count++] = node.first;
        open[count++] = at + 1;
        continue;
      }
      for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
        if (boxes_[k].overlaps(box)) found(triangle_[k]);
    }
  }

  /// Number of leaves: runs of a few triangles that lie together.
  std::size_t leaves() const { return leaves_.size(); }
  /// The slots of a leaf: the first, and the one after the last.
  std::pair<std::uint32_t, std::uint32_t> slots_of(std::size_t leaf) const {
    const Node& node = nodes_[leaves_[leaf]];
    return {node.first, node.end};
  }
  std::uint32_t triangle_at(std::uint32_t slot) const { return triangle_[slot]; }

  /// Calls found(triangle, its slot, other triangle, its slot) for triangles of a leaf and of another tree
  /// whose fitted boxes overlap. Within one tree the earlier slot comes first, and a pair with a slot before
  /// the leaf counts only if that slot is not `searched` itself; if `searched` is empty, all slots are.
  template <class Found>
  void find_pairs(std::size_t leaf, const TriangleTree& tree, std::span<const char> searched,
                  const Found& found) const {
    const Node& own = nodes_[leaves_[leaf]];
    const PackedBox& box = fitted_[leaves_[leaf]];
    const bool is_self = &tree == this, all = searched.empty();
    std::array<std::uint32_t, kDeepest> open;
    std::size_t count = 0;
    if (!tree.nodes_.empty()) open[count++] = 0;
    while (count > 0) {
      const std::uint32_t at = open[--count];
      const Node& node = tree.nodes_[at];
      if ((is_self && all && node.end <= own.first + 1) || !tree.fitted_[at].overlaps(box)) continue;
      if (node.count == 0) {
        open[count++] = node.first;
        open[count++] = at + 1;
        continue;
      }
      for (std::uint32_t a = own.first; a < own.end; ++a)
        for (std::uint32_t b = node.first; b < node.end; ++b) {
          const bool is_earlier = is_self && b <= a;
          if (is_earlier && (b >= own.first || all || searched[b] != 0)) continue;
          if (!fitted_triangles_[a].overlaps(tree.fitted_triangles_[b])) continue;
          if (is_earlier)
            found(tree.triangle_[b], b, triangle_[a], a);
          else
            found(triangle_[a], a, tree.triangle_[b], b);
        }
    }
  }

  /// Calls visit(triangle) for every triangle that may be nearer to x than the squared distance `least`. Each
  /// call returns the least squared distance so far.
  template <class Visit>
  void find_nearest(const vec3& x, double least, const Visit& visit) const {
    struct Open {
      std::uint32_t node;
      double squared;
    };
    std::array<Open, kDeepest> open;
    std::size_t count = 0;
    if (!nodes_.empty()) open[count++] = {0, nodes_.front().box.squared_distance(x)};
    while (count > 0) {
      const auto [at, squared] = open[--count];
      if (!(squared < least)) continue;  // also if not a number
      const Node& node = nodes_[at];
      if (node.count > 0) {
        for (std::uint32_t k = node.first; k < node.first + node.count; ++k) least = visit(triangle_[k]);
        continue;
      }
      Open near{at + 1, nodes_[at + 1].box.squared_distance(x)};
      Open far{node.first, nodes_[node.first].box.squared_distance(x)};
      if (far.squared < near.squared) std::swap(near, far);
      open[count++] = far;
      open[count++] = near;
    }
  }

 private:
  static constexpr std::uint32_t kLeaf = 4;
  static constexpr std::size_t kDeepest = 64;  // halving: 2^32 triangles are 30 levels
  // Children of an inner node: the next one and `first`.
  struct Node {
    Bounds box;
    std::uint32_t first = 0;  // of a leaf its first slot in triangle_
    std::uint32_t count = 0;  // 0: an inner node
    std::uint32_t end = 0;    // the slot after its last
  };
  void build(std::uint32_t begin, std::uint32_t end, std::span<const vec3> centres);
  template <class Box>
  void fit_nodes(const std::vector<Box>& triangles, const auto& box_of);

  std::vector<Node> nodes_;              // parents before children
  std::vector<std::uint32_t> triangle_;  // by slot
  std::vector<Bounds> boxes_;            // of triangles, by slot
  std::vector<std::uint32_t> leaves_;    // nodes
  std::vector<PackedBox> fitted_, fitted_triangles_;
};

}  // namespace clothlab
