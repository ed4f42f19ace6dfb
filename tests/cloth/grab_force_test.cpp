// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <glm/geometric.hpp>

#include "cloth/force_terms.h"
#include "cloth/sample_cloth.h"
#include "dense_algebra.h"

namespace clothlab::test {
namespace {

TEST(GrabForce, IsASpringAndADamperNearTheCursor) {
  const GrabSpring grab{{0, 1, 2}, vec3(0.5, 0.25, 0.25), vec3(0, 0, 0), 8, 2, 1e6};
  const GrabForce force(grab);
  const std::vector<vec3> x(3, vec3(0.1, 0, 0)), v(3, vec3(0, 0.2, 0));
  std::vector<vec3> f(3, vec3(0.0));
  force.add_force(one_thread(), x, v, f);
  for (int c = 0; c < 3; ++c) {
    const vec3 expected = -grab.weights[c] * (8.0 * x[0] + 2.0 * v[0]);
    EXPECT_LT(glm::length(f[static_cast<std::size_t>(c)] - expected), 1e-12);
  }
  EXPECT_NEAR(force.energy(one_thread(), x), 8 * 0.1 * 0.1 / 2, 1e-12);
}

TEST(GrabForce, NeverExceedsItsBound) {
  for (const double distance : {0.0, 0.1, 1.0, 1e3, 1e100, 1e300}) {
    for (const double speed : {0.0, 1.0, 1e5, 1e300}) {
      const GrabForce force(GrabSpring{{0, 1, 2}, vec3(0.2, 0.5, 0.3), vec3(0, 0, 0), 900, 40, 2.5});
      const std::vector<vec3> x(3, vec3(distance, 0, 0)), v(3, vec3(speed, 0, 0));
      std::vector<vec3> f(3, vec3(0.0));
      force.add_force(one_thread(), x, v, f);
      EXPECT_LE(glm::length(f[0]) + glm::length(f[1]) + glm::length(f[2]), 2.5 * (1 + 1e-14));
    }
  }
}

TEST(GrabForce, PullsWithNearlyItsBoundFromFarAway) {
  const GrabForce force(GrabSpring{{0, 1, 2}, vec3(1, 0, 0), vec3(0, 0, 0), 900, 40, 2.5});
  const std::vector<vec3> x(3, vec3(1, 0, 0)), v(3, vec3(0.0));
  std::vector<vec3> f(3, vec3(0.0));
  force.add_force(one_thread(), x, v, f);
  EXPECT_GT(-f[0].x, 0.79 * 2.5);
}

TEST(GrabSpring, HasSecantsThatGiveItsForce) {
  const GrabSpring grab{{0, 1, 2}, vec3(0.2, 0.5, 0.3), vec3(0.1, 0.2, 0.3), 90, 4, 2.5};
  for (const double distance : {0.0, 0.01, 0.3, 20.0}) {
    const std::vector<vec3> x{vec3(distance, 0, 0), vec3(0, distance, 0.1), vec3(1, 0, 0)};
    const std::vector<vec3> v{vec3(0, 0, distance), vec3(0.1, 0, 0), vec3(0, distance, 0)};
    std::vector<vec3> f(3, vec3(0.0));
    GrabForce(grab).add_force(one_thread(), x, v, f);
    const vec3 d = grab.blend(x) - grab.cursor, d_dot = grab.blend(v);
    const vec3 expected = -(grab.secant_stiffness(d) * d + grab.secant_damping(d_dot) * d_dot);
    EXPECT_LT(glm::length(f[0] + f[1] + f[2] - expected), 1e-14);
    EXPECT_LE(grab.secant_stiffness(d), 90);
    EXPECT_LE(grab.secant_damping(d_dot), 4);
  }
  GrabSpring idle = grab;
  idle.max_force = 0;
  EXPECT_EQ(idle.secant_stiffness(vec3(0.0)), 0);
  EXPECT_EQ(idle.secant_damping(vec3(0.0)), 0);
}

double omega_max(Rig& rig) {
  SpringMatrix a(rig.system.pattern());
  rig.system.assemble(rig.pool, rig.state.x, rig.state.v, {0, 0, 1}, JacobianMode::clamped, a);
  const std::size_t n = rig.state.x.size();
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < n; ++i) {
    if (!rig.system.projection().is_fixed(i)) free.push_back(i);
  }
  const auto size = static_cast<Eigen::Index>(3 * free.size());
  Eigen::MatrixXd k(size, size);
  std::vector<vec3> unit(n, vec3(0.0)), column(n);
  for (std::size_t b = 0; b < free.size(); ++b) {
    for (int c = 0; c < 3; ++c) {
      unit[free[b]][c] = 1;
      a.multiply(rig.pool, unit, column);
      unit[free[b]][c] = 0;
      for (std::size_t r = 0; r < free.size(); ++r) {
        for (int d = 0; d < 3; ++d) {
          k(static_cast<Eigen::Index>(3 * r) + d, static_cast<Eigen::Index>(3 * b) + c) =
              column[free[r]][d] / std::sqrt(rig.system.masses()[free[r]] * rig.system.masses()[free[b]]);
        }
      }
    }
  }
  return std::sqrt(algebra::symmetric_eigenvalues(k)[size - 1]);
}

TEST(GrabSpring, RaisesTheHighestEigenvalueByAtMostItsStiffnessOverTheMassThatItFeels) {
  for (const vec3 weights : {vec3(1, 0, 0), vec3(1.0 / 3), vec3(0, 0.5, 0.5), vec3(0.1, 0.2, 0.7)}) {
    for (const bool pinned : {false, true}) {
      Material material = sample_material();
      material.mass_model = MassModel::area;
      auto rig = make_sheet(5, 5, 0.25, material);
      shake(rig->state, 0.03, 0);
      if (pinned) rig->pin(0);
      const std::array<std::uint32_t, 3> corner{0, 1, 5};
      const double inverse_mass =
          grab_inverse_mass(corner, weights, rig->system.masses(), rig->system.projection());
      if (pinned && weights == vec3(1, 0, 0)) {
        EXPECT_EQ(inverse_mass, 0);  // only a pin is held
        continue;
      }
      const double before = omega_max(*rig);
      const double k = 0.21 * before * before / inverse_mass;
      rig->system.set_grab(GrabSpring{corner, weights, rig->state.x[0], k, 0, 1e9});
      const double after = omega_max(*rig);
      EXPECT_LE(after, 1.1 * before * (1 + 1e-12));
      EXPECT_GT(after, before);
    }
  }
}

mat3 clamped_block(const GrabForce& force, std::span<const vec3> x, std::span<const vec3> v,
                   const SystemCoefficients& c) {
  SpringMatrix a(SpringPattern::build(3, std::array<SpringPattern::Pair, 1>{{{0, 1}}}));
  force.add_jacobians(one_thread(), {x, v, c, JacobianMode::clamped}, a);
  return a.stencils()[0].C;
}

// The quadratic model of a linearised step lies above the potential: such a step gains no more energy than
// the grab gives, and the grab alone does not carry the point past the cursor.
TEST(GrabForce, HasClampedBlocksWhoseModelLiesAboveThePotential) {
  const GrabForce force(GrabSpring{{0, 1, 2}, vec3(1, 0, 0), vec3(0), 90, 4, 2.5});
  const std::vector<vec3> origin(3, vec3(0));
  for (const double distance : {0.0, 0.02, 0.3, 5.0}) {
    const std::vector<vec3> at(3, vec3(distance, 0, 0));
    const mat3 spring = clamped_block(force, at, origin, {0, 0, 1});
    const mat3 damper = clamped_block(force, origin, at, {0, 1, 0});
    std::vector<vec3> pull(3, vec3(0)), grab(3, vec3(0));
    force.add_force(one_thread(), at, origin, pull);
    force.add_force(one_thread(), origin, at, grab);
    for (const vec3 way : {vec3(1, 0, 0), vec3(-1, 0, 0), vec3(0, 1, 0), vec3(-0.5, 0.5, 0.1)}) {
      for (const double length : {0.01, 0.1, 1.0, 10.0}) {
        const vec3 step = length * way;
        const std::vector<vec3> there(3, at[0] + step);
        EXPECT_LE(force.energy(one_thread(), there), force.energy(one_thread(), at) -
                                                         glm::dot(pull[0], step) +
                                                         glm::dot(step, spring * step) / 2 + 1e-12);
      }
    }
    // Far from its bound, or not: block · way to the cursor is the force.
    EXPECT_LT(glm::length(spring * at[0] + pull[0]), 1e-13);
    EXPECT_LT(glm::length(damper * at[0] + grab[0]), 1e-13);
  }
}

// F/block is as far as a step from rest takes the point: no farther than where the two springs of a row that
// it leaves sideways hold the work that the grab has done, k_s δ⁴/(4 L²) = F δ.
TEST(GrabForce, HasAClampedBlockThatKeepsALinearStepShort) {
  auto rig = make_sheet(5, 5, 0.25, sample_material());
  GrabSpring grab{{12, 12, 12}, vec3(1, 0, 0), vec3(0, 3, 0), 1e5, 0, 4};
  Material material = sample_material();
  material.stretch_stiffness = 100;
  grab.least_block = grab_least_block(rig->system.model(), material, grab);
  const double force = 0.8 * 4, way = force / grab.least_block;
  double length = 0;  // of the springs at particle 12: four edges, two diagonals
  for (const double l : {0.25, 0.25, 0.25, 0.25, std::sqrt(2.0) / 4, std::sqrt(2.0) / 4}) length += l / 6;
  EXPECT_NEAR(100 * std::pow(way, 4) / (4 * length * length), force * way, 1e-12);
  grab.particles = {0, 0, 0};  // the pattern of clamped_block has three particles
  const std::vector<vec3> x(3, vec3(0));
  EXPECT_NEAR(clamped_block(GrabForce(grab), x, x, {0, 0, 1})[1][1], grab.least_block, 1e-12);
  grab.stiffness = 5;  // a softer grab is no stiffer for it
  EXPECT_NEAR(clamped_block(GrabForce(grab), x, x, {0, 0, 1})[1][1], 5, 1e-12);
  material.stretch_stiffness = 0;
  EXPECT_EQ(grab_least_block(rig->system.model(), material, grab), 0);
}

TEST(GrabSpring, IsBoundedByTenTimesTheWeightOfThePart) {
  const std::vector<vec3> rest(5, vec3(0.0));
  const std::vector<ClothModel::Ends> stretch{{0, 1}, {1, 2}, {3, 4}};
  const ClothModel model(rest, stretch);
  const std::vector<double> masses{1, 2, 3, 4, 5};
  EXPECT_EQ(grab_force_bound(model, masses, vec3(0, -2, 0), 2), 10 * 6 * 2);
  EXPECT_EQ(grab_force_bound(model, masses, vec3(0, -2, 0), 4), 10 * 9 * 2);
  EXPECT_DOUBLE_EQ(grab_force_bound(model, masses, vec3(0, 0, 0), 4), 10 * 9 * 9.8);
}

}  // namespace
}  // namespace clothlab::test
