// SPDX-License-Identifier: MIT
// Order of convergence of every registered integrator on a swinging, stretched sheet.

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <optional>

#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::EveryIntegrator;
using test::Rig;
using test::Stepper;

class Order : public EveryIntegrator {};

double separation(std::span<const vec3> a, std::span<const vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += glm::dot(a[i] - b[i], a[i] - b[i]);
  return std::sqrt(sum);
}

struct Swing {
  double stretch = 1.15;  // of the sheet to begin with
  DampingModel damping = DampingModel::projected;
  double k_d = 0;
  JacobianMode jacobian = JacobianMode::exact;
  std::optional<IntegratorParameters> values = {};
};

// The state after 0.1 s in n steps: a sheet hung by a corner edge, stretched to begin with, swinging.
State swing(const IntegratorInfo& info, int n, const Swing& of) {
  Material material;
  material.mass = 0.2;
  material.stretch_stiffness = 20;
  material.bend_stiffness = 2;
  material.damping_model = of.damping;
  material.spring_damping = of.k_d;
  auto rig = test::make_sheet(3, 4, 0.2, material);
  for (vec3& x : rig->state.x) x *= vec3(of.stretch, 1, of.stretch - 0.05);
  test::shake(rig->state, 0.005, 0.2);
  rig->pin(0);
  rig->pin(3);
  SolverSettings settings = test::tight_settings(of.jacobian);
  settings.linear.cg.tolerance = settings.newton_tolerance = 1e-12;
  Stepper(*rig, info, settings, of.values.value_or(test::whole_step_parameters(info))).steps(n, 0.1 / n);
  return rig->state;
}

// ‖u_h − u_{h/2}‖ falls by 2^order from one halving to the next, from n steps on.
void expect_order(const IntegratorInfo& info, int n, const Swing& of, double order, double tolerance) {
  const State coarse = swing(info, n, of), middle = swing(info, 2 * n, of), fine = swing(info, 4 * n, of);
  const double x_coarse = separation(coarse.x, middle.x), x_fine = separation(middle.x, fine.x);
  const double v_coarse = separation(coarse.v, middle.v), v_fine = separation(middle.v, fine.v);
  ASSERT_GT(x_fine, 1e-10);  // above the solvers' tolerance and rounding
  EXPECT_NEAR(std::log2(x_coarse / x_fine), order, tolerance);
  EXPECT_NEAR(std::log2(v_coarse / v_fine), order, tolerance);
}

TEST_P(Order, IsWhatTheRowSays) {
  const int order = info().order;
  if (order == 0) return;           // none is defined
  if (info().inextensible) return;  // see inextensible_test.cpp
  // The first-order error of the split methods is that of slow modes, and shows above the rest's late.
  const bool split = info().growth_of_slow_modes != nullptr;
  const auto expect = [&](const Swing& of, int expected) {
    const int n = split                             ? 1920
                  : expected == 1                   ? 640
                  : expected == 2                   ? 160
                  : info().id == kTwoStepIntegrator ? 40
                                                    : 20;
    expect_order(info(), n, of, expected, expected <= 2 ? 0.1 : 0.2);
  };
  expect({}, order);
  expect({.damping = DampingModel::isotropic, .k_d = 0.02},
         info().order_with_damping > 0 ? info().order_with_damping : order);
}

TEST_P(Order, DropsToOneWhereTheRowSaysSo) {
  if (!info().order_needs_exact_jacobian) return;
  // A sheet that is pushed together, so that clamping takes something away.
  expect_order(info(), 1280, {.stretch = 0.9, .jacobian = JacobianMode::clamped}, 1, 0.1);
  expect_order(info(), 160, {.stretch = 0.9}, info().order, 0.1);
}

// Exact motion of both past states in the modes repairs more than the gain of energy.
TEST(Bdf2Ere, IsOfSecondOrderInLawsonsForm) {
  for (const double damping : {0.0, 0.02}) {
    const auto with = [&](double lawson) {
      return Swing{
          .damping = DampingModel::isotropic, .k_d = damping, .values = IntegratorParameters{5, 1, lawson}};
    };
    expect_order(*find_integrator("bdf2-ere"), 320, with(1), 2, 0.1);
    expect_order(*find_integrator("bdf2-ere"), 1920, with(0), 1, 0.1);
  }
}

// α changes from step to step, so the error has no expansion in h: its mean decrease over five halvings.
TEST(ASearch, IsOfFirstOrderInTheMean) {
  const State exact = swing(*find_integrator("rk4"), 2000, {});
  const auto error = [&](int n) {
    const State end = swing(*find_integrator("a-search"), n, {});
    return std::pair{separation(end.x, exact.x), separation(end.v, exact.v)};
  };
  const auto coarse = error(160), fine = error(5120);
  EXPECT_NEAR(std::log2(coarse.first / fine.first) / 5, 1, 0.1);
  EXPECT_NEAR(std::log2(coarse.second / fine.second) / 5, 1, 0.1);
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(Order);

}  // namespace
}  // namespace clothlab
