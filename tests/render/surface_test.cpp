// SPDX-License-Identifier: MIT
#include "render/surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numbers>

namespace clothlab {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

std::vector<glm::vec3> as_floats(const ClothMesh& mesh) {
  return {mesh.positions.begin(), mesh.positions.end()};
}

std::vector<glm::vec3> normals_of(const Surface& surface, const ClothMesh& mesh) {
  std::vector<glm::vec3> normals;
  surface.normals(as_floats(mesh), normals);
  return normals;
}

/// A band of `n` quads around the y axis, with `half_turns` half turns on the way.
ClothMesh band(std::uint32_t n, int half_turns) {
  ClothMesh mesh;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    const double twist = half_turns * angle / 2;
    for (const double side : {-0.3, 0.3}) {
      const double radius = 1 + side * std::sin(twist);
      mesh.positions.emplace_back(radius * std::cos(angle), side * std::cos(twist), radius * std::sin(angle));
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool crossed = i + 1 == n && half_turns % 2 != 0;
    const std::uint32_t low = 2 * ((i + 1) % n) + (crossed ? 1 : 0);
    const std::uint32_t high = 2 * ((i + 1) % n) + (crossed ? 0 : 1);
    mesh.triangles.push_back({2 * i, 2 * i + 1, low});
    mesh.triangles.push_back({low, 2 * i + 1, high});
  }
  return mesh;
}

// Every triangle must find normals at its corners that agree with its own winding: that is what keeps
// the light even across a triangle.
void expect_normals_agree_with_triangles(const Surface& surface, const ClothMesh& mesh) {
  const auto normals = normals_of(surface, mesh);
  for (const Triangle& t : surface.triangles()) {
    const auto at = [&](std::uint32_t v) { return glm::vec3(mesh.positions[surface.particles()[v]]); };
    const glm::vec3 face = glm::normalize(glm::cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])));
    for (const std::uint32_t v : t) {
      EXPECT_NEAR(glm::length(normals[v]), 1, 1e-5);
      EXPECT_GT(glm::dot(normals[v], face), 0.7f);
    }
  }
}

TEST(Surface, ASheetHasOneVertexPerParticleAndTheNormalOfItsPlane) {
  ClothMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}};
  const Surface surface(mesh);
  EXPECT_EQ(surface.particles().size(), 4u);
  EXPECT_TRUE(std::equal(surface.triangles().begin(), surface.triangles().end(), mesh.triangles.begin(),
                         [&](Triangle a, Triangle b) {
                           for (std::uint32_t& v : a) v = surface.particles()[v];
                           return a == b;
                         }));
  for (const glm::vec3& n : normals_of(surface, mesh)) EXPECT_EQ(n, glm::vec3(0, 1, 0));
}

TEST(Surface, NormalsAreWeightedByArea) {
  ClothMesh mesh;
  mesh.positions = {{0, 0, 0}, {0, 0, 1}, {3, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 3, 1}};  // twice the areas: 3 upwards, 1 along x
  const Surface surface(mesh);
  const auto normals = normals_of(surface, mesh);
  for (std::size_t v = 0; v < normals.size(); ++v) {
    const std::uint32_t p = surface.particles()[v];
    const glm::vec3 expected = p == 2   ? glm::vec3(0, 1, 0)
                               : p == 3 ? glm::vec3(1, 0, 0)
                                        : glm::normalize(glm::vec3(1, 3, 0));
    EXPECT_LT(glm::length(normals[v] - expected), 1e-6f);
  }
}

TEST(Surface, AStrayWindingIsTurnedToFaceAsItsNeighboursDo) {
  ClothMesh mesh = band(12, 0);
  for (const std::size_t i : {3u, 4u, 11u, 17u}) std::swap(mesh.triangles[i][0], mesh.triangles[i][1]);
  const Surface surface(mesh);
  EXPECT_EQ(surface.particles().size(), mesh.positions.size());
  EXPECT_EQ(std::count(surface.two_sided().begin(), surface.two_sided().end(), 1), 24);
  expect_normals_agree_with_triangles(surface, mesh);
  // As the majority: the untouched triangles keep their winding.
  const Triangle& first = surface.triangles()[0];
  EXPECT_EQ(
      (Triangle{surface.particles()[first[0]], surface.particles()[first[1]], surface.particles()[first[2]]}),
      mesh.triangles[0]);
}

TEST(Surface, AMoebiusBandIsOneSidedWithItsNormalsReversedAlongOneSeam) {
  const ClothMesh mesh = band(40, 1);
  const Surface surface(mesh);
  EXPECT_EQ(surface.particles().size(), mesh.positions.size() + 2)
      << "the two particles of one seam edge twice";
  EXPECT_EQ(std::count(surface.two_sided().begin(), surface.two_sided().end(), 0),
            static_cast<std::ptrdiff_t>(surface.particles().size()));
  expect_normals_agree_with_triangles(surface, mesh);
}

TEST(Surface, AFullTwistHasTwoSides) {
  const ClothMesh mesh = band(60, 2);
  const Surface surface(mesh);
  EXPECT_EQ(surface.particles().size(), mesh.positions.size());
  expect_normals_agree_with_triangles(surface, mesh);
}

TEST(Surface, SheetsThatMeetInANonManifoldEdgeKeepTheirOwnNormals) {
  ClothMesh mesh;  // a cross of four triangles on one edge
  mesh.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}};
  const Surface surface(mesh);
  EXPECT_EQ(surface.particles().size(), 12u);
  const auto normals = normals_of(surface, mesh);
  for (const Triangle& t : surface.triangles()) {
    EXPECT_EQ(normals[t[0]], normals[t[1]]);
    EXPECT_EQ(normals[t[0]], normals[t[2]]);
  }
}

TEST(Surface, DegenerateAndUnfiniteTrianglesGiveZeroOrUnitNormals) {
  ClothMesh mesh = band(8, 0);
  mesh.positions.push_back({5, 5, 5});
  mesh.positions.push_back({6, 6, 6});
  mesh.triangles.push_back({16, 17, 16});
  auto positions = as_floats(mesh);
  positions[3].x = std::numeric_limits<float>::quiet_NaN();
  positions[8].y = std::numeric_limits<float>::infinity();
  const Surface surface(mesh);
  std::vector<glm::vec3> normals;
  surface.normals(positions, normals);
  ASSERT_EQ(normals.size(), surface.particles().size());
  for (const glm::vec3& n : normals) {
    const float length = glm::length(n);
    EXPECT_TRUE(length == 0 || std::abs(length - 1) < 1e-5f) << length;
  }
}

TEST(Surface, AMeshWithoutTrianglesHasNoSurface) {
  ClothMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}};
  mesh.stretch_springs = {{0, 1}};
  const Surface surface(mesh);
  EXPECT_TRUE(surface.triangles().empty());
  EXPECT_TRUE(normals_of(surface, mesh).empty());
  EXPECT_TRUE(Surface(ClothMesh{}).triangles().empty());
}

}  // namespace
}  // namespace clothlab
