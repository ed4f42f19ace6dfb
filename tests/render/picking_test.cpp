// SPDX-License-Identifier: MIT
#include "render/picking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <random>

#include "support.h"

namespace clothlab {
namespace {

using Triangle = std::array<std::uint32_t, 3>;
using Long = long double;
using LongVec = glm::vec<3, Long>;

ClothMesh wavy_sheet(int n) {
  ClothMesh mesh;
  for (int r = 0; r <= n; ++r)
    for (int c = 0; c <= n; ++c) {
      const double x = static_cast<double>(c) / n;
      const double z = static_cast<double>(r) / n;
      mesh.positions.emplace_back(x, 0.15 * std::sin(9 * x) * std::cos(7 * z), z);
    }
  const auto id = [&](int r, int c) { return static_cast<std::uint32_t>(r * (n + 1) + c); };
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      mesh.triangles.push_back({id(r, c), id(r + 1, c), id(r, c + 1)});
      mesh.triangles.push_back({id(r, c + 1), id(r + 1, c), id(r + 1, c + 1)});
    }
  return mesh;
}

// The same by another algorithm: where the ray meets the plane, and on which side of each edge within
// that plane, in extended precision. `margin` tells how clearly the nearest triangle was hit or missed.
struct Reference {
  std::optional<std::size_t> triangle;
  Long distance = std::numeric_limits<Long>::infinity();
  Long margin = std::numeric_limits<Long>::infinity();
};

Reference brute_force(const ClothMesh& mesh, const std::vector<vec3>& positions, const Ray& ray) {
  Reference reference;
  const LongVec origin(ray.origin);
  const LongVec direction(ray.direction);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const LongVec corner[3] = {LongVec(positions[mesh.triangles[i][0]]),
                               LongVec(positions[mesh.triangles[i][1]]),
                               LongVec(positions[mesh.triangles[i][2]])};
    const LongVec normal = glm::cross(corner[1] - corner[0], corner[2] - corner[0]);
    const Long slope = glm::dot(normal, direction);
    if (slope == 0) continue;
    const Long distance = glm::dot(normal, corner[0] - origin) / slope;
    if (!(distance > 0)) continue;
    const LongVec at = origin + distance * direction;
    Long least = std::numeric_limits<Long>::infinity();
    for (int k = 0; k < 3; ++k) {
      const LongVec edge = corner[(k + 1) % 3] - corner[k];
      least = std::min(least, glm::dot(glm::cross(edge, at - corner[k]), normal) / glm::dot(normal, normal));
    }
    reference.margin = std::min(reference.margin, std::abs(least));
    if (least >= 0 && distance < reference.distance) {
      reference.distance = distance;
      reference.triangle = i;
    }
  }
  return reference;
}

Camera camera_near_the_sheet(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Camera camera;
  camera.target = {0.5 + 0.3 * unit(random), 0.1 * unit(random), 0.5 + 0.3 * unit(random)};
  camera.distance = std::exp2(2 * unit(random));
  camera.yaw = 3.1 * unit(random);
  camera.pitch = Camera::kMaxPitch * unit(random);
  return camera;
}

