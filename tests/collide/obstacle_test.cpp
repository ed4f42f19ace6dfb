// SPDX-License-Identifier: MIT
// Obstacles as text and as surfaces.

#include "collide/obstacle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <random>
#include <vector>

#include "core/error.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_obstacle(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Obstacle, IsReadAsItWasWritten) {
  for (const char* text :
       {"sphere:0.5,-0.6,0.25,0.3", "capsule:-1,0,0.1,1,0.5,0,0.05", "sphere:0.1,0.2,0.30000000000000004,1"})
    EXPECT_EQ(text_of(parse_obstacle(text)), text);
  const Obstacle sphere = parse_obstacle("sphere:1,2,3,4");
  EXPECT_EQ(sphere.shape, Obstacle::Shape::sphere);
  EXPECT_EQ(sphere.from, vec3(1, 2, 3));
  EXPECT_EQ(sphere.to, sphere.from);
  EXPECT_EQ(sphere.radius, 4);
}

TEST(Obstacle, IsRefusedWithASentenceThatSaysWhatIsAllowed) {
  EXPECT_THAT(refusal("cone:1,2,3,4"), HasSubstr("no shape that is known; write sphere:x,y,z,r or capsule:"));
  EXPECT_THAT(refusal("sphere"), HasSubstr("no shape"));
  EXPECT_THAT(refusal("sphere:1,2,3"), HasSubstr("has 3 numbers"));
  EXPECT_THAT(refusal("sphere:1,2,x,4"), HasSubstr("no number"));
  EXPECT_THAT(refusal("sphere:1,2,,4"), HasSubstr("no number"));
  EXPECT_THAT(refusal("sphere:1,2,3,nan"), HasSubstr("no number"));
  EXPECT_THAT(refusal("sphere:1,2,3,0"), HasSubstr("radius of an obstacle must be 1e-04 to 1000 m"));
  EXPECT_THAT(refusal("sphere:1,2,3,-1"), HasSubstr("radius"));
  EXPECT_THAT(refusal("capsule:0,0,0,2000,0,0,1"), HasSubstr("within 1000 m"));
  EXPECT_THROW(check_obstacles(std::vector<Obstacle>(kMostObstacles + 1)), InputError);
}

// The height above a surface is the distance from its axis: its gradient is the normal, of length 1, and what
// lies on the surface is one radius away from the nearest point of the axis.
TEST(Obstacle, HasItsNormalAlongTheGradientOfTheDistance) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> within(-2, 2);
  const auto point = [&] { return vec3(within(random), within(random), within(random)); };
  for (const char* text : {"sphere:0.1,0.2,0.3,0.5", "capsule:-1,0,0.1,1,0.5,0,0.25"}) {
    const Obstacle body = parse_obstacle(text);
    for (int k = 0; k < 200; ++k) {
      const vec3 x = point();
      const SurfacePlace place = place_above(body, x);
      constexpr double kStep = 1e-6;
      for (int axis = 0; axis < 3; ++axis) {
        vec3 e(0);
        e[axis] = kStep;
        const double slope =
            (place_above(body, x + e).height - place_above(body, x - e).height) / (2 * kStep);
        EXPECT_NEAR(place.normal[axis], slope, 1e-8) << text;
      }
      EXPECT_NEAR(glm::length(place.normal), 1, 1e-15);
      double nearest = 1e9;
      for (int s = 0; s <= 1000; ++s)
        nearest = std::min(nearest, glm::distance(x, glm::mix(body.from, body.to, s / 1000.0)));
      EXPECT_NEAR(place.height, nearest, 1e-5) << text;
      EXPECT_EQ(place.level, body.radius);
    }
  }
  const SurfacePlace inside = place_above(parse_obstacle("sphere:1,2,3,4"), vec3(1, 2, 3));
  EXPECT_EQ(inside.height, 0);
  EXPECT_EQ(glm::length(inside.normal), 1);
  for (const char* text :
       {"capsule:0,-1,0,0,1,0,0.1", "capsule:-1,-2,-3,1,2,3,0.1", "capsule:-1,0,0,1,0,0,0.1"}) {
    const Obstacle bar = parse_obstacle(text);
    EXPECT_EQ(glm::dot(place_above(bar, vec3(0)).normal, bar.to - bar.from), 0) << text;
  }
}

}  // namespace
}  // namespace clothlab
