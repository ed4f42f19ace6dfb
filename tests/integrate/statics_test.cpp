// SPDX-License-Identifier: MIT
// Cloth that has come to rest against static equilibrium computed apart, and conservation of momentum.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>

#include "dense_algebra.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::EveryIntegrator;
using test::Rig;
using test::Stepper;

constexpr double kChainLength = 0.2;  // of a spring [m]

class Statics : public EveryIntegrator {};
class Momentum : public EveryIntegrator {};

// A chain that hangs at rest. Spring i carries the particles below it: the force (n − i) m g, exactly;
// `elongation` is its elongation under a force over k [m].
void expect_chain_at_rest(const IntegratorInfo& info, Material material,
                          const std::function<double(double)>& elongation) {
  if (test::grows_with_damping(info)) return;
  material.mass = 0.5;
  material.stretch_stiffness = 40;
  material.damping_model = DampingModel::isotropic;
  material.spring_damping = 0.2;
  material.rayleigh_mass = 4;
  const int n = 6;
  auto rig = test::make_chain(n, kChainLength, material);
  // ω_max < √(4 k/m) = 44/s, so that h ω_max < 0.1: below every method's limit with this damping.
  Stepper(*rig, info, test::tight_settings()).steps(8000, 0.002);

  // Nothing where k does not matter.
  const double weight = material.mass / n * 9.8;
  double y = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0)
      y -= kChainLength + (info.inextensible ? 0 : elongation((n - i) * weight / material.stretch_stiffness));
    const auto p = static_cast<std::size_t>(i);
    // The slowest mode decays as exp(−2 t) at least (β/2): to 1e-14 in 16 s. PBD's sweeps are too few for
    // that.
    const double tolerance = info.inextensible && !info.uses_newton ? 1e-5 : 1e-12;
    EXPECT_LT(glm::length(rig->state.x[p] - vec3(0, y, 0)), tolerance) << i;
    EXPECT_LT(glm::length(rig->state.v[p]), 1e-12) << i;
  }
}

TEST_P(Statics, HangingChainComesToRestWhereItsWeightPullsIt) {
  expect_chain_at_rest(info(), {}, [](double e) { return e; });
}

// The lowest spring is below the limit, the others are beyond it: with the reach s L the force over k is e up
// to it and φ e − (φ − 1) s L beyond.
TEST_P(Statics, HangingChainComesToRestBeyondItsStrainLimit) {
  Material material;
  material.strain_limit = 0.15;
  material.limit_stiffness = 2;  // explicit Euler decays more slowly with more
  expect_chain_at_rest(info(), material, [](double e) {
    const double reach = 0.15 * kChainLength;
    return e < reach ? e : (e + reach) / 2;
  });
}

// Newton's method with dense matrices for the equilibrium of a sheet, on the free particles; forces and
// Hessian are implemented anew from the formulas.
std::vector<vec3> equilibrium(const Rig& rig, std::vector<vec3> x) {
  const ElasticElements springs = rig.system.elements();
  const Material& material = rig.system.material();
  const std::size_t n = x.size();
  const auto size = static_cast<Eigen::Index>(3 * n);
  for (int iteration = 0; iteration < 50; ++iteration) {
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(size);
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t i = 0; i < n; ++i)
      gradient[static_cast<Eigen::Index>(3 * i) + 1] = rig.system.masses()[i] * 9.8;
    for (std::size_t s = 0; s < springs.size(); ++s) {
      const auto [i, j, length, stiffness, bending, damping, stretch, limit] = springs[s];
      const double k = stretch ? material.stretch_stiffness : material.bend_stiffness;
      const Eigen::Vector3d d(x[i].x - x[j].x, x[i].y - x[j].y, x[i].z - x[j].z);
      const Eigen::Vector3d g = k * (1 - length / d.norm()) * d;
      const Eigen::Matrix3d b = k * (Eigen::Matrix3d::Identity() * (1 - length / d.norm()) +
                                     length / std::pow(d.norm(), 3) * d * d.transpose());
      const Eigen::Index p = 3 * static_cast<Eigen::Index>(i), q = 3 * static_cast<Eigen::Index>(j);
      gradient.segment<3>(p) += g;
      gradient.segment<3>(q) -= g;
      hessian.block<3, 3>(p, p) += b;
      hessian.block<3, 3>(q, q) += b;
      hessian.block<3, 3>(p, q) -= b;
      hessian.block<3, 3>(q, p) -= b;
    }
    for (const Projection::Entry& e : rig.system.projection().entries()) {
      const Eigen::Index p = 3 * static_cast<Eigen::Index>(e.particle);
      hessian.middleRows<3>(p).setZero();
      hessian.middleCols<3>(p).setZero();
      hessian.block<3, 3>(p, p).setIdentity();
      gradient.segment<3>(p).setZero();
    }
    const Eigen::VectorXd step = algebra::solve_symmetric(hessian, gradient);
    for (std::size_t i = 0; i < n; ++i) {
      for (int c = 0; c < 3; ++c) x[i][c] -= step[static_cast<Eigen::Index>(3 * i) + c];
    }
    if (step.cwiseAbs().maxCoeff() < 1e-15) break;
  }
  return x;
}

