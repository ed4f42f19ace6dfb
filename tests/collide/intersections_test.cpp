// SPDX-License-Identifier: MIT
// Triangles that intersect, found by trees and rounded arithmetic.

#include "collide/intersections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "collide/distances.h"
#include "collide/exact.h"
#include "collide/obstacle.h"
#include "core/worker_pool.h"

namespace clothlab::test {
namespace {

using Triangle = TriangleTree::Triangle;
using Pairs = std::vector<TrianglePair>;

struct Surface {
  std::vector<vec3> x;
  std::vector<Triangle> triangles;
};

// A sheet of n × n cells in the unit square, where rise(u, v) is its height.
template <class Rise>
Surface sheet(std::uint32_t n, const Rise& rise) {
  Surface made;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j) {
      const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
      made.x.emplace_back(u, rise(u, v), v);
    }
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t at = i * (n + 1) + j;
      made.triangles.push_back({at, at + 1, at + n + 1});
      made.triangles.push_back({at + 1, at + n + 2, at + n + 1});
    }
  return made;
}

Pairs within(const Surface& cloth, int threads = 1) {
  WorkerPool pool(threads);
  return intersecting_triangles(pool, cloth.triangles, cloth.x);
}

Pairs between(const Surface& cloth, const Surface& other, int threads = 1) {
  WorkerPool pool(threads);
  return intersecting_triangles(pool, cloth.triangles, cloth.x, other.triangles, other.x);
}

const Surface kLevel{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 2}}};

TEST(Intersections, AreThoseOfTwoTriangles) {
  const auto meets = [](const vec3& a, const vec3& b, const vec3& c) {
    return !between(kLevel, {{a, b, c}, {{0, 1, 2}}}).empty();
  };
  EXPECT_TRUE(meets({0.2, -1, 0.2}, {0.2, 1, 0.2}, {3, 1, 3}));        // an edge pierces it
  EXPECT_TRUE(meets({-1, -1, 0.2}, {3, -1, 0.2}, {0.2, 1, 0.2}));      // it is pierced by the other's edges
  EXPECT_FALSE(meets({0.6, -1, 0.6}, {0.6, 1, 0.6}, {3, 1, 3}));       // beside it
  EXPECT_FALSE(meets({0.2, 1e-12, 0.2}, {0.2, 1, 0.2}, {3, 1, 3}));    // just above
  EXPECT_TRUE(meets({0.2, 0, 0.2}, {0.2, 1, 0.2}, {3, 1, 3}));         // a corner touches the face
  EXPECT_TRUE(meets({0.5, 0, -1}, {0.5, 0, 2}, {3, 1, 0}));            // an edge lies across
  EXPECT_TRUE(meets({1, 0, 0}, {2, 1, 0}, {2, -1, 0}));                // corner on corner
  EXPECT_TRUE(meets({0.1, 0, 0.1}, {0.3, 0, 0.1}, {0.1, 0, 0.3}));     // in its plane: within
  EXPECT_TRUE(meets({-5, 0, -5}, {9, 0, -5}, {-5, 0, 9}));             // around it
  EXPECT_TRUE(meets({-1, 0, 0.3}, {0.3, 0, 0.3}, {-1, 0, 0.6}));       // across an edge
  EXPECT_FALSE(meets({0.6, 0, 0.6}, {1, 0, 0.6}, {0.6, 0, 1}));        // beside it, the boxes overlap
  EXPECT_FALSE(meets({1e-9, 0, -1e-9}, {1, 0, -1e-9}, {0.5, 0, -1}));  // by little
  EXPECT_TRUE(
      meets({0.25, -1, 0.25}, {0.25, 1, 0.25}, {0.25, 3, 0.25}));  // without area: a line that pierces
}

// Where two triangles share a corner they meet; that is no intersection, what lies opposite may be one.
TEST(Intersections, OfNeighboursAreThoseOfWhatTheyDoNotShare) {
  Surface two{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 0, -1}}, {{0, 1, 2}, {0, 3, 4}}};
  EXPECT_TRUE(within(two).empty());
  two.x[3] = {1, 1, 1};  // its side opposite to the shared corner pierces the other
  two.x[4] = {-0.5, -1, -0.5};
  EXPECT_EQ(within(two), (Pairs{{0, 1}}));
  const Surface folded{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.1, 0, 0.1}}, {{0, 1, 2}, {0, 1, 3}}};
  EXPECT_TRUE(within(folded).empty());  // two corners shared: an edge of the cloth
}

TEST(Intersections, AreNoneInSheetsThatLieFlatOrRoll) {
  for (const double size : {1e-9, 1.0, 1e6})
    for (const double shift : {0.0, 1e3}) {
      Surface flat = sheet(30, [](double, double) { return 0.0; });
      Surface wave = sheet(30, [](double u, double v) { return 0.2 * std::sin(9 * u + 2 * v); });
      for (Surface* cloth : {&flat, &wave}) {
        for (vec3& x : cloth->x)
          x = size * (vec3(0.3, 0.8, 0.1) * x.x + vec3(-0.7, 0.2, 0.4) * x.z + vec3(0.1, -0.3, 0.9) * x.y +
                      vec3(shift));
        EXPECT_TRUE(within(*cloth).empty()) << size << " " << shift;
      }
    }
}

