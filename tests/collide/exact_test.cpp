// SPDX-License-Identifier: MIT
// The exact answers of the tests themselves: by hand, and beside distances on the way.

#include "collide/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "collide/distances.h"

namespace clothlab::test {
namespace {

TEST(Exact, SegmentsAndTrianglesByHand) {
  const std::array<vec3, 3> face{vec3(0), {1, 0, 0}, {0, 0, 1}};
  const auto meets = [&](const vec3& p, const vec3& q) { return segment_meets_triangle({p, q}, face); };
  EXPECT_TRUE(meets({0.2, -1, 0.2}, {0.2, 1, 0.2}));
  EXPECT_FALSE(meets({0.2, 1e-300, 0.2}, {0.2, 1, 0.2}));
  EXPECT_TRUE(meets({0.2, 0, 0.2}, {0.2, 1, 0.2}));
  EXPECT_TRUE(meets({0.5, -1, 0.5}, {0.5, 1, 0.5}));  // in the edge
  EXPECT_FALSE(meets({0.5, -1, std::nextafter(0.5, 1)}, {0.5, 1, std::nextafter(0.5, 1)}));
  EXPECT_TRUE(meets({1, -1, 0}, {1, 1, 0}));  // at a corner
  EXPECT_TRUE(meets({-1, 0, 0.1}, {2, 0, 0.1}));
  EXPECT_TRUE(meets({0.1, 0, 0.1}, {0.2, 0, 0.1}));  // within
  EXPECT_FALSE(meets({0.6, 0, 0.6}, {2, 0, 0.1}));
  EXPECT_TRUE(meets({-1, 0, 0}, {0, 0, 0}));
  EXPECT_FALSE(meets({-1, 0, 0}, {-5e-324, 0, 0}));
  EXPECT_TRUE(meets({0.2, 0, 0.2}, {0.2, 0, 0.2}));  // a point
  const std::array<vec3, 3> line{vec3(0), {1, 1, 1}, {3, 3, 3}}, point{vec3(1), vec3(1), vec3(1)};
  EXPECT_TRUE(segment_meets_triangle({vec3(2, 2, 0), vec3(2, 2, 5)}, line));
  EXPECT_FALSE(segment_meets_triangle({vec3(2, 2, 0), vec3(2, 2, 1)}, line));
  EXPECT_TRUE(triangles_meet(point, line));
  EXPECT_FALSE(triangles_meet(point, face));
  EXPECT_TRUE(triangles_meet({vec3(-5, 0, -5), {9, 0, -5}, {-5, 0, 9}}, face));  // around it
  EXPECT_FALSE(triangles_meet({vec3(-5, 0, -5), {9, 0, -5}, {9, 0, -1}}, face));
}

TEST(Exact, WaysByHand) {
  const Four still{};
  const Four below{vec3(0.25, -1, 0.25), {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  EXPECT_FALSE(vertex_meets_face(below, still));
  EXPECT_TRUE(vertex_meets_face(below, {vec3(0, 1, 0), {}, {}, {}}));
  EXPECT_FALSE(vertex_meets_face(below, {vec3(0, std::nextafter(1, 0), 0), {}, {}, {}}));
  EXPECT_TRUE(vertex_meets_face(below, {vec3(0, 1e300, 0), {}, {}, {}}));
  EXPECT_FALSE(vertex_meets_face(below, {vec3(0, 9, 0), vec3(0, 9, 0), vec3(0, 9, 0), vec3(0, 9, 0)}));
  // In its plane when the face has gone on.
  EXPECT_FALSE(vertex_meets_face(below, {vec3(0, 4, 0), {8, 0, 0}, {8, 0, 0}, {8, 0, 0}}));
  // In the plane: past it, and over its corner.
  const Four beside{vec3(-1, 0, 0.5), {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  EXPECT_TRUE(vertex_meets_face(beside, {vec3(9, 0, 0), {}, {}, {}}));
  EXPECT_FALSE(vertex_meets_face(beside, {vec3(0, 0, 9), {}, {}, {}}));
  EXPECT_TRUE(vertex_meets_face(beside, {vec3(2, 0, 1), {}, {}, {}}));
  EXPECT_FALSE(vertex_meets_face(beside, {vec3(2, 0, std::nextafter(1, 2)), {}, {}, {}}));

  const Four crossed{vec3(-1, 0, 0), {1, 0, 0}, {0, 1, -1}, {0, 1, 1}};
  EXPECT_FALSE(edges_meet(crossed, still));
  EXPECT_TRUE(edges_meet(crossed, {vec3(0, 1, 0), {0, 1, 0}, {}, {}}));
  EXPECT_FALSE(edges_meet(crossed, {vec3(0, 0.5, 0), {0, 0.5, 0}, {}, {}}));
  const Four parallel{vec3(0, 0, 0), {1, 0, 0}, {0.5, 1, 0}, {2, 1, 0}};
  EXPECT_TRUE(edges_meet(parallel, {vec3(0, 2, 0), {0, 2, 0}, {}, {}}));
  EXPECT_FALSE(edges_meet(parallel, {vec3(0, 2, 1), {0, 2, 1}, {}, {}}));
  EXPECT_FALSE(edges_meet(parallel, {vec3(0, 1, 0), {0, 1, 0}, {1, 0, 0}, {1, 0, 0}}));
  EXPECT_TRUE(edges_meet(parallel, {vec3(0, 1, 0), {0, 1, 0}, {0.5, 0, 0}, {0.5, 0, 0}}));
}

// The least distance on the way: the least of many, and of those between its neighbours.
template <class Distance>
double least_on_the_way(const Four& x, const Four& way, const Distance& distance) {
  const auto at = [&](double t) {
    Four moved = x;
    for (std::size_t k = 0; k < 4; ++k) moved[k] += t * way[k];
    return distance(moved);
  };
  double best = 0, least = at(0), reach = 1.0 / 64;
  for (int round = 0; round < 9; ++round, reach /= 6) {
    const double middle = round == 0 ? 0.5 : best;
    for (int k = -32; k <= 32; ++k) {
      const double t = std::clamp(middle + k * reach, 0.0, 1.0);
      if (const double now = at(t); now < least) {
        least = now;
        best = t;
      }
    }
  }
  return least;
}

// Small whole numbers: a third of what meets does so at a corner, in a plane or along a line.
TEST(Exact, MeetingsAreWhereTheDistanceIsZero) {
  std::mt19937_64 engine(3);
  std::uniform_int_distribution<int> dice(-2, 2);
  const auto draw = [&] {
    Four points;
    for (vec3& x : points) x = vec3(dice(engine), dice(engine), dice(engine));
    return points;
  };
  int met = 0;
  for (int k = 0; k < 1500; ++k) {
    const Four x = draw();
    Four way = draw();
    if (k % 5 == 0) way[1] = way[2] = way[3] = way[0];
    if (k % 7 == 0) way[3] = way[2] = vec3(0);
    const bool vertex = vertex_meets_face(x, way), edges = edges_meet(x, way);
    const double of_vertex = least_on_the_way(x, way, from_face),
                 of_edges = least_on_the_way(x, way, between_segments);
    EXPECT_EQ(vertex, of_vertex < 1e-4) << k << ": " << of_vertex;
    EXPECT_EQ(edges, of_edges < 1e-4) << k << ": " << of_edges;
    met += vertex + edges;
  }
  EXPECT_GT(met, 300);
}

}  // namespace
}  // namespace clothlab::test
