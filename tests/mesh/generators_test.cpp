// SPDX-License-Identifier: MIT
#include "mesh/generators.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <string>

#include "core/error.h"
#include "mesh/cloth_mesh.h"
#include "mesh/obj_writer.h"
#include "mesh/pins.h"
#include "reference_springs.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

ClothMesh generated(std::string_view name) { return build_cloth_mesh(find_generated_mesh(name).make()); }

TEST(Generators, AssetsAreWhatTheGeneratorMakes) {
  for (const GeneratedMesh& mesh : generated_meshes()) {
    const auto path =
        std::filesystem::path(CLOTHLAB_SOURCE_DIR) / "assets" / (std::string(mesh.name) + ".obj");
    EXPECT_EQ(bytes_of(path), obj_text(mesh.make())) << path << ": run clothlab_make_assets";
  }
  for (const GeneratedMesh& mesh : generated_bodies()) {
    const auto path =
        std::filesystem::path(CLOTHLAB_SOURCE_DIR) / "assets" / (std::string(mesh.name) + ".obj");
    EXPECT_EQ(bytes_of(path), obj_text(mesh.make())) << path << ": run clothlab_make_assets";
  }
}

TEST(Generators, AllAreGoodMeshesWithGoodPins) {
  for (const GeneratedMesh& generated : generated_meshes()) {
    SCOPED_TRACE(generated.name);
    const ClothMesh mesh = build_cloth_mesh(generated.make());
    EXPECT_EQ(mesh.source->name, generated.name);
    EXPECT_FALSE(pins_from_vertices(mesh, generated.pins()).empty());
    for (const auto& [a, b] : mesh.stretch_springs)
      EXPECT_GT(glm::distance(mesh.positions[a], mesh.positions[b]), 1e-3);
    EXPECT_TRUE(mesh.diagonal > 0.2 && mesh.diagonal < 5) << mesh.diagonal;
    if (mesh.report.degenerate_triangles == 0) expect_springs_of_the_definition(mesh);
  }
}

TEST(Generators, ByName) {
  EXPECT_EQ(find_generated_mesh("tube").name, "tube");
  const std::string message = message_of<InputError>([] { find_generated_mesh("tub"); });
  EXPECT_NE(message.find("'tub'"), std::string::npos);
  EXPECT_NE(message.find("curtain, round_sheet, tube"), std::string::npos);
}

TEST(Generators, ThePendulumIsOneSpring) {
  const ClothMesh mesh = generated("pendulum");
  EXPECT_EQ(mesh.positions.size(), 2u);
  EXPECT_EQ(mesh.stretch_springs.size(), 1u);
  EXPECT_TRUE(mesh.bend_springs.empty());
  EXPECT_TRUE(mesh.triangles.empty());
  EXPECT_DOUBLE_EQ(glm::distance(mesh.positions[0], mesh.positions[1]), 1);
  EXPECT_EQ(find_generated_mesh("pendulum").pins(), std::vector<std::uint32_t>{0});
}

TEST(Generators, TheRoundSheetIsPinnedOnItsRim) {
  const GeneratedMesh& generated = find_generated_mesh("round_sheet");
  const ClothMesh mesh = build_cloth_mesh(generated.make());
  const auto rim = generated.pins();
  EXPECT_EQ(mesh.report.boundary_edges, rim.size());
  EXPECT_EQ(mesh.triangles.size(), 6u * 14 * 14);
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    const bool on_rim = std::count(rim.begin(), rim.end(), v) > 0;
    // Coordinates are rounded to a micrometre.
    EXPECT_EQ(std::abs(glm::length(mesh.positions[v]) - 0.5) < 1e-6, on_rim);
  }
}

TEST(Generators, TheTubeHasTwoRims) {
  const ClothMesh mesh = generated("tube");
  EXPECT_EQ(mesh.report.boundary_edges, 64u);
  EXPECT_EQ(mesh.report.welded, 0u);
  EXPECT_EQ(mesh.source->texture_coordinates.size(), 21u * 33);
}

TEST(Generators, TheSeamIsWelded) {
  const ClothMesh mesh = generated("seam");
  EXPECT_EQ(mesh.source->vertices.size(), 70u);
  EXPECT_EQ(mesh.report.welded, 7u);
  EXPECT_EQ(mesh.parts, 1);
  MeshOptions apart;
  apart.weld = false;
  EXPECT_EQ(build_cloth_mesh(find_generated_mesh("seam").make(), apart).parts, 2);
}

TEST(Generators, TheBookHasASpine) {
  const ClothMesh mesh = generated("nonmanifold");
  EXPECT_EQ(mesh.report.nonmanifold_edges, 6u);
  EXPECT_EQ(mesh.parts, 1);
}

TEST(Generators, ThreeParts) { EXPECT_EQ(generated("parts").parts, 3); }

TEST(Generators, TheMoebiusStripHasOneRimAndOneSide) {
  const ClothMesh mesh = generated("moebius");
  EXPECT_EQ(mesh.report.boundary_edges, 80u);
  EXPECT_EQ(mesh.report.nonmanifold_edges, 0u);
  // Euler characteristic V − E + F of a strip is 0, with or without the twist ...
  EXPECT_EQ(mesh.positions.size() + mesh.triangles.size(), mesh.stretch_springs.size());
  // ... which shows in the rim: walking along it visits all of it.
  std::map<std::uint32_t, std::vector<std::uint32_t>> rim;
  std::map<std::array<std::uint32_t, 2>, int> uses;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i)
      ++uses[{std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])}];
  for (const auto& [edge, count] : uses)
    if (count == 1) rim[edge[0]].push_back(edge[1]), rim[edge[1]].push_back(edge[0]);
  const std::uint32_t start = rim.begin()->first;
  std::uint32_t previous = start, at = rim[start][0];
  std::size_t steps = 1;
  for (; at != start; ++steps) {
    const std::uint32_t next = rim[at][0] == previous ? rim[at][1] : rim[at][0];
    previous = at;
    at = next;
  }
  EXPECT_EQ(steps, rim.size());
}

TEST(Generators, ThePolygonsFillTheSquare) {
  const ClothMesh mesh = generated("polygons");
  EXPECT_EQ(mesh.report.unused_vertices, 2u);
  double area = 0;
  for (const auto& t : mesh.triangles) {
    const vec3 n =
        glm::cross(mesh.positions[t[1]] - mesh.positions[t[0]], mesh.positions[t[2]] - mesh.positions[t[0]]);
    EXPECT_GT(n.z, 1e-3);
    area += n.z / 2;
  }
  EXPECT_NEAR(area, 0.36, 1e-15);
}

}  // namespace
}  // namespace clothlab
