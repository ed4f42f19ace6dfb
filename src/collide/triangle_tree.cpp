// SPDX-License-Identifier: MIT
#include "collide/triangle_tree.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace clothlab {

TriangleTree::TriangleTree(std::span<const Triangle> triangles, std::span<const vec3> positions)
    : triangle_(triangles.size()), boxes_(triangles.size()) {
  std::vector<vec3> centres(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto [a, b, c] = triangles[t];
    centres[t] = (positions[a] + positions[b] + positions[c]) / 3.0;
  }
  std::iota(triangle_.begin(), triangle_.end(), 0U);
  if (!triangles.empty()) build(0, static_cast<std::uint32_t>(triangles.size()), centres);
  move(triangles, positions);
}

void TriangleTree::move(std::span<const Triangle> triangles, std::span<const vec3> positions) {
  for (std::size_t k = 0; k < triangle_.size(); ++k) {
    const auto [a, b, c] = triangles[triangle_[k]];
    boxes_[k] = {glm::min(glm::min(positions[a], positions[b]), positions[c]),
                 glm::max(glm::max(positions[a], positions[b]), positions[c])};
  }
  fit_nodes(boxes_, [&](std::size_t at) -> Bounds& { return nodes_[at].box; });
}

void TriangleTree::refit(WorkerPool& pool, std::span<const Triangle> triangles,
                         std::span<const PackedBox> corners) {
  constexpr std::size_t kGrain = 2048;
  fitted_triangles_.resize(triangle_.size());
  fitted_.resize(nodes_.size());
  pool.for_chunks(triangle_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto [a, b, c] = triangles[triangle_[k]];
      PackedBox box = corners[a];
      box.include(corners[b]);
      box.include(corners[c]);
      fitted_triangles_[k] = box;
    }
  });
  fit_nodes(fitted_triangles_, [&](std::size_t at) -> PackedBox& { return fitted_[at]; });
}

template <class Box>
void TriangleTree::fit_nodes(const std::vector<Box>& triangles, const auto& box_of) {
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    const Node& node = nodes_[at];
    Box box = node.count == 0 ? box_of(at + 1) : triangles[node.first];
    if (node.count == 0) box.include(box_of(node.first));
    for (std::uint32_t k = 1; k < node.count; ++k) box.include(triangles[node.first + k]);
    box_of(at) = box;
  }
}

void TriangleTree::build(std::uint32_t begin, std::uint32_t end, std::span<const vec3> centres) {
  const std::size_t at = nodes_.size();
  nodes_.emplace_back();
  nodes_[at].end = end;
  if (end - begin <= kLeaf) {
    nodes_[at].first = begin;
    nodes_[at].count = end - begin;
    leaves_.push_back(static_cast<std::uint32_t>(at));
    return;
  }
  Bounds box = Bounds::around(centres[triangle_[begin]]);
  for (std::uint32_t k = begin; k < end; ++k) box.include(Bounds::around(centres[triangle_[k]]));
  const vec3 extent = box.high - box.low;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const std::uint32_t middle = begin + (end - begin) / 2;
  const auto slot = [&](std::uint32_t k) { return triangle_.begin() + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(slot(begin), slot(middle), slot(end), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(centres[a][axis], a) < std::tuple(centres[b][axis], b);
  });
  build(begin, middle, centres);
  nodes_[at].first = static_cast<std::uint32_t>(nodes_.size());
  build(middle, end, centres);
}

}  // namespace clothlab
