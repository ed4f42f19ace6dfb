// SPDX-License-Identifier: MIT
// Wind against its formula: f = ρ/2 c A |u·n| (u·n) n, u the air's velocity less the cloth's.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

#include "cloth/force_terms.h"
#include "cloth/sample_cloth.h"

namespace clothlab::test {
namespace {

Wind steady_wind() {
  Wind wind;
  wind.on = true;
  wind.speed = 7;
  wind.azimuth = 30;
  wind.elevation = 20;
  return wind;
}

std::vector<vec3> forces(Rig& rig, const Wind& wind, const State& s) {
  std::vector<vec3> f(s.x.size(), vec3(0.0));
  WindForce(rig.system.model(), wind).add_force(one_thread(), s.x, s.v, f);
  return f;
}

// The sheet of the rig turned so that its normal is `n`.
void turn(State& s, const vec3& n) {
  const vec3 across = glm::normalize(glm::cross(n, vec3(0.3, -0.2, 0.9))), along = glm::cross(across, n);
  for (vec3& x : s.x) x = x.x * across + x.z * along;
}

TEST(Wind, BlowsWhereItIsTold) {
  Wind wind = steady_wind();
  EXPECT_NEAR(glm::length(air_velocity(wind, vec3(1, 2, 3), 4)), 7, 1e-14);
  wind.elevation = 0;
  const auto expect_along = [&](double azimuth, double elevation, const vec3& direction) {
    wind.azimuth = azimuth;
    wind.elevation = elevation;
    EXPECT_LT(glm::length(air_velocity(wind, vec3(0.0), 0) - 7.0 * direction), 1e-14);
  };
  expect_along(0, 0, vec3(1, 0, 0));
  expect_along(90, 0, vec3(0, 0, 1));
  expect_along(180, 0, vec3(-1, 0, 0));
  expect_along(45, 90, vec3(0, 1, 0));
}

TEST(Wind, OnASheetIsTheFormulaAtEveryAngle) {
  Material material;
  material.mass_model = MassModel::area;
  auto rig = make_sheet(5, 4, 0.25, material);
  const Wind wind = steady_wind();
  const vec3 air = air_velocity(wind, vec3(0.0), 0);
  const double area = 4 * 3 * 0.25 * 0.25;
  EXPECT_NEAR(rig->system.model().area(), area, 1e-15);
  for (const double degrees : {0.0, 15.0, 45.0, 80.0, 90.0}) {
    State s = rig->state;
    const vec3 downwind = glm::normalize(air), aside = glm::normalize(glm::cross(downwind, vec3(0, 1, 0)));
    const double angle = degrees * 3.14159265358979323846 / 180;
    const vec3 n = std::cos(angle) * downwind + std::sin(angle) * aside;
    turn(s, n);
    for (const vec3& moving : {vec3(0.0), vec3(1, 0.5, -2), 2.0 * air}) {
      s.v.assign(s.x.size(), moving);
      const double u_n = glm::dot(air - moving, n);
      const vec3 expected = 1.2 / 2 * 1.2 * area * std::abs(u_n) * u_n * n;
      const std::vector<vec3> f = forces(*rig, wind, s);
      for (std::size_t i = 0; i < f.size(); ++i)  // shared by area, as the mass is
        EXPECT_LT(glm::length(f[i] - rig->system.masses()[i] / material.mass * expected), 1e-13);
    }
  }
}

TEST(Wind, HasTheJacobianD) {
  auto rig = make_sheet(3, 3, 0.25, sample_material());
  shake(rig->state, 0.08, 1.5);
  const State& s = rig->state;
  const Wind wind = steady_wind();
  SpringMatrix d(rig->system.pattern());
  WindForce(rig->system.model(), wind)
      .add_jacobians(one_thread(), {s.x, s.v, {0, 1, 0}, JacobianMode::exact}, d);
  constexpr double kStep = 1e-5;  // f is quadratic in v, so that only rounding is left, 1e-16 · 3 N / δ
  std::vector<vec3> direction(s.x.size(), vec3(0.0)), product(s.x.size());
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      State plus = s, minus = s;
      plus.v[i][axis] += kStep;
      minus.v[i][axis] -= kStep;
      direction[i][axis] = 1;
      d.multiply(rig->pool, direction, product);
      direction[i][axis] = 0;
      const std::vector<vec3> above = forces(*rig, wind, plus), below = forces(*rig, wind, minus);
      for (std::size_t j = 0; j < s.x.size(); ++j)
        EXPECT_LT(glm::length((above[j] - below[j]) / (2 * kStep) + product[j]), 1e-9);
    }
  }
}