TEST(Pick, AgreesWithAnotherAlgorithmOverAThousandRaysAndCameras) {
  const ClothMesh mesh = wavy_sheet(24);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  int hits = 0;
  int misses = 0;
  for (int i = 0; i < 1000; ++i) {
    const Camera camera = camera_near_the_sheet(random);
    const Ray ray = camera.ray({kSize.x * unit(random), kSize.y * unit(random)}, kSize);
    const auto picked = pick(mesh.triangles, mesh.positions, ray);
    const Reference reference = brute_force(mesh, mesh.positions, ray);
    // So close to an edge, double precision may rightly decide otherwise; none of these seeds comes there.
    ASSERT_GT(reference.margin, 1e-10L);
    ASSERT_EQ(picked.has_value(), reference.triangle.has_value()) << "ray " << i;
    if (!picked) {
      ++misses;
      continue;
    }
    ++hits;
    EXPECT_EQ(picked->particles, mesh.triangles[*reference.triangle]);
    // The triangle's plane may be met at a flat angle, which magnifies rounding: 1e-10 is still 1e5 ulps.
    EXPECT_NEAR(picked->distance, static_cast<double>(reference.distance), 1e-10);
    EXPECT_NEAR(picked->weights.x + picked->weights.y + picked->weights.z, 1, 1e-14);
    EXPECT_GE(std::min({picked->weights.x, picked->weights.y, picked->weights.z}), 0);
    vec3 point(0);
    for (int k = 0; k < 3; ++k)
      point += picked->weights[k] * mesh.positions[picked->particles[static_cast<std::size_t>(k)]];
    EXPECT_LT(glm::length(point - ray.at(picked->distance)), 1e-10);
    const auto seen = camera.project(point, kSize);
    ASSERT_TRUE(seen);
  }
  EXPECT_GT(hits, 200);
  EXPECT_GT(misses, 100);
}

TEST(Pick, GivesExactWeights) {
  const std::vector<vec3> positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 2}};
  for (const double side : {1.0, -1.0}) {
    const auto picked = pick(triangles, positions, {{0.25, 0.5, 2 * side}, {0, 0, -side}});
    ASSERT_TRUE(picked) << "both sides are met";
    EXPECT_EQ(picked->weights, vec3(0.25, 0.25, 0.5));
    EXPECT_EQ(picked->distance, 2);
  }
  EXPECT_FALSE(pick(triangles, positions, {{0.25, 0.5, 2}, {0, 0, 1}})) << "behind the origin";
  EXPECT_FALSE(pick(triangles, positions, {{0.75, 0.5, 2}, {0, 0, -1}})) << "beside it";
}

TEST(Pick, TakesTheNearestWhateverTheOrder) {
  const std::vector<vec3> positions = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0},
                                       {-1, -1, 1}, {1, -1, 1}, {0, 1, 1}};
  const std::vector<Triangle> near_last = {{0, 1, 2}, {3, 4, 5}};
  const std::vector<Triangle> near_first = {{3, 4, 5}, {0, 1, 2}};
  const Ray ray{{0, 0, 5}, {0, 0, -1}};
  EXPECT_EQ(pick(near_last, positions, ray)->particles, (Triangle{3, 4, 5}));
  EXPECT_EQ(pick(near_first, positions, ray)->particles, (Triangle{3, 4, 5}));
}

TEST(Pick, NoRaySlipsThroughAnEdgeOrACorner) {
  const ClothMesh mesh = wavy_sheet(12);
  std::mt19937 random(12);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 5000; ++i) {
    // At a point of an inner edge, or exactly at a corner, from anywhere above.
    const Triangle& t = mesh.triangles[static_cast<std::size_t>(unit(random) * 0.999 * 288)];
    const double s = i % 3 == 0 ? 0.0 : unit(random);
    const vec3 aim = (1 - s) * mesh.positions[t[1]] + s * mesh.positions[t[2]];
    if (std::min({aim.x, aim.z, 1 - aim.x, 1 - aim.z}) < 0.01) continue;
    const vec3 origin(unit(random), 2, unit(random));
    EXPECT_TRUE(pick(mesh.triangles, mesh.positions, {origin, glm::normalize(aim - origin)}));
  }
}

