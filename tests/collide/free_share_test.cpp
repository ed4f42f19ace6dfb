// SPDX-License-Identifier: MIT
// Conservative detection of collisions against exact answers: what meets is never missed. A twentieth of the
// pairs; all of them where CLOTHLAB_LONG_TESTS is set (scripts/long.sh).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <glm/geometric.hpp>
#include <random>

#include "collide/distances.h"
#include "collide/exact.h"
#include "collide/feature_pair.h"

namespace clothlab::test {
namespace {

using Kind = FeaturePair::Kind;

int pairs(int all) { return std::getenv("CLOTHLAB_LONG_TESTS") != nullptr ? all : all / 20; }

struct Moving {
  Kind kind;
  Four x, way;

  Four at(double t) const {
    Four moved = x;
    for (std::size_t k = 0; k < 4; ++k) moved[k] += t * way[k];
    return moved;
  }
  double distance(double t) const {
    return kind == Kind::vertex_face ? from_face(at(t)) : between_segments(at(t));
  }
  bool meet(double until) const {
    return kind == Kind::vertex_face ? vertex_meets_face(x, way, until) : edges_meet(x, way, until);
  }
  double largest() const {
    double most = 0;
    for (const Four* list : {&x, &way})
      for (const vec3& each : *list) most = std::max(most, glm::length(each));
    return most;
  }
};

class MovingDice {
 public:
  explicit MovingDice(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
  double power(double low, double high) { return std::pow(10, in(low, high)); }
  bool one_in(int n) { return std::uniform_int_distribution(1, n)(engine_) == 1; }
  vec3 point(double size = 1) { return {in(-size, size), in(-size, size), in(-size, size)}; }

  Moving pair() {
    Moving made{one_in(2) ? Kind::vertex_face : Kind::edge_edge, {}, {}};
    const double reach = power(-2, 1);
    for (vec3& each : made.x) each = point();
    for (vec3& each : made.way) each = point(reach);
    return made;
  }
  /// So that they meet at t, but for rounding: within both, at an edge, or at corners.
  void lead_together(Moving& pair, double t) {
    double s = in(0, 1), r = in(0, 1);
    if (one_in(3)) s = 0;
    if (one_in(3)) r = 0;
    Four& x = pair.x;
    if (pair.kind == Kind::vertex_face) {
      if (s + r > 1) s = 1 - s, r = 1 - r;
      x[0] = x[1] + s * (x[2] - x[1]) + r * (x[3] - x[1]);
    } else {
      const vec3 way = x[0] + s * (x[1] - x[0]) - (x[2] + r * (x[3] - x[2]));
      x[2] += way;
      x[3] += way;
    }
    for (std::size_t k = 0; k < 4; ++k) x[k] -= t * pair.way[k];
  }
  /// In metres and in micrometres, near the origin and far from it.
  void place(Moving& pair) {
    const double scale = power(-9, 6);
    const vec3 shift = point(power(-2, 2));
    for (vec3& each : pair.x) each = scale * (each + shift);
    for (vec3& each : pair.way) each *= scale;
  }

 private:
  std::mt19937_64 engine_;
};

struct Count {
  int tried = 0, stopped = 0, given_up = 0;
  int met = 0;  // that meet later, of one in ten that were stopped
};

// Distances are those of doubles, which the test of nearest points compares with exact ones.
void check(const Moving& pair, double wanted, Count& count) {
  constexpr double kRounding = 1e-13;  // of the largest coordinate: nothing is sure below
  const double least = std::min(wanted, pair.distance(0)), rounding = kRounding * pair.largest();
  if (least < rounding) return;
  ++count.tried;
  const double free = free_share(pair.kind, pair.x, pair.way, least);
  ASSERT_GE(free, 0);
  ASSERT_LE(free, 1);
  ASSERT_FALSE(pair.meet(free));
  for (int k = 0; k <= 8; ++k) ASSERT_GE(pair.distance(free * k / 8), least / 2 - rounding);
  if (free == 1) return;
  ++count.stopped;
  if (pair.distance(free) > least + rounding) ++count.given_up;  // no end in sight
  if (count.stopped % 10 == 0 && pair.meet(1)) ++count.met;
}

TEST(FreeShare, OfRandomWaysEndsBeforeTheyMeet) {
  MovingDice dice(1);
  Count count;
  const int all = pairs(100'000);
  for (int k = 0; k < all; ++k) {
    SCOPED_TRACE(k);
    Moving pair = dice.pair();
    if (k % 2 == 0) dice.lead_together(pair, dice.in(0.01, 0.99));
    dice.place(pair);
    ASSERT_NO_FATAL_FAILURE(check(pair, pair.largest() * dice.power(-8, -1), count));
  }
  EXPECT_GT(count.tried, all * 9 / 10);
  EXPECT_GT(count.stopped, all / 2);
  EXPECT_GT(count.met, all / 40);
  EXPECT_LT(count.given_up, all / 200);
}

TEST(FreeShare, OfDegenerateWaysEndsBeforeTheyMeet) {
  MovingDice dice(2);
  Count count;
  const int all = pairs(10'000);
  for (int k = 0; k < all; ++k) {
    SCOPED_TRACE(k);
    Moving pair = dice.pair();
    Four &x = pair.x, &way = pair.way;
    const bool face = pair.kind == Kind::vertex_face;
    const double meeting = dice.in(0.01, 0.99), small = dice.power(-17, -3);
    switch (k % 6) {
      case 0:  // rigid: a face, or two edges that are parallel and stay so
        if (!face) x[3] = x[2] + dice.in(-2, 2) * (x[1] - x[0]);
        way[2] = way[3];
        way[1] = face ? way[3] : way[0];
        dice.lead_together(pair, meeting);
        break;
      case 1:  // nearly parallel edges, and slivers
        x[3] = face ? x[1] + dice.in(-1, 2) * (x[2] - x[1]) : x[2] + dice.in(-2, 2) * (x[1] - x[0]);
        x[3] += dice.point(small);
        way[1] = (face ? way[3] : way[0]) + dice.point(small);
        way[2] = way[3] + dice.point(small);
        dice.lead_together(pair, meeting);
        break;
      case 2:  // all in one plane, for good or to rounding
        for (Four* list : {&x, &way}) {
          const vec3 u = k % 4 < 2 ? vec3(1, 0, 0) : vec3(0.6, 0.3, -0.2),
                     v = k % 4 < 2 ? vec3(0, 0, 1) : vec3(0.1, 0.7, 0.4);
          for (vec3& each : *list) each = each.x * u + each.z * v;
        }
        break;
      case 3:  // no way, one in common, or nearly
        for (vec3& each : way) each = dice.one_in(3) ? vec3(0) : way[0];
        if (dice.one_in(2)) way[0] += dice.point(small);
        break;
      case 4:  // near from the beginning
        dice.lead_together(pair, 0);
        x[0] += dice.point(dice.power(-10, -3));
        break;
      case 5:  // a line or a point for a face, points for edges
        x[3] = x[2];
        if (dice.one_in(2)) x[1] = face ? x[2] : x[0];
        way[3] = way[2];
        way[1] = way[0];
        dice.lead_together(pair, meeting);
        break;
    }
    dice.place(pair);
    ASSERT_NO_FATAL_FAILURE(check(pair, pair.largest() * dice.power(-9, -1), count));
  }
  EXPECT_GT(count.tried, all * 3 / 4);
  EXPECT_GT(count.stopped, all / 2);
  EXPECT_GT(count.met, all / 100);
  EXPECT_LT(count.given_up, all / 200);
}

}  // namespace
}  // namespace clothlab::test
