// SPDX-License-Identifier: MIT
#include "collide/contour_minimiser.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <tuple>

#include "collide/intersections.h"
#include "core/collect.h"

namespace clothlab {
namespace {

constexpr std::uint32_t kCloth = std::numeric_limits<std::uint32_t>::max();  // as a surface
constexpr double kLeastSlope = 1e-3;  // |e · N| of an edge that pierces a triangle
constexpr double kOfEdge = 0.2;       // largest displacement
constexpr double kBeyond = 0.05;      // of the edge, beyond the surface that was passed

std::array<vec3, 3> corners_of(const TriangleTree::Triangle& triangle, std::span<const vec3> x) {
  return {x[triangle[0]], x[triangle[1]], x[triangle[2]]};
}

Bounds box_around(const std::array<vec3, 3>& at) {
  return {glm::min(glm::min(at[0], at[1]), at[2]), glm::max(glm::max(at[0], at[1]), at[2])};
}

vec3 area_of(const std::array<vec3, 3>& at) { return glm::cross(at[1] - at[0], at[2] - at[0]); }

double shortest_edge(const std::array<vec3, 3>& at) {
  return std::min({glm::distance(at[0], at[1]), glm::distance(at[1], at[2]), glm::distance(at[2], at[0])});
}

std::size_t common_corners(const TriangleTree::Triangle& a, const TriangleTree::Triangle& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a, [&](std::uint32_t i) { return std::ranges::find(b, i) != b.end(); }));
}

}  // namespace

std::size_t ContourMinimiser::shorten(WorkerPool& pool, const Cloth& cloth,
                                      std::span<const Obstacle* const> bodies, double most,
                                      std::span<vec3> x) {
  find_pairs(pool, cloth, bodies, x);
  if (pairs_.empty()) return 0;
  find_piercings(cloth, bodies, x);
  merge();
  find_regions(cloth, bodies);
  mobility_.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) mobility_[i] = 1 / cloth.masses[i];
  for (const Projection::Entry& pin : cloth.pins.entries()) mobility_[pin.particle] = 0;
  pushes_.assign(x.size(), 0);
  for (const Piercing& piercing : piercings_)
    for_moved(piercing, [&](std::uint32_t i, double /*weight*/) { ++pushes_[i]; });
  for (const Piercing& piercing : piercings_) {
    double mobility = 0, largest = 0, pushes = 1;
    for_moved(piercing, [&](std::uint32_t i, double weight) {
      mobility += weight * weight * mobility_[i];
      largest = std::max(largest, std::abs(weight) * mobility_[i]);
      pushes = std::max(pushes, static_cast<double>(pushes_[i]));
    });
    if (!(mobility > 0)) continue;
    // All pushes of a particle together move it by at most `most`.
    const double share = 1 / (pushes * std::max(mobility, largest));
    const vec3 impulse = share * displacement(piercing, most);
    for_moved(piercing, [&](std::uint32_t i, double weight) { x[i] += weight * mobility_[i] * impulse; });
  }
  return piercings_.size();
}

template <class Each>
void ContourMinimiser::for_moved(const Piercing& piercing, const Each& each) const {
  for (std::size_t k = 0; k < kMostParticles; ++k) {
    const std::uint32_t i = piercing.particle[k];
    if (piercing.is_cloth[k / 3] && piercing.weight[k] != 0 && mobility_[i] > 0) each(i, piercing.weight[k]);
  }
}

void ContourMinimiser::find_pairs(WorkerPool& pool, const Cloth& cloth,
                                  std::span<const Obstacle* const> bodies, std::span<const vec3> x) {
  constexpr std::size_t kGrain = 256;
  if (tree_.leaves() == 0) tree_ = TriangleTree(cloth.triangles, x);
  tree_.move(cloth.triangles, x);
  const auto find = [&](std::size_t number, std::vector<Pair>& found) {
    const auto t = static_cast<std::uint32_t>(number);
    const Triangle& own = cloth.triangles[t];
    const std::array<vec3, 3> at = corners_of(own, x);
    if (cloth.with_itself)
      tree_.find(box_around(at), [&](std::uint32_t other) {
        const Triangle& corners = cloth.triangles[other];
        if (other > t && common_corners(own, corners) < 2 && !surely_apart(at, corners_of(corners, x)))
          found.push_back({kCloth, t, other});
      });
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      if (bodies[k] == nullptr) continue;
      const TriangleSurface& mesh = bodies[k]->mesh.shape();
      std::array<vec3, 3> local{};
      for (std::size_t c = 0; c < 3; ++c) local[c] = in_mesh(*bodies[k], at[c]);
      mesh.find(box_around(local), [&](std::uint32_t other) {
        if (!surely_apart(local, corners_of(mesh.triangles()[other], mesh.positions())))
          found.push_back({k, t, other});
      });
    }
  };
  collect(pool, cloth.triangles.size(), kGrain, pairs_by_task_, pairs_, find);
  std::ranges::sort(pairs_);
}

