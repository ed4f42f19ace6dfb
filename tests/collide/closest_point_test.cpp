// SPDX-License-Identifier: MIT
// Nearest points of features against exact distances. Conservative detection of collisions goes as far as
// the distance says: one that is too large by more than rounding would be a collision that is missed.

#include "collide/feature_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <random>

#include "collide/exact.h"

namespace clothlab::test {
namespace {

using Features = std::array<vec3, 4>;

class FeatureDice {
 public:
  double in(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
  double power(double low, double high) { return std::pow(10, in(low, high)); }
  vec3 point(double size = 1) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  Features features() { return {point(), point(), point(), point()}; }

 private:
  std::mt19937_64 engine_{17};
};

// The first from the others, a triangle.
double found_from_triangle(const Features& x) {
  const vec3 w = closest_on_triangle(x[0], x[1], x[2], x[3]);
  EXPECT_GE(std::min({w.x, w.y, w.z}), 0);
  EXPECT_NEAR(w.x + w.y + w.z, 1, 1e-15);
  return glm::length(w.x * (x[1] - x[0]) + w.y * (x[2] - x[0]) + w.z * (x[3] - x[0]));
}

double found_between_segments(const Features& x) {
  const auto [s, t] = closest_on_segments(x[0], x[1], x[2], x[3]);
  EXPECT_GE(std::min(s, t), 0);
  EXPECT_LE(std::max(s, t), 1);
  return glm::length((x[2] - x[0]) + t * (x[3] - x[2]) - s * (x[1] - x[0]));
}

// Of size 1: anywhere, corners of a grid, slivers and parallel edges to every degree; and all of these so
// that they nearly touch.
TEST(ClosestPoint, DistancesAreExactButForRounding) {
  FeatureDice dice;
  for (int k = 0; k < 20'000; ++k) {
    const bool face = k % 2 == 0;
    Features x = dice.features();
    if (k % 8 >= 4) {
      const double thin = dice.power(-17, -1);
      x[3] = face ? x[1] + dice.in(-1, 2) * (x[2] - x[1]) : x[2] + dice.in(-2, 2) * (x[1] - x[0]);
      x[3] += dice.point(thin);
    }
    if (k % 16 < 8) {
      const vec3 off = dice.point(dice.power(-14, -2));
      const double s = dice.in(0, 1), t = dice.in(0, face ? 1 - s : 1);
      if (face) {
        x[0] = x[1] + s * (x[2] - x[1]) + t * (x[3] - x[1]) + off;
      } else {
        const vec3 way = x[0] + s * (x[1] - x[0]) - (x[2] + t * (x[3] - x[2])) + off;
        x[2] += way;
        x[3] += way;
      }
    } else if (k % 3 == 0) {
      for (vec3& each : x) each = glm::round(2.0 * each);
    }
    const double found = face ? found_from_triangle(x) : found_between_segments(x);
    const double exact = face ? distance_of_vertex(x) : distance_of_edges(x);
    ASSERT_NEAR(found, exact, 1e-13) << k;
  }
}

TEST(ClosestPoint, OfPointsAndSegmentsThatAreNone) {
  const vec3 p(1, 2, 3), q(1, 2, 5);
  EXPECT_EQ(found_between_segments({p, p, q, q}), 2);
  EXPECT_EQ(found_between_segments({p, p, vec3(0, 0, 5), vec3(2, 4, 5)}), 2);
  EXPECT_EQ(found_between_segments({vec3(0, 0, 5), vec3(2, 4, 5), p, p}), 2);
  EXPECT_EQ(found_from_triangle({p, q, q, q}), 2);
  EXPECT_EQ(found_from_triangle({p, vec3(0, 0, 5), vec3(2, 4, 5), vec3(1, 2, 5)}), 2);
}

}  // namespace
}  // namespace clothlab::test