TEST(Pick, IgnoresTrianglesThatHaveNoAreaOrAreNotFinite) {
  const std::vector<vec3> positions = {{0, 0, 0},      {1, 0, 0},         {0.5, 0, 0},      {0, 1, 0},
                                       {kNan, 0.2, 0}, {kInfinity, 0, 0}, {1e308, 1e308, 0}};
  const std::vector<Triangle> bad = {{0, 1, 2}, {0, 0, 0}, {0, 0, 1}, {0, 4, 3},
                                     {0, 5, 3}, {0, 1, 4}, {6, 5, 4}};
  std::mt19937 random(13);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 1000; ++i) {
    const vec3 origin(unit(random), unit(random), 1 + unit(random));
    const vec3 aim = i % 2 ? vec3(0.25, 0, 0) : vec3(unit(random), unit(random), 0);
    const auto picked = pick(bad, positions, {origin, glm::normalize(aim - origin)});
    if (picked) {
      EXPECT_TRUE(std::isfinite(picked->distance));
      EXPECT_NEAR(picked->weights.x + picked->weights.y + picked->weights.z, 1, 1e-12);
    }
  }
  EXPECT_FALSE(pick(bad, positions, {{0.25, 0, 1}, {0, 0, -1}}));
  EXPECT_FALSE(pick(bad, positions, {{kNan, 0, 1}, {0, 0, -1}}));
  EXPECT_FALSE(pick({}, {}, {{0, 0, 1}, {0, 0, -1}}));
}

TEST(NearestVisibleParticle, FindsEveryParticleOfASheetAtItsOwnPixel) {
  const ClothMesh mesh = wavy_sheet(10);
  Camera camera;
  camera.pitch = 1.5;
  camera.frame({{0, 0, 0}, {1, 0, 1}}, kSize);
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) {
    const Pixels at = camera.project(mesh.positions[i], kSize)->pixel;
    EXPECT_EQ(nearest_visible_particle(mesh, mesh.positions, camera, at, kSize, 8), i);
  }
  EXPECT_FALSE(nearest_visible_particle(mesh, mesh.positions, camera, {2, 2}, kSize, 8));
}

TEST(NearestVisibleParticle, AgreesWithOcclusionByTheReference) {
  const ClothMesh mesh = wavy_sheet(12);
  std::mt19937 random(14);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr double kRadius = 25;
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    Camera camera = camera_near_the_sheet(random);
    camera.distance += 1;
    const Pixels cursor{kSize.x * unit(random), kSize.y * unit(random)};
    std::optional<std::uint32_t> expected;
    double nearest = kRadius;
    for (std::uint32_t p = 0; p < mesh.positions.size(); ++p) {
      const auto seen = camera.project(mesh.positions[p], kSize);
      if (!seen || !(glm::length(seen->pixel - cursor) <= nearest)) continue;
      ClothMesh others = mesh;
      std::erase_if(others.triangles,
                    [&](const Triangle& t) { return std::count(t.begin(), t.end(), p) > 0; });
      const vec3 towards = mesh.positions[p] - camera.eye();
      const Reference hit = brute_force(others, mesh.positions, {camera.eye(), glm::normalize(towards)});
      if (hit.distance < glm::length(towards)) continue;
      expected = p;
      nearest = glm::length(seen->pixel - cursor);
    }
    EXPECT_EQ(nearest_visible_particle(mesh, mesh.positions, camera, cursor, kSize, kRadius), expected);
    found += expected.has_value();
  }
  EXPECT_GT(found, 50);
}

