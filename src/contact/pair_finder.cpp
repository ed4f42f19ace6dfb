// SPDX-License-Identifier: MIT
#include "contact/pair_finder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <glm/geometric.hpp>
#include <utility>

namespace clothlab {
namespace {

using Triangle = PairFinder::Triangle;

constexpr std::size_t kLeavesOfChunk = 32;
constexpr std::size_t kMostOfChunk = 4;  // times as many as all on average

std::pair<std::uint32_t, std::uint32_t> edge_of(const Triangle& triangle, std::size_t k) {
  return std::minmax(triangle[k], triangle[(k + 1) % 3]);
}

// One triangle owns each vertex and each edge. If possible a triangle owns all three of its edges and its
// neighbours none: two triangles that own nothing need no check.
std::vector<std::uint8_t> owned_features(std::span<const Triangle> triangles) {
  struct Side {
    std::pair<std::uint32_t, std::uint32_t> ends;
    std::uint32_t triangle;
    std::uint8_t k;
  };
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  std::uint32_t corners = 0;
  for (std::uint32_t t = 0; t < triangles.size(); ++t)
    for (std::uint8_t k = 0; k < 3; ++k) {
      sides.push_back({edge_of(triangles[t], k), t, k});
      corners = std::max(corners, triangles[t][k] + 1);
    }
  std::ranges::stable_sort(sides, {}, &Side::ends);
  std::vector<std::array<std::size_t, 3>> edges(triangles.size());
  std::size_t count = 0;
  for (std::size_t at = 0; at < sides.size(); ++at) {
    if (at > 0 && sides[at - 1].ends != sides[at].ends) ++count;
    edges[sides[at].triangle][sides[at].k] = count;
  }
  std::vector<char> is_edge_owned(count + 1, 0), is_corner_owned(corners, 0);
  std::vector<std::uint8_t> owned(triangles.size(), 0);
  for (const bool all : {true, false})
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (all && std::ranges::any_of(edges[t], [&](std::size_t edge) { return is_edge_owned[edge] != 0; }))
        continue;
      for (std::size_t k = 0; k < 3; ++k) {
        char &edge = is_edge_owned[edges[t][k]], &corner = is_corner_owned[triangles[t][k]];
        owned[t] |= static_cast<std::uint8_t>((edge == 0 ? 8U << k : 0U) | (corner == 0 ? 1U << k : 0U));
        edge = corner = 1;
      }
    }
  return owned;
}

PackedBox around_edge(std::span<const PackedBox> boxes, std::uint32_t a, std::uint32_t b) {
  PackedBox box = boxes[a];
  box.include(boxes[b]);
  return box;
}

/// The extent of an edge from its middle along m, times |m|.
double extent_of_edge(const vec3& half, const vec3& m) { return std::abs(glm::dot(half, m)); }

/// True if two features may come nearer than `reach` on their displacements. The gap between planes across
/// the line of their middles bounds their distance from below, well for neighbours on a cloth.
bool may_collide(FeaturePair::Kind kind, const std::array<vec3, 4>& x,
                 const std::array<vec3, 4>& displacement, double reach) {
  vec3 m;
  double between;  // the planes, times |m|
  if (kind == FeaturePair::Kind::edge_edge) {
    m = 0.5 * ((x[2] + x[3]) - (x[0] + x[1]));
    between =
        glm::dot(m, m) - extent_of_edge(0.5 * (x[1] - x[0]), m) - extent_of_edge(0.5 * (x[3] - x[2]), m);
  } else {
    const vec3 middle = (x[1] + x[2] + x[3]) / 3.0;
    m = middle - x[0];
    between = glm::dot(m, m) +
              std::min({glm::dot(x[1] - middle, m), glm::dot(x[2] - middle, m), glm::dot(x[3] - middle, m)});
  }
  const double length = glm::length(m);
  if (!(between > reach * length)) return true;
  return !(approach_bound(kind, displacement) < between / length - reach);
}

}  // namespace

