// SPDX-License-Identifier: MIT
// Which space the camera shows at the start of a scene.

#include "app/framing.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <memory>

namespace clothlab {
namespace {

// A level spring of 1 m along x, pinned at its left end (0.5, 0, 0).
Frame level_spring(const vec3& gravity, const vec3& velocity) {
  auto scene = std::make_shared<Scene>();
  scene->material.gravity = gravity;
  scene->initial_state = InitialState{{vec3(0.5, 0, 0), vec3(1.5, 0, 0)}, {vec3(0), velocity}};
  Frame frame;
  frame.scene = scene;
  frame.positions = scene->initial_state->positions;
  frame.pinned = {1, 0};
  return frame;
}

TEST(Framing, LevelClothHasRoomToSwingDown) {
  const Box box = room_to_move(level_spring(vec3(0, -9.8, 0), vec3(0)));
  EXPECT_NEAR(box.low.y, -0.9, 1e-12);
  EXPECT_EQ(box.high.y, 0);
}

TEST(Framing, WhatHangsHasRoomToSwingToTheOtherSide) {
  Frame frame = level_spring(vec3(0, -9.8, 0), vec3(0));
  frame.positions = {vec3(0.5, 0, 0), vec3(0.8, -0.9, 0.2)};
  const Box box = room_to_move(frame);
  EXPECT_NEAR(box.low.x, 0.2, 1e-12);
  EXPECT_NEAR(box.low.z, -0.2, 1e-12);
  EXPECT_EQ(box.high, vec3(0.8, 0, 0.2));
}

TEST(Framing, FreeClothIsShownWithWhatItFallsOn) {
  Frame frame = level_spring(vec3(0, -9.8, 0), vec3(0));
  auto scene = std::make_shared<Scene>(*frame.scene);
  const auto sphere = [](const vec3& at, double radius) {
    Obstacle body;
    body.from = body.to = at;
    body.radius = radius;
    return body;
  };
  scene->obstacles.bodies = {sphere(vec3(1, -0.5, 0), 0.25), sphere(vec3(1, -9, 0), 0.25),
                             sphere(vec3(0, -50, 0), 49.5)};
  frame.scene = scene;
  EXPECT_NEAR(room_to_move(frame).low.y, -0.9, 1e-12) << "it is pinned";
  frame.pinned = {0, 0};
  EXPECT_EQ(room_to_move(frame).low.y, -0.75) << "not the one far away, nor the very large one";
  EXPECT_EQ(room_to_move(frame).high.z, 0.25);
  scene->obstacles.bodies = {parse_obstacle("box:1,-0.5,0,0.25,0.5,1"), parse_obstacle("plane:0,1,0,-1")};
  EXPECT_EQ(room_to_move(frame).low.y, -1) << "the plane below it";
  EXPECT_EQ(room_to_move(frame).high.z, 0.5) << "the sides of the box";
}

// It fills a good part of the view.
TEST(Framing, WhatFailedIsSeenCloseUp) {
  LaneSnapshot lane;
  auto mesh = std::make_shared<ClothMesh>();
  mesh->positions = {vec3(0), vec3(0.05, 0, 0), vec3(1, 0, 0)};
  mesh->stretch_springs = {{0, 1}, {1, 2}};
  mesh->diagonal = 1;
  lane.frame.mesh = mesh;
  lane.frame.positions = mesh->positions;
  EXPECT_FALSE(box_of_failure(lane).has_value());
  lane.failed_contact = FailedContact{};
  const auto size = [&] {
    const Box box = *box_of_failure(lane);
    return glm::distance(box.low, box.high);
  };
  EXPECT_LT(size(), 6 * 0.05);
  lane.failed_contact.reset();
  lane.failed_spring.emplace();
  lane.failed_spring->i = 0;
  lane.failed_spring->j = 1;
  lane.failed_spring->rest_length = 0.05;
  EXPECT_LT(size(), 4 * 0.05);
  EXPECT_GT(size(), 2 * 0.05);
}

TEST(Framing, WithoutGravityOnlyWhatMovesHasRoomToGoRoundItsPins) {
  const Box still = room_to_move(level_spring(vec3(0), vec3(0)));
  EXPECT_EQ(still.low, vec3(0.5, 0, 0));
  EXPECT_EQ(still.high, vec3(1.5, 0, 0));
  const Box round = room_to_move(level_spring(vec3(0), vec3(0, 1, 0)));
  EXPECT_EQ(round.low, vec3(-0.5, -1, -1));
  EXPECT_EQ(round.high, vec3(1.5, 1, 1));
}

}  // namespace
}  // namespace clothlab