TEST(NearestVisibleParticle, SkipsWhatIsHiddenBehindAnotherSheet) {
  ClothMesh mesh;
  mesh.positions = {{-1, -1, 1}, {1, -1, 1}, {0, 2, 1}, {-1, -1, 0}, {1, -1, 0}, {0, 0.1, 0}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  Camera camera;
  camera.yaw = 0;
  camera.pitch = 0;
  camera.distance = 6;
  const Pixels at = camera.project(mesh.positions[5], kSize)->pixel;
  EXPECT_FALSE(nearest_visible_particle(mesh, mesh.positions, camera, at, kSize, 10));
  camera.yaw = 3.14159;
  const Pixels behind = camera.project(mesh.positions[5], kSize)->pixel;
  EXPECT_EQ(nearest_visible_particle(mesh, mesh.positions, camera, behind, kSize, 10), 5u);
}

TEST(NearestVisibleParticle, OfTwoAtOnePixelTheFrontOne) {
  ClothMesh mesh;
  mesh.positions = {{0, 0, -1}, {0, 0, 1}};
  Camera camera;
  camera.yaw = 0;
  camera.pitch = 0;
  EXPECT_EQ(nearest_visible_particle(mesh, mesh.positions, camera, kSize / 2.0, kSize, 5), 1u);
}

TEST(NearestVisibleParticle, PositionsThatAreNotFiniteAreNotSeen) {
  ClothMesh mesh = wavy_sheet(4);
  for (std::size_t i = 0; i < mesh.positions.size(); i += 2) mesh.positions[i].y = i % 4 ? kNan : kInfinity;
  Camera camera;
  camera.target = {0.5, 0, 0.5};
  for (double x = 0; x <= kSize.x; x += 40)
    for (double y = 0; y <= kSize.y; y += 40) {
      const auto found = nearest_visible_particle(mesh, mesh.positions, camera, {x, y}, kSize, 30);
      EXPECT_TRUE(!found || std::isfinite(mesh.positions[*found].y));
      grip_at(mesh, mesh.positions, camera, {x, y}, kSize, 30);
    }
}

// A particle that is seen is the nearest visible one at its own pixel, by the other function.
TEST(VisibleParticles, AreThoseThatAClickOnEachFinds) {
  const ClothMesh mesh = wavy_sheet(12);
  std::mt19937 random(15);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t seen = 0, hidden = 0;
  for (int i = 0; i < 20; ++i) {
    Camera camera = camera_near_the_sheet(random);
    camera.distance += 1;
    const Pixels a{kSize.x * unit(random), kSize.y * unit(random)};
    const Pixels b{kSize.x * unit(random), kSize.y * unit(random)};
    const Pixels low = glm::min(a, b), high = glm::max(a, b);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t p = 0; p < mesh.positions.size(); ++p) {
      const auto at = camera.project(mesh.positions[p], kSize);
      if (!at || glm::clamp(at->pixel, low, high) != at->pixel) continue;
      const bool visible =
          nearest_visible_particle(mesh, mesh.positions, camera, at->pixel, kSize, 1e-6) == p;
      ++(visible ? seen : hidden);
      if (visible) expected.push_back(p);
    }
    EXPECT_EQ(visible_particles(mesh, mesh.positions, camera, low, high, kSize), expected);
  }
  EXPECT_GT(seen, 100U);
  EXPECT_GT(hidden, 20U);
}

TEST(VisibleParticles, AreNoneWhereNothingIsFiniteAndNoneInARectangleWithoutArea) {
  ClothMesh mesh = wavy_sheet(4);
  Camera camera;
  EXPECT_TRUE(visible_particles(mesh, mesh.positions, camera, {-9, -9}, {-9, -9}, kSize).empty());
  for (vec3& p : mesh.positions) p.y = kNan;
  EXPECT_TRUE(visible_particles(mesh, mesh.positions, camera, {0, 0}, kSize, kSize).empty());
}

TEST(Grip, TakesAParticleWhereThereIsNoTriangle) {
  ClothMesh pendulum;
  pendulum.positions = {{0, 0, 0}, {1, 0, 0}};
  pendulum.stretch_springs = {{0, 1}};
  Camera camera;
  const Pixels bob = camera.project(pendulum.positions[1], kSize)->pixel;
  const Grip grip = grip_at(pendulum, pendulum.positions, camera, bob + Pixels(4, -3), kSize, 12);
  ASSERT_TRUE(grip.point);
  EXPECT_EQ(grip.particle, 1U);
  EXPECT_EQ(grip.point->particles, (Triangle{1, 1, 1}));
  EXPECT_EQ(grip.point->weights, vec3(1, 0, 0));
  EXPECT_NEAR(grip.point->distance, glm::length(pendulum.positions[1] - camera.eye()), 1e-14);
  EXPECT_FALSE(grip_at(pendulum, pendulum.positions, camera, bob + Pixels(40, 0), kSize, 12).point);
}

