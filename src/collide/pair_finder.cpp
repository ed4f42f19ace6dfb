// SPDX-License-Identifier: MIT
#include "collide/pair_finder.h"

#include <algorithm>
#include <cstddef>
#include <glm/geometric.hpp>
#include <utility>

namespace clothlab {
namespace {

using Triangle = PairFinder::Triangle;

constexpr std::size_t kTrianglesOfChunk = 128;
constexpr std::size_t kMostOfChunk = 4;  // times as many as all on average

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
  meshes_.push_back({{triangles.begin(), triangles.end()},
                     owned_features(triangles),
                     TriangleTree(triangles, positions),
                     std::vector<Ball>(triangles.size())});
}

bool PairFinder::Ball::meets(const Ball& other) const {
  const vec3 apart = other.centre - centre, u = other.way - way;
  const double square = glm::dot(u, u);
  const double share = square > 0 ? std::clamp(-glm::dot(apart, u) / square, 0.0, 1.0) : 0.0;
  const vec3 nearest = apart + share * u;
  const double reach = radius + other.radius;
  return glm::dot(nearest, nearest) <= reach * reach;
}

/// Two triangles that may meet, and the features that each of them owns.
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

std::optional<std::span<const FeaturePair>> PairFinder::find(WorkerPool& pool, std::span<const vec3> x,
                                                             std::span<const vec3> way, double reach,
                                                             bool with_itself) {
  constexpr std::size_t kGrain = 2048;
  pairs_.clear();
  if (meshes_.empty() || x.empty()) return pairs_;
  vec3 common(0);  // brings nothing together
  for (const vec3& each : way) common += each;
  common /= static_cast<double>(way.size());
  boxes_.resize(x.size());
  pool.for_chunks(x.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      boxes_[i] = Bounds::around(x[i]);
      boxes_[i].include(Bounds::around(x[i] + way[i] - common));
      boxes_[i].grow(reach / 2);
    }
  });
  for (Mesh& mesh : meshes_) {
    mesh.tree.refit(pool, mesh.triangles, boxes_);
    pool.for_chunks(mesh.triangles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) {
        const auto [a, b, c] = mesh.triangles[t];
        const vec3 centre = (x[a] + x[b] + x[c]) / 3.0, mean = (way[a] + way[b] + way[c]) / 3.0;
        double farthest = 0, strays = 0;
        for (const std::uint32_t i : {a, b, c}) {
          farthest = std::max(farthest, glm::distance(x[i], centre));
          strays = std::max(strays, glm::distance(way[i], mean));
        }
        mesh.balls[t] = {centre, mean, farthest + strays + reach / 2};
      }
    });
  }
  const Mesh& cloth = meshes_.front();
  const std::size_t triangles = cloth.triangles.size(), most = kMostOfTriangle * triangles;
  by_chunk_.resize((triangles + kTrianglesOfChunk - 1) / kTrianglesOfChunk);
  const double crowded = pool.sum(triangles, kTrianglesOfChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<FeaturePair>& found = by_chunk_[begin / kTrianglesOfChunk];
    found.clear();
    const std::size_t most_here = kMostOfChunk * kMostOfTriangle * (end - begin);
    for (std::size_t i = begin; i < end && found.size() <= most_here; ++i) {
      const Bounds box = around_triangle(boxes_, cloth.triangles[i]);
      const auto face = [&](const Mesh& mesh, std::uint32_t other) {
        if (cloth.balls[i].meets(mesh.balls[other]))
          Facing{boxes_, cloth.triangles[i], mesh.triangles[other], cloth.owned[i], mesh.owned[other]}.list(
              found);
      };
      if (with_itself)
        cloth.tree.find(box, [&](std::uint32_t other) {
          if (other > i) face(cloth, other);
        });
      for (std::size_t m = 1; m < meshes_.size(); ++m)
        meshes_[m].tree.find(box, [&](std::uint32_t other) { face(meshes_[m], other); });
    }
    return found.size() > most_here ? 1.0 : 0.0;
  });
  std::size_t listed = 0;
  for (const std::vector<FeaturePair>& found : by_chunk_) listed += found.size();
  if (crowded > 0 || listed > most) return std::nullopt;
  for (const std::vector<FeaturePair>& found : by_chunk_)
    pairs_.insert(pairs_.end(), found.begin(), found.end());
  return pairs_;
}

}  // namespace clothlab
