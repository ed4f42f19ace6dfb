// SPDX-License-Identifier: MIT
#include "contact/obstacle_moves.h"

#include <algorithm>

namespace clothlab {

void ObstacleMoves::move(std::uint32_t obstacle, const vec3& left, double start, double duration) {
  const auto found = std::ranges::find(moves_, obstacle, &Move::obstacle);
  (found == moves_.end() ? moves_.emplace_back() : *found) = {obstacle, left, start, duration};
}

vec3 ObstacleMoves::shift(std::uint32_t obstacle, double t) const {
  const auto move = std::ranges::find(moves_, obstacle, &Move::obstacle);
  if (move == moves_.end()) return vec3(0);
  // A move that ends with a step ends exactly at its target, although t is a sum of rounded steps.
  const double rest = move->start + move->duration - t;
  return rest <= 1e-9 * move->duration ? vec3(0) : rest / move->duration * move->left;
}

Pose pose_at(const Obstacle& obstacle, std::uint32_t number, const ObstacleMoves& moves, double t) {
  Pose pose = pose_on(obstacle.path, t);
  pose.shift += moves.shift(number, t);
  return pose;
}

std::vector<Obstacle> obstacles_at(const Obstacles& obstacles, const ObstacleMoves& moves, double t) {
  std::vector<Obstacle> bodies;
  for (std::uint32_t k = 0; k < obstacles.bodies.size(); ++k)
    bodies.push_back(posed(obstacles.bodies[k], pose_at(obstacles.bodies[k], k, moves, t)));
  return bodies;
}

}  // namespace clothlab