TEST(Grip, TakesTheTriangleUnderTheCursor) {
  const ClothMesh mesh = wavy_sheet(10);
  Camera camera;
  camera.pitch = 1;
  camera.target = {0.5, 0, 0.5};
  const Grip grip = grip_at(mesh, mesh.positions, camera, kSize / 2.0, kSize, 12);
  const auto picked = pick(mesh.triangles, mesh.positions, camera.ray(kSize / 2.0, kSize));
  ASSERT_TRUE(grip.point && picked);
  EXPECT_EQ(grip.point->particles, picked->particles);
  EXPECT_EQ(grip.point->weights, picked->weights);
}

// Checked by rays through pixels: none nearer to the cursor meets the cloth, and the point is visible.
TEST(Grip, BesideTheClothTakesTheNearestPointThatIsSeen) {
  const ClothMesh mesh = wavy_sheet(8);
  std::mt19937 random(16);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr double kRadius = 12;
  const auto meets = [&](const Camera& camera, Pixels at) {
    return pick(mesh.triangles, mesh.positions, camera.ray(at, kSize));
  };
  int beside = 0, too_far = 0;
  for (int i = 0; i < 4000; ++i) {
    Camera camera = camera_near_the_sheet(random);
    camera.distance += 2;
    const Pixels cursor{kSize.x * unit(random), kSize.y * unit(random)};
    if (meets(camera, cursor)) continue;
    const Grip grip = grip_at(mesh, mesh.positions, camera, cursor, kSize, kRadius);
    double way = kRadius;
    if (grip.point) {
      vec3 at(0);
      for (int k = 0; k < 3; ++k)
        at += grip.point->weights[k] * mesh.positions[grip.point->particles[static_cast<std::size_t>(k)]];
      EXPECT_NEAR(grip.point->distance, glm::length(at - camera.eye()), 1e-12);
      const Pixels seen = camera.project(at, kSize)->pixel;
      way = glm::length(seen - cursor);
      EXPECT_LE(way, kRadius * (1 + 1e-12));
      // A little inside the outline, no other part of the cloth is in front.
      const auto inside = meets(camera, seen + (seen - cursor) * (0.02 / way));
      EXPECT_TRUE(!inside || std::abs(inside->distance - grip.point->distance) < 0.05 * camera.distance);
    }
    for (int k = 0; k < 32; ++k) {
      const Pixels there = cursor + 0.99 * way * Pixels(std::cos(0.2 * k), std::sin(0.2 * k));
      EXPECT_FALSE(meets(camera, there)) << "nearer than " << way;
    }
    ++(grip.point ? beside : too_far);
  }
  EXPECT_GT(beside, 50);
  EXPECT_GT(too_far, 50);
}

TEST(Picking, TheNearestLoopIsThatWhoseLineIsSeenNearest) {
  const Pixels size(800, 600);
  Camera camera;
  camera.yaw = camera.pitch = 0;
  camera.target = vec3(0);
  // Two squares in the plane of the view, one within the other; the inner one lacks its left side.
  const std::vector<vec3> x{{-1, -1, 0},     {1, -1, 0},     {1, 1, 0},     {-1, 1, 0},
                            {-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}};
  const std::vector<BoundaryLoop> loops{{{0, 1, 2, 3}, true}, {{4, 5, 6, 7}, false}};
  const auto near = [&](const vec3& point, Pixels aside) {
    return nearest_loop(loops, x, camera, camera.project(point, size)->pixel + aside, size, 10);
  };
  EXPECT_EQ(near({0.3, -1, 0}, {0, 9}), 0u);
  EXPECT_EQ(near({-1, 0.2, 0}, {9, 0}), 0u) << "its last side joins its ends";
  EXPECT_EQ(near({0.5, 0.1, 0}, {-9, 0}), 1u);
  EXPECT_EQ(near({-0.5, 0.1, 0}, {0, 0}), std::nullopt) << "that side is missing";
  EXPECT_EQ(near({0.3, -1, 0}, {0, 11}), std::nullopt);
}

}  // namespace
}  // namespace clothlab