TEST(Wind, TakesPowerFromMotionRelativeToTheAir) {
  auto rig = make_sheet(6, 7, 0.2, sample_material());
  for (unsigned seed = 0; seed < 5; ++seed) {
    State s = rig->state;
    shake(s, 0.1, 20, seed);
    const Wind wind = steady_wind();
    const vec3 air = air_velocity(wind, vec3(0.0), 0);
    const std::vector<vec3> f = forces(*rig, wind, s);
    double power = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double each = glm::dot(f[i], s.v[i] - air);
      EXPECT_LE(each, 0);
      power += each;
    }
    EXPECT_LT(power, -1);
  }
}

TEST(Wind, IsPartOfTheSystemOnlyWhenItIsOn) {
  auto rig = make_sheet(3, 3, 0.25, sample_material());
  const State& s = rig->state;
  const auto force = [&](SpringForces springs) {
    std::vector<vec3> f(s.x.size());
    rig->system.force(rig->pool, s.x, s.v, f, springs);
    return f;
  };
  const std::vector<vec3> still = force(SpringForces::all);
  rig->system.set_wind(steady_wind());
  for (const SpringForces springs : {SpringForces::all, SpringForces::inextensible, SpringForces::rest})
    EXPECT_NE(force(springs), still);
  rig->system.set_wind(Wind{});
  EXPECT_EQ(force(SpringForces::all), still);
}

TEST(Gusts, StayWithinTheirStrengthAndFillIt) {
  Wind wind = steady_wind();
  wind.gusts = 40;
  const vec3 mean = air_velocity(steady_wind(), vec3(0.0), 0);
  vec3 low(1e9), high(-1e9), sum(0.0);
  constexpr int kSamples = 20'000;
  for (int k = 0; k < kSamples; ++k) {
    const vec3 gust = (air_velocity(wind, vec3(0.0), 0.02 * k) - mean) / (0.4 * 7);
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], gust[axis]);
      high[axis] = std::max(high[axis], gust[axis]);
    }
    sum += gust;
    EXPECT_LE(glm::length(air_velocity(wind, vec3(0.0), 0.02 * k)), top_speed(wind));
  }
  // 1867 gusts of standard deviation below 1/√3: their mean is within 4 · 0.58/√1867.
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_GE(low[axis], -1);
    EXPECT_LE(high[axis], 1);
    EXPECT_LT(low[axis], -0.95);
    EXPECT_GT(high[axis], 0.95);
    EXPECT_NEAR(sum[axis] / kSamples, 0, 0.054);
  }
}

TEST(Gusts, AreFrozenIntoTheAirThatCarriesThem) {
  Wind wind = steady_wind();
  wind.gusts = 60;
  const vec3 mean = air_velocity(steady_wind(), vec3(0.0), 0);
  for (double t = 0; t < 3; t += 0.173) {
    const vec3 here = air_velocity(wind, vec3(0.3, -0.2, 0.5), t);
    EXPECT_LT(glm::length(air_velocity(wind, vec3(0.3, -0.2, 0.5) + 0.4 * mean, t + 0.4) - here), 1e-12);
    wind.seed = 2;
    EXPECT_GT(glm::length(air_velocity(wind, vec3(0.3, -0.2, 0.5), t) - here), 1e-3);
    wind.seed = 1;
  }
  // However far, and however late.
  for (const double far : {1e20, 1e300, -1e300}) {
    EXPECT_TRUE(std::isfinite(air_velocity(wind, vec3(far), 1).x));
    EXPECT_TRUE(std::isfinite(air_velocity(wind, vec3(0.0), far).x));
  }
}

}  // namespace
}  // namespace clothlab::test
