// SPDX-License-Identifier: MIT
#pragma once

// What meets what, in rational arithmetic: exact answers for the doubles that are given, degenerate shapes
// included. Segments and triangles are closed: what touches meets.

#include <array>
#include <cstddef>
#include <span>

#include "collide/obstacle.h"
#include "collide/triangle_tree.h"
#include "core/vec.h"

namespace clothlab::test {

bool segment_meets_triangle(const std::array<vec3, 2>& segment, const std::array<vec3, 3>& triangle);
bool triangles_meet(const std::array<vec3, 3>& a, const std::array<vec3, 3>& b);

/// Whether the first of four points that move to x + t way, t from 0 to `until`, meets the triangle of the
/// others.
bool vertex_meets_face(const std::array<vec3, 4>& x, const std::array<vec3, 4>& way, double until = 1);
/// Whether the segments of the first two and of the last two of them meet.
bool edges_meet(const std::array<vec3, 4>& x, const std::array<vec3, 4>& way, double until = 1);

/// The distance of the first of four points from the triangle of the others, rounded once.
double distance_of_vertex(const std::array<vec3, 4>& x);
/// That of the segments of the first two and of the last two.
double distance_of_edges(const std::array<vec3, 4>& x);

/// Pairs of triangles that intersect in a shape of a cloth, of it or of it and a mesh obstacle as that stands
/// (collide/intersections.h). What doubles can tell apart is left to them: to a plane that
/// stands despite their rounding.
std::size_t exact_intersections(std::span<const TriangleTree::Triangle> triangles, std::span<const vec3> x,
                                std::span<const Obstacle> bodies = {});

}  // namespace clothlab::test
