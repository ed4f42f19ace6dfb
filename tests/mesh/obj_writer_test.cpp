// SPDX-License-Identifier: MIT
#include "mesh/obj_writer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <glm/geometric.hpp>
#include <random>
#include <sstream>

#include "mesh/cloth_mesh.h"
#include "mesh/obj_groups.h"
#include "mesh/obj_reader.h"

namespace clothlab {
namespace {

const char* const kInput =
    "v 5 5 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "vt 0 0\nvt 1 0.1\nvt 0.3\nvt 0.1 0.2 0.3\nvn 0 0 1\n"
    "g front\nf 2/1/1 3/2/1 4/3/1\ng back\nf -3/4 -2/1 7\nf 2 3 5//1 6\n";

TEST(ObjWriter, KeepsFacesTextureCoordinatesAndVertexOrder) {
  const ClothMesh mesh = build_cloth_mesh(parse_obj(kInput, "input.obj"));
  EXPECT_EQ(obj_text(mesh, mesh.positions),
            "v 5 5 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
            "vt 0 0\nvt 1 0.10000000000000001\nvt 0.29999999999999999\n"
            "vt 0.10000000000000001 0.20000000000000001 0.29999999999999999\n"
            "vn 0 0 0\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
            "g front\nf 2/1/2 3/2/3 4/3/4\ng back\nf 5/4/5 6/1/6 7//7\nf 2//2 3//3 5//5 6//6\n");
}

TEST(ObjWriter, KeepsNamesAndMaterialsBeforeTheirFaces) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const std::string faces =
      "mtllib a.mtl b.mtl\no Sheet of cloth\ns 1\nusemtl red\ng left all\nf 1 2 3\nf 1 2 4\nusemtl blue\n"
      "g right all\nf 1 3 4\n";
  ObjMesh obj = parse_obj(corners + "# comment\n" + faces + "g nothing\n", "input.obj");
  EXPECT_EQ(obj_text(obj), corners + faces);
  ClothMesh mesh = build_cloth_mesh(obj);
  EXPECT_EQ(obj_text(mesh, mesh.positions), corners + faces);

  // Of statements before removed faces the last one holds.
  keep_groups(obj, std::vector<std::string>{"right"});
  mesh = build_cloth_mesh(obj);
  EXPECT_TRUE(obj_text(mesh, mesh.positions).ends_with("usemtl blue\ng right all\nf 1 3 4\n"));
}

TEST(ObjWriter, StatementsCannotContinueIntoTheNextLine) {
  const ObjMesh obj = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\ng a \\ # end\nf 1 2 3\n", "input.obj");
  const ObjMesh again = parse_obj(obj_text(obj), "again.obj");
  EXPECT_EQ(again.face_count(), 1U);
  EXPECT_EQ(again.statements.front().text, "g a");
}

// Two triangles at a right angle whose common edge is split by a seam; one has twice the area.
TEST(ObjWriter, NormalsAreThoseOfTheShapeWeightedByArea) {
  const ClothMesh mesh = build_cloth_mesh(
      parse_obj("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 0\nv 0 0 1\nv 1 0 0\nvn 1 0 0\nf 1//1 2//1 3//1\n"
                "f 4//1 5//1 6//1\n",
                "input.obj"));
  std::vector<vec3> normals;
  std::istringstream text(obj_text(mesh, mesh.positions));
  for (std::string line; std::getline(text, line);)
    if (vec3 n(0); std::sscanf(line.c_str(), "vn %lf %lf %lf", &n.x, &n.y, &n.z) == 3) normals.push_back(n);
  const vec3 both = glm::normalize(vec3(0, 1, 2));
  const std::vector<vec3> expected{both, both, {0, 0, 1}, both, {0, 1, 0}, both};
  ASSERT_EQ(normals.size(), expected.size());
  for (std::size_t i = 0; i < normals.size(); ++i)
    EXPECT_LT(glm::length(normals[i] - expected[i]), 1e-15) << i;
}

TEST(ObjWriter, WritesMovedParticlesInTheUnitsOfTheFile) {
  MeshOptions options;
  options.scale = 0.5;
  const ClothMesh mesh = build_cloth_mesh(parse_obj(kInput, "input.obj"), options);
  std::vector<vec3> moved = mesh.positions;
  for (vec3& p : moved) p += vec3(1, 2, 3);
  const ObjMesh again = parse_obj(obj_text(mesh, moved), "again.obj");
  EXPECT_EQ(again.vertices,
            (std::vector<vec3>{{5, 5, 5}, {2, 4, 6}, {3, 4, 6}, {2, 5, 6}, {3, 4, 6}, {3, 5, 6}, {2, 5, 6}}));
}

TEST(ObjWriter, NumbersReadBackBitForBit) {
  ObjMesh obj;
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    vec3 p;
    for (int axis = 0; axis < 3; ++axis)
      p[axis] = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 400) - 250);
    obj.vertices.push_back(p);
  }
  for (std::int32_t v = 0; v + 2 < 3000; v += 3)
    obj.add_face(std::array<ObjMesh::Corner, 3>{{{v}, {v + 1}, {v + 2}}});
  EXPECT_EQ(parse_obj(obj_text(obj), "short.obj").vertices, obj.vertices);
  const ClothMesh mesh = build_cloth_mesh(obj);
  EXPECT_EQ(parse_obj(obj_text(mesh, mesh.positions), "long.obj").vertices, obj.vertices);
}

TEST(ObjWriter, HandsOutPieces) {
  ObjMesh obj;
  obj.vertices.assign(60000, vec3(0.1));
  obj.vertices[1].x = 1;
  obj.add_face(std::array<ObjMesh::Corner, 3>{{{0}, {1}, {2}}});
  const ClothMesh mesh = build_cloth_mesh(obj);
  std::string text;
  int pieces = 0;
  write_obj(mesh, mesh.positions, [&](std::string_view piece) {
    text += piece;
    ++pieces;
  });
  EXPECT_GT(pieces, 1);
  EXPECT_EQ(text, obj_text(mesh, mesh.positions));
}

}  // namespace
}  // namespace clothlab
