// SPDX-License-Identifier: MIT
#include "sim/surfaces.h"

namespace clothlab {

void Surfaces::place(const Scene& scene, const ObstacleMoves& moves, double t, double h) {
  constexpr double kRoom = 1 + 1e-9;
  if (scene.contact.model != ContactModel::filter) {
    has_floor_ = move_ = false;
    bodies_.clear();
    return;
  }
  has_floor_ = scene.floor.on;
  floor_height_ = scene.floor.height;
  floor_friction_ = scene.floor.friction;
  friction_ = scene.obstacles.friction;
  move_ = false;
  bodies_.resize(scene.obstacles.bodies.size());
  for (std::uint32_t k = 0; k < bodies_.size(); ++k) {
    const Obstacle& obstacle = scene.obstacles.bodies[k];
    Body& body = bodies_[k];
    const vec3 from = moves.shift(k, t), to = h > 0 ? moves.shift(k, t + h) : from;
    body.begin = shifted(obstacle, from);
    body.end = shifted(obstacle, to);
    body.moves = from != to;
    body.way = to - from;
    body.velocity = body.moves ? body.way / h : vec3(0);
    body.middle = centre_of(body.begin);
    body.bound = kRoom * bound_of(obstacle);
    move_ = move_ || body.moves;
  }
}

}  // namespace clothlab
