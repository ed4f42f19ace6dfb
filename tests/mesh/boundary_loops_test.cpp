// SPDX-License-Identifier: MIT
#include "mesh/boundary_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/obj_reader.h"

namespace clothlab {
namespace {

using Indices = std::vector<std::uint32_t>;

/// Faces over `count` vertices that all lie apart.
ClothMesh faces(std::int32_t count, const std::vector<std::vector<std::int32_t>>& polygons) {
  ObjMesh obj;
  obj.name = "test mesh";
  for (std::int32_t v = 0; v < count; ++v) obj.vertices.emplace_back(v, v * v, v % 3);
  for (const auto& polygon : polygons) {
    std::vector<ObjMesh::Corner> corners;
    for (const std::int32_t v : polygon) corners.push_back({v});
    obj.add_face(corners);
  }
  return build_cloth_mesh(std::move(obj));
}

std::size_t boundary_edges(const std::vector<BoundaryLoop>& loops) {
  std::size_t sum = 0;
  for (const BoundaryLoop& loop : loops) sum += loop.particles.size() - (loop.closed ? 0 : 1);
  return sum;
}

TEST(BoundaryLoops, OfASheetIsItsBorder) {
  const auto loops = boundary_loops(build_cloth_mesh(make_grid_obj(3, 4, 1, 1)));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_TRUE(loops[0].closed);
  EXPECT_EQ(loops[0].particles, (Indices{0, 1, 2, 3, 7, 11, 10, 9, 8, 4}));
}

TEST(BoundaryLoops, OfATubeAreItsTwoEnds) {
  // A ring of four quads, each turned the other way than its neighbours.
  const auto loops = boundary_loops(faces(8, {{0, 1, 5, 4}, {6, 5, 1, 2}, {2, 3, 7, 6}, {4, 7, 3, 0}}));
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].particles, (Indices{0, 1, 2, 3}));
  EXPECT_EQ(loops[1].particles, (Indices{4, 5, 6, 7}));
}

TEST(BoundaryLoops, OfAMoebiusStripIsOne) {
  const auto loops = boundary_loops(faces(8, {{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 4, 0, 7}}));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].particles, (Indices{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(BoundaryLoops, StayApartWhereSheetsTouchInAParticle) {
  const auto loops = boundary_loops(faces(5, {{0, 1, 2}, {2, 3, 4}}));
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].particles, (Indices{0, 1, 2}));
  EXPECT_EQ(loops[1].particles, (Indices{2, 3, 4}));
}

TEST(BoundaryLoops, EndWhereThreeSheetsMeet) {
  const auto loops = boundary_loops(faces(5, {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}));
  ASSERT_EQ(loops.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(loops[i].closed);
    ASSERT_EQ(loops[i].particles.size(), 3u);
    EXPECT_EQ(loops[i].particles[1], 2 + i);
    EXPECT_EQ(loops[i].particles[0] + loops[i].particles[2], 1u) << "the edge where they meet ends it";
  }
}

TEST(BoundaryLoops, AClosedSurfaceHasNone) {
  EXPECT_TRUE(boundary_loops(faces(4, {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}})).empty());
}

TEST(BoundaryLoops, HoldEveryBoundaryEdgeOfOurMeshes) {
  for (const GeneratedMesh& row : generated_meshes()) {
    const ClothMesh mesh = build_cloth_mesh(row.make());
    const auto loops = boundary_loops(mesh);
    EXPECT_EQ(boundary_edges(loops), mesh.report.boundary_edges) << row.name;
    for (const BoundaryLoop& loop : loops) {
      // Neighbours along a loop are joined by a spring.
      for (std::size_t k = 0; k + (loop.closed ? 0 : 1) < loop.particles.size(); ++k) {
        const std::uint32_t a = loop.particles[k], b = loop.particles[(k + 1) % loop.particles.size()];
        const std::array<std::uint32_t, 2> edge{std::min(a, b), std::max(a, b)};
        EXPECT_TRUE(std::ranges::binary_search(mesh.stretch_springs, edge)) << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace clothlab
