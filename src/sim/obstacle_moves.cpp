// SPDX-License-Identifier: MIT
#include "sim/obstacle_moves.h"

#include <algorithm>

namespace clothlab {

void ObstacleMoves::move(std::uint32_t obstacle, const vec3& left, double start, double duration) {
  const auto found = std::ranges::find(moves_, obstacle, &Move::obstacle);
  (found == moves_.end() ? moves_.emplace_back() : *found) = {obstacle, left, start, duration};
}

vec3 ObstacleMoves::shift(std::uint32_t obstacle, double t) const {
  const auto move = std::ranges::find(moves_, obstacle, &Move::obstacle);
  if (move == moves_.end()) return vec3(0);
  // A way that ends with a step ends exactly in its place, though t is a sum of rounded steps.
  const double rest = move->start + move->duration - t;
  return rest <= 1e-9 * move->duration ? vec3(0) : rest / move->duration * move->left;
}

std::vector<Obstacle> obstacles_at(const Obstacles& obstacles, const ObstacleMoves& moves, double t) {
  std::vector<Obstacle> bodies = obstacles.bodies;
  for (std::uint32_t k = 0; k < bodies.size(); ++k) bodies[k] = shifted(bodies[k], moves.shift(k, t));
  return bodies;
}

}  // namespace clothlab