void PairFinder::add(std::span<const Triangle> triangles, std::span<const vec3> positions) {
  meshes_.push_back({{triangles.begin(), triangles.end()},
                     owned_features(triangles),
                     TriangleTree(triangles, positions),
                     std::vector<Ball>(triangles.size())});
}

bool PairFinder::Ball::overlaps(const Ball& other) const {
  const vec3 apart = other.centre - centre, u = other.displacement - displacement;
  const double reach = radius + other.radius;
  if (glm::dot(apart, apart) <= reach * reach) return true;
  const double square = glm::dot(u, u);
  const double share = square > 0 ? std::clamp(-glm::dot(apart, u) / square, 0.0, 1.0) : 0.0;
  const vec3 nearest = apart + share * u;
  return glm::dot(nearest, nearest) <= reach * reach;
}

/// Two triangles that may collide, and the features that each of them owns.
struct PairFinder::Facing {
  std::span<const PackedBox> boxes;
  const Search& search;
  const Triangle &a, &b;
  const PackedBox &box_a, &box_b;
  std::uint8_t owned_by_a, owned_by_b;

  bool are_one(std::uint32_t i, std::uint32_t j) const {
    return i == j || (std::max(i, j) < search.joined.size() && search.joined[i] == search.joined[j]);
  }
  bool has(const Triangle& triangle, std::uint32_t corner) const {
    return are_one(triangle[0], corner) || are_one(triangle[1], corner) || are_one(triangle[2], corner);
  }
  void list_vertices(const Triangle& of, std::uint8_t owned, const Triangle& face, const PackedBox& box,
                     std::vector<FeaturePair>& found) const {
    for (std::size_t k = 0; k < 3; ++k)
      if ((owned >> k & 1U) != 0 && !has(face, of[k]) && boxes[of[k]].overlaps(box))
        add({{of[k], face[0], face[1], face[2]}, FeaturePair::Kind::vertex_face}, found);
  }
  void add(const FeaturePair& pair, std::vector<FeaturePair>& found) const {
    const double within = search.reach + (search.room.empty() ? 0 : pair.approach_within(search.room));
    if (may_collide(pair.kind, pair.of(search.x), pair.of(search.displacement), within))
      found.push_back(pair);
  }
  void list(std::vector<FeaturePair>& found) const {
    list_vertices(a, owned_by_a, b, box_b, found);
    list_vertices(b, owned_by_b, a, box_a, found);
    for (std::size_t k = 0; k < 3; ++k) {
      if ((owned_by_a >> k & 8U) == 0) continue;
      const auto [a0, a1] = edge_of(a, k);
      const PackedBox box = around_edge(boxes, a0, a1);
      if (!box.overlaps(box_b)) continue;
      for (std::size_t l = 0; l < 3; ++l) {
        if ((owned_by_b >> l & 8U) == 0) continue;
        const auto [b0, b1] = edge_of(b, l);
        if (are_one(a0, b0) || are_one(a0, b1) || are_one(a1, b0) || are_one(a1, b1)) continue;
        if (box.overlaps(around_edge(boxes, b0, b1)))
          add({{a0, a1, b0, b1}, FeaturePair::Kind::edge_edge}, found);
      }
    }
  }
};

