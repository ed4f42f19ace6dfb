// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collide/surface_point.h"
#include "collide/triangle_tree.h"
#include "core/vec.h"

namespace clothlab {

/// The surface of a triangle mesh, rounded: what is within a thousandth of the diagonal of its box from a
/// triangle belongs to it.
///
/// A part whose edges all have two triangles, which go round them in opposite directions, is closed and what
/// it encloses belongs to the body as well: a point is within where it lies behind the nearest feature by
/// that feature's pseudonormal [Bærentzen 2005]. Other parts are sheets, with a surface on both
/// sides.
class TriangleSurface {
 public:
  using Triangle = TriangleTree::Triangle;

  /// Triangles without area are left out. Throws InputError where none is left, or a position is not finite.
  TriangleSurface(std::vector<vec3> positions, std::vector<Triangle> triangles);

  std::span<const vec3> positions() const { return positions_; }
  std::span<const Triangle> triangles() const { return triangles_; }
  const Bounds& bounds() const { return tree_.bounds(); }
  std::size_t parts() const { return closed_.size(); }
  /// Edges of parts that are not closed on which triangles do not come in pairs.
  std::size_t open_edges() const { return open_edges_; }
  std::size_t closed_parts() const { return static_cast<std::size_t>(std::ranges::count(closed_, true)); }
  /// Whether the way to the surface surely changes by no more than a point moves: no part is near enough to
  /// what a closed one encloses to turn its inside into an outside.
  bool is_continuous() const { return continuous_; }
  /// The farthest corner's distance from the origin.
  double radius() const { return radius_; }
  double rounding() const { return rounding_; }
  SurfacePoint place_above(const vec3& x) const;
  /// True if the segment between two points crosses a triangle, edges included.
  bool is_crossed(const vec3& from, const vec3& to) const;

 private:
  // What is nearest may be the triangle itself, an edge or a corner.
  struct Normals {
    vec3 face{0};
    std::array<vec3, 3> edge{};  // that opposite to the corner of this number
  };
  void find_parts();
  void find_normals();
  bool keeps_parts_apart() const;

  std::vector<vec3> positions_;
  std::vector<Triangle> triangles_;
  std::vector<Normals> normals_;  // of triangles, of length 1
  std::vector<vec3> of_corner_;   // of positions, of length 1 where there is one
  TriangleTree tree_;
  std::vector<std::uint32_t> part_;  // of triangles
  std::vector<bool> closed_;         // of parts
  std::size_t open_edges_ = 0;
  bool continuous_ = false;
  double radius_ = 0, rounding_ = 0;
};

}  // namespace clothlab
