// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <span>
#include <utility>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

/// A box whose edges are those of the axes of space.
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
  bool contains(const vec3& x) const {
    return x.x >= low.x && x.y >= low.y && x.z >= low.z && x.x <= high.x && x.y <= high.y && x.z <= high.z;
  }
  bool meets(const Bounds& other) const {
    return low.x <= other.high.x && low.y <= other.high.y && low.z <= other.high.z && other.low.x <= high.x &&
           other.low.y <= high.y && other.low.z <= high.z;
  }
  /// Of x; 0 within.
  double squared_distance(const vec3& x) const {
    const vec3 outside = glm::max(glm::max(low - x, x - high), vec3(0));
    return glm::dot(outside, outside);
  }
};

/// A binary tree of boxes over the triangles of a mesh, to find those near a place. It is built for one shape
/// and can be fitted to others: neighbours on a cloth stay neighbours however it folds.
class TriangleTree {
 public:
  using Triangle = std::array<std::uint32_t, 3>;

  TriangleTree() = default;
  TriangleTree(std::span<const Triangle> triangles, std::span<const vec3> positions);

  /// Fits the boxes to triangles whose corners lie in boxes, one for each particle.
  void refit(WorkerPool& pool, std::span<const Triangle> triangles, std::span<const Bounds> corners);

  const Bounds& bounds() const { return nodes_.front().box; }

  /// Calls found(triangle) for every triangle whose box meets `box`.
  template <class Found>
  void find(const Bounds& box, const Found& found) const {
    std::array<std::uint32_t, kDeepest> open;
    std::size_t count = 0;
    if (!nodes_.empty()) open[count++] = 0;
    while (count > 0) {
      const std::uint32_t at = open[--count];
      const Node& node = nodes_[at];
      if (!node.box.meets(box)) continue;
      if (node.count == 0) {
        open[count++] = node.first;
        open[count++] = at + 1;
        continue;
      }
      for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
        if (boxes_[k].meets(box)) found(triangle_[k]);
    }
  }

  /// Calls look(triangle) for every triangle that may be nearer to x than the distance whose square it
  /// answers: the least so far, of what it looks for.
  template <class Look>
  void find_nearest(const vec3& x, double least, const Look& look) const {
    struct Open {
      std::uint32_t node;
      double squared;
    };
    std::array<Open, kDeepest> open;
    std::size_t count = 0;
    if (!nodes_.empty()) open[count++] = {0, nodes_.front().box.squared_distance(x)};
    while (count > 0) {
      const auto [at, squared] = open[--count];
      if (!(squared < least)) continue;  // also of what is no number
      const Node& node = nodes_[at];
      if (node.count > 0) {
        for (std::uint32_t k = node.first; k < node.first + node.count; ++k) least = look(triangle_[k]);
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
    std::uint32_t first = 0;  // of a leaf its first place in triangle_
    std::uint32_t count = 0;  // 0: an inner node
  };
  void build(std::uint32_t begin, std::uint32_t end, std::span<const vec3> centres);
  void fit_nodes();

  std::vector<Node> nodes_;              // parents before children
  std::vector<std::uint32_t> triangle_;  // by place
  std::vector<Bounds> boxes_;            // of triangles, by place
};

}  // namespace clothlab
