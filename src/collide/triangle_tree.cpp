// SPDX-License-Identifier: MIT
#include "collide/triangle_tree.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace clothlab {

TriangleTree::TriangleTree(std::span<const Triangle> triangles, std::span<const vec3> positions)
    : triangle_(triangles.size()) {
  std::vector<vec3> centres(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto [a, b, c] = triangles[t];
    centres[t] = (positions[a] + positions[b] + positions[c]) / 3.0;
  }
  std::iota(triangle_.begin(), triangle_.end(), 0U);
  if (!triangles.empty()) build(0, static_cast<std::uint32_t>(triangles.size()), centres);
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    Node& node = nodes_[at];
    if (node.count == 0) {
      node.box = nodes_[at + 1].box;
      node.box.include(nodes_[node.first].box);
      continue;
    }
    node.box = Bounds::around(positions[triangles[triangle_[node.first]][0]]);
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
      for (const std::uint32_t corner : triangles[triangle_[k]])
        node.box.include(Bounds::around(positions[corner]));
  }
}

void TriangleTree::build(std::uint32_t begin, std::uint32_t end, std::span<const vec3> centres) {
  const std::size_t at = nodes_.size();
  nodes_.emplace_back();
  if (end - begin <= kLeaf) {
    nodes_[at].first = begin;
    nodes_[at].count = end - begin;
    return;
  }
  Bounds box = Bounds::around(centres[triangle_[begin]]);
  for (std::uint32_t k = begin; k < end; ++k) box.include(Bounds::around(centres[triangle_[k]]));
  const vec3 extent = box.high - box.low;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const std::uint32_t middle = begin + (end - begin) / 2;
  const auto place = [&](std::uint32_t k) { return triangle_.begin() + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(place(begin), place(middle), place(end), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(centres[a][axis], a) < std::tuple(centres[b][axis], b);
  });
  build(begin, middle, centres);
  nodes_[at].first = static_cast<std::uint32_t>(nodes_.size());
  build(middle, end, centres);
}

}  // namespace clothlab
