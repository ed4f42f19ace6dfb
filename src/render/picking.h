// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"
#include "mesh/boundary_loops.h"
#include "mesh/mesh.h"
#include "render/camera.h"

namespace clothlab {

/// A point of the cloth that a ray hits: Σ weights[k] · positions[particles[k]].
struct Pick {
  std::array<std::uint32_t, 3> particles{};
  vec3 weights{0};      ///< barycentric, none negative, their sum is 1
  double distance = 0;  ///< along the ray [m]
};

/// The nearest triangle, from either side, that the ray hits in front of its origin. A ray through an edge or
/// a corner of a closed surface never slips through. Triangles without area, edge-on or with a position that
/// is not finite are skipped. Brute force: a few ns per triangle.
std::optional<Pick> pick(std::span<const std::array<std::uint32_t, 3>> triangles,
                         std::span<const vec3> positions, const Ray& ray);

/// The visible particle nearest to the cursor, at most `radius` pixels away; of several at the same pixel,
/// the one in front.
std::optional<std::uint32_t> nearest_visible_particle(const ClothMesh& mesh, std::span<const vec3> positions,
                                                      const Camera& camera, Pixels cursor, Pixels size,
                                                      double radius);

/// The visible particles in the rectangle of two corners, ascending.
std::vector<std::uint32_t> visible_particles(const ClothMesh& mesh, std::span<const vec3> positions,
                                             const Camera& camera, Pixels low, Pixels high, Pixels size);

/// The loop whose line appears nearest to the cursor, at most `radius` pixels away, visible or not; of
/// several at the same distance, the first.
std::optional<std::size_t> nearest_loop(std::span<const BoundaryLoop> loops, std::span<const vec3> positions,
                                        const Camera& camera, Pixels cursor, Pixels size, double radius);

/// A point on an obstacle that a ray hits.
struct ObstaclePick {
  std::uint32_t obstacle = 0;
  double distance = 0;  ///< along the ray [m]
};
/// The nearest one in front of the ray's origin. Planes are left out, because they are everywhere.
std::optional<ObstaclePick> pick_obstacle(std::span<const Obstacle> obstacles, const Ray& ray);

/// The point that a press at the cursor would grab.
struct Grip {
  std::optional<std::uint32_t> particle;  ///< nearest_visible_particle
  /// The point of the cloth under the cursor, or else nearest to it and at most `radius` pixels away; of a
  /// mesh without triangles (a pendulum, a chain) the particle, as three times the same one with weights (1,
  /// 0, 0).
  std::optional<Pick> point;
};
Grip grip_at(const ClothMesh& mesh, std::span<const vec3> positions, const Camera& camera, Pixels cursor,
             Pixels size, double radius);

}  // namespace clothlab
