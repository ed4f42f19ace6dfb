// SPDX-License-Identifier: MIT
// Both ways of exponential-rosenbrock-euler to φ1: a series in single precision, and Krylov subspaces.

#include <gtest/gtest.h>

#include "dense_algebra.h"
#include "integrate/dense_reference.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Rig;

Material with_damping(DampingModel model, double spring, double rayleigh, double mass) {
  Material material;
  material.mass = 0.2;
  material.mass_model = MassModel::area;
  material.stretch_stiffness = 200;
  material.bend_stiffness = 5;
  material.damping_model = model;
  material.spring_damping = spring;
  material.rayleigh_stiffness = rayleigh;
  material.rayleigh_mass = mass;
  return material;
}

std::vector<Material> all_dampings() {
  return {with_damping(DampingModel::projected, 0, 0, 0), with_damping(DampingModel::projected, 0.02, 0, 0),
          with_damping(DampingModel::projected, 2, 0, 0), with_damping(DampingModel::isotropic, 0.05, 0, 0),
          with_damping(DampingModel::projected, 0, 1e-3, 2)};
}

// Wider than its rest lengths or narrower, with two pins, one of which moves.
std::unique_ptr<Rig> strained_sheet(const Material& material, double width) {
  auto rig = test::make_sheet(4, 5, 0.2, material);
  for (vec3& x : rig->state.x) x *= width;
  test::shake(rig->state, 0.01, 0.5);
  for (const std::size_t i : {0, 4}) {
    rig->state.v[i] = vec3(0.0);
    rig->pin(i);
  }
  return rig;
}

// The error of a step in the norm of (ω √M x, √M v), relative to h times the rate of change.
double step_error_of(const Material& material, double width, double h, double tolerance) {
  auto rig = strained_sheet(material, width);
  rig->state.v[4] = vec3(0.1, 0.2, 0);
  rig->system.projection().fix(4, rig->state.x[4] + h * rig->state.v[4]);
  const test::DenseCloth cloth(*rig);
  const Eigen::VectorXd u = test::dense_state(rig->state);
  const Eigen::VectorXd expected = test::dense_method("exponential-rosenbrock-euler", cloth, {})(u, h),
                        slope = cloth.slope(u);
  SolverSettings settings;
  settings.jacobian = JacobianMode::exact;
  settings.linear.cg.tolerance = tolerance;
  test::Stepper stepper(*rig, *find_integrator("exponential-rosenbrock-euler"), settings);
  EXPECT_TRUE(stepper.step(h).converged);
  const Eigen::VectorXd error = test::dense_state(rig->state) - expected;
  const Eigen::Index n = cloth.dofs();
  const double omega = std::sqrt(8 * material.stretch_stiffness / cloth.masses().mean());
  const Eigen::VectorXd root = cloth.masses().cwiseSqrt();
  const auto norm = [&](const Eigen::VectorXd& of) {
    return std::hypot(omega * root.cwiseProduct(of.head(n)).norm(), root.cwiseProduct(of.tail(n)).norm());
  };
  return norm(error) / (h * norm(slope));
}

TEST(ExponentialRosenbrockEuler, KeepsItsToleranceByTheSeriesAndBySubspaces) {
  for (const Material& material : all_dampings()) {
    for (const double h : {0.002, 0.02, 0.1}) {
      // Taut cloth: single precision, whose rounding stays.
      const double taut = step_error_of(material, 1.3, h, 1e-3);
      EXPECT_LT(taut, 1e-4);
      EXPECT_GT(taut, 1e-9) << "not in single precision";
      EXPECT_LT(step_error_of(material, 1.3, h, 2e-5), 2e-5);
      // Too small a tolerance for it, and compressed cloth, whose exact Jacobian is indefinite: modes grow,
      // and errors with them.
      EXPECT_LT(step_error_of(material, 1.3, h, 1e-13), 1e-10);
      if (h > 0.05) continue;
      EXPECT_LT(step_error_of(material, 0.9, h, 1e-13), 1e-10);
      EXPECT_LT(step_error_of(material, 0.9, h, 1e-3), 1e-4);
    }
  }
}

// The motion of one mass along its spring has two dimensions, x and v, which two vectors span.
TEST(ExponentialRosenbrockEuler, CountsItsProducts) {
  Material material = with_damping(DampingModel::projected, 0, 0, 0);
  material.gravity = vec3(0);
  material.mass_model = MassModel::uniform;
  const auto products = [&](double tolerance) {
    auto rig = test::make_chain(2, 0.5, material);
    rig->state.x[1] *= 1.1;
    SolverSettings settings;
    settings.linear.cg.tolerance = tolerance;
    return test::Stepper(*rig, *find_integrator("exponential-rosenbrock-euler"), settings)
        .step(0.01)
        .products;
  };
  EXPECT_EQ(products(1e-14), 2);
  EXPECT_GT(products(1e-4), 2) << "terms of the series";
}

TEST(ExponentialRosenbrockEuler, MovesNoPinAndKeepsPlanes) {
  auto rig = strained_sheet(all_dampings()[1], 1.2);
  const vec3 normal = glm::normalize(vec3(1, 2, 3));
  rig->system.projection().constrain(7, mat3(1.0) - glm::outerProduct(normal, normal), rig->state.x[7]);
  rig->state.v[7] -= glm::dot(rig->state.v[7], normal) * normal;
  const vec3 start = rig->state.x[7], pinned = rig->state.x[0];
  test::Stepper stepper(*rig, *find_integrator("exponential-rosenbrock-euler"));
  for (int k = 0; k < 10; ++k) {
    EXPECT_TRUE(stepper.step(0.01).converged);
    EXPECT_NEAR(glm::dot(rig->state.x[7] - start, normal), 0, 1e-15);
    EXPECT_EQ(rig->state.x[0], pinned);
  }
  EXPECT_GT(glm::length(rig->state.x[7] - start), 1e-3);
}

}  // namespace
}  // namespace clothlab
