// SPDX-License-Identifier: MIT
#include "render/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <random>

#include "support.h"

namespace clothlab {
namespace {

Camera random_camera(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Camera camera;
  camera.target = 3.0 * vec3(unit(random), unit(random), unit(random));
  camera.distance = std::exp2(3 * unit(random));
  camera.yaw = 3.1 * unit(random);
  camera.pitch = Camera::kMaxPitch * unit(random);
  camera.fov = 0.7 + 0.4 * unit(random);
  return camera;
}

Pixels random_pixel(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  return {kSize.x * unit(random), kSize.y * unit(random)};
}

// Rounding of a handful of operations on values of the size of the scene.
void expect_near(const vec3& a, const vec3& b, double scale) {
  EXPECT_LE(glm::length(a - b), 1e-12 * scale)
      << a.x << ' ' << a.y << ' ' << a.z << " against " << b.x << ' ' << b.y << ' ' << b.z;
}

TEST(Camera, AxesAreOrthonormalAndUpNeverTipsOver) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Camera camera = random_camera(random);
    EXPECT_NEAR(glm::length(camera.right()), 1, 1e-15);
    EXPECT_NEAR(glm::length(camera.up()), 1, 4e-16);
    EXPECT_NEAR(glm::dot(camera.up(), camera.forward()), 0, 4e-16);
    EXPECT_EQ(camera.right().y, 0);
    EXPECT_GT(camera.up().y, 0);
  }
}

TEST(Camera, TheRayThroughAProjectedPointMeetsThePoint) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 1000; ++i) {
    const Camera camera = random_camera(random);
    const vec3 point = camera.target + 0.3 * camera.distance * vec3(unit(random), unit(random), unit(random));
    const auto seen = camera.project(point, kSize);
    ASSERT_TRUE(seen);
    const Ray ray = camera.ray(seen->pixel, kSize);
    EXPECT_NEAR(glm::length(ray.direction), 1, 4e-16);
    expect_near(ray.at(glm::dot(point - ray.origin, ray.direction)), point, camera.distance + 10);
    EXPECT_NEAR(seen->depth, glm::dot(point - camera.eye(), camera.forward()), 1e-12);
  }
}

TEST(Camera, MatricesShowAPointWhereProjectSaysItIs) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 1000; ++i) {
    const Camera camera = random_camera(random);
    const vec3 offset = 0.3 * camera.distance * vec3(unit(random), unit(random), unit(random));
    const auto seen = camera.project(camera.target + offset, kSize);
    ASSERT_TRUE(seen);
    const glm::dvec4 clip = camera.projection(kSize, 0.01 * camera.distance, 100 * camera.distance) *
                            camera.view_from_target() * glm::dvec4(offset, 1);
    EXPECT_NEAR(clip.w, seen->depth, 1e-12 * (camera.distance + 10));
    EXPECT_NEAR((1 + clip.x / clip.w) / 2 * kSize.x, seen->pixel.x, 1e-8);
    EXPECT_NEAR((1 - clip.y / clip.w) / 2 * kSize.y, seen->pixel.y, 1e-8);
    EXPECT_LT(std::abs(clip.z / clip.w), 1);
  }
}

TEST(Camera, NearAndFarPlanesAreTheEndsOfTheDepthRange) {
  Camera camera;
  const glm::dmat4 projection = camera.projection(kSize, 0.5, 20);
  const auto depth = [&](double d) {
    const glm::dvec4 clip = projection * glm::dvec4(0, 0, -d, 1);
    return clip.z / clip.w;
  };
  EXPECT_NEAR(depth(0.5), -1, 1e-14);
  EXPECT_NEAR(depth(20), 1, 1e-14);
}

