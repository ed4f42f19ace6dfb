// SPDX-License-Identifier: MIT
#include "experiments/convergence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/contact.h"

namespace clothlab {
namespace {

SolverSettings with_jacobian(JacobianMode mode, StageSolve stages = StageSolve::newton) {
  SolverSettings settings;
  settings.jacobian = mode;
  settings.stage_solve = stages;
  return settings;
}

TEST(Convergence, OrderIsWhatTheRowsSay) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.order == 0) continue;  // none is defined
    const auto points =
        measure_convergence(info, default_parameters(info), with_jacobian(JacobianMode::exact), 8);
    ASSERT_EQ(points.size(), 8U) << info.id;
    const auto [x, v] = measured_order(points);
    const double tolerance = info.order <= 2 ? 0.1 : 0.2;
    EXPECT_NEAR(x, info.order, tolerance) << info.id;
    EXPECT_NEAR(v, info.order, tolerance) << info.id;
  }
}

TEST(Convergence, StarredMethodsDropToOrderOneWithAClampedJacobian) {
  int starred = 0;
  for (const IntegratorInfo& info : integrators()) {
    if (!info.order_needs_exact_jacobian) continue;
    const auto [x, v] = measured_order(
        measure_convergence(info, default_parameters(info), with_jacobian(JacobianMode::clamped), 8));
    const IntegratorParameters values = default_parameters(info);
    EXPECT_NEAR(x, order_with(info, values, with_jacobian(JacobianMode::clamped)), 0.1) << info.id;
    EXPECT_NEAR(v, order_with(info, values, with_jacobian(JacobianMode::clamped)), 0.1) << info.id;
    EXPECT_GT(order_with(info, values, with_jacobian(JacobianMode::exact)),
              order_with(info, values, with_jacobian(JacobianMode::clamped)));
    ++starred;
  }
  EXPECT_GE(starred, 1);
}

TEST(Convergence, OrderIsWhatTheRowsSayWithoutModes) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.parameters.empty() || info.parameters[0].id != "modes") continue;
    IntegratorParameters values = default_parameters(info);
    values[0] = 0;
    const auto [x, v] =
        measured_order(measure_convergence(info, values, with_jacobian(JacobianMode::exact), 7));
    EXPECT_NEAR(x, order_with(info, values, with_jacobian(JacobianMode::exact)), 0.1) << info.id;
    EXPECT_NEAR(v, order_with(info, values, with_jacobian(JacobianMode::exact)), 0.1) << info.id;
  }
}

// Linearised at the start of each stage, methods keep their order where the matrix is exact.
TEST(Convergence, OrderWithOneLinearSolvePerStageIsWhatTheRowsSay) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.family != IntegratorFamily::implicit || info.order == 0) continue;
    std::vector<IntegratorParameters> choices{default_parameters(info)};
    if (info.id == "sdirk2") choices.push_back({1});  // one matrix for both stages
    for (const IntegratorParameters& values : choices)
      for (const JacobianMode mode : {JacobianMode::exact, JacobianMode::clamped}) {
        const SolverSettings settings = with_jacobian(mode, StageSolve::linear);
        const auto [x, v] = measured_order(measure_convergence(info, values, settings, 8));
        EXPECT_NEAR(x, order_with(info, values, settings), 0.1) << info.id << ", " << choices.size();
        EXPECT_NEAR(v, order_with(info, values, settings), 0.1) << info.id << ", " << choices.size();
      }
  }
}

// A sheet that stays pressed on a sphere meets the force of a penalty as it does that of a spring. By filter
// the way along the surface is of first order, whatever the method.
TEST(Convergence, ContactByPenaltyKeepsTheOrderAndByFilterIsOfOrderOne) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.order == 0 || info.inextensible) continue;
    for (const ContactModel contact : {ContactModel::penalty, ContactModel::filter}) {
      if (!supports_contact(contact, info)) continue;
      // The errors of v fall faster at first.
      const bool is_late =
          (info.id.ends_with("bdf2-ere") || info.id == "two-step") && contact == ContactModel::filter;
      const int levels = is_late ? 8 : 7;
      const auto points = measure_convergence(info, default_parameters(info),
                                              with_jacobian(JacobianMode::exact), levels, contact);
      ASSERT_EQ(points.size(), static_cast<std::size_t>(levels)) << info.id;
      const auto [x, v] = measured_order(points);
      const int order = contact == ContactModel::penalty ? info.order : 1;
      EXPECT_NEAR(x, order, 0.1) << info.id;
      EXPECT_NEAR(v, order, 0.1) << info.id;
      // Their energy grows until particles leave, with large steps.
      if (info.id == "explicit-euler" || info.id == "two-step") continue;
      for (const ConvergencePoint& point : points) EXPECT_TRUE(point.same_pairs) << info.id << point.steps;
    }
  }
}

// Their errors are ± h/2 times the same vector, up to parts of order h².
TEST(Convergence, ImplicitAndExplicitEulerHaveTheSameErrorOfOppositeSign) {
  const auto errors = [](const char* id) {
    return measure_convergence(*find_integrator(id), {}, with_jacobian(JacobianMode::exact), 8);
  };
  const auto explicit_euler = errors("explicit-euler");
  ASSERT_EQ(explicit_euler.size(), 8U);
  for (const char* id : {"backward-euler", "semi-implicit-euler"}) {
    const auto implicit = errors(id);
    ASSERT_EQ(implicit.size(), 8U);
    for (std::size_t k = 4; k < 8; ++k) {
      const ConvergencePoint &a = explicit_euler[k], &b = implicit[k];
      const double of_order_h = 0.1 * std::pow(2.0, 4 - static_cast<double>(k));
      EXPECT_NEAR(a.signed_x / a.error_x, 1, of_order_h) << id << k;
      EXPECT_NEAR(b.signed_x / b.error_x, -1, of_order_h) << id << k;
      EXPECT_NEAR(b.error_x / a.error_x, 1, of_order_h) << id << k;
      EXPECT_GT(a.error_energy, 0) << id << k;
      EXPECT_NEAR(b.error_energy / a.error_energy, -1, 2 * of_order_h) << id << k;
    }
  }
  EXPECT_TRUE(std::isnan(measure_convergence(*find_integrator("rattle"), {}, {}, 2).back().signed_x));
}

TEST(Convergence, GivesUpWhenToldTo) {
  const IntegratorInfo& info = integrators()[0];
  EXPECT_TRUE(
      measure_convergence(info, default_parameters(info), with_jacobian(JacobianMode::exact), 3, {}, [] {
        return true;
      }).empty());
}

TEST(Convergence, OrderIsTakenAboveTheFloor) {
  std::vector<ConvergencePoint> points;
  for (const double error : {1e-4, 1e-5, 1e-6, 1e-13}) points.push_back({1, 1, error, 10 * error});
  EXPECT_NEAR(measured_order(points).x, std::log2(10), 1e-12);
  EXPECT_NEAR(measured_order(points).v, std::log2(10), 1e-12);
  EXPECT_TRUE(std::isnan(measured_order({}).x));
}

}  // namespace
}  // namespace clothlab
