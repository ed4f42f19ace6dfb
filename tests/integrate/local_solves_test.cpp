// SPDX-License-Identifier: MIT
#include "integrate/local_solves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "cloth/sample_cloth.h"

namespace clothlab {
namespace {

struct Damping {
  DampingModel model;
  double rayleigh;  ///< α [s]

  Material material() const {
    Material material;
    material.spring_damping = 0.05;
    material.damping_model = model;
    material.rayleigh_stiffness = rayleigh;
    material.rayleigh_mass = 3;
    return material;
  }
};

/// M (v − v̂) − γ f(x̂ + γ v, v) for a sheet at rest, with a particle held and another one in a plane.
struct RestingSheet {
  static constexpr double kGamma = 1.0 / 60;
  std::unique_ptr<test::Rig> rig;
  std::vector<vec3> x_hat = rig->state.x, x = x_hat, v = rig->state.v, r = v;
  SpringMatrix A{rig->system.pattern()};
  LocalSolves solves;

  explicit RestingSheet(const Material& material) : rig(test::make_sheet(12, 12, 0.1, material)) {
    rig->pin(0);
    rig->system.projection().constrain(67, mat3(1.0) - glm::outerProduct(vec3(0, 1, 0), vec3(0, 1, 0)),
                                       x[67]);
    solves.update(rig->system, {});
  }

  double norm_of_residual(std::vector<vec3>& residual) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x_hat[i] + kGamma * v[i];
    rig->system.force(rig->pool, x, v, residual);
    double square = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      residual[i] = rig->system.masses()[i] * v[i] - kGamma * residual[i];
    rig->system.projection().filter(residual);
    for (const vec3& each : residual) square += glm::dot(each, each);
    return std::sqrt(square);
  }
  bool relax() {
    return solves.relax(rig->system, rig->system.projection(), {rig->pool}, kGamma, kGamma, A, x, v, r);
  }
};

class LocalSolvesOf : public testing::TestWithParam<Damping> {};

// The residual that they leave is that of all forces: springs, all their dampers, and what is linear.
TEST_P(LocalSolvesOf, LeaveNoParticleThatStandsOut) {
  RestingSheet sheet(GetParam().material());
  // Far below where it saturates.
  sheet.rig->system.set_grab(
      GrabSpring{{53, 54, 66}, {0.2, 0.3, 0.5}, sheet.x[66] + vec3(0, 0.1, 0), 200, 0.4, 1e12});
  sheet.v[66] = vec3(3, 7, -2);  // by an edge and more
  sheet.v[67] = vec3(-5, 0, 4);
  const double before = sheet.norm_of_residual(sheet.r);
  const std::vector<vec3> v = sheet.v;
  EXPECT_TRUE(sheet.relax());
  EXPECT_EQ(sheet.v[0], v[0]);
  EXPECT_EQ(sheet.v[67].y, v[67].y);
  EXPECT_NE(sheet.v[67], v[67]);
  EXPECT_EQ(sheet.v[143], v[143]);

  const std::vector<vec3> x = sheet.x, r = sheet.r;
  std::vector<vec3> found(r.size());
  const double after = sheet.norm_of_residual(found);
  EXPECT_LT(after, 0.2 * before);
  for (std::size_t i = 0; i < r.size(); ++i) {
    EXPECT_NEAR(glm::distance(x[i], sheet.x[i]), 0, 1e-13);
    EXPECT_NEAR(glm::distance(r[i], found[i]), 0, 1e-12 * before);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LocalSolvesOf,
                         testing::Values(Damping{DampingModel::projected, 0},
                                         Damping{DampingModel::isotropic, 0},
                                         Damping{DampingModel::projected, 1e-3}));

TEST(LocalSolves, LeaveAnEvenResidualAlone) {
  RestingSheet sheet(Damping{DampingModel::projected, 0}.material());
  sheet.norm_of_residual(sheet.r);  // gravity
  EXPECT_FALSE(sheet.relax());
}

}  // namespace
}  // namespace clothlab