TEST(Camera, ADraggedPointStaysInTheViewParallelPlaneUnderTheCursor) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 1000; ++i) {
    const Camera camera = random_camera(random);
    const vec3 grabbed =
        camera.target + 0.3 * camera.distance * vec3(unit(random), unit(random), unit(random));
    const Pixels cursor = random_pixel(random);
    const vec3 dragged = camera.in_view_plane(cursor, kSize, grabbed);
    EXPECT_NEAR(glm::dot(dragged - grabbed, camera.forward()), 0, 1e-12 * (camera.distance + 10));
    const auto seen = camera.project(dragged, kSize);
    ASSERT_TRUE(seen);
    EXPECT_NEAR(seen->pixel.x, cursor.x, 1e-8);
    EXPECT_NEAR(seen->pixel.y, cursor.y, 1e-8);

    const vec3 deeper = camera.moved_in_depth(dragged, 3);
    const auto still = camera.project(deeper, kSize);
    ASSERT_TRUE(still);
    EXPECT_GT(still->depth, seen->depth);
    EXPECT_NEAR(still->pixel.x, cursor.x, 1e-8);
    EXPECT_NEAR(still->pixel.y, cursor.y, 1e-8);
    expect_near(camera.moved_in_depth(deeper, -3), dragged, camera.distance + 10);
  }
}

TEST(Camera, APointWhoseCursorDidNotMoveIsNotDragged) {
  Camera camera;
  const vec3 grabbed(0.2, -0.3, 0.4);
  expect_near(camera.in_view_plane(camera.project(grabbed, kSize)->pixel, kSize, grabbed), grabbed, 3);
}

TEST(Camera, PanKeepsTheTargetsDepthUnderTheCursor) {
  std::mt19937 random(5);
  for (int i = 0; i < 100; ++i) {
    Camera camera = random_camera(random);
    const Pixels from = random_pixel(random);
    const Pixels motion = random_pixel(random) - kSize / 2.0;
    const vec3 held = camera.in_view_plane(from, kSize, camera.target);
    camera.pan(motion, kSize);
    const auto seen = camera.project(held, kSize);
    ASSERT_TRUE(seen);
    EXPECT_NEAR(seen->pixel.x, from.x + motion.x, 1e-8);
    EXPECT_NEAR(seen->pixel.y, from.y + motion.y, 1e-8);
  }
}

TEST(Camera, ZoomKeepsWhatIsUnderTheCursorAndIsUndone) {
  std::mt19937 random(6);
  for (int i = 0; i < 100; ++i) {
    Camera camera = random_camera(random);
    const Camera before = camera;
    const Pixels cursor = random_pixel(random);
    const vec3 held = camera.in_view_plane(cursor, kSize, camera.target);
    camera.zoom(2, cursor, kSize);
    EXPECT_LT(camera.distance, before.distance);
    const auto seen = camera.project(held, kSize);
    ASSERT_TRUE(seen);
    EXPECT_NEAR(seen->pixel.x, cursor.x, 1e-8);
    EXPECT_NEAR(seen->pixel.y, cursor.y, 1e-8);
    camera.zoom(-2, cursor, kSize);
    EXPECT_NEAR(camera.distance, before.distance, 1e-13 * before.distance);
    expect_near(camera.target, before.target, before.distance + 10);
  }
}

TEST(Camera, ZoomStopsAtItsLimits) {
  Camera camera;
  camera.zoom(1e9, kSize / 2.0, kSize);
  EXPECT_EQ(camera.distance, Camera::kMinDistance);
  camera.zoom(-1e9, kSize / 2.0, kSize);
  EXPECT_EQ(camera.distance, Camera::kMaxDistance);
}

TEST(Camera, OrbitKeepsTargetAndDistanceAndStopsBeforeThePoles) {
  Camera camera;
  const Camera before = camera;
  camera.orbit({40, -25}, kSize);
  EXPECT_EQ(camera.target, before.target);
  EXPECT_NEAR(glm::length(camera.eye() - camera.target), before.distance, 1e-14);
  camera.orbit({0, 1e5}, kSize);
  EXPECT_EQ(camera.pitch, Camera::kMaxPitch);
  const vec3 right = camera.right();
  camera.orbit({0, 1e5}, kSize);
  EXPECT_EQ(camera.right(), right) << "pushing on at the pole turns nothing over";
  camera.orbit({0, -1e6}, kSize);
  EXPECT_EQ(camera.pitch, -Camera::kMaxPitch);
}

