// SPDX-License-Identifier: MIT
#include "mesh/triangulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <random>

namespace clothlab {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Triangles triangulate(const std::vector<vec3>& polygon) {
  Triangulator triangulator;
  const auto triangles = triangulator.triangulate(polygon);
  return {triangles.begin(), triangles.end()};
}

vec3 doubled_area(const vec3& a, const vec3& b, const vec3& c) { return glm::cross(b - a, c - a); }

/// n − 2 triangles that all face the way the polygon does and whose areas add up to the polygon's: then
/// they cover it and none overlaps another.
void expect_exact_cover(const std::vector<vec3>& polygon, double tolerance = 1e-12) {
  vec3 total(0);
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
    total += doubled_area(polygon[0], polygon[i], polygon[i + 1]);
  const double area = glm::length(total);
  const Triangles triangles = triangulate(polygon);
  EXPECT_EQ(triangles.size(), polygon.size() - 2);
  double sum = 0;
  for (const auto& t : triangles) {
    const double along = glm::dot(doubled_area(polygon[t[0]], polygon[t[1]], polygon[t[2]]), total) / area;
    EXPECT_GE(along, -tolerance * area);
    sum += std::abs(along);
  }
  EXPECT_NEAR(sum, area, tolerance * area);
}

double least_area(const std::vector<vec3>& polygon) {
  double least = 1e300;
  for (const auto& t : triangulate(polygon))
    least = std::min(least, glm::length(doubled_area(polygon[t[0]], polygon[t[1]], polygon[t[2]])));
  return least;
}

TEST(Triangulate, ConvexPolygonsAreFansOfTheirFirstCorner) {
  EXPECT_EQ(triangulate({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), (Triangles{{0, 1, 2}}));
  EXPECT_EQ(triangulate({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}), (Triangles{{0, 1, 2}, {0, 2, 3}}));
  std::vector<vec3> hexagon;
  for (int i = 0; i < 6; ++i) hexagon.emplace_back(std::cos(i * 1.05), 3, std::sin(i * 1.05));
  EXPECT_EQ(triangulate(hexagon), (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}));
}

TEST(Triangulate, AConcaveQuadIsCutAtItsInnerCorner) {
  // The fan of corner 0 would lie outside.
  expect_exact_cover({{0, 0, 0}, {2, 0, 0}, {0.5, 0.5, 0}, {0, 2, 0}});
  expect_exact_cover({{2, 0, 0}, {0.5, 0.5, 0}, {0, 2, 0}, {0, 0, 0}});
  expect_exact_cover({{0.5, 0.5, 0}, {0, 2, 0}, {0, 0, 0}, {2, 0, 0}});
}

TEST(Triangulate, ConcavePolygonsInAnyPlaneOfAnySizeAndOrientation) {
  std::vector<vec3> comb{{0, 0, 0}};  // a comb with 20 teeth
  for (int i = 0; i < 20; ++i) comb.emplace_back(i + 0.5, -3, 0), comb.emplace_back(i + 1, 0, 0);
  comb.emplace_back(20, 1, 0), comb.emplace_back(0, 1, 0);
  std::vector<vec3> spiral;
  for (int i = 0; i <= 40; ++i)
    spiral.emplace_back((1 + i) * std::cos(i * 0.3), (1 + i) * std::sin(i * 0.3), 0);
  for (int i = 40; i >= 0; --i)
    spiral.emplace_back((1.5 + i) * std::cos(i * 0.3), (1.5 + i) * std::sin(i * 0.3), 0);
  const std::vector<vec3> ell{{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  for (const auto& flat : {comb, spiral, ell})
    for (const vec3& normal : {vec3(0, 0, 1), vec3(0, 1, 0), vec3(-1, 0, 0), vec3(1, 2, 3), vec3(-3, 1, 0.1)})
      for (const double size : {1.0, 1e-150, 1e140}) {
        const vec3 n = glm::normalize(normal);
        const vec3 u = glm::normalize(glm::cross(n, vec3(0.3, 0.5, -0.8))), v = glm::cross(n, u);
        std::vector<vec3> polygon;
        for (const vec3& p : flat) polygon.push_back(size * (p.x * u + p.y * v));
        if (size == 1) expect_exact_cover(polygon);
        std::vector<vec3> unit;
        for (const vec3& p : flat) unit.push_back(p.x * u + p.y * v);
        EXPECT_EQ(triangulate(polygon), triangulate(unit)) << "size " << size;
        std::reverse(unit.begin(), unit.end());
        expect_exact_cover(unit);
      }
}

TEST(Triangulate, RandomStarShapedPolygons) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> radius(0.05, 1), shift(-100, 100);
  for (int round = 0; round < 300; ++round) {
    const int n = 4 + round % 60;
    const vec3 centre(shift(random), shift(random), shift(random));
    std::vector<vec3> polygon;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n, r = radius(random);
      polygon.push_back(centre +
                        r * vec3(std::cos(angle), 0.5 * std::cos(angle) + std::sin(angle), std::sin(angle)));
    }
    expect_exact_cover(polygon, 1e-9);  // the shift costs four digits
  }
}

TEST(Triangulate, CornersOnAStraightEdgeGetNoFlatTriangle) {
  EXPECT_GT(least_area({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}}), 0.5);
  EXPECT_GT(least_area({{1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 0}}), 0.5);
  // The same on a slanted plane, where the projection rounds.
  const vec3 u(1, 0.3, 0.7), v(-0.2, 1.1, 0.4);
  EXPECT_GT(least_area({0.0 * u, 0.1 * u, 0.3 * u, 0.7 * u, 0.7 * u + v, v}), 1e-3);
  // Every edge of a triangle with a corner in its middle.
  EXPECT_GT(least_area({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {0, 1, 0}}), 0.5);
}

TEST(Triangulate, APolygonWithAHoleOnABridge) {
  expect_exact_cover({{0, 0, 0},
                      {3, 0, 0},
                      {3, 3, 0},
                      {0, 3, 0},
                      {0, 0, 0},
                      {1, 1, 0},
                      {1, 2, 0},
                      {2, 2, 0},
                      {2, 1, 0},
                      {1, 1, 0}});
}

TEST(Triangulate, DegenerateAndCrossingPolygonsStillGiveTriangles) {
  const vec3 o(0), a(1, 0, 0), b(1, 1, 0), c(0, 1, 0);
  EXPECT_EQ(triangulate({o, b, a, c}).size(), 2u);  // a bow tie
  EXPECT_EQ(triangulate({o, o, o, o, o}).size(), 3u);
  EXPECT_EQ(triangulate({o, a, o, a, o}).size(), 3u);
  EXPECT_EQ(triangulate({o, a, 2.0 * a, 3.0 * a}).size(), 2u);
  EXPECT_EQ(triangulate({o, a, b, c, o, a, b, c}).size(), 6u);  // twice around
}

}  // namespace
}  // namespace clothlab
