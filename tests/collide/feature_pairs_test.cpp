// SPDX-License-Identifier: MIT
// The pairs of features of a cloth: that none is missed, and none listed twice.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "collide/feature_pair.h"
#include "collide/mesh_body.h"
#include "contact/candidate_list.h"
#include "contact/pair_finder.h"

namespace clothlab {
namespace {

using Kind = FeaturePair::Kind;
using Triangle = PairFinder::Triangle;

struct Sheet {
  std::vector<Triangle> triangles;
  std::vector<vec3> positions;
};

// A sheet that has been crumpled.
Sheet crumpled(int rows, int columns, double size, std::mt19937& random, std::uint32_t first = 0) {
  std::uniform_real_distribution<double> shift(-1, 1);
  Sheet sheet;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      sheet.positions.push_back(0.1 * vec3(r, 0, c) +
                                size * vec3(shift(random), shift(random), shift(random)));
  for (int r = 0; r + 1 < rows; ++r)
    for (int c = 0; c + 1 < columns; ++c) {
      const auto at = static_cast<std::uint32_t>(r * columns + c) + first,
                 below = at + static_cast<std::uint32_t>(columns);
      sheet.triangles.push_back({at, at + 1, below});
      sheet.triangles.push_back({at + 1, below + 1, below});
    }
  return sheet;
}

std::array<std::uint32_t, 5> key(const FeaturePair& pair) {
  auto [a, b, c, d] = pair.particle;
  if (pair.kind == Kind::vertex_face) {
    std::array corners{b, c, d};
    std::ranges::sort(corners);
    return {0, a, corners[0], corners[1], corners[2]};
  }
  if (std::pair(std::min(a, b), std::max(a, b)) > std::pair(std::min(c, d), std::max(c, d)))
    std::swap(a, c), std::swap(b, d);
  return {1, std::min(a, b), std::max(a, b), std::min(c, d), std::max(c, d)};
}

// On its way, seen at some times.
bool comes_near(const FeaturePair& pair, std::span<const vec3> x, std::span<const vec3> way, double reach) {
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    std::array<vec3, 4> there = pair.of(x);
    const std::array<vec3, 4> led = pair.of(way);
    for (std::size_t k = 0; k < 4; ++k) there[k] += share * led[k];
    if (separation(pair.kind, there).distance < reach) return true;
  }
  return false;
}

// All pairs by brute force that come nearer than the reach on their ways, seen at some times.
std::set<std::array<std::uint32_t, 5>> all_pairs(const Sheet& cloth, const Sheet* body,
                                                 std::span<const vec3> x, std::span<const vec3> way,
                                                 double reach) {
  std::vector<Triangle> triangles = cloth.triangles;
  if (body) triangles.insert(triangles.end(), body->triangles.begin(), body->triangles.end());
  const std::size_t own = cloth.positions.size();
  std::set<std::array<std::uint32_t, 2>> edges;
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(t[k], t[(k + 1) % 3]);
      edges.insert({a, b});
    }
  std::set<std::array<std::uint32_t, 5>> pairs;
  const auto look_at = [&](const FeaturePair& pair) {
    if (comes_near(pair, x, way, reach)) pairs.insert(key(pair));
  };
  for (std::uint32_t i = 0; i < x.size(); ++i)
    for (const Triangle& t : triangles)
      if (!std::ranges::count(t, i) && (i < own || t[0] < own)) look_at({{i, t[0], t[1], t[2]}, {}});
  for (const auto& [a, b] : edges)
    for (const auto& [c, d] : edges)
      if (a != c && a != d && b != c && b != d && (a < own || c < own))
        look_at({{a, b, c, d}, Kind::edge_edge});
  return pairs;
}

vec3 within(double length, std::mt19937& random) {
  std::uniform_real_distribution<double> along(-1, 1);
  return length * vec3(along(random), along(random), along(random));
}

TEST(FeaturePairs, AreAllThatMayMeetAndEachOnce) {
  std::mt19937 random(7);
  WorkerPool pool(2);
  for (const bool with_body : {false, true}) {
    const Sheet cloth = crumpled(9, 7, 0.15, random);
    const auto own = static_cast<std::uint32_t>(cloth.positions.size());
    const Sheet body = crumpled(6, 5, 0.1, random, own);
    std::vector<vec3> x = cloth.positions;
    PairFinder finder;
    finder.add(cloth.triangles, x);
    if (with_body) {
      x.insert(x.end(), body.positions.begin(), body.positions.end());
      finder.add(body.triangles, x);
    }
    for (const double length : {0.0, 0.05, 0.3})
      for (const double reach : {1e-6, 0.03}) {
        std::vector<vec3> way;
        while (way.size() < x.size()) way.push_back(vec3(1, 2, 3) + within(length, random));
        const auto found =
            finder.find(pool, {.x = x, .displacement = way, .reach = reach, .with_itself = true});
        ASSERT_TRUE(found);
        std::set<std::array<std::uint32_t, 5>> listed;
        for (const FeaturePair& pair : *found) EXPECT_TRUE(listed.insert(key(pair)).second);
        const auto needed = all_pairs(cloth, with_body ? &body : nullptr, x, way, reach);
        EXPECT_TRUE(std::ranges::includes(listed, needed));
        EXPECT_TRUE(reach < 1e-3 || needed.size() > 20U) << needed.size();
        EXPECT_LT(listed.size(), 20000U);
      }
  }
}