TEST(Camera, DraggingToTheRightTurnsTheSceneToTheRight) {
  Camera camera;
  const vec3 near_point = camera.target - 0.2 * camera.forward();
  const double before = camera.project(near_point, kSize)->pixel.x;
  camera.orbit({30, 0}, kSize);
  EXPECT_GT(camera.project(near_point, kSize)->pixel.x, before);
  const double height = camera.project(near_point, kSize)->pixel.y;
  camera.orbit({0, 30}, kSize);
  EXPECT_GT(camera.project(near_point, kSize)->pixel.y, height);
}

TEST(Camera, AWholeTurnComesBack) {
  Camera camera;
  const vec3 eye = camera.eye();
  for (int i = 0; i < 36; ++i) camera.orbit({2 * kSize.y / 36, 0}, kSize);
  expect_near(camera.eye(), eye, 40);
}

TEST(Camera, FramingShowsEveryCornerAndFillsTheView) {
  std::mt19937 random(7);
  for (const Pixels size : {Pixels(1280, 720), Pixels(300, 900), Pixels(500, 500)}) {
    for (int i = 0; i < 100; ++i) {
      Camera camera = random_camera(random);
      const Box box{{-0.3, -2, 0.1}, {1.2, 0.4, 0.9}};
      camera.frame(box, size);
      double outermost = 0;  // share of the way from the view's middle to its edge
      for (int corner = 0; corner < 8; ++corner) {
        const vec3 p((corner & 1) ? box.low.x : box.high.x, (corner & 2) ? box.low.y : box.high.y,
                     (corner & 4) ? box.low.z : box.high.z);
        const auto seen = camera.project(p, size);
        ASSERT_TRUE(seen);
        EXPECT_GE(seen->pixel.x, 0);
        EXPECT_LE(seen->pixel.x, size.x);
        EXPECT_GE(seen->pixel.y, 0);
        EXPECT_LE(seen->pixel.y, size.y);
        outermost = std::max(
            {outermost, std::abs(2 * seen->pixel.x / size.x - 1), std::abs(2 * seen->pixel.y / size.y - 1)});
      }
      EXPECT_NEAR(outermost, 1 / 1.15, 1e-9) << "the margin is that of the outermost corner";
    }
  }
}

TEST(Camera, OddInputsLeaveItUsable) {
  Camera camera;
  const Camera before = camera;
  camera.orbit({kNan, 1}, kSize);
  camera.pan({1, kNan}, kSize);
  camera.zoom(kNan, {1, 1}, kSize);
  camera.zoom(1, {kNan, 1}, kSize);
  camera.frame({{kNan, 0, 0}, {1, 1, 1}}, kSize);
  EXPECT_EQ(camera.target, before.target);
  EXPECT_EQ(camera.distance, before.distance);
  EXPECT_EQ(camera.yaw, before.yaw);
  EXPECT_EQ(camera.pitch, before.pitch);

  camera.frame({{1, 2, 3}, {1, 2, 3}}, kSize);
  EXPECT_EQ(camera.target, vec3(1, 2, 3));
  EXPECT_GT(camera.distance, 0.1);

  for (const Pixels size : {Pixels(0, 0), Pixels(1, 1), Pixels(1, 4000)}) {
    const Ray ray = camera.ray({0, 0}, size);
    EXPECT_NEAR(glm::length(ray.direction), 1, 1e-15);
    EXPECT_TRUE(std::isfinite(camera.projection(size, 0.1, 10)[0][0]));
  }
  EXPECT_FALSE(camera.project(camera.eye() - camera.forward(), kSize)) << "behind the eye";
  EXPECT_FALSE(camera.project(camera.eye(), kSize));
  EXPECT_FALSE(camera.project({kNan, 0, 0}, kSize));
}

}  // namespace
}  // namespace clothlab