void ContourMinimiser::find_piercings(const Cloth& cloth, std::span<const Obstacle* const> bodies,
                                      std::span<const vec3> x) {
  first_.assign(1, static_cast<std::uint32_t>(x.size()));
  for (const Obstacle* body : bodies)
    first_.push_back(first_.back() +
                     static_cast<std::uint32_t>(body == nullptr ? 0 : body->mesh.shape().positions().size()));
  const auto of_cloth = [&](std::uint32_t t) {
    return Face{t, true, cloth.triangles[t], corners_of(cloth.triangles[t], x)};
  };
  const auto of_mesh = [&](std::uint32_t surface, std::uint32_t t) {
    const TriangleSurface& mesh = bodies[surface]->mesh.shape();
    Face face{t, false, mesh.triangles()[t], corners_of(mesh.triangles()[t], mesh.positions())};
    for (std::size_t k = 0; k < 3; ++k) {
      face.corners[k] += first_[surface];
      face.at[k] = from_mesh(*bodies[surface], face.at[k]);
    }
    return face;
  };
  piercings_.clear();
  for (const auto& [surface, t, u] : pairs_) {
    const Face one = of_cloth(t), other = surface == kCloth ? of_cloth(u) : of_mesh(surface, u);
    const std::size_t before = piercings_.size();
    add_piercings(surface, one, other);
    add_piercings(surface, other, one);
    if (piercings_.size() == before) add_touching(surface, one, other);
  }
}

// The edges of one triangle that pierce another. A point where an edge with the direction e pierces a
// triangle with the normal N ends a segment of the contour, with the direction R into the triangle of the
// edge. If the edge moves by D/2 and the triangle by −D/2, the contour becomes shorter by D · (R/2 − N (e ·
// R)/(e · N)).
void ContourMinimiser::add_piercings(std::uint32_t surface, const Face& one, const Face& other) {
  const vec3 area = area_of(other.at), line = glm::cross(area_of(one.at), area);
  if (!(glm::length(line) > 0)) return;
  const vec3 normal = glm::normalize(area);
  const auto is_shared = [&](std::uint32_t i) {
    return std::ranges::find(other.corners, i) != other.corners.end();
  };
  for (std::size_t k = 0; k < 3; ++k) {
    std::size_t a = k, b = (k + 1) % 3;
    if (one.corners[a] > one.corners[b]) std::swap(a, b);
    if (is_shared(one.corners[a]) || is_shared(one.corners[b])) continue;
    const vec3 &from = one.at[a], &to = one.at[b], &third = one.at[(k + 2) % 3];
    const std::array<double, 2> height{glm::dot(normal, from - other.at[0]),
                                       glm::dot(normal, to - other.at[0])};
    if (!(height[0] * height[1] < 0)) continue;
    const double share = height[0] / (height[0] - height[1]);
    const vec3 point = from + share * (to - from);
    std::array<double, 3> weight{};
    for (std::size_t c = 0; c < 3; ++c)
      weight[c] = glm::dot(glm::cross(other.at[(c + 1) % 3] - point, other.at[(c + 2) % 3] - point), area) /
                  glm::dot(area, area);
    if (!(std::min({weight[0], weight[1], weight[2]}) >= 0)) continue;
    const vec3 e = glm::normalize(to - from), inwards = third - from - glm::dot(third - from, e) * e;
    const vec3 R = (glm::dot(line, inwards) < 0 ? -1.0 : 1.0) * glm::normalize(line);
    double slope = glm::dot(e, normal);
    slope = std::copysign(std::max(std::abs(slope), kLeastSlope), slope);
    piercings_.push_back({{one.corners[a], one.corners[b]},
                          other.number,
                          surface,
                          {one.is_cloth, other.is_cloth},
                          {one.corners[a], one.corners[b], one.corners[b], other.corners[0], other.corners[1],
                           other.corners[2]},
                          {1 - share, share, 0, -weight[0], -weight[1], -weight[2]},
                          height,
                          std::min(glm::distance(from, to), shortest_edge(other.at)),
                          normal,
                          R - 2 * glm::dot(e, R) / slope * normal});
  }
}

