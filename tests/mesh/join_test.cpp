// SPDX-License-Identifier: MIT
#include "mesh/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/obj_groups.h"
#include "mesh/obj_reader.h"
#include "mesh/obj_writer.h"

namespace clothlab {
namespace {

using ::testing::ElementsAre;

constexpr const char* kShirt =
    "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl red\ns 1\n"
    "f 1/1 2/2 3/3\ng collar\nf 1 3 4\nl 2 4\n";
// Its first two vertices are at the position of two of the shirt's.
constexpr const char* kSkirt =
    "v 0 0 0\nv 1 0 0\nv 1 -1 0\nvt 0.5 0.5\nvn 0 0 1\ng hem\nf 1/1/1 3/1/1 2/1/1\nl 1 3\n";

ObjMesh shirt_and_skirt() {
  return joined({{parse_obj(kShirt, "shirt.obj"), "shirt"}, {parse_obj(kSkirt, "skirt.obj"), "skirt"}});
}

TEST(Join, OffsetsEveryIndex) {
  const ObjMesh mesh = shirt_and_skirt();
  EXPECT_EQ(mesh.vertices.size(), 7u);
  EXPECT_EQ(mesh.vertices[6], vec3(1, -1, 0));
  EXPECT_EQ(mesh.texture_coordinates.size(), 4u);
  ASSERT_EQ(mesh.face_count(), 3u);
  const auto skirt = mesh.face(2);
  EXPECT_EQ(skirt[0].vertex, 4);
  EXPECT_EQ(skirt[1].vertex, 6);
  EXPECT_EQ(skirt[0].texture, 3);
  EXPECT_EQ(mesh.face(1)[0].texture, -1);
  EXPECT_THAT(mesh.lines, ElementsAre(std::array{1u, 3u}, std::array{4u, 6u}));
  EXPECT_EQ(mesh.normals, 1u);
  EXPECT_EQ(mesh.name, "shirt.obj + skirt.obj");
}

TEST(Join, MakesAGroupOfEachMesh) {
  const ObjMesh mesh = shirt_and_skirt();
  EXPECT_THAT(groups_of(mesh), ElementsAre("collar", "hem", "shirt", "skirt"));
  EXPECT_THAT(faces_of_group(mesh, "shirt"), ElementsAre(0u, 1u));
  EXPECT_THAT(faces_of_group(mesh, "collar"), ElementsAre(1u));
  EXPECT_THAT(faces_of_group(mesh, "skirt"), ElementsAre(2u));
  EXPECT_THAT(faces_of_group(mesh, "hem"), ElementsAre(2u));
}

// "hem" is in use by the group of a face, "a b" has a space, which would be two names.
TEST(Join, GivesGroupsNamesOfTheirOwn) {
  const ObjMesh plain = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "plain");
  const ObjMesh mesh =
      joined({{parse_obj(kSkirt, "skirt"), "hem"}, {plain, "a b"}, {plain, "a b"}, {plain, "a,b"}});
  EXPECT_THAT(groups_of(mesh), ElementsAre("a_b", "a_b-2", "a_b-3", "hem", "hem-2"));
  EXPECT_THAT(faces_of_group(mesh, "hem-2"), ElementsAre(0u));
  EXPECT_THAT(faces_of_group(mesh, "a_b-2"), ElementsAre(2u));
}

TEST(Join, WeldsNoVerticesOfTwoMeshes) {
  const ClothMesh mesh = build_cloth_mesh(shirt_and_skirt());
  EXPECT_EQ(mesh.positions.size(), 7u);
  EXPECT_EQ(mesh.report.welded, 0u);
  EXPECT_EQ(mesh.parts, 2);
  const std::string seam = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n";
  const ClothMesh two = build_cloth_mesh(joined({{parse_obj(seam, "a"), "a"}, {parse_obj(seam, "b"), "b"}}));
  EXPECT_EQ(two.report.welded, 4u) << "those of one mesh are still welded";
  EXPECT_EQ(two.parts, 2);
  EXPECT_THAT(two.particle_of_vertex, ElementsAre(0, 1, 2, 1, 2, 3, 4, 5, 6, 5, 6, 7));
}

// The statements before a mesh must not apply to it, and its groups must be found again.
TEST(Join, IsReadFromItsExport) {
  const ClothMesh mesh = build_cloth_mesh(shirt_and_skirt());
  const std::string text = obj_text(mesh, mesh.positions);
  const ObjMesh again = parse_obj(text, "again");
  EXPECT_EQ(groups_of(again), groups_of(*mesh.source));
  for (const std::string& name : groups_of(again))
    EXPECT_EQ(faces_of_group(again, name), faces_of_group(*mesh.source, name)) << name;
  EXPECT_EQ(again.lines, mesh.source->lines);
  const std::size_t skirt = text.find("o skirt\ng skirt\ns off\nusemtl None\ng hem skirt\nf ");
  EXPECT_LT(text.find("g collar shirt\nf "), skirt) << text;
  EXPECT_NE(skirt, std::string::npos) << text;
}

TEST(Join, IsNoGrid) {
  const ObjMesh mesh = joined({{make_grid_obj(3, 3, 1, 1), "grid"}, {parse_obj(kSkirt, "skirt"), "skirt"}});
  EXPECT_FALSE(mesh.grid);
  EXPECT_FALSE(build_cloth_mesh(mesh).grid);
}

}  // namespace
}  // namespace clothlab
