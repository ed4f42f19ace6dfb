// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"

namespace clothlab {

/// Obstacles on their way to where the scene has them (MoveObstacle): each in a straight line at constant
/// speed, as moving pins.
class ObstacleMoves {
 public:
  /// From now, the time `start` [s], an obstacle is `left` away from its place in the scene [m], and there
  /// after `duration` [s].
  void move(std::uint32_t obstacle, const vec3& left, double start, double duration);
  /// All are where the scene has them.
  void rest() { moves_.clear(); }
  bool empty() const { return moves_.empty(); }

  /// Where an obstacle is at the time t [s], less its place in the scene [m].
  vec3 shift(std::uint32_t obstacle, double t) const;

  /// each(number) for all there is.
  template <class Each>
  void each_number(const Each& each) {
    each.list(moves_, [&](Move& move) {
      each(move.obstacle);
      each(move.left);
      for (double* value : {&move.start, &move.duration}) each(*value);
    });
  }

 private:
  struct Move {
    std::uint32_t obstacle = 0;
    vec3 left{0};
    double start = 0;
    double duration = 0;
  };

  std::vector<Move> moves_;  // of each obstacle one at most
};

/// Where an obstacle is at the time t [s], from where its own numbers have it.
Pose pose_at(const Obstacle& obstacle, std::uint32_t number, const ObstacleMoves& moves, double t);
/// The obstacles at the time t [s].
std::vector<Obstacle> obstacles_at(const Obstacles& obstacles, const ObstacleMoves& moves, double t);

}  // namespace clothlab
