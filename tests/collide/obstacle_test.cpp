// SPDX-License-Identifier: MIT
// Obstacles as text and as surfaces.

#include "collide/obstacle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "collide/mesh_body.h"
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
       {"sphere:0.5,-0.6,0.25,0.3", "capsule:-1,0,0.1,1,0.5,0,0.05", "sphere:0.1,0.2,0.30000000000000004,1",
        "plane:0.5,2,0,-0.25", "box:0,1,2,0.5,0.25,3", "cylinder:0,0,0.5,0,1,0.5,0.2",
        "mesh:0,1,2,0.01,a b/c,d.obj"})
    EXPECT_EQ(text_of(parse_obstacle(text)), text);
  const Obstacle sphere = parse_obstacle("sphere:1,2,3,4");
  EXPECT_EQ(sphere.shape, Obstacle::Shape::sphere);
  EXPECT_EQ(sphere.from, vec3(1, 2, 3));
  EXPECT_EQ(sphere.to, sphere.from);
  EXPECT_EQ(sphere.radius, 4);
  const Obstacle box = parse_obstacle("box:1,2,3,4,5,6");
  EXPECT_EQ(box.from, vec3(1, 2, 3));
  EXPECT_EQ(box.to, box.from);
  EXPECT_EQ(box.size, vec3(4, 5, 6));
  const Obstacle mesh = parse_obstacle("mesh:0,1,2,0.01,a,b.obj");
  EXPECT_EQ(mesh.from, vec3(0, 1, 2));
  EXPECT_EQ(mesh.scale, 0.01);
  EXPECT_EQ(*mesh.mesh.path, "a,b.obj");
  EXPECT_THROW(check_read({&mesh, 1}), InputError);
  EXPECT_EQ(mesh, parse_obstacle(text_of(mesh)));
  EXPECT_NE(mesh, parse_obstacle("mesh:0,1,2,0.01,b.obj"));
  const Obstacle plane = parse_obstacle("plane:0,3,4,5");
  EXPECT_EQ(plane.normal, vec3(0, 3, 4));
  EXPECT_EQ(plane.offset, 5);
  for (const char* text : {"sphere:", "capsule:", "plane:", "box:", "cylinder:", "mesh:"})
    EXPECT_THAT(obstacle_forms(), HasSubstr(text));
}

