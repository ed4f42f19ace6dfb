// SPDX-License-Identifier: MIT
#include "sim/cloth_intersections.h"

#include <algorithm>

#include "collide/intersections.h"
#include "contact/contact_pair.h"

namespace clothlab {

namespace {

/// Those with obstacles first.
std::vector<IntersectingPair> intersecting_pairs(WorkerPool& pool, const ClothMesh& mesh,
                                                 std::span<const vec3> x, std::span<const Obstacle> bodies,
                                                 std::span<const std::uint32_t> joined) {
  std::vector<IntersectingPair> all;
  const auto add = [&](std::uint32_t surface, const std::vector<TrianglePair>& pairs) {
    for (const TrianglePair& pair : pairs) all.push_back({surface, pair[0], pair[1]});
  };
  std::uint32_t surface = 0;
  for (const Obstacle& body : bodies) {
    ++surface;
    if (body.shape == Obstacle::Shape::mesh)
      add(surface,
          intersecting_triangles(pool, mesh.triangles, x, body.mesh.surface->triangles(), corners_of(body)));
  }
  add(kClothItself, intersecting_triangles(pool, mesh.triangles, x, joined));
  return all;
}

}  // namespace

ClothIntersections find_intersections(WorkerPool& pool, const ClothMesh& mesh, std::span<const vec3> x,
                                      std::span<const Obstacle> bodies,
                                      std::span<const std::uint32_t> joined) {
  ClothIntersections found;
  for (const IntersectingPair& pair : intersecting_pairs(pool, mesh, x, bodies, joined)) {
    ++found.pairs;
    found.triangles.push_back(pair.triangle);
    if (pair.surface == kClothItself)
      found.triangles.push_back(pair.other);
    else
      ++found.with_obstacles;
    if (found.first.size() < ClothIntersections::kNamedPairs) found.first.push_back(pair);
  }
  std::ranges::sort(found.triangles);
  found.triangles.erase(std::unique(found.triangles.begin(), found.triangles.end()), found.triangles.end());
  return found;
}

IntersectionList list_intersections(WorkerPool& pool, const ClothMesh& mesh, std::span<const vec3> x,
                                    const Floor& floor, std::span<const Obstacle> bodies,
                                    std::span<const std::uint32_t> joined) {
  constexpr double kRounding = 1e-9;  // [m]
  IntersectionList list{intersecting_pairs(pool, mesh, x, bodies, joined), {}};
  const auto add_interior = [&](std::uint32_t surface, const auto& depth_at) {
    for (std::uint32_t i = 0; i < x.size(); ++i)
      if (const double depth = depth_at(x[i]); depth > kRounding)
        list.particles.push_back({surface, i, depth});
  };
  if (floor.on) add_interior(0, [&](const vec3& at) { return floor.height - at.y; });
  std::uint32_t surface = 0;
  for (const Obstacle& body : bodies)
    add_interior(++surface, [&](const vec3& at) { return visible_depth(body, closest_point(body, at)); });
  return list;
}

std::string text_of(const ClothIntersections& found, std::string_view when) {
  if (found.pairs == 0) return {};
  std::string text = std::to_string(found.pairs);
  text += found.pairs == 1 ? " pair of triangles intersects " : " pairs of triangles intersect ";
  text += when;
  if (found.with_obstacles == found.pairs) return text + ", of cloth and obstacle";
  if (found.with_obstacles > 0)
    text += ", " + std::to_string(found.with_obstacles) + " of them of cloth and obstacle";
  return text;
}

std::string names_of_first(const ClothIntersections& found) {
  std::string text;
  for (const IntersectingPair& pair : found.first) {
    const bool with_itself = pair.surface == kClothItself;
    text += text.empty() ? "" : ", ";
    if (with_itself)
      text.append("triangles ").append(std::to_string(pair.triangle)).append(" and ");
    else
      text.append("triangle ").append(std::to_string(pair.triangle)).append(" of the cloth and ");
    text.append(std::to_string(pair.other)).append(" of ");
    text += with_itself ? "the cloth" : "obstacle " + std::to_string(pair.surface);
  }
  return found.pairs > found.first.size() ? text + ", ..." : text;
}

}  // namespace clothlab
