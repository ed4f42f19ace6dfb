#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <glm/geometric.hpp>

#include "cloth/force_terms.h"
#include "cloth/sample_cloth.h"
#include "dense_algebra.h"

namespace clothlab::test {
namespace {

TEST(DragForce, IsASpringAndADamperNearTheCursor) {
  const Drag drag{{0, 1, 2}, vec3(0.5, 0.25, 0.25), vec3(0, 0, 0), 8, 2, 1e6};
  const DragForce force(drag);
  const std::vector<vec3> x(3, vec3(0.1, 0, 0)), v(3, vec3(0, 0.2, 0));
  std::vector<vec3> f(3, vec3(0.0));
  force.add_force(x, v, f);
  for (int c = 0; c < 3; ++c) {
    const vec3 expected = -drag.weights[c] * (8.0 * x[0] + 2.0 * v[0]);
    EXPECT_LT(glm::length(f[static_cast<std::size_t>(c)] - expected), 1e-12);
  }
  EXPECT_NEAR(force.energy(x), 8 * 0.1 * 0.1 / 2, 1e-12);
  EXPECT_NEAR(force.dissipation_potential(v), 2 * 0.2 * 0.2 / 2, 1e-12);
}

TEST(DragForce, NeverExceedsItsBound) {
  for (const double distance : {0.0, 0.1, 1.0, 1e3, 1e100, 1e300}) {
    for (const double speed : {0.0, 1.0, 1e5, 1e300}) {
      const DragForce force(Drag{{0, 1, 2}, vec3(0.2, 0.5, 0.3), vec3(0, 0, 0), 900, 40, 2.5});
      const std::vector<vec3> x(3, vec3(distance, 0, 0)), v(3, vec3(speed, 0, 0));
      std::vector<vec3> f(3, vec3(0.0));
      force.add_force(x, v, f);
      EXPECT_LE(glm::length(f[0]) + glm::length(f[1]) + glm::length(f[2]), 2.5 * (1 + 1e-14));
    }
  }
}

TEST(DragForce, PullsWithNearlyItsBoundFromFarAway) {
  const DragForce force(Drag{{0, 1, 2}, vec3(1, 0, 0), vec3(0, 0, 0), 900, 40, 2.5});
  const std::vector<vec3> x(3, vec3(1, 0, 0)), v(3, vec3(0.0));
  std::vector<vec3> f(3, vec3(0.0));
  force.add_force(x, v, f);
  EXPECT_GT(-f[0].x, 0.79 * 2.5);
}

TEST(Drag, HasSecantsThatGiveItsForce) {
  const Drag drag{{0, 1, 2}, vec3(0.2, 0.5, 0.3), vec3(0.1, 0.2, 0.3), 90, 4, 2.5};
  for (const double distance : {0.0, 0.01, 0.3, 20.0}) {
    const std::vector<vec3> x{vec3(distance, 0, 0), vec3(0, distance, 0.1), vec3(1, 0, 0)};
    const std::vector<vec3> v{vec3(0, 0, distance), vec3(0.1, 0, 0), vec3(0, distance, 0)};
    std::vector<vec3> f(3, vec3(0.0));
    DragForce(drag).add_force(x, v, f);
    const vec3 d = drag.blend(x) - drag.cursor, d_dot = drag.blend(v);
    const vec3 expected = -(drag.secant_stiffness(d) * d + drag.secant_damping(d_dot) * d_dot);
    EXPECT_LT(glm::length(f[0] + f[1] + f[2] - expected), 1e-14);
    EXPECT_LE(drag.secant_stiffness(d), 90);
    EXPECT_LE(drag.secant_damping(d_dot), 4);
  }
  Drag idle = drag;
  idle.max_force = 0;
  EXPECT_EQ(idle.secant_stiffness(vec3(0.0)), 0);
  EXPECT_EQ(idle.secant_damping(vec3(0.0)), 0);
}

double omega_max(Rig& rig) {
  SpringMatrix a(rig.system.pattern());
  rig.system.assemble(rig.state.x, rig.state.v, {0, 0, 1}, JacobianMode::clamped, a);
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

TEST(Drag, RaisesTheHighestFrequencyByAtMostTenPercent) {
  for (const vec3 weights : {vec3(1, 0, 0), vec3(1.0 / 3), vec3(0, 0.5, 0.5), vec3(0.1, 0.2, 0.7)}) {
    for (const bool pinned : {false, true}) {
      Material material = sample_material();
      material.mass_model = MassModel::area;
      auto rig = make_sheet(5, 5, 0.25, material);
      shake(rig->state, 0.03, 0);
      if (pinned) rig->pin(0);
      const std::array<std::uint32_t, 3> corner{0, 1, 5};
      const double before = omega_max(*rig);
      const double k =
          drag_stiffness(corner, weights, rig->system.masses(), rig->system.projection(), before);
      if (pinned && weights == vec3(1, 0, 0)) {
        EXPECT_EQ(k, 0);  // only a pin is held
        continue;
      }
      ASSERT_GT(k, 0);
      rig->system.set_drag(Drag{corner, weights, vec3(0, 0, 0), k, 0, 1e9});
      const double after = omega_max(*rig);
      EXPECT_LE(after, 1.1 * before * (1 + 1e-12));
      EXPECT_GT(after, before);
    }
  }
}

TEST(Drag, IsDampedWeakly) {
  // One free particle of mass m at the held point: x'' = −(k x + c x')/m has the damping ratio c/(2 √(k m)).
  auto rig = make_oscillator({});
  const std::array<std::uint32_t, 3> held{1, 0, 0};
  const double c = drag_damping(held, vec3(1, 0, 0), rig->system.masses(), rig->system.projection(), 50);
  EXPECT_NEAR(c / (2 * std::sqrt(50 * 0.3)), 0.1, 1e-15);
}

TEST(Drag, IsBoundedByTenTimesTheWeightOfThePart) {
  const std::vector<vec3> rest(5, vec3(0.0));
  const std::vector<ClothModel::Ends> stretch{{0, 1}, {1, 2}, {3, 4}};
  const ClothModel model(rest, stretch);
  const std::vector<double> masses{1, 2, 3, 4, 5};
  EXPECT_EQ(drag_force_bound(model, masses, vec3(0, -2, 0), 2), 10 * 6 * 2);
  EXPECT_EQ(drag_force_bound(model, masses, vec3(0, -2, 0), 4), 10 * 9 * 2);
  EXPECT_DOUBLE_EQ(drag_force_bound(model, masses, vec3(0, 0, 0), 4), 10 * 9 * 9.8);
}

}  // namespace
}  // namespace clothlab::test
