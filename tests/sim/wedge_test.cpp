// SPDX-License-Identifier: MIT
// Particles on two and three surfaces at once: a groove, a corner, an egg crate and two walls.

#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kWedgeGravity = 9.8;

Obstacle wedge_plane(const vec3& normal, double offset = 0) {
  Obstacle plane;
  plane.shape = Obstacle::Shape::plane;
  plane.normal = normal;
  plane.offset = offset;
  return plane;
}

// Three particles along a groove of 90° from rest, the groove at an angle to the horizontal. They move alike,
// so each moves as a particle alone.
struct InInclinedGroove {
  InInclinedGroove(double friction, double slope) {
    Scene scene = loose_scene("semi-implicit-euler");
    scene.dt = 1.0 / 60;
    scene.solver.linear.cg.tolerance = kTolerance;
    scene.material.gravity = kWedgeGravity * vec3(0, -std::cos(slope), std::sin(slope));
    scene.obstacles.friction = friction;
    scene.obstacles.bodies = {wedge_plane(vec3(1, 1, 0)), wedge_plane(vec3(-1, 1, 0))};
    obj.vertices = {vec3(0), vec3(0, 0, 0.1), vec3(0, 0, 0.2)};
    obj.add_face(std::array<ObjMesh::Corner, 3>{{{0}, {1}, {2}}});
    simulation.emplace(scene, built(obj), one_thread());
  }
  static constexpr double kTolerance = 1e-10;
  ObjMesh obj;
  std::optional<Simulation> simulation;
};

// The half angle α is 45°. Across the groove 2 N sin α = m g cos β, so sliding friction is 2 μ N = μ_eff m g
// cos β with μ_eff = μ/sin α = √2 μ. Friction across the groove may wedge a particle at rest: the largest
// friction along it is then μ_eff/√(1 − μ² cot² α), so it may stick up to there, and at any slope where μ ≥
// tan α.
//
// A velocity is wrong by √3 τ h g per step at most, for three particles.
TEST(ParticleInAGroove, SlidesBeyondTheLargestFrictionWithRootTwoTimesFriction) {
  for (const double friction : {0.0, 0.1, 0.3}) {
    const double effective = std::sqrt(2.0) * friction;
    const double slope = std::atan(effective / std::sqrt(1 - friction * friction)) + 0.1;
    InInclinedGroove groove(friction, slope);
    const double a = kWedgeGravity * (std::sin(slope) - effective * std::cos(slope)), h = 1.0 / 60;
    for (int k = 1; k <= 60; ++k) {
      ASSERT_EQ(groove.simulation->step(one_thread()), StepStatus::done);
      EXPECT_TRUE(groove.simulation->record().converged) << friction;
      const double allowed = k * std::sqrt(3.0) * InInclinedGroove::kTolerance * h * kWedgeGravity;
      for (const vec3& v : groove.simulation->state().v)
        EXPECT_LE(glm::distance(v, vec3(0, 0, k * h * a)), allowed) << friction << ", step " << k;
    }
  }
}

TEST(ParticleInAGroove, SticksBelowRootTwoTimesFriction) {
  for (const double friction : {0.1, 0.3, 1.0, 3.0}) {
    InInclinedGroove groove(friction, std::atan(std::sqrt(2.0) * friction) - 0.02);
    ASSERT_EQ(run(*groove.simulation, 60), 60);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(groove.simulation->state().x[i], groove.obj.vertices[i]) << friction;
  }
}

enum class WedgeSite { groove, corner, crate, walls };

using WedgeCase = std::tuple<WedgeSite, double>;  // where, μ

class SheetBetweenSurfaces : public ::testing::TestWithParam<WedgeCase> {};

TEST_P(SheetBetweenSurfaces, StaysFiniteAndOutside) {
  const auto [place, friction] = GetParam();
  constexpr int kWedgeSteps = 240;
  Scene scene = loose_scene("semi-implicit-euler");
  scene.dt = 1.0 / 60;
  scene.material.stretch_stiffness = 1000;
  scene.obstacles.friction = friction;
  const ObjMesh grid = make_grid_obj(13, 13, 0.4, 0.4);
  std::vector<Obstacle>& bodies = scene.obstacles.bodies;
  InitialState start;
  for (const vec3& a : grid.vertices) {
    const vec3 middle = a - vec3(0.2, 0, 0.2);
    switch (place) {
      case WedgeSite::groove:
        start.positions.push_back(vec3(middle.x + 0.013, 0.25 + 0.05 * a.z, a.z));
        break;
      case WedgeSite::corner:
        start.positions.push_back(middle + vec3(0, 0.45 + 0.05 * a.z, 0));
        break;
      case WedgeSite::crate:
        start.positions.push_back(middle + vec3(0.011, 0.08 + 0.05 * a.x, -0.007));
        break;
      case WedgeSite::walls:
        start.positions.push_back(vec3(0.04 * std::sin(15 * a.z + 3 * a.x), 0.02 + a.x, a.z));
        break;
    }
  }
  start.velocities.assign(start.positions.size(), vec3(0));
  scene.initial_state = start;
  switch (place) {
    case WedgeSite::groove:
      bodies = {wedge_plane(vec3(1, 1, 0)), wedge_plane(vec3(-1, 1, 0))};
      break;
    case WedgeSite::corner:
      bodies = {wedge_plane(vec3(1, 1, 0.2)), wedge_plane(vec3(-0.7, 1, 0.5)), wedge_plane(vec3(0.1, 1, -1))};
      break;
    case WedgeSite::crate:
      for (int i = 0; i < 16; ++i) {
        Obstacle& ball = bodies.emplace_back();
        ball.from = ball.to = vec3(0.1 * (i / 4) - 0.15, 0, 0.1 * (i % 4) - 0.15);
        ball.radius = 0.055;
      }
      break;
    case WedgeSite::walls:
      bodies = {wedge_plane(vec3(1, 0, 0), -0.1), wedge_plane(vec3(-1, 0, 0), -0.1),
                wedge_plane(vec3(0, 1, 0))};
      for (const int wall : {0, 1})
        bodies[static_cast<std::size_t>(wall)].path.keys = {
            {0, vec3(0), vec3(0)}, {0.4, vec3(wall == 0 ? 0.08 : -0.08, 0, 0), vec3(0)}};
      break;
  }
  Simulation simulation(scene, built(grid), one_thread());
  int not_converged = 0;
  for (int k = 0; k < kWedgeSteps; ++k) {
    ASSERT_EQ(simulation.step(one_thread()), StepStatus::done) << k;
    const StepRecord& record = simulation.record();
    not_converged += record.converged ? 0 : 1;
    EXPECT_EQ(record.converged, record.reason.empty());
    for (const vec3& x : simulation.state().x) ASSERT_TRUE(std::isfinite(glm::length(x))) << k;
    EXPECT_GE(least_gap(simulation), -1e-12) << k;
  }
  EXPECT_LE(not_converged, kWedgeSteps / 100);
}

INSTANTIATE_TEST_SUITE_P(Each, SheetBetweenSurfaces,
                         ::testing::Combine(::testing::Values(WedgeSite::groove, WedgeSite::corner,
                                                              WedgeSite::crate, WedgeSite::walls),
                                            ::testing::Values(0.0, 0.3, 1.0, 3.0)));

}  // namespace
}  // namespace clothlab::testing
