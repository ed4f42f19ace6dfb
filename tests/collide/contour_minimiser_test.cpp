// SPDX-License-Identifier: MIT
// Intersections that small displacements along their contours resolve, counted in exact arithmetic.

#include "collide/contour_minimiser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "collide/exact.h"
#include "collide/mesh_body.h"
#include "one_thread.h"

namespace clothlab::test {
namespace {

using Triangle = TriangleTree::Triangle;

struct Sheets {
  std::vector<vec3> x;
  std::vector<Triangle> triangles;

  // n × m cells, with the point at(u, v) for u and v from 0 to 1.
  void add(std::uint32_t n, std::uint32_t m, const std::function<vec3(double, double)>& at) {
    const auto first = static_cast<std::uint32_t>(x.size());
    for (std::uint32_t i = 0; i <= n; ++i)
      for (std::uint32_t j = 0; j <= m; ++j)
        x.push_back(at(static_cast<double>(i) / n, static_cast<double>(j) / m));
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < m; ++j) {
        const std::uint32_t a = first + i * (m + 1) + j;
        triangles.push_back({a, a + 1, a + m + 1});
        triangles.push_back({a + 1, a + m + 2, a + m + 1});
      }
  }
};

// A level sheet with edges of 5 cm, to which `at` adds another one.
Sheets level_and(std::uint32_t n, std::uint32_t m, const std::function<vec3(double, double)>& at) {
  Sheets sheets;
  sheets.add(20, 20, [](double u, double v) { return vec3(u - 0.5, 0, v - 0.5); });
  sheets.add(n, m, at);
  return sheets;
}

struct Result {
  int passes = 0;
  double moved = 0;  // the farthest particle [m]
};

Result resolve(Sheets& sheets, int most_passes, std::span<const Obstacle* const> bodies = {},
               const Projection& pins = {}, int threads = 1) {
  const std::vector<vec3> before = sheets.x;
  const std::vector<double> masses(sheets.x.size(), 0.01);
  WorkerPool pool(threads);
  ContourMinimiser minimiser;
  Result result;
  while (result.passes < most_passes &&
         minimiser.shorten(pool, {sheets.triangles, masses, pins}, bodies, 0.002, sheets.x) > 0)
    ++result.passes;
  for (std::size_t i = 0; i < before.size(); ++i)
    result.moved = std::max(result.moved, glm::distance(before[i], sheets.x[i]));
  return result;
}

std::size_t crossings(const Sheets& sheets, std::span<const Obstacle> bodies = {}) {
  return exact_intersections(sheets.triangles, sheets.x, bodies);
}

TEST(ContourMinimiser, ResolvesShallowIntersections) {
  struct Case {
    const char* name;
    Sheets sheets;
    int passes;
    double moved;
  };
  const auto bump = [](double u, double v) {
    const double a = u - 0.5, b = v - 0.5;
    return vec3(0.9 * a, 0.02 - 0.024 * std::exp(-(a * a + b * b) / 0.02), 0.9 * b);
  };
  const std::vector<Case> cases{
      {"a corner",
       level_and(10, 10,
                 [](double u, double v) {
                   return vec3(0.01 + 0.12 * (u - v), -0.006 + 0.12 * (u + v), 0.01 + 0.02 * (u - v));
                 }),
       20, 0.006},
      {"an edge: a T",
       level_and(
           10, 10,
           [](double u, double v) { return vec3(0.0131 + 0.01 * v, -0.004 + 0.3 * v, -0.2 + 0.4 * u); }),
       50, 0.008},
      {"a bump of 4 mm", level_and(17, 17, bump), 20, 0.004},
      {"waves of 4 mm",
       level_and(17, 17,
                 [](double u, double v) {
                   const double a = u - 0.5, b = v - 0.5;
                   return vec3(0.9 * a, 0.004 * std::cos(15 * a) * std::cos(15 * b), 0.9 * b);
                 }),
       200, 0.012},
      {"two strips across",
       level_and(
           20, 4,
           [](double u, double v) { return vec3(0.9 * u - 0.45, 0.1 * (u - 0.1) * (u - 0.3), 0.1 * v); }),
       100, 0.012},
      {"the same place", level_and(20, 20, [](double u, double v) { return vec3(u - 0.5, 0, v - 0.5); }), 10,
       0.006},
      {"one plane", level_and(20, 20, [](double u, double v) { return vec3(u - 0.51, 0, v - 0.487); }), 10,
       0.006}};
  for (auto [name, sheets, passes, moved] : cases) {
    ASSERT_GT(crossings(sheets), 0U) << name;
    vec3 centre(0);
    for (const vec3& x : sheets.x) centre -= x;
    const Result result = resolve(sheets, passes);
    for (const vec3& x : sheets.x) centre += x;
    EXPECT_EQ(crossings(sheets), 0U) << name << ": " << result.passes;
    EXPECT_LT(result.passes, passes) << name;
    EXPECT_LT(result.moved, moved) << name;
    EXPECT_LT(glm::length(centre), 1e-12) << name << ": equal masses keep their centre";
  }
}

TEST(ContourMinimiser, ResolvesAFoldThroughItself) {
  Sheets sheets;  // bent round; its end dips into its beginning
  sheets.add(40, 10, [](double u, double v) {
    const double angle = 3.2 * 2 * u, radius = 0.2 + 0.004 * std::cos(2 * angle);
    return vec3(radius * std::cos(angle), radius * std::sin(angle), 0.2 * v + 0.013 * u);
  });
  ASSERT_GT(crossings(sheets), 0U);
  EXPECT_LT(resolve(sheets, 200).passes, 200);
  EXPECT_EQ(crossings(sheets), 0U);
}

// Its triangles are larger than the body.
TEST(ContourMinimiser, MovesASheetOffAMesh) {
  std::vector<vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.emplace_back((k & 1) != 0 ? 0.07 : -0.03, (k & 2) != 0 ? 0.004 : -0.1, (k & 4) != 0 ? 0.3 : -0.3);
  std::vector<Triangle> triangles;
  for (const auto& [a, b, c, d] : std::vector<std::array<std::uint32_t, 4>>{
           {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}) {
    triangles.push_back({a, b, c});
    triangles.push_back({a, c, d});
  }
  const std::vector<Obstacle> bodies{mesh_body(TriangleSurface(corners, triangles), vec3(0), 1)};
  const std::array<const Obstacle*, 2> numbered{nullptr, &bodies[0]};
  Sheets sheets;
  sheets.add(4, 4, [](double u, double v) { return vec3(u - 0.5, 0, v - 0.5); });
  ASSERT_GT(crossings(sheets, bodies), 0U);
  EXPECT_LT(resolve(sheets, 400, numbered).passes, 400);
  EXPECT_EQ(crossings(sheets, bodies), 0U);
}

TEST(ContourMinimiser, KeepsPinsAndTheBitsForAnyNumberOfThreads) {
  const auto bump = [](double u, double v) {
    const double a = u - 0.5, b = v - 0.5;
    return vec3(0.9 * a, 0.02 - 0.024 * std::exp(-(a * a + b * b) / 0.02), 0.9 * b);
  };
  const Sheets before = level_and(17, 17, bump);
  Projection pins(before.x.size());
  for (std::uint32_t i = 0; i < 21 * 21; ++i) pins.fix(i, before.x[i]);
  std::vector<vec3> first;
  for (const int threads : {1, 2, 4}) {
    Sheets sheets = before;
    resolve(sheets, 50, {}, pins, threads);
    EXPECT_EQ(crossings(sheets), 0U);
    for (std::uint32_t i = 0; i < 21 * 21; ++i) ASSERT_EQ(sheets.x[i], before.x[i]);
    if (first.empty()) first = sheets.x;
    EXPECT_EQ(sheets.x, first) << threads;
  }
}

TEST(ContourMinimiser, LeavesClothThatIntersectsNothing) {
  Sheets sheets = level_and(10, 10, [](double u, double v) { return vec3(u, 1e-6, v); });
  const std::vector<vec3> before = sheets.x;
  EXPECT_EQ(resolve(sheets, 5).passes, 0);
  EXPECT_EQ(sheets.x, before);
}

}  // namespace
}  // namespace clothlab::test
