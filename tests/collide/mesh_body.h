// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collide/obstacle.h"

namespace clothlab::test {

/// The corners and triangles of an angle: an L with arms from (0, 0) to (2, 1) and (1, 2), from z = 0 to 1.
inline std::pair<std::vector<vec3>, std::vector<TriangleSurface::Triangle>> angle_mesh() {
  constexpr std::array<std::array<double, 2>, 6> kOutline{{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}};
  std::vector<vec3> corners;
  for (const double z : {0.0, 1.0})
    for (const auto& [x, y] : kOutline) corners.emplace_back(x, y, z);
  std::vector<TriangleSurface::Triangle> triangles;
  for (const std::uint32_t k : {4U, 5U, 0U, 1U}) {
    // From the corner in the notch all of the outline is seen.
    const std::uint32_t next = (k + 1) % 6;
    triangles.push_back({3, next, k});
    triangles.push_back({9, 6 + k, 6 + next});
  }
  for (std::uint32_t k = 0; k < 6; ++k) {
    const std::uint32_t next = (k + 1) % 6;
    triangles.push_back({k, next, 6 + next});
    triangles.push_back({k, 6 + next, 6 + k});
  }
  return {corners, triangles};
}

inline Obstacle mesh_body(TriangleSurface surface, const vec3& origin, double scale) {
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = origin;
  body.scale = scale;
  body.mesh = {std::make_shared<const std::string>("body.obj"),
               std::make_shared<const TriangleSurface>(std::move(surface))};
  return body;
}

inline Obstacle angle_body(const vec3& origin, double scale) {
  auto [corners, triangles] = angle_mesh();
  return mesh_body(TriangleSurface(std::move(corners), std::move(triangles)), origin, scale);
}

/// A mesh whose corners are at `at(corner, frame)` in each of its frames.
template <class At>
Obstacle deforming_body(std::vector<vec3> corners, std::vector<TriangleSurface::Triangle> triangles,
                        std::size_t frames, const At& at) {
  std::vector<vec3> positions;
  for (std::size_t k = 0; k < frames; ++k)
    for (const vec3& corner : corners) positions.push_back(at(corner, k));
  const std::size_t count = corners.size();
  std::copy_n(positions.begin(), count, corners.begin());
  const auto read = std::make_shared<const MeshFrames>(std::move(positions), count);
  TriangleSurface surface(std::move(corners), std::move(triangles));
  surface.deform(*read, 0);
  Obstacle body = mesh_body(std::move(surface), vec3(0), 1);
  body.mesh.frames = read;
  return body;
}

}  // namespace clothlab::test