TEST(FeaturePairs, SaysWhereThereAreTooMany) {
  std::mt19937 random(3);
  const Sheet cloth = crumpled(40, 40, 0, random);
  PairFinder finder;
  finder.add(cloth.triangles, cloth.positions);
  WorkerPool pool(1);
  const std::vector<vec3> rest(cloth.positions.size(), vec3(0));
  EXPECT_FALSE(
      finder.find(pool, {.x = cloth.positions, .displacement = rest, .reach = 3, .with_itself = true}));
  EXPECT_TRUE(
      finder.find(pool, {.x = cloth.positions, .displacement = rest, .reach = 3, .with_itself = false}));
}

// Lists are kept while particles move, alone, together and all at random; what is found does not show it.
TEST(FeaturePairs, AreAllThatAreNearWhateverWasNearBefore) {
  std::mt19937 random(11);
  const auto anywhere = [&](double length) { return within(length, random); };
  WorkerPool pool(2);
  const Sheet cloth = crumpled(10, 8, 0.08, random);
  const Sheet rest = crumpled(10, 8, 0, random);
  std::vector<vec3> x = cloth.positions, way(x.size()), still(x.size(), vec3(0));
  constexpr double kReach = 0.02;
  CandidateList kept;
  kept.set_cloth(cloth.triangles, rest.positions, true);
  std::size_t seen = 0;
  for (int round = 0; round < 30; ++round) {
    const vec3 common = anywhere(0.3);
    for (vec3& each : x) each += common + anywhere(round % 10 == 9 ? 0.05 : 0.001);
    for (int k = 0; k < round % 6; ++k) x[random() % x.size()] += anywhere(0.08);
    if (round % 3 == 2) {
      for (vec3& each : way) each = common + anywhere(0.002);
      way[random() % x.size()] += anywhere(0.05);
      const auto listed = kept.along(pool, x, way, kReach, CandidateList::Search::again);
      ASSERT_TRUE(listed);
      std::set<std::array<std::uint32_t, 5>> keys;
      for (const FeaturePair& pair : *listed) EXPECT_TRUE(keys.insert(key(pair)).second);
      EXPECT_TRUE(std::ranges::includes(keys, all_pairs(cloth, nullptr, x, way, kReach)));
      EXPECT_LT(keys.size(), 5000U);
    }
    std::set<std::array<std::uint32_t, 5>> keys;
    std::vector<CandidateList::Near> found;
    for (const CandidateList::Near& near : kept.near(pool, x, kReach, false)) {
      EXPECT_TRUE(keys.insert(key(near.pair)).second);
      found.push_back(near);
    }
    EXPECT_EQ(keys, all_pairs(cloth, nullptr, x, still, kReach));
    seen += keys.size();
    CandidateList fresh;
    fresh.set_cloth(cloth.triangles, rest.positions, true);
    EXPECT_TRUE(std::ranges::equal(
        fresh.near(pool, x, kReach, false), found, {},
        [](const CandidateList::Near& near) { return near.pair.particle; },
        [](const CandidateList::Near& near) { return near.pair.particle; }));
  }
  EXPECT_GT(seen, 300U);
}

// Most searches are saved while a cloth and a body move on short ways; none is missed where some particles go
// far, all do, or the body is somewhere else at once.
TEST(FeaturePairs, AreKeptAndNoneIsMissed) {
  std::mt19937 random(13);
  const auto anywhere = [&](double length) { return within(length, random); };
  WorkerPool pool(2);
  constexpr double kReach = 0.02;
  for (const bool with_body : {false, true}) {
    const Sheet cloth = crumpled(9, 7, 0.08, random);
    const auto own = static_cast<std::uint32_t>(cloth.positions.size());
    Sheet body = crumpled(5, 4, 0.08, random);
    std::vector<vec3> x = cloth.positions;
    CandidateList kept;
    PairFinder finder;
    Surfaces surfaces;
    kept.set_cloth(cloth.triangles, cloth.positions, true);
    finder.add(cloth.triangles, x);
    if (with_body) {
      const Obstacle mesh = test::mesh_body(TriangleSurface(body.positions, body.triangles), vec3(0), 1);
      surfaces.place({}, {{mesh}, 0}, 0, {}, own, 0, 0);
      kept.place_meshes(&surfaces);
      x.insert(x.end(), body.positions.begin(), body.positions.end());
      for (Triangle& triangle : body.triangles)
        for (std::uint32_t& corner : triangle) corner += own;
      finder.add(body.triangles, x);
    }
    std::vector<vec3> way(x.size());
    const auto anyone = [&] { return random() % own; };
    for (int step = 0; step < 150; ++step) {
      const vec3 common = with_body ? vec3(0) : anywhere(0.3);
      for (vec3& each : way) each = common + anywhere(step == 100 ? 0.05 : 0.0005);
      if (step % 50 == 20) way[anyone()] += anywhere(0.1);
      if (step % 50 == 30) x[anyone()] += anywhere(0.1);
      if (step == 40)
        x = cloth.positions,
        x.insert(x.end(), with_body ? body.positions.begin() : body.positions.end(), body.positions.end());
      if (step == 60)
        for (std::size_t i = own; i < x.size(); ++i) x[i] += vec3(0.05, 0, 0);
      const auto found = kept.bounded_along(pool, x, way, kReach);
      ASSERT_TRUE(found);
      std::set<std::array<std::uint32_t, 5>> listed;
      std::vector<std::array<std::uint32_t, 5>> near, near_anew;
      for (const auto& [pair, least] : *found) {
        const double distance = separation(pair.kind, pair.of(x)).distance;
        EXPECT_TRUE(listed.insert(key(pair)).second);
        EXPECT_LE(least, distance * (1 + 1e-12));
        if (comes_near(pair, x, way, kReach)) near.push_back(key(pair));
      }
      const auto anew =
          finder.find(pool, {.x = x, .displacement = way, .reach = kReach, .with_itself = true});
      ASSERT_TRUE(anew);
      for (const FeaturePair& pair : *anew)
        if (comes_near(pair, x, way, kReach)) near_anew.push_back(key(pair));
      EXPECT_EQ(near, near_anew) << step;
      EXPECT_GT(near.size(), 20U);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += way[i];
    }
    EXPECT_LT(kept.searches(), 50U);
  }
}

