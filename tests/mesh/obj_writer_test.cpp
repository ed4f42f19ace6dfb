// SPDX-License-Identifier: MIT
#include "mesh/obj_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "mesh/cloth_mesh.h"
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
            "f 2/1 3/2 4/3\nf 5/4 6/1 7\nf 2 3 5 6\n");
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
