// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collide/obstacle.h"
#include "core/vec.h"

namespace clothlab {

/// Obstacles that still move to their position in the scene (MoveObstacle), each in a straight line at
/// constant speed, as moving pins.
class ObstacleMoves {
 public:
  /// At the time `start` [s] an obstacle is `left` [m] away from its position in the scene; it arrives after
  /// `duration` [s].
  void move(std::uint32_t obstacle, const vec3& left, double start, double duration);
  /// All obstacles are at their positions in the scene.
  void rest() { moves_.clear(); }
  bool empty() const { return moves_.empty(); }

  /// The position of an obstacle at the time t [s] relative to its position in the scene [m].
  vec3 shift(std::uint32_t obstacle, double t) const;

  /// Calls each(number) for every number.
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

  std::vector<Move> moves_;  // at most one per obstacle
};

/// The pose of an obstacle at the time t [s], relative to its own numbers.
Pose pose_at(const Obstacle& obstacle, std::uint32_t number, const ObstacleMoves& moves, double t);
/// The obstacles at the time t [s].
std::vector<Obstacle> obstacles_at(const Obstacles& obstacles, const ObstacleMoves& moves, double t);

}  // namespace clothlab
