// SPDX-License-Identifier: MIT
#include "mesh/cloth_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "mesh/generators.h"
#include "mesh/obj_reader.h"
#include "reference_springs.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

using Pairs = std::vector<std::array<std::uint32_t, 2>>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

ClothMesh build(std::string_view text, const MeshOptions& options = {}) {
  return build_cloth_mesh(parse_obj(text, "test.obj"), options);
}

MeshOptions no_weld() {
  MeshOptions options;
  options.weld = false;
  return options;
}

TEST(ClothMesh, TwoTrianglesByHand) {
  //  2---3
  //  | \ |
  //  0---1
  const ClothMesh mesh = build("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {1, 3, 2}}));
  EXPECT_EQ(mesh.stretch_springs, (Pairs{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(mesh.bend_springs, (Pairs{{0, 3}}));
  EXPECT_EQ(mesh.parts, 1);
  EXPECT_EQ(mesh.report.boundary_edges, 4u);
  EXPECT_EQ(mesh.report.nonmanifold_edges, 0u);
  EXPECT_EQ(mesh.source->face_count(), 2u);
  EXPECT_DOUBLE_EQ(mesh.diagonal, std::sqrt(2.0));
}

TEST(ClothMesh, TextureCoordinatesStayWithTheirTriangles) {
  // A concave polygon, a triangle that welding makes degenerate, and a triangle beyond a seam of the texture.
  const ClothMesh mesh = build(
      "v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nv 2 0 0\nv 3 3 0\n"
      "vt 0 0\nvt 2 0\nvt 0.5 0.5\nvt 0 2\nvt 7 7\nvt 8 8\nvt 9 9\n"
      "f 1/1 2/2 3/3 4/4\nf 2/2 5/2 6/7\nf 2/5 6/6 3/7\n");
  ASSERT_EQ(mesh.report.degenerate_triangles, 1u);
  EXPECT_EQ(mesh.report.dropped_faces, 1u);
  ASSERT_EQ(mesh.triangles.size(), 3u);
  ASSERT_EQ(mesh.triangle_corners.size(), 3u);
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const ObjMesh::Corner corner = mesh.source->corners[mesh.triangle_corners[t][i]];
      EXPECT_EQ(mesh.particle_of_vertex[static_cast<std::size_t>(corner.vertex)],
                static_cast<std::int32_t>(mesh.triangles[t][i]));
      EXPECT_EQ(corner.texture >= 4, t == 2);
    }
  EXPECT_TRUE(build("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").triangle_corners.empty());
}

TEST(ClothMesh, ATetrahedronHasABendingSpringOnEveryEdge) {
  // Across each edge lies the opposite one: the same six pairs twice, none merged.
  const ClothMesh mesh = build("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  EXPECT_EQ(mesh.stretch_springs, (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(mesh.bend_springs, (Pairs{{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}}));
  EXPECT_EQ(mesh.report.boundary_edges, 0u);
}

TEST(ClothMesh, PolygonsAreTriangulated) {
  const ClothMesh mesh = build("v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nf 1 2 3 4\n");
  EXPECT_EQ(mesh.stretch_springs.size(), 5u);  // 4 sides and the diagonal that lies inside
  EXPECT_TRUE(std::count(mesh.stretch_springs.begin(), mesh.stretch_springs.end(),
                         std::array<std::uint32_t, 2>{0, 2}));
  EXPECT_EQ(mesh.bend_springs, (Pairs{{1, 3}}));
}

TEST(ClothMesh, UnusedVerticesAreKeptButAreNoParticles) {
  const ClothMesh mesh = build("v 9 9 9\nv 0 0 0\nv 7 7 7\nv 1 0 0\nv 0 1 0\nf 5 2 4\n");
  EXPECT_EQ(mesh.particle_of_vertex, (std::vector<std::int32_t>{-1, 0, -1, 1, 2}));
  EXPECT_EQ(mesh.vertex_of_particle, (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_EQ(mesh.triangles, (Triangles{{2, 0, 1}}));
  EXPECT_EQ(mesh.report.unused_vertices, 2u);
  EXPECT_EQ(mesh.source->vertices.size(), 5u);
  EXPECT_EQ(mesh.box.high, vec3(1, 1, 0));
}

/// The two triangles of a square whose shared edge an exporter has written twice; one zero is negative.
const char* const kSeam =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    "v 1 0 -0\nv 1 1 0\nv -0.0 1 0\n"
    "f 1 2 3\nf 4 5 6\n";

TEST(ClothMesh, WeldsVerticesAtExactlyTheSamePlace) {
  const ClothMesh mesh = build(kSeam);
  EXPECT_EQ(mesh.particle_of_vertex, (std::vector<std::int32_t>{0, 1, 2, 1, 3, 2}));
  EXPECT_EQ(mesh.vertex_of_particle, (std::vector<std::uint32_t>{0, 1, 2, 4}));
  EXPECT_EQ(mesh.report.welded, 2u);
  EXPECT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.stretch_springs.size(), 5u);
  EXPECT_EQ(mesh.bend_springs, (Pairs{{0, 3}}));
  EXPECT_EQ(mesh.parts, 1);
}

TEST(ClothMesh, WeldsNothingWhenToldSo) {
  const ClothMesh mesh = build(kSeam, no_weld());
  EXPECT_EQ(mesh.positions.size(), 6u);
  EXPECT_EQ(mesh.report.welded, 0u);
  EXPECT_EQ(mesh.stretch_springs.size(), 6u);
  EXPECT_TRUE(mesh.bend_springs.empty());
  EXPECT_EQ(mesh.parts, 2);
  EXPECT_EQ(mesh.part_of_particle, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1}));
}

TEST(ClothMesh, WeldsNothingThatDiffersInTheLastBit) {
  const ClothMesh mesh =
      build("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.0000000000000002 0 0\nv 1 1 0\nv 5e-324 1 0\nf 1 2 3\nf 4 5 6\n");
  EXPECT_EQ(mesh.report.welded, 0u);
}

TEST(ClothMesh, AnUnusedVertexIsNotWelded) {
  const ClothMesh mesh = build("v 0 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n");
  EXPECT_EQ(mesh.particle_of_vertex, (std::vector<std::int32_t>{-1, 0, 1, 2}));
  EXPECT_EQ(mesh.report.welded, 0u);
}

TEST(ClothMesh, ThePoleOfACone) {
  // Two quads whose upper corners fall together: each leaves a triangle and one without area.
  const ClothMesh mesh = build(
      "v 0 1 0\nv 0 1 0\nv 0 1 0\nv 0 0 0\nv 1 0 0\nv 1 0 1\n"
      "f 1 4 5 2\nf 2 5 6 3\n");
  EXPECT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(mesh.report.degenerate_triangles, 2u);
  EXPECT_EQ(mesh.report.dropped_faces, 0u);
  EXPECT_EQ(mesh.stretch_springs, (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}}));
  EXPECT_EQ(mesh.bend_springs, (Pairs{{1, 3}}));
  EXPECT_EQ(mesh.report.nonmanifold_edges, 0u);
}

// A strip with a front and a back is the strip, whatever the first corner of a face: one bending spring per
// fold.
TEST(ClothMesh, DoubledFacesAreMerged) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nvt 0 0\n";
  const std::string front = "f 1/1 2/1 3/1 4/1\nf 2/1 5/1 3/1\nf 3/1 5/1 6/1\n";
  const ClothMesh single = build(vertices + front);
  const ClothMesh mesh = build(vertices + front + "f 4/1 3/1 2/1 1/1\nf 3/1 2/1 5/1\nf 6/1 5/1 3/1\n");
  EXPECT_EQ(mesh.triangles, single.triangles);
  EXPECT_EQ(mesh.triangle_corners, single.triangle_corners);
  EXPECT_EQ(mesh.stretch_springs, single.stretch_springs);
  EXPECT_EQ(mesh.bend_springs, single.bend_springs);
  EXPECT_EQ(mesh.bend_springs.size(), 3u);
  EXPECT_EQ(mesh.report.merged_faces, 3u);
  EXPECT_EQ(mesh.report.boundary_edges, single.report.boundary_edges);
  EXPECT_EQ(mesh.source->face_count(), 6u) << "an export has all of them";
  EXPECT_EQ(single.report.merged_faces, 0u);
}