// Σ w x is the shortest way between two features: no other points of them are nearer, and its derivative by
// the positions is w ⊗ n.
TEST(FeaturePairs, AreAsFarApartAsTheirNearestPoints) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-1, 1), share(0, 1);
  for (const Kind kind : {Kind::vertex_face, Kind::edge_edge})
    for (int trial = 0; trial < 2000; ++trial) {
      std::array<vec3, 4> x;
      for (vec3& each : x) each = vec3(place(random), place(random), place(random));
      const Separation apart = separation(kind, x);
      EXPECT_NEAR(apart.weight[0] + apart.weight[1] + apart.weight[2] + apart.weight[3], 0, 1e-15);
      EXPECT_LT(glm::length(apart.blend(x) - apart.apart), 1e-14);
      for (int other = 0; other < 20; ++other) {
        double s = share(random), t = share(random);
        if (kind == Kind::vertex_face && s + t > 1) s = 1 - s, t = 1 - t;
        const vec3 way = kind == Kind::vertex_face ? x[0] - ((1 - s - t) * x[1] + s * x[2] + t * x[3])
                                                   : (1 - s) * x[0] + s * x[1] - (1 - t) * x[2] - t * x[3];
        EXPECT_LE(apart.distance, glm::length(way) * (1 + 1e-12));
      }
      if (apart.distance < 0.05) continue;
      constexpr double kShift = 1e-6;
      for (std::size_t k = 0; k < 4; ++k)
        for (int axis = 0; axis < 3; ++axis) {
          std::array<vec3, 4> low = x, high = x;
          low[k][axis] -= kShift;
          high[k][axis] += kShift;
          const double slope =
              (separation(kind, high).distance - separation(kind, low).distance) / (2 * kShift);
          // The error is that of the second derivative where the nearest points change their kind.
          EXPECT_NEAR(slope, apart.weight[k] * apart.apart[axis] / apart.distance, 2e-4);
        }
    }
}

// What is known to meet at a time is found before that, and what moves together is not.
TEST(FeaturePairs, AreStoppedBeforeTheyMeet) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-1, 1), share(0.05, 0.9);
  for (const Kind kind : {Kind::vertex_face, Kind::edge_edge})
    for (int trial = 0; trial < 2000; ++trial) {
      std::array<vec3, 4> x, way;
      for (std::size_t k = 0; k < 4; ++k) {
        x[k] = vec3(place(random), place(random), place(random));
        way[k] = vec3(place(random), place(random), place(random));
      }
      const double start = separation(kind, x).distance;
      if (start < 1e-3) continue;
      // The first one goes to where it meets the other at the time t.
      const double t = share(random), s = share(random) / 2, r = share(random) / 2;
      const auto at = [&](std::size_t k) { return x[k] + t * way[k]; };
      const vec3 goal = kind == Kind::vertex_face ? (1 - s - r) * at(1) + s * at(2) + r * at(3)
                                                  : ((1 - s) * at(2) + s * at(3) - r * at(1)) / (1 - r);
      way[0] = (goal - x[0]) / t;
      const double least = 0.1 * start, free = free_share(kind, x, way, least);
      EXPECT_LT(free, t);
      std::array<vec3, 4> there = x;
      for (std::size_t k = 0; k < 4; ++k) there[k] += free * way[k];
      EXPECT_LT(separation(kind, there).distance, least);
      EXPECT_GE(separation(kind, there).distance, least / 2 * (1 - 1e-9));
      const vec3 same(place(random), place(random), place(random));
      EXPECT_EQ(free_share(kind, x, {same, same, same, same}, least), 1);
    }
}

}  // namespace
}  // namespace clothlab
