// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "collide/mesh_frames.h"
#include "collide/triangle_tree.h"
#include "core/compressed_rows.h"
#include "core/vec.h"

namespace clothlab {

inline constexpr double kSurfaceRounding = 1e-12;  // of points on a face [m]

/// A surface as seen from a point: along the normal the point is at `height`, the surface itself at `level`
/// [m]. For a body the height is the distance from its core, and the level is the rounding around the core.
/// Within the core the height is negative, and the nearest face decides.
struct SurfacePoint {
  vec3 normal{0, 1, 0};  ///< outwards, of length 1
  double height = 0;
  double level = 0;
  double curvature = 0;        ///< the largest [1/m]
  vec3 least{0};               ///< direction of the least curvature, of length 1; 0: all are equal
  double slack = 0;            ///< rounding between the surface and points on it [m]
  double least_curvature = 0;  ///< [1/m]
  // Of a mesh: where the closest point of its triangles is.
  std::uint32_t triangle = 0;
  vec3 weights{0};  ///< of the triangle's corners

  /// Signed distance from the surface [m], negative inside.
  double gap() const { return height - level; }
};

/// True if the point is below the surface, by more than rounding.
inline bool is_below(const SurfacePoint& point) { return point.height < point.level - point.slack; }

/// True if a point that was put on the surface is still there; on a curved one within 1/1000 of its radius,
/// because it departs from it along the tangent.
inline bool is_still_on(const SurfacePoint& point) {
  constexpr double kOfRadius = 1e-3;
  return point.height <= point.level + (point.curvature > 0 ? kOfRadius / point.curvature : point.slack);
}

/// Of a level plane y = level.
inline SurfacePoint closest_on_plane(double level, const vec3& x) { return {vec3(0, 1, 0), x.y, level, 0}; }

/// The rounded surface of a triangle mesh: points within a thousandth of the diagonal of its box from a
/// triangle belong to it.
///
/// A part is closed if each edge has two triangles with opposite directions along it; the enclosed volume
/// then belongs to the body. A point is inside if it lies behind the nearest feature by the pseudonormal of
/// that feature [Bærentzen 2005]. Other parts are sheets, with a surface on both sides.
class TriangleSurface {
 public:
  using Triangle = TriangleTree::Triangle;

  /// Leaves out triangles without area. Throws InputError if none is left, or a position is not finite.
  TriangleSurface(std::vector<vec3> positions, std::vector<Triangle> triangles);

  std::span<const vec3> positions() const { return positions_; }
  std::span<const Triangle> triangles() const { return triangles_; }
  const Bounds& bounds() const { return tree_.bounds(); }
  std::size_t parts() const { return closed_.size(); }
  /// Edges of open parts that do not join two triangles of one orientation.
  std::size_t open_edges() const { return open_edges_; }
  std::size_t closed_parts() const { return static_cast<std::size_t>(std::ranges::count(closed_, true)); }
  /// True if the gap certainly changes by no more than a point moves: no part is near enough to a closed one
  /// to turn its inside into an outside.
  bool is_continuous() const { return continuous_; }
  /// The distance of the farthest corner from the origin, in all frames.
  double radius() const { return radius_; }
  double rounding() const { return rounding_; }
  /// The search is shorter if the distance is known to be at most `within`.
  SurfacePoint closest_point(const vec3& x, double within = std::numeric_limits<double>::infinity()) const;
  /// True if the segment between two points crosses a triangle, edges included.
  bool is_crossed(const vec3& from, const vec3& to) const;
  /// Calls found(triangle) for every triangle whose box overlaps `box`.
  template <class Found>
  void find(const Bounds& box, const Found& found) const {
    tree_.find(box, found);
  }
  /// Outwards, of length 1; 0 of a triangle that has lost its area.
  vec3 face_normal(std::uint32_t triangle) const;

  /// Moves the corners to a phase of their frames. What is closed, which side is outside, and the rounding
  /// stay as they are.
  void deform(const MeshFrames& frames, double phase);
  /// No corner of two shapes is farther apart than the difference of their travels.
  double travel() const { return travel_; }

 private:
  void find_parts();
  void find_sides();
  bool keeps_parts_apart() const;
  template <class Visit>
  void for_sides(std::uint32_t from, std::uint32_t to, const Visit& visit) const;
  // Pseudonormals: of the edge opposite to a corner of a triangle, and of a corner.
  vec3 edge_normal(std::uint32_t triangle, std::size_t opposite) const;
  vec3 corner_normal(std::uint32_t corner) const;

  std::vector<vec3> positions_;
  std::vector<Triangle> triangles_;
  CompressedRows<std::uint32_t> triangles_at_;  // of corners
  TriangleTree tree_;
  std::vector<std::uint32_t> part_;  // of triangles
  std::vector<bool> closed_;         // of parts
  std::vector<bool> inside_out_;     // of parts
  std::size_t open_edges_ = 0;
  bool continuous_ = false;
  double radius_ = 0, rounding_ = 0, travel_ = 0;
};

}  // namespace clothlab