// A quad and a triangle on three of its corners overlap without being the same face.
TEST(ClothMesh, OverlappingFacesBendOnce) {
  const ClothMesh mesh = build("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 2 3\n");
  EXPECT_EQ(mesh.bend_springs, (Pairs{{1, 3}}));
  EXPECT_EQ(mesh.report.merged_faces, 0u);
  EXPECT_EQ(mesh.report.dropped_springs,
            4u);  // three from a corner to itself, and the other one across the diagonal
}

/// `pages` triangles on one edge.
std::string book(int pages) {
  std::string text = "v 0 0 0\nv 0 1 0\n";
  for (int i = 0; i < pages; ++i) text += "v 1 0 " + std::to_string(i) + "\n";
  for (int i = 0; i < pages; ++i) text += "f 1 2 " + std::to_string(3 + i) + "\n";
  return text;
}

TEST(ClothMesh, AnEdgeOfManyTrianglesHasABendingSpringForEachPair) {
  const ClothMesh four = build(book(4));
  EXPECT_EQ(four.stretch_springs.size(), 9u);
  EXPECT_EQ(four.bend_springs, (Pairs{{2, 3}, {2, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}}));
  EXPECT_EQ(four.report.nonmanifold_edges, 1u);
  EXPECT_EQ(four.report.boundary_edges, 8u);
  EXPECT_EQ(build(book(16)).bend_springs.size(), 120u);
}

