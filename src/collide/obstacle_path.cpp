// SPDX-License-Identifier: MIT
#include "collide/obstacle_path.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <numbers>
#include <string>

#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

// The short way: a turn and its negative are the same.
double angle_between(const glm::dquat& a, const glm::dquat& b) {
  return 2 * std::acos(std::min(std::abs(glm::dot(a, b)), 1.0));
}

Pose pose_at(const Keyframe& key) { return {turn_of(key.turn), key.move}; }

}  // namespace

glm::dquat turn_of(const vec3& degrees) {
  const double size = glm::length(degrees);
  if (!(size > 0)) return {1, 0, 0, 0};
  return glm::angleAxis(size * std::numbers::pi / 180, degrees / size);
}

void check_path(const ObstaclePath& path) {
  if (path.keys.size() > kMostKeyframes)
    throw InputError("A path may have at most " + std::to_string(kMostKeyframes) + " keyframes.");
  constexpr double kHalfCircle = 180;  // [°]
  double last = -1;
  const Keyframe* before = nullptr;
  for (const Keyframe& key : path.keys) {
    if (!(key.time >= 0 && key.time <= kLatestKeyframe) || !(key.time > last))
      throw InputError("The times of a path must ascend, from 0 to " + format_number(kLatestKeyframe) +
                       " s.");
    last = key.time;
    constexpr double kFarthest = 1000;  // as bodies
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(key.move[k]) <= kFarthest) || !(std::abs(key.turn[k]) <= kMostTurn))
        throw InputError("A path may move an obstacle by at most " + format_number(kFarthest) +
                         " m and turn it by at most " + format_number(kMostTurn) + "°.");
    // Turns whose vectors differ by less than that are less than half a circle apart.
    if (before != nullptr && !(glm::distance(before->turn, key.turn) < kHalfCircle))
      throw InputError("The turn between the keyframes at " + format_number(before->time) + " s and " +
                       format_number(key.time) +
                       " s of a path may be half a circle or more. Add a keyframe between them.");
    before = &key;
  }
  if (!path.loops) return;
  constexpr double kSameTurn = 1e-6;  // [rad]
  if (path.keys.size() < 2 || path.keys.front().move != path.keys.back().move ||
      angle_between(pose_at(path.keys.front()).turn, pose_at(path.keys.back()).turn) > kSameTurn)
    throw InputError("A path that loops must end where it begins.");
}

Pose pose_on(const ObstaclePath& path, double t) {
  if (path.keys.empty()) return {};
  const double first = path.keys.front().time, last = path.keys.back().time;
  if (path.loops && t > first) t = first + std::fmod(t - first, last - first);
  const auto next = std::ranges::upper_bound(path.keys, t, {}, &Keyframe::time);
  if (next == path.keys.begin()) return pose_at(path.keys.front());
  if (next == path.keys.end()) return pose_at(path.keys.back());
  const Keyframe& before = *(next - 1);
  const double share = (t - before.time) / (next->time - before.time);
  const Pose from = pose_at(before), to = pose_at(*next);
  return {from.turn == to.turn ? from.turn : glm::slerp(from.turn, to.turn, share),
          from.shift + share * (to.shift - from.shift)};
}

double fastest_on(const ObstaclePath& path, double distance) {
  double fastest = 0;
  for (std::size_t k = 1; k < path.keys.size(); ++k) {
    const Keyframe &from = path.keys[k - 1], &to = path.keys[k];
    const double angle = angle_between(turn_of(from.turn), turn_of(to.turn));
    const double turning = angle > 0 ? angle * distance : 0;  // a plane turns about infinity
    fastest = std::max(fastest, (glm::distance(from.move, to.move) + turning) / (to.time - from.time));
  }
  return fastest;
}

}  // namespace clothlab