TEST(Obstacle, IsRefusedWithASentenceThatSaysWhatIsAllowed) {
  EXPECT_THAT(refusal("cone:1,2,3,4"), HasSubstr("has an unknown shape; write sphere:x,y,z,r, capsule:"));
  EXPECT_THAT(refusal("sphere"), HasSubstr("unknown shape"));
  EXPECT_THAT(refusal("sphere:1,2,3"), HasSubstr("has 3 numbers"));
  EXPECT_THAT(refusal("sphere:1,2,x,4"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("sphere:1,2,,4"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("sphere:1,2,3,nan"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("plane:1,2,3"), HasSubstr("has 3 numbers"));
  EXPECT_THAT(refusal("plane:0,0,0,1"), HasSubstr("normal of a plane must have a length of 0.001 to 1000"));
  EXPECT_THAT(refusal("plane:0,1e-2,0,11"), HasSubstr("within 1000 m"));
  EXPECT_THAT(refusal("box:0,0,0,1,0,1"), HasSubstr("Each side of an obstacle must be 1e-04 to 1000 m"));
  EXPECT_THAT(refusal("cylinder:0,0,0,0,0,0,1"), HasSubstr("The length of an obstacle"));
  EXPECT_THAT(refusal("sphere:1,2,3,0"), HasSubstr("radius of an obstacle must be 1e-04 to 1000 m"));
  EXPECT_THAT(refusal("sphere:1,2,3,-1"), HasSubstr("radius"));
  EXPECT_THAT(refusal("capsule:0,0,0,2000,0,0,1"), HasSubstr("within 1000 m"));
  EXPECT_THAT(refusal("mesh:0,0,0,1"), HasSubstr("names no file"));
  EXPECT_THAT(refusal("mesh:0,0,0,1,"), HasSubstr("names no file"));
  EXPECT_THAT(refusal("mesh:0,0,x,1,a.obj"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("mesh:0,0,0,0,a.obj"), HasSubstr("scale of a mesh obstacle must be 1e-06 to 1e+06"));
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
      const SurfacePoint place = closest_point(body, x);
      constexpr double kStep = 1e-6;
      for (int axis = 0; axis < 3; ++axis) {
        vec3 e(0);
        e[axis] = kStep;
        const double slope =
            (closest_point(body, x + e).height - closest_point(body, x - e).height) / (2 * kStep);
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
  const SurfacePoint inside = closest_point(parse_obstacle("sphere:1,2,3,4"), vec3(1, 2, 3));
  EXPECT_EQ(inside.height, 0);
  EXPECT_EQ(glm::length(inside.normal), 1);
  for (const char* text :
       {"capsule:0,-1,0,0,1,0,0.1", "capsule:-1,-2,-3,1,2,3,0.1", "capsule:-1,0,0,1,0,0,0.1"}) {
    const Obstacle bar = parse_obstacle(text);
    EXPECT_EQ(glm::dot(closest_point(bar, vec3(0)).normal, bar.to - bar.from), 0) << text;
  }
}

const std::vector<Obstacle>& shapes() {
  static const std::vector<Obstacle> kAll{
      parse_obstacle("sphere:0.1,0.2,0.3,0.5"),
      parse_obstacle("capsule:-1,0,0.1,1,0.5,0,0.25"),
      parse_obstacle("plane:0.5,2,-1,0.4"),
      parse_obstacle("box:0.1,0.2,-0.1,1,0.8,1.4"),
      parse_obstacle("cylinder:-0.3,-0.2,0,0.5,0.4,0.2,0.6"),
      turned(test::angle_body(vec3(-0.6, -0.6, -0.4), 0.8), vec3(10, 20, 30)),
  };
  return kAll;
}

// A point of the core of a body: that of a box is smaller by its rounding, that of a cylinder too.
vec3 core_point(const Obstacle& body, const vec3& share) {
  const double r = rounding_of(body);
  if (body.shape == Obstacle::Shape::box) return body.from + (0.5 * body.size - r) * share;
  const vec3 axis = glm::normalize(body.to - body.from);
  const vec3 side = glm::normalize(glm::cross(axis, vec3(0, 0, 1))), third = glm::cross(axis, side);
  const double across = std::hypot(share.y, share.z), most = std::max(std::abs(share.y), std::abs(share.z));
  const vec3 disc = across > 0 ? (share.y * side + share.z * third) * (most / across) : vec3(0);
  return 0.5 * (body.from + body.to) + (0.5 * glm::distance(body.from, body.to) - r) * share.x * axis +
         (body.radius - r) * disc;
}

// The height is the distance from the core, found by brute force outside of it and by its gradient inside as
// well: the normal, of length 1. Inside, one height up along the normal is the surface of the core.
TEST(Obstacle, OfEveryShapeHasItsHeightAndNormal) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> within(-1.5, 1.5);
  for (const Obstacle& body : shapes()) {
    const std::string text = text_of(body);
    int inside = 0;
    for (int k = 0; k < 400; ++k) {
      const vec3 x(within(random), within(random), within(random));
      const SurfacePoint place = closest_point(body, x);
      EXPECT_NEAR(glm::length(place.normal), 1, 1e-15) << text;
      constexpr double kStep = 1e-6;
      bool smooth = true;
      vec3 slope(0);
      for (int axis = 0; axis < 3; ++axis) {
        vec3 e(0);
        e[axis] = kStep;
        const SurfacePoint up = closest_point(body, x + e), down = closest_point(body, x - e);
        slope[axis] = (up.height - down.height) / (2 * kStep);
        // Inside a core the nearest face changes at once.
        smooth = smooth && glm::dot(up.normal, down.normal) > 0.99;
      }
      if (smooth) {
        EXPECT_LT(glm::distance(place.normal, slope), 1e-7) << text;
      }
      if (place.height < 0) {
        ++inside;
        EXPECT_NEAR(closest_point(body, x - 0.999 * place.height * place.normal).height, 0.001 * place.height,
                    1e-12)
            << text;
      }
      if (body.shape != Obstacle::Shape::box && body.shape != Obstacle::Shape::cylinder) continue;
      if (place.height <= 0) continue;
      EXPECT_EQ(place.level, rounding_of(body));
      // The nearest of a grid of points on the core, refined about the best.
      vec3 best(0);
      double nearest = 1e9;
      for (double width = 1; width > 1e-6; width /= 3) {
        const vec3 about = best;
        for (int a = -6; a <= 6; ++a)
          for (int b = -6; b <= 6; ++b)
            for (int c = -6; c <= 6; ++c) {
              const vec3 share = glm::clamp(about + width / 6.0 * vec3(a, b, c), vec3(-1), vec3(1));
              const double distance = glm::distance(x, core_point(body, share));
              if (distance < nearest) nearest = distance, best = share;
            }
      }
      EXPECT_NEAR(place.height, nearest, 1e-3) << text;
    }
    if (body.shape == Obstacle::Shape::box || body.shape == Obstacle::Shape::cylinder) {
      EXPECT_GT(inside, 10) << text;
    }
  }
}

// The normal turns by the curvature per metre of surface, and along the direction of the least one by that.
TEST(Obstacle, OfEveryShapeHasItsCurvature) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> within(-1, 1);
  for (const Obstacle& body : shapes()) {
    const std::string text = text_of(body);
    for (int k = 0; k < 300; ++k) {
      // Two in three close to an edge, where there is one.
      const double wide = k % 3 == 0 ? 1.0 : 1.02;
      const vec3 share(k % 3 == 0 ? within(random) : std::copysign(wide, within(random)),
                       k % 2 == 0 ? within(random) : std::copysign(wide, within(random)), within(random));
      vec3 x = body.shape == Obstacle::Shape::box || body.shape == Obstacle::Shape::cylinder
                   ? core_point(body, share)
                   : share;
      for (int again = 0; again < 2; ++again) {
        const SurfacePoint at = closest_point(body, x);
        x += (at.level - at.height) * at.normal;
      }
      const SurfacePoint place = closest_point(body, x);
      ASSERT_NEAR(place.height, place.level, 1e-12) << text;
      const vec3 n = place.normal, any(within(random), within(random), within(random));
      vec3 t = any - glm::dot(any, n) * n;
      t -= glm::dot(t, place.least) * place.least;
      t = glm::normalize(t);
      constexpr double kStep = 1e-6;
      const auto turn = [&](const vec3& along) {
        return glm::distance(closest_point(body, x + kStep * along).normal,
                             closest_point(body, x - kStep * along).normal) /
               (2 * kStep);
      };
      EXPECT_NEAR(turn(t), place.curvature, 1e-6 + 1e-3 * place.curvature) << text;
      if (place.least != vec3(0)) {
        EXPECT_NEAR(glm::length(place.least), 1, 1e-12);
        EXPECT_NEAR(turn(place.least), place.least_curvature, 1e-6 + 1e-3 * place.least_curvature) << text;
      }
    }
  }
}

TEST(Obstacle, PushesOutTheNearWay) {
  const Obstacle box = parse_obstacle("box:0,0,0,2,1,4"), post = parse_obstacle("cylinder:0,0,0,0,4,0,1");
  EXPECT_EQ(closest_point(box, vec3(0.9, 0.1, 0)).normal, vec3(1, 0, 0));
  EXPECT_EQ(closest_point(box, vec3(-0.1, -0.4, 1)).normal, vec3(0, -1, 0));
  EXPECT_EQ(closest_point(box, vec3(0.9, 0.44, 1)).normal, vec3(0, 1, 0));
  EXPECT_NEAR(closest_point(box, vec3(0.9, 0.44, 1)).level - closest_point(box, vec3(0.9, 0.44, 1)).height,
              0.06, 1e-15);
  EXPECT_EQ(closest_point(post, vec3(0.8, 2, 0)).normal, vec3(1, 0, 0));
  EXPECT_EQ(closest_point(post, vec3(0.1, 3.8, 0)).normal, vec3(0, 1, 0));
  EXPECT_EQ(closest_point(post, vec3(0, 2, 0)).normal, vec3(1, 0, 0)) << "on the axis, any way out";
  EXPECT_EQ(closest_point(parse_obstacle("plane:0,2,0,1"), vec3(7, 3, 7)).height, 3);
  EXPECT_EQ(closest_point(parse_obstacle("plane:0,2,0,1"), vec3(7, 3, 7)).level, 0.5);
}

TEST(ObstaclePath, RefusesATurnOfHalfACircleBetweenKeyframes) {
  const auto path = [](const vec3& from, const vec3& to) {
    return ObstaclePath{.keys = {{0, vec3(0), from}, {1, vec3(0), to}}};
  };
  for (const vec3& turn : {vec3(0, 180, 0), vec3(0, 0, -200), vec3(360, 0, 0)}) try {
      check_path(path(vec3(0), turn));
      ADD_FAILURE() << "accepted " << turn.x << " " << turn.y << " " << turn.z;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("between the keyframes at 0 s and 1 s"));
    }
  EXPECT_NO_THROW(check_path(path(vec3(0, 200, 0), vec3(0, 379, 0))));
  EXPECT_NO_THROW(check_path(path(vec3(0, -100, 0), vec3(0, 79, 0))));
}

// A body that is turned about its centre and shifted has the heights of the one before at the places before.
TEST(Obstacle, IsTheSameBodyElsewhere) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> within(-1.5, 1.5);
  const auto point = [&] { return vec3(within(random), within(random), within(random)); };
  for (const Obstacle& body : shapes())
    for (int k = 0; k < 100; ++k) {
      const Pose pose{turn_of(200.0 * point()), point()};
      const Obstacle there = posed(body, pose);
      const mat3 turn = glm::mat3_cast(pose.turn);
      const vec3 centre = centre_of(body), x = point();
      const SurfacePoint before = closest_point(body, x);
      const SurfacePoint after = closest_point(there, centre + pose.shift + turn * (x - centre));
      EXPECT_NEAR(after.height - after.level, before.height - before.level, 1e-13) << text_of(body);
      EXPECT_LT(glm::distance(after.normal, turn * before.normal), 1e-10) << text_of(body);
      EXPECT_NEAR(after.curvature, before.curvature, 1e-12 * before.curvature);
      EXPECT_LT(glm::distance(centre_of(moved_to(body, vec3(1, 2, 3))), vec3(1, 2, 3)),
                body.shape == Obstacle::Shape::plane ? 10 : 1e-15);
    }
  const Obstacle box = turned(parse_obstacle("box:0,0,0,2,2,2"), vec3(0, 0, 45));
  EXPECT_NEAR(closest_point(box, vec3(0, 2, 0)).height - closest_point(box, vec3(0, 2, 0)).level,
              2 - std::sqrt(2.0) + (std::sqrt(2.0) - 1) * rounding_of(box), 1e-14)
      << "on its rounded edge";
  EXPECT_EQ(turned(box, vec3(0)), parse_obstacle("box:0,0,0,2,2,2"));
  const Obstacle bar = turned(parse_obstacle("capsule:-1,0,0,1,0,0,0.1"), vec3(0, 0, 90));
  EXPECT_LT(glm::distance(bar.to, vec3(0, 1, 0)), 1e-15);
  EXPECT_EQ(bar.turn, vec3(0)) << "its ends say it all";
}

// On a walk above a mesh that turns, in steps from far less to more than the reach: what was found before
// saves searches and changes nothing.
TEST(Obstacle, IsFoundWithinAReachWhereverItWasFoundBefore) {
  std::mt19937 random(14);
  std::normal_distribution<double> way(0, 1);
  const Obstacle still = test::angle_body(vec3(0, -0.5, 0.2), 0.5);
  FoundPoint last;
  vec3 x(0, 1, 0);
  int near = 0, far = 0;
  for (int k = 0; k < 4000; ++k) {
    x = 0.99 * x + std::pow(10, -3 + k % 3) * vec3(way(random), way(random), way(random));
    const Obstacle body = k % 10 < 5 ? still : turned(still, vec3(0, k / 100, 0));
    constexpr double kReach = 0.05;
    const SurfacePoint place = closest_point(body, x);
    const std::optional<SurfacePoint> found = closest_point_within(body, x, kReach, &last);
    ASSERT_TRUE(found || place.height - place.level > kReach) << k;
    found ? ++near : ++far;
    if (!found) continue;
    ASSERT_EQ(found->height, place.height);
    ASSERT_EQ(found->normal, place.normal);
    const std::optional<SurfacePoint> again = closest_point_within(body, x, kReach, &last);
    ASSERT_EQ(again.has_value(), place.height - place.level <= kReach);
  }
  EXPECT_GT(near, 500);
  EXPECT_GT(far, 500);
}

// Within the outer of two bodies, one in the other, the nearest surface may have the point in front of it or
// behind it, and changes at once.
TEST(Obstacle, IsFoundWithinAReachWhereItsPartsAreNested) {
  auto [corners, triangles] = test::angle_mesh();
  const auto own = static_cast<std::uint32_t>(corners.size());
  for (std::uint32_t i = 0; i < own; ++i) corners.push_back(vec3(0.3, 0.3, 0.45) + 0.1 * corners[i]);
  for (std::size_t k = 0, count = triangles.size(); k < count; ++k)
    triangles.push_back({own + triangles[k][0], own + triangles[k][1], own + triangles[k][2]});
  const Obstacle body = test::mesh_body(TriangleSurface(corners, triangles), vec3(0), 1);
  std::mt19937 random(15);
  std::uniform_real_distribution<double> within(0.05, 0.95);
  FoundPoint last;
  for (int k = 0; k < 4000; ++k) {
    const vec3 x(within(random), within(random), within(random));
    for (const double step : {0.0, 0.01, 0.03}) {
      const vec3 there = x + vec3(step, -step, step);
      const SurfacePoint place = closest_point(body, there);
      ASSERT_TRUE(closest_point_within(body, there, 0.01, &last) || place.height - place.level > 0.01) << k;
    }
  }
}

ObstaclePath path_of(std::vector<Keyframe> keys, bool loops) { return {std::move(keys), loops}; }

TEST(ObstaclePath, GoesFromKeyToKey) {
  const ObstaclePath path = path_of(
      {{1, vec3(0), vec3(0)}, {2, vec3(1, 0, 0), vec3(0, 90, 0)}, {4, vec3(1, 2, 0), vec3(0, 90, 0)}}, false);
  EXPECT_EQ(pose_on(path, 0), Pose());
  EXPECT_EQ(pose_on(path, 1.25).shift, vec3(0.25, 0, 0));
  const vec3 turned_x = glm::mat3_cast(pose_on(path, 1.5).turn) * vec3(1, 0, 0);
  EXPECT_LT(glm::distance(turned_x, vec3(std::sqrt(0.5), 0, -std::sqrt(0.5))), 1e-15);
  EXPECT_EQ(pose_on(path, 3).shift, vec3(1, 1, 0));
  EXPECT_EQ(pose_on(path, 3).turn, turn_of(vec3(0, 90, 0)));
  EXPECT_EQ(pose_on(path, 99).shift, vec3(1, 2, 0)) << "it rests there";
  EXPECT_NEAR(fastest_on(path, 0.5), 1 + 0.25 * std::numbers::pi, 1e-12);
  EXPECT_EQ(pose_on(ObstaclePath(), 5), Pose());
}

// Round and round: at constant speed also from the end to the beginning.
TEST(ObstaclePath, BeginsAnewWhereItLoops) {
  const ObstaclePath path = path_of({{0.5, vec3(0), vec3(0)},
                                     {1, vec3(0, 1, 0), vec3(0, 120, 0)},
                                     {1.5, vec3(0, 1, 0), vec3(0, 240, 0)},
                                     {2, vec3(0), vec3(0, 360, 0)}},
                                    true);
  check_path(path);
  for (const double t : {0.6, 1.2, 1.75}) {
    const Pose once = pose_on(path, t), again = pose_on(path, t + 3);
    EXPECT_LT(glm::distance(once.shift, again.shift), 1e-14);
    EXPECT_NEAR(std::abs(glm::dot(once.turn, again.turn)), 1, 1e-14);
    const vec3 x = glm::mat3_cast(pose_on(path, t).turn) * vec3(1, 0, 0);
    const double angle = (t - 0.5) / 1.5 * 2 * std::numbers::pi;
    EXPECT_LT(glm::distance(x, vec3(std::cos(angle), 0, -std::sin(angle))), 1e-14) << t;
  }
}

TEST(ObstaclePath, IsRefusedWhereItIsNone) {
  const auto refused = [](const ObstaclePath& path) {
    try {
      check_path(path);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused(path_of({{1, vec3(0), vec3(0)}, {1, vec3(0), vec3(0)}}, false)),
              HasSubstr("must ascend"));
  EXPECT_THAT(refused(path_of({{-1, vec3(0), vec3(0)}}, false)), HasSubstr("must ascend"));
  EXPECT_THAT(refused(path_of({{0, vec3(2000, 0, 0), vec3(0)}}, false)), HasSubstr("by at most 1000 m"));
  EXPECT_THAT(refused(path_of({{0, vec3(0), vec3(0)}}, true)), HasSubstr("must end where it begins"));
  EXPECT_THAT(refused(path_of({{0, vec3(0), vec3(0)}, {1, vec3(1), vec3(0)}}, true)), HasSubstr("must end"));
  EXPECT_THAT(refused(path_of({{0, vec3(0), vec3(0)}, {1, vec3(0), vec3(0, 90, 0)}}, true)),
              HasSubstr("must end"));
  EXPECT_THAT(refused(path_of(std::vector<Keyframe>(kMostKeyframes + 1), false)), HasSubstr("at most 1000"));
}

}  // namespace
}  // namespace clothlab