TEST(ClothMesh, AnEdgeOfSeventeenTrianglesIsRefused) {
  const std::string message = message_of<InputError>([] { build(book(17)); });
  EXPECT_EQ(
      message,
      "test.obj: the edge between vertices 1 and 2 (counted from 1) has 17 triangles, and 16 are allowed");
}

TEST(ClothMesh, PartsAreNumberedByTheirLowestParticle) {
  const ClothMesh mesh = build(
      "v 0 0 0\nv 5 0 0\nv 1 0 0\nv 6 0 0\nv 0 1 0\nv 5 1 0\nv 9 9 9\nv 9 9 8\nv 9 8 9\n"
      "f 7 8 9\nf 2 4 6\nf 1 3 5\n");
  EXPECT_EQ(mesh.parts, 3);
  EXPECT_EQ(mesh.part_of_particle, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 2, 2, 2}));
}

TEST(ClothMesh, ScaleAndUpAxis) {
  MeshOptions options;
  options.scale = 0.01;
  options.z_up = true;
  const ClothMesh mesh = build("v 1 2 3\nv 101 2 3\nv 1 2 203\nv 7 8 9\nf 1 2 3\n", options);
  EXPECT_EQ(mesh.positions[0], vec3(1 * 0.01, 3 * 0.01, -2 * 0.01));
  EXPECT_NEAR(mesh.diagonal, std::sqrt(5.0), 1e-14);
  EXPECT_EQ(mesh.positions[2].y, 203 * 0.01);  // the file's z is up
  const auto rows = vertex_positions(mesh, mesh.positions);
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t v = 0; v < 3; ++v)  // one rounding each way
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(rows[v][axis], mesh.source->vertices[v][axis], 2.3e-16 * std::abs(rows[v][axis]));
  EXPECT_EQ(rows[3], vec3(7, 8, 9));
}

