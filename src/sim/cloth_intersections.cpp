// SPDX-License-Identifier: MIT
#include "sim/cloth_intersections.h"

#include <algorithm>

#include "collide/contact_pair.h"
#include "collide/intersections.h"

namespace clothlab {

ClothIntersections find_intersections(WorkerPool& pool, const ClothMesh& mesh, std::span<const vec3> x,
                                      std::span<const Obstacle> bodies) {
  ClothIntersections found;
  const std::vector<TrianglePair> own = intersecting_triangles(pool, mesh.triangles, x);
  const auto name = [&found](const TrianglePair& pair, std::size_t obstacle) {
    if (found.first.size() < ClothIntersections::kNamedPairs)
      found.first.push_back({pair[0], pair[1], obstacle});
  };
  for (const TrianglePair& pair : own)
    found.triangles.insert(found.triangles.end(), pair.begin(), pair.end());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Obstacle& body = bodies[k];
    if (body.shape != Obstacle::Shape::mesh) continue;
    const std::vector<TrianglePair> pairs =
        intersecting_triangles(pool, mesh.triangles, x, body.mesh.surface->triangles(), corners_of(body));
    for (const TrianglePair& pair : pairs) {
      found.triangles.push_back(pair[0]);
      name(pair, k + 1);
    }
    found.with_obstacles += pairs.size();
  }
  for (const TrianglePair& pair : own) name(pair, 0);
  found.pairs = own.size() + found.with_obstacles;
  std::ranges::sort(found.triangles);
  found.triangles.erase(std::unique(found.triangles.begin(), found.triangles.end()), found.triangles.end());
  return found;
}

IntersectionList list_intersections(WorkerPool& pool, const ClothMesh& mesh, std::span<const vec3> x,
                                    const Floor& floor, std::span<const Obstacle> bodies) {
  constexpr double kRounding = 1e-9;  // [m]
  IntersectionList list;
  for (const TrianglePair& pair : intersecting_triangles(pool, mesh.triangles, x))
    list.pairs.push_back({kClothItself, pair[0], pair[1]});
  const auto add_interior = [&](std::uint32_t surface, const auto& place_of) {
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      const SurfacePlace place = place_of(x[i]);
      if (place.level - place.height > kRounding)
        list.particles.push_back({surface, i, place.level - place.height});
    }
  };
  if (floor.on) add_interior(0, [&](const vec3& at) { return place_above_plane(floor.height, at); });
  std::uint32_t surface = 0;
  for (const Obstacle& body : bodies) {
    ++surface;
    add_interior(surface, [&](const vec3& at) { return place_above(body, at); });
    if (body.shape != Obstacle::Shape::mesh) continue;
    for (const TrianglePair& pair :
         intersecting_triangles(pool, mesh.triangles, x, body.mesh.surface->triangles(), corners_of(body)))
      list.pairs.push_back({surface, pair[0], pair[1]});
  }
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
  for (const ClothIntersections::Pair& pair : found.first) {
    text += text.empty() ? "" : ", ";
    if (pair.obstacle == 0)
      text.append("triangles ").append(std::to_string(pair.triangle)).append(" and ");
    else
      text.append("triangle ").append(std::to_string(pair.triangle)).append(" of the cloth and ");
    text.append(std::to_string(pair.other)).append(" of ");
    text += pair.obstacle == 0 ? "the cloth" : "obstacle " + std::to_string(pair.obstacle);
  }
  return found.pairs > found.first.size() ? text + ", ..." : text;
}

}  // namespace clothlab