TEST_P(Statics, HangingSheetComesToRestInStaticEquilibrium) {
  if (info().inextensible) return;  // its frame is stretched
  if (info().id == "xpbd") return;  // off by O(h²), see xpbd_test.cpp
  if (test::grows_with_damping(info())) return;
  // Hung in a frame, one row along z stretched by it: in tension everywhere, so that there is one
  // equilibrium.
  Material material;
  material.mass = 0.3;
  material.stretch_stiffness = 30;
  material.bend_stiffness = 3;
  material.damping_model = DampingModel::isotropic;
  material.spring_damping = 0.1;  // with more it would creep to rest
  material.rayleigh_mass = 6;
  auto rig = test::make_sheet(5, 5, 0.2, material);
  for (vec3& x : rig->state.x) x *= 1.05;
  for (const std::size_t i :
       std::initializer_list<std::size_t>{0, 1, 2, 3, 4, 5, 9, 10, 14, 15, 19, 20, 21, 22, 23, 24})
    rig->pin(i);
  test::shake(rig->state, 1e-3, 0);
  for (const Projection::Entry& e : rig->system.projection().entries()) rig->state.x[e.particle] = e.target;
  // ω_max < √(12 k/m) = 173/s and the damping rate 12 k_d/m + β = 106/s: h below 2 (k_d's limit) for all.
  // Where only motion along the springs is damped, β alone ends the rest.
  Stepper(*rig, info(), test::tight_settings()).steps(info().id == "vbd" ? 4000 : 3000, 0.002);

  const std::vector<vec3> start = rig->state.x;
  const std::vector<vec3> expected = equilibrium(*rig, start);
  double sag = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    EXPECT_LT(glm::length(rig->state.x[i] - expected[i]), 1e-11) << i;
    sag = std::max(sag, -expected[i].y);
  }
  EXPECT_GT(sag, 0.01);
}

vec3 momentum(const Rig& rig) {
  vec3 sum(0.0);
  for (std::size_t i = 0; i < rig.state.v.size(); ++i) sum += rig.system.masses()[i] * rig.state.v[i];
  return sum;
}

vec3 angular_momentum(const Rig& rig) {
  vec3 sum(0.0);
  for (std::size_t i = 0; i < rig.state.v.size(); ++i) {
    sum += rig.system.masses()[i] * glm::cross(rig.state.x[i], rig.state.v[i]);
  }
  return sum;
}

std::unique_ptr<Rig> free_sheet(const vec3& gravity) {
  Material material;
  material.mass_model = MassModel::area;
  material.stretch_stiffness = 50;
  material.spring_damping = 0.05;
  material.gravity = gravity;
  auto rig = test::make_sheet(5, 6, 0.2, material);
  test::shake(rig->state, 0.03, 0.5);
  return rig;
}

TEST_P(Momentum, IsKeptByAFreeClothAndFedByGravityAlone) {
  for (const vec3 gravity : {vec3(0.0), vec3(1, -9.8, 0.5)}) {
    auto rig = free_sheet(gravity);
    const vec3 before = momentum(*rig);
    const int steps = 50;
    const double h = 0.002;
    Stepper(*rig, info(), test::tight_settings()).steps(steps, h);
    const vec3 expected = before + steps * h * 0.2 * gravity;
    // Each step rounds the sum of n momenta, and the solves leave 1e-14 of the forces.
    EXPECT_LT(glm::length(momentum(*rig) - expected), 1e-13);
    EXPECT_GT(glm::length(expected), 1e-4);
  }
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(Statics);
CLOTHLAB_FOR_EVERY_INTEGRATOR(Momentum);

TEST(SymplecticEuler, KeepsAngularMomentum) {
  // x1 × v1 = x0 × v1 (x1 − x0 is along v1), and central forces add Σ x0 × h f = 0, damping included.
  auto rig = free_sheet(vec3(0.0));
  const vec3 before = angular_momentum(*rig);
  Stepper(*rig, *find_integrator("symplectic-euler")).steps(200, 0.002);
  EXPECT_GT(glm::length(before), 1e-4);
  EXPECT_LT(glm::length(angular_momentum(*rig) - before), 1e-14);
}

}  // namespace
}  // namespace clothlab