TEST(ClothMesh, RowsPerVertexUndoTheWelding) {
  const ClothMesh mesh = build(std::string("v 5 5 5\n") +
                               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 2 3 4\nf 5 6 7\n");
  const std::vector<vec3> moved{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  const auto positions = vertex_positions(mesh, moved);
  EXPECT_EQ(positions,
            (std::vector<vec3>{{5, 5, 5}, moved[0], moved[1], moved[2], moved[1], moved[3], moved[2]}));
  const auto velocities = vertex_velocities(mesh, moved);
  EXPECT_EQ(velocities,
            (std::vector<vec3>{{0, 0, 0}, moved[0], moved[1], moved[2], moved[1], moved[3], moved[2]}));
  EXPECT_EQ(particle_values(mesh, positions), moved);

  auto torn = positions;
  torn[4].y = 0;
  EXPECT_NE(message_of<InputError>([&] { particle_values(mesh, torn); }).find("row 5 differs from row 3"),
            std::string::npos);
  torn.pop_back();
  EXPECT_NE(message_of<InputError>([&] { particle_values(mesh, torn); }).find("6 rows"), std::string::npos);
}

TEST(ClothMesh, RefusesSizesThatNoDoubleCanHold) {
  EXPECT_THROW(build("v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n"), InputError);
  MeshOptions options;
  options.scale = 1e300;
  EXPECT_THROW(build("v 0 0 0\nv 1e10 0 0\nv 0 1 0\nf 1 2 3\n", options), InputError);
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    options.scale = scale;
    EXPECT_THROW(build("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", options), InputError) << scale;
  }
  EXPECT_THROW(build_cloth_mesh(ObjMesh{}), InputError);
}

TEST(ClothMesh, RefusesTooManyParticles) {
  ObjMesh obj;
  obj.name = "huge.obj";
  obj.vertices.resize(kMaxParticles + 1);
  obj.corners.resize(kMaxParticles + 1);
  for (std::size_t i = 0; i < obj.corners.size(); ++i) obj.corners[i].vertex = static_cast<std::int32_t>(i);
  obj.face_offsets.push_back(static_cast<std::uint32_t>(obj.corners.size()));
  EXPECT_NE(message_of<InputError>([&] {
              build_cloth_mesh(std::move(obj), no_weld());
            }).find("huge.obj: it has 5000001 particles, and 5000000 are allowed"),
            std::string::npos);
}

TEST(ClothMesh, RefusesTooManySpringsBeforeMakingThem) {
  ObjMesh obj;
  obj.name = "huge.obj";
  obj.vertices.resize(1);
  obj.corners.resize(kMaxSprings / 3 + 3);  // one polygon
  obj.face_offsets.push_back(static_cast<std::uint32_t>(obj.corners.size()));
  EXPECT_NE(message_of<InputError>([&] { build_cloth_mesh(std::move(obj)); }).find("50000000 springs"),
            std::string::npos);
}

TEST(ClothMesh, GivesUpWhenAsked) {
  MeshOptions options;
  options.stop = [] { return true; };
  EXPECT_THROW(build_cloth_mesh(make_grid_obj(3, 3), options), Cancelled);
}

TEST(Grid, ThreeByFourByHand) {
  const ClothMesh mesh = build_cloth_mesh(make_grid_obj(3, 4, 1.5, 4));
  ASSERT_TRUE(mesh.grid);
  EXPECT_EQ(mesh.grid->rows, 3);
  EXPECT_EQ(mesh.grid->cols, 4);
  ASSERT_EQ(mesh.positions.size(), 12u);
  EXPECT_EQ(mesh.positions[0], vec3(0, 0, 0));
  EXPECT_EQ(mesh.positions[3], vec3(1.5, 0, 0));
  EXPECT_EQ(mesh.positions[5], vec3(0.5, 0, 2));
  EXPECT_EQ(mesh.positions[11], vec3(1.5, 0, 4));
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{0, 4, 1}));
  EXPECT_EQ(mesh.triangles[1], (std::array<std::uint32_t, 3>{1, 4, 5}));  // split along (0,1)–(1,0)
  // 3·3 along rows, 2·4 across, 6 diagonals; 10 of these 23 are on the rim.
  EXPECT_EQ(mesh.stretch_springs.size(), 23u);
  EXPECT_EQ(mesh.report.boundary_edges, 10u);
  EXPECT_EQ(mesh.bend_springs.size(), 13u);
  for (const auto& t : mesh.triangles) {  // all face up
    const vec3 ab = mesh.positions[t[1]] - mesh.positions[t[0]],
               ac = mesh.positions[t[2]] - mesh.positions[t[0]];
    EXPECT_GT(ab.z * ac.x - ab.x * ac.z, 0);
  }
}

TEST(Grid, SpringsAreThoseOfTheDefinition) {
  for (const auto& [rows, cols] : {std::pair{2, 2}, {2, 7}, {9, 3}, {20, 20}})
    expect_springs_of_the_definition(build_cloth_mesh(make_grid_obj(rows, cols)));
}

TEST(Grid, RefusesSizesOutOfRange) {
  EXPECT_THROW(make_grid_obj(1, 5), InputError);
  EXPECT_THROW(make_grid_obj(5, 1), InputError);
  EXPECT_THROW(make_grid_obj(0, 0), InputError);
  EXPECT_THROW(make_grid_obj(-3, 4), InputError);
  EXPECT_THROW(make_grid_obj(100000, 100000), InputError);
  EXPECT_THROW(make_grid_obj(2501, 2000), InputError);  // 5,002,000 particles
  EXPECT_THROW(make_grid_obj(5, 5, 0, 1), InputError);
  EXPECT_THROW(make_grid_obj(5, 5, 1, HUGE_VAL), InputError);
}

}  // namespace
}  // namespace clothlab