// Triangles that touch, in one plane for example, have no contour. They move apart along the normal of one.
void ContourMinimiser::add_touching(std::uint32_t surface, const Face& one, const Face& other) {
  constexpr double kThird = 1.0 / 3;
  const vec3 area = area_of(one.at);
  if (common_corners(one.corners, other.corners) > 0 || !(glm::length(area) > 0)) return;
  const vec3 normal = glm::normalize(area);
  piercings_.push_back(
      {{one.corners[0], one.corners[0]},
       other.number,
       surface,
       {true, other.is_cloth},
       {one.corners[0], one.corners[1], one.corners[2], other.corners[0], other.corners[1], other.corners[2]},
       {kThird, kThird, kThird, -kThird, -kThird, -kThird},
       {},
       std::min(shortest_edge(one.at), shortest_edge(other.at)),
       normal,
       normal});
}

// Both triangles of an edge have found it, each with its segment of the contour.
void ContourMinimiser::merge() {
  const auto key = [](const Piercing& p) { return std::tuple(p.edge, p.surface, p.is_cloth, p.triangle); };
  std::ranges::sort(piercings_, {}, key);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < piercings_.size(); ++k) {
    if (kept > 0 && key(piercings_[kept - 1]) == key(piercings_[k]))
      piercings_[kept - 1].shortens += piercings_[k].shortens;
    else
      piercings_[kept++] = piercings_[k];
  }
  piercings_.resize(kept);
}

// The connected parts of each surface without the edges that pierce another an odd number of times.
void ContourMinimiser::find_regions(const Cloth& cloth, std::span<const Obstacle* const> bodies) {
  cut_.clear();
  for (std::size_t k = 0; k < piercings_.size();) {
    const std::size_t first = k;
    while (k < piercings_.size() && piercings_[k].edge == piercings_[first].edge &&
           piercings_[k].surface == piercings_[first].surface)
      ++k;
    const auto& edge = piercings_[first].edge;
    if (edge[0] != edge[1] && (k - first) % 2 == 1) cut_.push_back(edge);
  }
  regions_.reset(first_.back());
  size_.assign(first_.back(), 0);
  if (cut_.empty()) return;
  join_uncut(cloth.triangles, 0);
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (bodies[k] != nullptr && cut_.back()[0] >= first_[k])
      join_uncut(bodies[k]->mesh.shape().triangles(), first_[k]);
  for (std::uint32_t i = 0; i < size_.size(); ++i) ++size_[regions_.find(i)];
}

void ContourMinimiser::join_uncut(std::span<const Triangle> triangles, std::uint32_t first) {
  for (const Triangle& corners : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax({first + corners[k], first + corners[(k + 1) % 3]});
      if (!std::ranges::binary_search(cut_, std::array{low, high})) regions_.join(low, high);
    }
}

// Of the edge relative to the triangle.
vec3 ContourMinimiser::displacement(const Piercing& piercing, double most) {
  const double longest = std::min(most, kOfEdge * piercing.size);
  const std::uint32_t one = regions_.find(piercing.edge[0]), other = regions_.find(piercing.edge[1]);
  if (one == other) {
    const double length = glm::length(piercing.shortens);
    return longest / std::sqrt(length * length + 1) * piercing.shortens;
  }
  const auto& [from, to] = piercing.height;
  const bool is_first =
      size_[one] == size_[other] ? std::abs(from) < std::abs(to) : size_[one] < size_[other];
  const double height = is_first ? from : to;
  const double length = std::min(std::abs(height) + kBeyond * piercing.size, longest);
  return -std::copysign(length, height) * piercing.normal;
}

}  // namespace clothlab