std::optional<std::span<const FeaturePair>> PairFinder::find(WorkerPool& pool, Search search) {
  constexpr std::size_t kGrain = 2048;
  pairs_.clear();
  if (meshes_.empty() || search.x.empty()) return pairs_;
  if (search.displacement.empty()) {
    still_.assign(search.x.size(), vec3(0));
    search.displacement = still_;
  }
  const std::span<const vec3> x = search.x, displacement = search.displacement;
  vec3 common(0);  // a common translation brings no pair closer
  for (const vec3& each : displacement) common += each;
  common /= static_cast<double>(displacement.size());
  const auto room_of = [&](std::size_t i) { return search.room.empty() ? 0 : search.room[i]; };
  boxes_.resize(x.size());
  for_each(pool, x.size(), kGrain, [&](std::size_t i) {
    Bounds box = Bounds::around(x[i]);
    box.include(Bounds::around(x[i] + displacement[i] - common));
    box.grow(search.reach / 2 + room_of(i));
    boxes_[i] = PackedBox(box);
  });
  for (Mesh& mesh : meshes_) {
    mesh.tree.refit(pool, mesh.triangles, boxes_);
    for_each(pool, mesh.triangles.size(), kGrain, [&](std::size_t t) {
      const auto [a, b, c] = mesh.triangles[t];
      const vec3 centre = (x[a] + x[b] + x[c]) / 3.0,
                 mean = (displacement[a] + displacement[b] + displacement[c]) / 3.0;
      double farthest = 0, strays = 0;
      for (const std::uint32_t i : {a, b, c}) {
        farthest = std::max(farthest, glm::distance(x[i], centre));
        strays = std::max(strays, glm::distance(displacement[i], mean) + room_of(i));
      }
      mesh.balls[t] = {centre, mean, farthest + strays + search.reach / 2};
    });
  }
  const Mesh& cloth = meshes_.front();
  const std::size_t triangles = cloth.triangles.size();
  list_leaves(search.of);
  const std::span<const char> is_searched = search.of.empty() ? std::span<const char>() : is_searched_;
  const std::size_t chunks = (leaves_.size() + kLeavesOfChunk - 1) / kLeavesOfChunk;
  by_chunk_.resize(std::max(by_chunk_.size(), chunks));
  const double crowded = pool.sum(leaves_.size(), kLeavesOfChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<FeaturePair>& found = by_chunk_[begin / kLeavesOfChunk];
    found.clear();
    const std::size_t most_here =
        kMostOfChunk * kMostOfTriangle * (end - begin) * triangles / cloth.tree.leaves();
    for (std::size_t at = begin; at < end && found.size() <= most_here; ++at)
      for (const Mesh& mesh : meshes_) {
        if (&mesh == &cloth && !search.with_itself) continue;
        cloth.tree.find_pairs(
            leaves_[at], mesh.tree, is_searched,
            [&](std::uint32_t a, std::uint32_t slot, std::uint32_t b, std::uint32_t other_slot) {
              if ((cloth.owned[a] | mesh.owned[b]) != 0 && cloth.balls[a].overlaps(mesh.balls[b]))
                Facing{boxes_,
                       search,
                       cloth.triangles[a],
                       mesh.triangles[b],
                       cloth.tree.fitted(slot),
                       mesh.tree.fitted(other_slot),
                       cloth.owned[a],
                       mesh.owned[b]}
                    .list(found);
            });
      }
    return found.size() > most_here ? 1.0 : 0.0;
  });
  const auto all = std::span(by_chunk_).first(chunks);
  std::size_t listed = 0;
  for (const std::vector<FeaturePair>& found : all) listed += found.size();
  if (crowded > 0 || listed > kMostOfTriangle * triangles) return std::nullopt;
  for (const std::vector<FeaturePair>& found : all) pairs_.insert(pairs_.end(), found.begin(), found.end());
  return pairs_;
}

/// leaves_ := the leaves of the cloth's tree with a marked particle; is_searched_ marks the slots in them.
void PairFinder::list_leaves(std::span<const char> of) {
  const Mesh& cloth = meshes_.front();
  leaves_.clear();
  is_searched_.assign(cloth.triangles.size(), 0);
  const auto is_wanted = [&](std::uint32_t i) { return of[i] != 0; };
  for (std::size_t leaf = 0; leaf < cloth.tree.leaves(); ++leaf) {
    bool any = of.empty();
    const auto [first, end] = cloth.tree.slots_of(leaf);
    for (std::uint32_t slot = first; slot < end && !any; ++slot)
      any = std::ranges::any_of(cloth.triangles[cloth.tree.triangle_at(slot)], is_wanted);
    if (!any) continue;
    leaves_.push_back(leaf);
    for (std::uint32_t slot = first; slot < end; ++slot) is_searched_[slot] = 1;
  }
}

}  // namespace clothlab
