// SPDX-License-Identifier: MIT
#include "collide/pair_finder.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace clothlab {
namespace {

using Triangle = PairFinder::Triangle;

constexpr std::size_t kTrianglesOfChunk = 128;

std::pair<std::uint32_t, std::uint32_t> edge_of(const Triangle& triangle, std::size_t k) {
  return std::minmax(triangle[k], triangle[(k + 1) % 3]);
}

// The first triangle that has a vertex or an edge owns it.
std::vector<std::uint8_t> owned_features(std::span<const Triangle> triangles) {
  struct Feature {
    std::pair<std::uint32_t, std::uint32_t> ends;
    std::uint32_t triangle;
    std::uint8_t bit;
  };
  std::vector<Feature> features;
  features.reserve(6 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t corner = triangles[t][k];
      features.push_back({{corner, corner}, t, static_cast<std::uint8_t>(1U << k)});
      features.push_back({edge_of(triangles[t], k), t, static_cast<std::uint8_t>(8U << k)});
    }
  std::ranges::stable_sort(features, {}, &Feature::ends);
  std::vector<std::uint8_t> owned(triangles.size(), 0);
  for (std::size_t k = 0; k < features.size(); ++k)
    if (k == 0 || features[k - 1].ends != features[k].ends) owned[features[k].triangle] |= features[k].bit;
  return owned;
}

Bounds around_edge(std::span<const Bounds> boxes, std::uint32_t a, std::uint32_t b) {
  Bounds box = boxes[a];
  box.include(boxes[b]);
  return box;
}

Bounds around_triangle(std::span<const Bounds> boxes, const Triangle& triangle) {
  Bounds box = around_edge(boxes, triangle[0], triangle[1]);
  box.include(boxes[triangle[2]]);
  return box;
}

}  // namespace

void PairFinder::add(std::span<const Triangle> triangles, std::span<const vec3> positions) {
  meshes_.push_back(
      {{triangles.begin(), triangles.end()}, owned_features(triangles), TriangleTree(triangles, positions)});
}

/// Two triangles whose boxes meet, and the features that each of them owns.
struct PairFinder::Facing {
  std::span<const Bounds> boxes;
  const Triangle &a, &b;
  std::uint8_t owned_by_a, owned_by_b;

  static bool has(const Triangle& triangle, std::uint32_t corner) {
    return triangle[0] == corner || triangle[1] == corner || triangle[2] == corner;
  }
  void list_vertices(const Triangle& of, std::uint8_t owned, const Triangle& face,
                     std::vector<FeaturePair>& found) const {
    if ((owned & 7U) == 0) return;
    const Bounds box = around_triangle(boxes, face);
    for (std::size_t k = 0; k < 3; ++k)
      if ((owned >> k & 1U) != 0 && !has(face, of[k]) && boxes[of[k]].meets(box))
        found.push_back({{of[k], face[0], face[1], face[2]}, FeaturePair::Kind::vertex_face});
  }
  void list(std::vector<FeaturePair>& found) const {
    list_vertices(a, owned_by_a, b, found);
    list_vertices(b, owned_by_b, a, found);
    for (std::size_t k = 0; k < 3; ++k) {
      if ((owned_by_a >> k & 8U) == 0) continue;
      const auto [a0, a1] = edge_of(a, k);
      const Bounds box = around_edge(boxes, a0, a1);
      for (std::size_t l = 0; l < 3; ++l) {
        if ((owned_by_b >> l & 8U) == 0) continue;
        const auto [b0, b1] = edge_of(b, l);
        if (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1) continue;
        if (box.meets(around_edge(boxes, b0, b1)))
          found.push_back({{a0, a1, b0, b1}, FeaturePair::Kind::edge_edge});
      }
    }
  }
};

std::optional<std::span<const FeaturePair>> PairFinder::find(WorkerPool& pool, std::span<const Bounds> boxes,
                                                             bool with_itself) {
  pairs_.clear();
  if (meshes_.empty()) return pairs_;
  for (Mesh& mesh : meshes_) mesh.tree.refit(pool, mesh.triangles, boxes);
  const Mesh& cloth = meshes_.front();
  const std::size_t triangles = cloth.triangles.size();
  by_chunk_.resize((triangles + kTrianglesOfChunk - 1) / kTrianglesOfChunk);
  crowded_.assign(by_chunk_.size(), 0);
  pool.for_chunks(triangles, kTrianglesOfChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<FeaturePair>& found = by_chunk_[begin / kTrianglesOfChunk];
    found.clear();
    const std::size_t most = kMostOfTriangle * (end - begin);
    for (std::size_t i = begin; i < end && found.size() <= most; ++i) {
      const Bounds box = around_triangle(boxes, cloth.triangles[i]);
      const auto face = [&](const Mesh& mesh, std::uint32_t other) {
        if (found.size() > most) return;
        Facing{boxes, cloth.triangles[i], mesh.triangles[other], cloth.owned[i], mesh.owned[other]}.list(
            found);
      };
      if (with_itself)
        cloth.tree.find(box, [&](std::uint32_t other) {
          if (other > i) face(cloth, other);
        });
      for (std::size_t m = 1; m < meshes_.size(); ++m)
        meshes_[m].tree.find(box, [&](std::uint32_t other) { face(meshes_[m], other); });
    }
    crowded_[begin / kTrianglesOfChunk] = found.size() > most ? 1 : 0;
  });
  if (std::ranges::count(crowded_, 0) != std::ssize(crowded_)) return std::nullopt;
  for (const std::vector<FeaturePair>& found : by_chunk_)
    pairs_.insert(pairs_.end(), found.begin(), found.end());
  return pairs_;
}

}  // namespace clothlab
