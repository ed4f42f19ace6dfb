// SPDX-License-Identifier: MIT
// The deepest point of a triangle in a body: no sample is deeper, and its gap has the derivative of the
// envelope theorem.

#include "collide/deepest_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <random>
#include <string>

namespace clothlab::test {
namespace {

using Corners = std::array<vec3, 3>;

constexpr std::array kBodies{"sphere:0.1,0,0,0.2", "capsule:-0.2,0,0,0.2,0.1,0,0.1", "box:0,0,0,0.4,0.2,0.3",
                             "cylinder:-0.2,0,0,0.2,0.1,0,0.1", "plane:0.1,1,0.2,0.05"};

// Of edges up to 0.1 m, with a middle that is at most 0.01 m from the surface.
class TriangleDice {
 public:
  Corners near(const Obstacle& body) {
    vec3 middle = point(0.5);
    middle -= closest_point(body, middle).gap() * closest_point(body, middle).normal;
    Corners corners;
    for (vec3& x : corners) x = middle + point(0.01) / std::sqrt(3) + point(0.04);
    return corners;
  }
  vec3 point(double size) {
    std::uniform_real_distribution<double> in(-size, size);
    const double x = in(engine_), y = in(engine_), z = in(engine_);
    return {x, y, z};
  }

 private:
  std::mt19937_64 engine_{5};
};

vec3 at(const Corners& x, const vec3& w) { return w.x * x[0] + w.y * x[1] + w.z * x[2]; }

// Of a box or a cylinder, or nearly so.
bool is_in_core(const DeepestPoint& found) { return found.surface.height < 0.06 * found.surface.level; }

TEST(DeepestPoint, IsDeeperThanAnySampleOfTheTriangle) {
  constexpr int kSamples = 40;
  TriangleDice dice;
  for (const char* text : kBodies)
    for (const double bulge : {0.0, 1e-3}) {
      const Obstacle body = turned(parse_obstacle(text), vec3(10, 20, 30));
      double highest = 0;
      for (int k = 0; k < 2000; ++k) {
        const Corners x = dice.near(body);
        const DeepestPoint found = deepest_point(body, x, bulge);
        if (is_in_core(found)) continue;
        EXPECT_GE(std::min({found.weights.x, found.weights.y, found.weights.z}), -1e-15);
        EXPECT_NEAR(closest_point(body, at(x, found.weights)).gap(), found.surface.gap(), 1e-15);
        double least = 1;
        for (int i = 0; i <= kSamples; ++i)
          for (int j = 0; i + j <= kSamples; ++j) {
            const vec3 w(1 - (i + j) / double{kSamples}, i / double{kSamples}, j / double{kSamples});
            const vec3 off = w - 1.0 / 3;
            least = std::min(least, closest_point(body, at(x, w)).gap() + bulge * glm::dot(off, off));
          }
        EXPECT_LE(found.gap(), least + 1e-12) << text << ' ' << bulge << ' ' << k;
        highest = std::max(highest, least - found.gap());
      }
      EXPECT_LT(highest, 4e-4) << text;  // of samples up to 4 mm apart on a radius of 5 mm: s²/(8 r)
    }
}

// The central difference with a step of 1e-7 m leaves 1e-14 m² times the third derivative, up to 1/(β r).
TEST(DeepestPoint, HasTheDerivativeOfTheEnvelopeTheorem) {
  constexpr double kStep = 1e-7, kBulge = 1e-3;
  TriangleDice dice;
  for (const char* text : kBodies) {
    const Obstacle body = turned(parse_obstacle(text), vec3(10, 20, 30));
    for (int k = 0; k < 200; ++k) {
      const Corners x = dice.near(body);
      const DeepestPoint found = deepest_point(body, x, kBulge);
      if (is_in_core(found)) continue;
      Corners ahead = x, behind = x;
      double expected = 0;
      for (int c = 0; c < 3; ++c) {
        const vec3 way = dice.point(1);
        ahead.at(static_cast<std::size_t>(c)) += kStep * way;
        behind.at(static_cast<std::size_t>(c)) -= kStep * way;
        expected += found.weights[c] * glm::dot(found.surface.normal, way);
      }
      const double measured =
          (deepest_point(body, ahead, kBulge).gap() - deepest_point(body, behind, kBulge).gap()) /
          (2 * kStep);
      EXPECT_NEAR(measured, expected, 1e-4) << text << ' ' << k;
    }
  }
}

// A triangle that is parallel to a face touches it in its middle, and changes little when it tilts.
TEST(DeepestPoint, OfAParallelTriangleIsItsMiddle) {
  const Obstacle body = parse_obstacle("box:0,0,0,0.4,0.4,0.4");
  const Corners x{vec3(0, 0.21, 0), vec3(0.03, 0.21, 0), vec3(0, 0.21, 0.04)};
  const DeepestPoint level = deepest_point(body, x, 1e-3);
  EXPECT_NEAR(level.gap(), 0.01, 1e-15);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(level.weights[c], 1.0 / 3, 1e-12);
  // One corner 10 µm lower: w = 1/3 + 10 µm/(2 β) (2/3, −1/3, −1/3)
  Corners tilted = x;
  tilted[0].y -= 1e-5;
  EXPECT_NEAR(deepest_point(body, tilted, 1e-3).weights.x, 1.0 / 3 + 1e-5 / 2e-3 * 2 / 3, 1e-6);
}

}  // namespace
}  // namespace clothlab::test
