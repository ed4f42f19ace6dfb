// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/vec.h"
#include "mesh/boundary_loops.h"
#include "mesh/mesh.h"
#include "render/camera.h"

namespace clothlab {

/// A point of the cloth that a ray meets: Σ weights[k] · positions[particles[k]].
struct Pick {
  std::array<std::uint32_t, 3> particles{};
  vec3 weights{0};      ///< barycentric, none negative, their sum is 1
  double distance = 0;  ///< along the ray [m]
};

/// The nearest triangle, seen from either side, that the ray meets in front of its origin. A ray through
/// an edge or a corner of a closed surface never slips through. Triangles without area, those edge-on to
/// the ray and those with a position that is not finite are not met. Brute force: a few ns per triangle.
std::optional<Pick> pick(std::span<const std::array<std::uint32_t, 3>> triangles,
                         std::span<const vec3> positions, const Ray& ray);

/// The particle that is seen nearest to the cursor, at most `radius` pixels away, and that no triangle
/// hides. Of particles seen at the same pixel, the one in front.
std::optional<std::uint32_t> nearest_visible_particle(const ClothMesh& mesh, std::span<const vec3> positions,
                                                      const Camera& camera, Pixels cursor, Pixels size,
                                                      double radius);

/// The particles that are seen between two corners of a rectangle and that no triangle hides, ascending.
std::vector<std::uint32_t> visible_particles(const ClothMesh& mesh, std::span<const vec3> positions,
                                             const Camera& camera, Pixels low, Pixels high, Pixels size);

/// The loop whose line is seen nearest to the cursor, at most `radius` pixels away; of several at the same
/// distance, the first. What hides it is no matter.
std::optional<std::size_t> nearest_loop(std::span<const BoundaryLoop> loops, std::span<const vec3> positions,
                                        const Camera& camera, Pixels cursor, Pixels size, double radius);

/// What a press at the cursor may take hold of.
struct Grip {
  std::optional<std::uint32_t> particle;  ///< nearest_visible_particle
  /// The point of the cloth that is seen under the cursor, or else nearest to it and at most `radius` pixels
  /// away; of a mesh without triangles (a pendulum, a chain) the particle, as three times the same one with
  /// weights (1, 0, 0).
  std::optional<Pick> point;
};
Grip grip_at(const ClothMesh& mesh, std::span<const vec3> positions, const Camera& camera, Pixels cursor,
             Pixels size, double radius);

}  // namespace clothlab
