// SPDX-License-Identifier: MIT
#include "contact/surfaces.h"

#include <algorithm>
#include <glm/gtc/quaternion.hpp>

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

void Surfaces::place(const Floor& floor, const Obstacles& obstacles, double thickness,
                     const ObstacleMoves& moves, std::size_t particles, double t, double h) {
  constexpr double kRoom = 1 + 1e-9;
  thickness_ = thickness;
  has_floor_ = floor.on;
  floor_height_ = floor.height;
  floor_friction_ = floor.friction;
  friction_ = obstacles.friction;
  move_ = false;
  bodies_.resize(1 + obstacles.bodies.size());
  for (std::uint32_t k = 0; k < obstacles.bodies.size(); ++k) {
    const Obstacle& obstacle = obstacles.bodies[k];
    Body& body = bodies_[k + 1];
    const Pose from = pose_at(obstacle, k, moves, t), to = h > 0 ? pose_at(obstacle, k, moves, t + h) : from;
    if (obstacle.mesh.surface != body.end.mesh.surface) body.found.clear();
    if (obstacle.mesh.surface) body.found.resize(particles);
    body.moves = !(from == to);
    body.begin = posed(obstacle, from);
    body.end = body.moves ? posed(obstacle, to) : body.begin;
    const vec3 centre = centre_of(obstacle);
    body.middle = centre + from.shift;
    body.middle_at_end = centre + to.shift;
    body.bound = kRoom * bound_of(obstacle);
    body.least_passage = least_passage_of(obstacle);
    body.displacement = to.shift - from.shift;
    body.velocity = body.moves ? body.displacement / h : vec3(0);
    body.turns = from.turn != to.turn;
    if (body.turns) {
      glm::dquat turn = to.turn * glm::conjugate(from.turn);
      if (turn.w < 0) turn = -turn;  // the short way
      body.turn = glm::mat3_cast(turn);
      body.spin = glm::angle(turn) / h * glm::axis(turn);
    }
    move_ = move_ || body.moves;
  }
}

// By conservative advancement: the height is a bound of the way to the surface.
std::optional<vec3> Surfaces::first_touch(std::uint32_t surface, std::uint32_t particle, const vec3& from,
                                          const vec3& to, double least) const {
  constexpr int kMostAdvances = 1000;
  const vec3 path = carried_back(surface, to) - from;
  const double length = glm::length(path);
  double t = 0;
  for (int step = 0; step < kMostAdvances; ++step) {
    const vec3 x = from + t * path;
    const double gap = at_begin(surface, particle, x).gap();
    if (gap < least) return x;
    t += (gap - least / 2) / length;
    if (!(t < 1)) return std::nullopt;
  }
  return from + t * path;
}

}  // namespace clothlab
