// SPDX-License-Identifier: MIT
// Distances from triangles, and the surface of a mesh, against brute force.

#include "collide/triangle_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <random>
#include <vector>

#include "collide/feature_pair.h"
#include "collide/mesh_body.h"
#include "core/error.h"

namespace clothlab::test {
namespace {

struct Dice {
  std::mt19937_64 engine{7};
  double in(double low, double high) { return std::uniform_real_distribution(low, high)(engine); }
  vec3 point(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
};

// Convexity: a point of the triangle is nearest exactly where no corner lies further on the side of p, that
// is (p − q)·(corner − q) ≤ 0 for all three. Whole numbers make corners that coincide, lines and points
// within the plane, where the sign is decided by few bits.
TEST(ClosestPoint, NoCornerLiesFurtherTowardsThePoint) {
  Dice dice;
  for (int k = 0; k < 200'000; ++k) {
    const bool degenerate = k % 2 == 1;
    const auto draw = [&] { return degenerate ? glm::round(dice.point(2)) : dice.point(1); };
    const vec3 p = draw(), a = draw(), b = draw(), c = draw();
    const vec3 at = closest_on_triangle(p, a, b, c);
    ASSERT_GE(std::min({at.x, at.y, at.z}), 0);
    ASSERT_NEAR(at.x + at.y + at.z, 1, 1e-12);
    const vec3 q = at.x * a + at.y * b + at.z * c;
    for (const vec3& corner : {a, b, c}) ASSERT_LE(glm::dot(p - q, corner - q), 1e-9) << k;
  }
}

double nearest_of_all(const TriangleSurface& surface, const vec3& x) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [a, b, c] : surface.triangles()) {
    const auto& p = surface.positions();
    const vec3 w = closest_on_triangle(x, p[a], p[b], p[c]);
    least = std::min(least, glm::distance(x, w.x * p[a] + w.y * p[b] + w.z * p[c]));
  }
  return least;
}

bool is_in_angle(const vec3& x) {
  return std::min({x.x, x.y, x.z}) > 0 && x.z < 1 && x.x < 2 && x.y < 2 && std::min(x.x, x.y) < 1;
}

// In a grid of places, with those in the planes of faces, and at random: which side a point is on is decided
// at faces, edges (one of them re-entrant) and corners.
TEST(TriangleSurface, HasItsDistanceAndSide) {
  auto [corners, triangles] = angle_mesh();
  const TriangleSurface surface(corners, triangles);
  ASSERT_EQ(surface.closed_parts(), 1U);
  std::vector<TriangleSurface::Triangle> inside_out = triangles;
  for (TriangleSurface::Triangle& t : inside_out) std::swap(t[1], t[2]);
  const TriangleSurface turned_out(corners, inside_out);
  Dice dice;
  std::vector<vec3> places;
  for (int i = -4; i <= 12; ++i)
    for (int j = -4; j <= 12; ++j)
      for (int k = -4; k <= 8; ++k) places.push_back(vec3(i, j, k) / 4.0);
  for (int k = 0; k < 5000; ++k) places.push_back(vec3(1, 1, 0.5) + dice.point(1.5));
  for (const vec3& x : places) {
    const SurfacePoint place = surface.closest_point(x);
    const double distance = nearest_of_all(surface, x);
    ASSERT_NEAR(std::abs(place.height), distance, 1e-15);
    if (distance > 0) {
      ASSERT_EQ(place.height < 0, is_in_angle(x)) << x.x << " " << x.y << " " << x.z;
    }
    ASSERT_NEAR(glm::length(place.normal), 1, 1e-14);
    // One height down along the normal is the surface.
    ASSERT_LT(nearest_of_all(surface, x - place.height * place.normal), 1e-14);
    ASSERT_EQ(turned_out.closest_point(x).height, place.height);
    ASSERT_LT(glm::distance(turned_out.closest_point(x).normal, place.normal), 1e-14);
  }
  EXPECT_EQ(surface.rounding(), 1e-3 * 3);
}

TEST(TriangleSurface, OfAnOpenMeshHasTwoSides) {
  const TriangleSurface sheet({{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}, {{0, 1, 2}, {0, 2, 3}});
  EXPECT_EQ(sheet.closed_parts(), 0U);
  Dice dice;
  for (int k = 0; k < 1000; ++k) {
    const vec3 x = vec3(0.5, 0, 0.5) + dice.point(1);
    const SurfacePoint place = sheet.closest_point(x);
    ASSERT_NEAR(place.height, nearest_of_all(sheet, x), 1e-15);
    ASSERT_GE(place.normal.y * x.y, 0);
    ASSERT_LT(nearest_of_all(sheet, x - place.height * place.normal), 1e-14);
  }
}

TEST(TriangleSurface, CountsEachOpenEdgeOnce) {
  const std::vector<vec3> corners{{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}, {0, -1, 0}};
  EXPECT_EQ(TriangleSurface(corners, {{0, 1, 2}, {0, 2, 3}}).open_edges(), 4U);
  // Three triangles at one edge, and the other two edges of each.
  EXPECT_EQ(TriangleSurface(corners, {{0, 3, 1}, {0, 3, 4}, {0, 3, 5}}).open_edges(), 7U);
  EXPECT_EQ(TriangleSurface(angle_mesh().first, angle_mesh().second).open_edges(), 0U);
}

// A closed body, one inside out, and a sheet in one file.
TEST(TriangleSurface, OfSeveralPartsHasTheSidesOfEach) {
  auto [corners, triangles] = angle_mesh();
  const auto own = static_cast<std::uint32_t>(corners.size());
  for (std::uint32_t i = 0; i < own; ++i) corners.push_back(corners[i] + vec3(5, 0, 0));
  for (std::size_t k = 0, count = triangles.size(); k < count; ++k)
    triangles.push_back({own + triangles[k][0], own + triangles[k][2], own + triangles[k][1]});
  for (const vec3& x : {vec3(-5, 0, 0), vec3(-4, 0, 0), vec3(-5, 0, 1)}) corners.push_back(x);
  triangles.push_back({2 * own, 2 * own + 1, 2 * own + 2});
  const TriangleSurface surface(corners, triangles);
  EXPECT_EQ(surface.parts(), 3U);
  EXPECT_EQ(surface.closed_parts(), 2U);
  Dice dice;
  for (int k = 0; k < 5000; ++k) {
    const vec3 x = vec3(0.5, 0.5, 0.5) + dice.point(6);
    ASSERT_EQ(surface.closest_point(x).height < 0, is_in_angle(x) || is_in_angle(x - vec3(5, 0, 0)));
  }
  EXPECT_GT(surface.closest_point(vec3(-4.8, -0.1, 0.2)).height, 0);
}

/// By the share of the line and of two edges at which it meets the plane.
bool is_crossed_by_division(const TriangleSurface& surface, const vec3& from, const vec3& to) {
  return std::ranges::any_of(surface.triangles(), [&](const TriangleSurface::Triangle& t) {
    const vec3 &a = surface.positions()[t[0]], e = surface.positions()[t[1]] - a,
               f = surface.positions()[t[2]] - a, p = glm::cross(to - from, f), s = from - a,
               q = glm::cross(s, e);
    const double by = 1 / glm::dot(e, p), u = by * glm::dot(s, p), v = by * glm::dot(to - from, q),
                 share = by * glm::dot(f, q);
    return u >= 0 && v >= 0 && u + v <= 1 && share >= 0 && share <= 1;
  });
}

TEST(TriangleSurface, IsCrossedByLinesThroughIt) {
  auto [corners, triangles] = angle_mesh();
  const TriangleSurface surface(corners, triangles);
  Dice dice;
  int crossed = 0;
  for (int k = 0; k < 20'000; ++k) {
    const vec3 from = vec3(1, 1, 0.5) + dice.point(1.5), to = vec3(1, 1, 0.5) + dice.point(1.5);
    const bool is_crossed = surface.is_crossed(from, to);
    ASSERT_EQ(is_crossed, is_crossed_by_division(surface, from, to)) << k;
    ASSERT_EQ(is_crossed, surface.is_crossed(to, from));
    if (is_in_angle(from) != is_in_angle(to)) {
      ASSERT_TRUE(is_crossed) << k;
    }
    crossed += is_crossed ? 1 : 0;
  }
  EXPECT_GT(crossed, 4000);
  EXPECT_LT(crossed, 16'000);
  // Exactly through edges and corners, the re-entrant ones included.
  for (const vec3& at : {vec3(0, 0, 0.5), vec3(1, 1, 0.5), vec3(0, 0, 0), vec3(2, 1, 1), vec3(0.5, 0.5, 1)}) {
    const vec3 way(0.125, 0.25, at.z == 0.5 ? 0 : 0.5);
    EXPECT_TRUE(surface.is_crossed(at - way, at + way)) << at.x << " " << at.y << " " << at.z;
  }
  EXPECT_FALSE(surface.is_crossed(vec3(1.5, 1.5, -1), vec3(1.5, 1.5, 2))) << "past the notch";
}

TEST(TriangleSurface, NeedsTrianglesWithAnArea) {
  EXPECT_THROW(TriangleSurface({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}), InputError);
  EXPECT_THROW(TriangleSurface({}, {}), InputError);
  EXPECT_THROW(TriangleSurface({{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}}, {{0, 1, 2}}), InputError);
  const TriangleSurface one({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {5, 0, 0}}, {{0, 1, 3}, {0, 1, 2}, {1, 1, 2}});
  EXPECT_EQ(one.triangles().size(), 1U);
}

}  // namespace
}  // namespace clothlab::test
