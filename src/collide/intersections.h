// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collide/triangle_tree.h"
#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

/// The numbers of two triangles.
using TrianglePair = std::array<std::uint32_t, 2>;

/// The pairs of triangles of a mesh, the smaller number first, that intersect: an edge of one intersects the
/// other triangle and shares no corner with it. Ascending.
///
/// A pair is left out only if a plane separates it despite all rounding: pairs that touch, or are apart by
/// less than rounding, about 1e-15 of the size of the pair, count as intersecting. If `joined` is not empty,
/// corners with the same number there count as one: cloth is sewn together at them.
std::vector<TrianglePair> intersecting_triangles(WorkerPool& pool,
                                                 std::span<const TriangleTree::Triangle> triangles,
                                                 std::span<const vec3> positions,
                                                 std::span<const std::uint32_t> joined = {});

/// The same for two meshes: a triangle of the first and one of the other.
std::vector<TrianglePair> intersecting_triangles(WorkerPool& pool,
                                                 std::span<const TriangleTree::Triangle> triangles,
                                                 std::span<const vec3> positions,
                                                 std::span<const TriangleTree::Triangle> other_triangles,
                                                 std::span<const vec3> other_positions);

/// True if a plane certainly separates two segments or triangles, given by their two or three corners.
bool surely_apart(std::span<const vec3> a, std::span<const vec3> b);

}  // namespace clothlab
