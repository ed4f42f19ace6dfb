// SPDX-License-Identifier: MIT
#include "collide/intersections.h"

#include <algorithm>
#include <cstddef>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>

#include "core/collect.h"

namespace clothlab {
namespace {

using Triangle = TriangleTree::Triangle;

// Differences, products and sums of three round a projection by less than four times 2^-53 of its largest
// terms; there are two of them in a gap.
constexpr double kGapRounding = 8 * std::numeric_limits<double>::epsilon();

// Compares the projections of two features onto axes. Any axis on which they are apart separates them.
class Axes {
 public:
  Axes(std::span<const vec3> a, std::span<const vec3> b) : a_(a), b_(b) {
    for (const std::span<const vec3> points : {a, b})
      for (const vec3& x : points) size_ = glm::max(size_, glm::abs(x - a.front()));
  }

  bool separate(const vec3& axis) const {
    const auto [low, high] = range(a_, axis);
    const auto [other_low, other_high] = range(b_, axis);
    const double rounding =
        kGapRounding * glm::dot(glm::abs(axis), size_) + std::numeric_limits<double>::min();
    return other_low - high > rounding || low - other_high > rounding;
  }

 private:
  std::array<double, 2> range(std::span<const vec3> points, const vec3& axis) const {
    double low = glm::dot(axis, points.front() - a_.front()), high = low;
    for (const vec3& x : points.subspan(1)) {
      const double at = glm::dot(axis, x - a_.front());
      low = std::min(low, at);
      high = std::max(high, at);
    }
    return {low, high};
  }

  std::span<const vec3> a_, b_;
  vec3 size_{0};
};

// The sides of a segment or a triangle.
class Sides {
 public:
  explicit Sides(std::span<const vec3> corners) : count_(corners.size() == 2 ? 1 : 3) {
    for (std::size_t k = 0; k < count_; ++k) side_[k] = corners[(k + 1) % corners.size()] - corners[k];
  }
  std::span<const vec3> all() const { return {side_.data(), count_}; }
  /// 0 of a segment.
  vec3 normal() const { return glm::cross(side_[0], side_[1]); }

 private:
  std::array<vec3, 3> side_{};
  std::size_t count_;
};

class Mesh {
 public:
  Mesh(std::span<const Triangle> triangles, std::span<const vec3> positions,
       std::span<const std::uint32_t> joined = {})
      : triangles_(triangles), positions_(positions), joined_(joined) {}

  std::array<vec3, 3> corners(std::uint32_t t) const {
    const auto [a, b, c] = triangles_[t];
    return {positions_[a], positions_[b], positions_[c]};
  }
  Bounds box(std::uint32_t t) const {
    const auto [a, b, c] = corners(t);
    return {glm::min(glm::min(a, b), c), glm::max(glm::max(a, b), c)};
  }
  /// True if two triangles without a common corner intersect. With one common corner: if the side opposite to
  /// it of one intersects the other.
  bool intersect(std::uint32_t s, std::uint32_t t) const {
    const Triangle &one = triangles_[s], &other = triangles_[t];
    std::size_t shared = 0, of_one = 0, of_other = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        if (one[i] != other[j] && (joined_.empty() || joined_[one[i]] != joined_[other[j]])) continue;
        ++shared;
        of_one = i;
        of_other = j;
      }
    if (shared > 1) return false;
    const std::array<vec3, 3> a = corners(s), b = corners(t);
    if (shared == 0) return !surely_apart(a, b);
    const auto opposite = [](const std::array<vec3, 3>& x, std::size_t corner) {
      return std::array{x[(corner + 1) % 3], x[(corner + 2) % 3]};
    };
    return !surely_apart(opposite(a, of_one), b) || !surely_apart(opposite(b, of_other), a);
  }

 private:
  std::span<const Triangle> triangles_;
  std::span<const vec3> positions_;
  std::span<const std::uint32_t> joined_;
};

// The sorted pairs that each(triangle, found) appends to `found`, for `count` triangles.
template <class Each>
std::vector<TrianglePair> sorted_pairs(WorkerPool& pool, std::size_t count, const Each& each) {
  constexpr std::size_t kGrain = 256;
  std::vector<std::vector<TrianglePair>> by_chunk;
  std::vector<TrianglePair> all;
  collect(pool, count, kGrain, by_chunk, all, each);
  std::ranges::sort(all);
  return all;
}

}  // namespace

// Disjoint convex polygons are separated along the normal of one, along the cross product of two sides, or,
// in one plane, across a side within it.
bool surely_apart(std::span<const vec3> a, std::span<const vec3> b) {
  const Axes axes(a, b);
  const Sides of_a(a), of_b(b);
  for (const vec3& normal : {of_a.normal(), of_b.normal()}) {
    if (axes.separate(normal)) return true;
    for (const Sides* sides : {&of_a, &of_b})
      for (const vec3& side : sides->all())
        if (axes.separate(glm::cross(normal, side))) return true;
  }
  for (const vec3& side : of_a.all())
    for (const vec3& other : of_b.all())
      if (axes.separate(glm::cross(side, other))) return true;
  return false;
}

std::vector<TrianglePair> intersecting_triangles(WorkerPool& pool, std::span<const Triangle> triangles,
                                                 std::span<const vec3> positions,
                                                 std::span<const std::uint32_t> joined) {
  const Mesh mesh(triangles, positions, joined);
  const TriangleTree tree(triangles, positions);
  return sorted_pairs(pool, triangles.size(), [&](std::size_t i, std::vector<TrianglePair>& found) {
    const auto t = static_cast<std::uint32_t>(i);
    tree.find(mesh.box(t), [&](std::uint32_t other) {
      if (other > t && mesh.intersect(t, other)) found.push_back({t, other});
    });
  });
}

std::vector<TrianglePair> intersecting_triangles(WorkerPool& pool, std::span<const Triangle> triangles,
                                                 std::span<const vec3> positions,
                                                 std::span<const Triangle> other_triangles,
                                                 std::span<const vec3> other_positions) {
  const Mesh mesh(triangles, positions), other_mesh(other_triangles, other_positions);
  const TriangleTree tree(other_triangles, other_positions);
  return sorted_pairs(pool, triangles.size(), [&](std::size_t i, std::vector<TrianglePair>& found) {
    const auto t = static_cast<std::uint32_t>(i);
    const std::array<vec3, 3> corners = mesh.corners(t);
    tree.find(mesh.box(t), [&](std::uint32_t other) {
      if (!surely_apart(corners, other_mesh.corners(other))) found.push_back({t, other});
    });
  });
}

}  // namespace clothlab
