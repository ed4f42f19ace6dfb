// SPDX-License-Identifier: MIT
#include "mesh/triangulate.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "core/error.h"

namespace clothlab {
namespace {

constexpr std::uint32_t kNoCorner = std::numeric_limits<std::uint32_t>::max();

/// Sine of the angle below which two edges count as one straight line: well above the rounding of the
/// projection, well below the angles of real models.
constexpr double kStraight = 1e-12;

}  // namespace

std::span<const std::array<std::uint32_t, 3>> Triangulator::triangulate(std::span<const vec3> polygon,
                                                                        const StopProbe& stop) {
  const auto n = static_cast<std::uint32_t>(polygon.size());
  triangles_.clear();
  if (n == 3) {
    triangles_.push_back({0, 1, 2});
    return triangles_;
  }
  project(polygon);
  next_.resize(n);
  previous_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    next_[i] = (i + 1) % n;
    previous_[i] = (i + n - 1) % n;
  }
  blockers_.clear();
  blocks_.assign(n, false);
  found_blocker_.assign(n, kNoCorner);
  for (std::uint32_t i = 0; i < n; ++i) set_blocking(i, !is_convex(i));

  std::uint32_t corner = 1;
  for (std::size_t remaining = n; remaining > 3; --remaining) {
    if (stop_requested(stop)) throw Cancelled();
    corner = corner_to_clip(corner, remaining);
    const std::uint32_t following = next_[corner];
    clip(corner);
    corner = following;
  }
  triangles_.push_back({previous_[corner], corner, next_[corner]});
  return triangles_;
}

/// The corners in the plane through them, scaled by a power of two to a size near 1.
void Triangulator::project(std::span<const vec3> polygon) {
  double reach = 0;
  for (const vec3& p : polygon)
    for (int axis = 0; axis < 3; ++axis)
      reach = std::max(reach, std::abs(p[axis] / 2 - polygon[0][axis] / 2));
  int exponent = 0;
  std::frexp(reach, &exponent);
  const auto local = [&](std::size_t i) {
    const vec3 half =
        polygon[i] / 2.0 - polygon[0] / 2.0;  // halves: the difference of two doubles may overflow
    return vec3(std::ldexp(half.x, -exponent), std::ldexp(half.y, -exponent), std::ldexp(half.z, -exponent));
  };

  vec3 normal(0);
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) normal += glm::cross(local(i), local(i + 1));
  const double length = glm::length(normal);
  points_.assign(polygon.size(), {0, 0});
  if (!(length > 0)) return;  // all corners on one line: any triangles are valid
  normal /= length;
  int flattest = 0;
  for (int axis = 1; axis < 3; ++axis)
    if (std::abs(normal[axis]) < std::abs(normal[flattest])) flattest = axis;
  vec3 helper(0);
  helper[flattest] = 1;
  const vec3 u = glm::normalize(glm::cross(helper, normal));
  const vec3 v = glm::cross(normal, u);
  for (std::size_t i = 0; i < polygon.size(); ++i)
    points_[i] = {glm::dot(local(i), u), glm::dot(local(i), v)};
}

/// 1 if c is to the left of the line from a to b, −1 to the right, 0 on it.
int Triangulator::turn(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
  const double abx = points_[b].x - points_[a].x, aby = points_[b].y - points_[a].y;
  const double acx = points_[c].x - points_[a].x, acy = points_[c].y - points_[a].y;
  const double cross = abx * acy - aby * acx;
  const double straight = kStraight * std::sqrt((abx * abx + aby * aby) * (acx * acx + acy * acy));
  return cross > straight ? 1 : cross < -straight ? -1 : 0;
}

bool Triangulator::is_convex(std::uint32_t corner) const {
  return turn(previous_[corner], corner, next_[corner]) > 0;
}

/// Whether the line from one corner to another starts out into the polygon (InCone of O'Rourke,
/// "Computational Geometry in C", 1.5).
bool Triangulator::sees(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t before = previous_[from], after = next_[from];
  if (turn(from, after, before) >= 0) return turn(from, to, before) > 0 && turn(to, from, after) > 0;
  return !(turn(from, to, after) >= 0 && turn(to, from, before) >= 0);
}

bool Triangulator::is_ear(std::uint32_t corner) {
  if (found_blocker_[corner] != kNoCorner && blocks_[found_blocker_[corner]]) return false;
  if (!is_convex(corner)) return false;
  const std::uint32_t a = previous_[corner], b = corner, c = next_[corner];
  if (!sees(a, c) || !sees(c, a)) return false;
  const auto same_place = [&](std::uint32_t p, std::uint32_t q) {
    return points_[p].x == points_[q].x && points_[p].y == points_[q].y;
  };
  // A bridge to a hole passes twice through the same points, so corners at a, b or c do not block.
  const auto found = std::find_if(blockers_.begin(), blockers_.end(), [&](std::uint32_t p) {
    return p != a && p != b && p != c && turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0 &&
           !same_place(p, a) && !same_place(p, b) && !same_place(p, c);
  });
  if (found == blockers_.end()) return true;
  found_blocker_[corner] = *found;
  return false;
}

/// The first ear from `from` on. A polygon that crosses or touches itself may have none: then a flat corner,
/// else a convex one, else any.
std::uint32_t Triangulator::corner_to_clip(std::uint32_t from, std::size_t remaining) {
  std::uint32_t flat = kNoCorner, convex = kNoCorner;
  std::uint32_t corner = from;
  for (std::size_t i = 0; i < remaining; ++i, corner = next_[corner]) {
    if (is_ear(corner)) return corner;
    const int direction = turn(previous_[corner], corner, next_[corner]);
    if (direction == 0 && flat == kNoCorner) flat = corner;
    if (direction > 0 && convex == kNoCorner) convex = corner;
  }
  return flat != kNoCorner ? flat : convex != kNoCorner ? convex : from;
}

void Triangulator::clip(std::uint32_t corner) {
  const std::uint32_t a = previous_[corner], c = next_[corner];
  triangles_.push_back({a, corner, c});
  next_[a] = c;
  previous_[c] = a;
  found_blocker_[a] = found_blocker_[c] = kNoCorner;
  set_blocking(corner, false);
  for (const std::uint32_t neighbour : {a, c}) set_blocking(neighbour, !is_convex(neighbour));
}

void Triangulator::set_blocking(std::uint32_t corner, bool blocks) {
  if (blocks == blocks_[corner]) return;
  blocks_[corner] = blocks;
  if (blocks)
    blockers_.push_back(corner);
  else
    std::erase(blockers_, corner);
}

}  // namespace clothlab
