// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "mesh/boundary_loops.h"
#include "mesh/cloth_mesh.h"
#include "mesh/obj_reader.h"
#include "mesh/obj_writer.h"
#include "mesh/pins.h"
#include "reference_springs.h"

namespace clothlab {
namespace {

/// One row of the table in the README of the sample meshes.
struct Sample {
  const char* file;
  std::size_t vertices, triangles, quads, texture_coordinates, normals, boundary_edges, loops,
      nonmanifold_edges, parts;
  vec3 size;         ///< of the bounding box
  double tolerance;  ///< of the size: the table's rounding
};

constexpr Sample kSamples[] = {
    {"sheet_50x50_uv.obj", 2601, 5000, 0, 2601, 2601, 200, 1, 0, 1, {1, 0, 1}, 1e-6},
    {"flag_540.obj", 540, 1026, 0, 540, 0, 52, 1, 0, 1, {334, 432, 193}, 0.5},
    {"tshirt_1426.obj", 1426, 2745, 0, 5782, 1426, 111, 4, 0, 1, {10.5, 11.4, 5.7}, 0.05},
    {"dress_5563.obj", 5563, 10180, 0, 0, 5563, 954, 6, 0, 1, {23.8, 36.3, 21.5}, 0.05},
    {"dress_quads_2205.obj", 2205, 0, 2096, 2446, 0, 220, 5, 0, 2, {8.9, 8.6, 2.9}, 0.05},
    {"human_base_quads_19158.obj", 19158, 0, 18486, 21334, 0, 784, 28, 0, 154, {9.9, 16.9, 4.4}, 0.05},
    {"spot_cow_quads_2930.obj", 2930, 0, 2928, 3225, 0, 0, 0, 0, 1, {0.94, 1.69, 1.72}, 0.005},
    {"moebius_quads_280.obj", 280, 0, 224, 0, 0, 112, 1, 0, 1, {39.6, 14.5, 36.7}, 0.05},
    {"nonmanifold_vierbein_75.obj", 75, 108, 0, 0, 0, 60, 1, 20, 1, {8.3, 6.0, 7.1}, 0.05},
};

std::filesystem::path sample_folder() {
  if (const char* given = std::getenv("CLOTHLAB_SHARED_MESHES")) return given;
  return std::filesystem::path(CLOTHLAB_SOURCE_DIR) / ".." / "shared" / "meshes";
}

class SharedMeshes : public testing::TestWithParam<Sample> {
 protected:
  void SetUp() override {
    if (std::filesystem::exists(path())) return;
    std::cerr << "NOT TESTED: there is no " << path()
              << "; set CLOTHLAB_SHARED_MESHES to the folder of samples\n";
    GTEST_SKIP() << "no sample meshes";
  }
  static std::filesystem::path path() { return sample_folder() / GetParam().file; }
};

TEST_P(SharedMeshes, HaveTheCountsOfTheirTable) {
  const Sample& sample = GetParam();
  const ClothMesh mesh = build_cloth_mesh(read_obj_file(path()));
  const MeshReport& report = mesh.report;
  EXPECT_EQ(mesh.source->vertices.size(), sample.vertices);
  EXPECT_EQ(mesh.source->face_count(), sample.triangles + sample.quads);
  EXPECT_EQ(mesh.triangles.size(), sample.triangles + 2 * sample.quads);
  // The table says 5 for the dress, of which two loops touch in a particle, and 1 where more than two
  // triangles meet, where ours end.
  if (sample.nonmanifold_edges == 0) {
    EXPECT_EQ(boundary_loops(mesh).size(), sample.loops);
  }
  EXPECT_EQ(mesh.source->texture_coordinates.size(), sample.texture_coordinates);
  EXPECT_EQ(mesh.source->normals, sample.normals);
  EXPECT_EQ(report.boundary_edges, sample.boundary_edges);
  EXPECT_EQ(report.nonmanifold_edges, sample.nonmanifold_edges);
  EXPECT_EQ(mesh.closed.size(), sample.parts);
  EXPECT_EQ(report.welded, 0u);
  EXPECT_EQ(report.unused_vertices, 0u);
  EXPECT_EQ(mesh.positions.size(), sample.vertices);
  EXPECT_EQ(report.degenerate_triangles, 0u);
  if (sample.nonmanifold_edges == 0) {
    // Every triangle has three edges, every inner edge two triangles.
    EXPECT_EQ(2 * mesh.stretch_springs.size(), 3 * mesh.triangles.size() + sample.boundary_edges);
    EXPECT_EQ(mesh.bend_springs.size() + report.dropped_springs,
              mesh.stretch_springs.size() - sample.boundary_edges);
  }
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(mesh.box.high[axis] - mesh.box.low[axis], sample.size[axis], sample.tolerance)
        << "axis " << axis;
  expect_springs_of_the_definition(mesh);
}

TEST_P(SharedMeshes, ComeBackFromAnExport) {
  const ClothMesh mesh = build_cloth_mesh(read_obj_file(path()));
  const ObjMesh again = parse_obj(obj_text(mesh, mesh.positions), "again.obj");
  EXPECT_EQ(again.vertices, mesh.source->vertices);
  EXPECT_EQ(again.face_offsets, mesh.source->face_offsets);
  ASSERT_EQ(again.corners.size(), mesh.source->corners.size());
  for (std::size_t i = 0; i < again.corners.size(); ++i) {
    ASSERT_EQ(again.corners[i].vertex, mesh.source->corners[i].vertex);
    ASSERT_EQ(again.corners[i].texture, mesh.source->corners[i].texture);
  }
  ASSERT_EQ(again.texture_coordinates.size(), mesh.source->texture_coordinates.size());
  for (std::size_t i = 0; i < again.texture_coordinates.size(); ++i)
    ASSERT_EQ(again.texture_coordinates[i].value, mesh.source->texture_coordinates[i].value);
}

TEST_P(SharedMeshes, HavePinsForEveryPreset) {
  const ClothMesh mesh = build_cloth_mesh(read_obj_file(path()));
  EXPECT_FALSE(pinned_particles(mesh, PinPreset::top_edge).empty());
  EXPECT_GE(pinned_particles(mesh, PinPreset::corners).size(), 2u);
  const std::size_t top = pinned_particles(mesh, PinPreset::top_corners).size();
  EXPECT_GE(top, static_cast<std::size_t>(mesh.parts));
  EXPECT_LE(top, 2 * static_cast<std::size_t>(mesh.parts));
}

INSTANTIATE_TEST_SUITE_P(Samples, SharedMeshes, testing::ValuesIn(kSamples), [](const auto& sample) {
  const std::string file = sample.param.file;
  return file.substr(0, file.find('.'));
});

}  // namespace
}  // namespace clothlab