// Against all pairs, and with the same result for any number of threads.
TEST(Intersections, AreThoseOfAllPairs) {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> dice(-0.2, 0.2);
  const Surface cloth = sheet(16, [&](double, double) { return dice(engine); });
  Surface crumpled = cloth;
  for (vec3& x : crumpled.x) x += vec3(dice(engine), dice(engine), dice(engine)) / 2.0;
  Pairs own, across;
  for (std::uint32_t i = 0; i < crumpled.triangles.size(); ++i)
    for (std::uint32_t j = 0; j < cloth.triangles.size(); ++j) {
      const auto corners = [](const Surface& of, std::uint32_t t) {
        const auto [a, b, c] = of.triangles[t];
        return std::vector{of.x[a], of.x[b], of.x[c]};
      };
      if (!surely_apart(corners(crumpled, i), corners(cloth, j))) across.push_back({i, j});
      const Surface pair{crumpled.x, {crumpled.triangles[i], crumpled.triangles[j]}};
      if (i < j && !within(pair).empty()) own.push_back({i, j});
    }
  EXPECT_EQ(exact_intersections(crumpled.triangles, crumpled.x), own.size());
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = vec3(0);
  body.mesh.surface = std::make_shared<const TriangleSurface>(cloth.x, cloth.triangles);
  EXPECT_EQ(exact_intersections(crumpled.triangles, crumpled.x, {&body, 1}), own.size() + across.size());
  EXPECT_GT(own.size(), 100U);
  EXPECT_GT(across.size(), 100U);
  for (const int threads : {1, 2, 4}) {
    EXPECT_EQ(within(crumpled, threads), own);
    EXPECT_EQ(between(crumpled, cloth, threads), across);
  }
}

using Corners = std::array<vec3, 3>;

struct CornerDice {
  std::mt19937_64 engine{11};
  double in(double low, double high) { return std::uniform_real_distribution(low, high)(engine); }
  vec3 point(double size = 1) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  Corners corners() { return {point(), point(), point()}; }
};

TEST(Intersections, OfRandomTrianglesAreExact) {
  CornerDice dice;
  int met = 0;
  for (int k = 0; k < 10'000; ++k) {
    Corners a = dice.corners(), b = dice.corners();
    const double scale = std::pow(10.0, dice.in(-9, 6));
    const vec3 shift = dice.point(std::pow(10.0, dice.in(-2, 3)));
    for (Corners* corners : {&a, &b})
      for (vec3& x : *corners) x = scale * (x + shift);
    const bool meet = triangles_meet(a, b);
    met += meet;
    ASSERT_EQ(!surely_apart(a, b), meet) << k;
  }
  EXPECT_GT(met, 1000);
}

// What meets is never missed. What does not, and is taken for it, is as near as rounding: in the mean not
// even once in a hundred of these.
TEST(Intersections, OfDegenerateTrianglesAreNotMissed) {
  CornerDice dice;
  int met = 0, mistaken = 0;
  double farthest = 0;
  for (int k = 0; k < 1000; ++k) {
    Corners a = dice.corners(), b = dice.corners();
    switch (k % 5) {
      case 0: {  // in one plane, to rounding
        const vec3 u = dice.point(), v = dice.point(), at = dice.point();
        for (Corners* corners : {&a, &b})
          for (vec3& x : *corners) x = at + x.x * u + x.y * v;
        break;
      }
      case 1:  // in one plane
        for (Corners* corners : {&a, &b})
          for (vec3& x : *corners) x.y = 0.25;
        break;
      case 2:  // a corner in the other's plane, to rounding, perhaps at its edge
        b[0] = a[0] + dice.in(0, 1) * (a[1] - a[0]) + (k % 2 == 0 ? 0 : dice.in(0, 0.5)) * (a[2] - a[0]);
        break;
      case 3:  // corner on corner
        b[0] = a[0];
        break;
      case 4:  // slivers
        a[2] = a[0] + dice.in(-0.5, 1.5) * (a[1] - a[0]) + dice.point(1e-9);
        b[2] = b[0] + dice.in(-0.5, 1.5) * (b[1] - b[0]) + dice.point(k % 2 == 0 ? 0 : 1e-14);
        b[1] += 1e-12 * (a[0] + a[1] - b[0] - b[1]);
        break;
    }
    const bool meet = triangles_meet(a, b), found = !surely_apart(a, b);
    met += meet;
    ASSERT_TRUE(found || !meet) << k;
    if (found && !meet) {
      ++mistaken;
      farthest = std::max(farthest, between_triangles(a, b));
    }
  }
  EXPECT_GT(met, 300);
  EXPECT_GT(mistaken, 0);
  EXPECT_LT(farthest, 1e-15);
}

}  // namespace
}  // namespace clothlab::test
