// SPDX-License-Identifier: MIT
// The contract of integrator.h, for every integrator.

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numeric>
#include <set>

#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::EveryIntegrator;
using test::Rig;
using test::Stepper;

class Contract : public EveryIntegrator {};

std::unique_ptr<Rig> hanging_sheet(int threads = 1, double spring_damping = 0.01) {
  Material material;
  material.stretch_stiffness = 100;
  material.spring_damping = spring_damping;
  auto rig = test::make_sheet(7, 8, 0.1, material, threads);
  rig->pin(0);
  rig->pin(7);
  test::shake(rig->state, 0.005, 0.1);
  rig->state.x[0] = rig->system.projection().find(0)->target;
  rig->state.x[7] = rig->system.projection().find(7)->target;
  return rig;
}

TEST_P(Contract, PinsMoveExactlyAsTold) {
  auto rig = hanging_sheet();
  Stepper stepper(*rig, info());
  const double h = 0.001;
  for (int k = 0; k < 10; ++k) {
    const vec3 before = rig->state.x[7];
    const vec3 target = before + vec3(0.001, 0.0003 * k, -0.002);
    rig->system.projection().fix(7, target);
    stepper.step(h);
    EXPECT_EQ(rig->state.x[7], target);
    EXPECT_EQ(rig->state.v[7], (target - before) / h);
    EXPECT_EQ(rig->state.v[0], (rig->state.x[0] - rig->state.x[0]) / h);
  }
}

TEST_P(Contract, AParticleHeldToAPlaneStaysInItAndSlides) {
  auto rig = hanging_sheet();
  const vec3 n = glm::normalize(vec3(1, 2, -0.5));
  const std::size_t held = 20;
  const vec3 target = rig->state.x[held];
  rig->system.projection().constrain(held, mat3(1.0) - glm::outerProduct(n, n), target);
  Stepper(*rig, info()).steps(20, 0.001);
  EXPECT_LT(std::abs(glm::dot(rig->state.x[held] - target, n)), 1e-15);
  EXPECT_LT(std::abs(glm::dot(rig->state.v[held], n)), 1e-12);  // 1 ulp of x over h
  EXPECT_GT(glm::length(rig->state.x[held] - target), 1e-4);
}

TEST_P(Contract, AMovingPinPullsWithItsVelocity) {
  // A pin that moves at the cloth's own velocity leaves a drifting cloth at rest in its frame.
  Material material;
  material.gravity = vec3(0.0);
  auto rig = test::make_sheet(3, 3, 0.1, material);
  const std::vector<vec3> rest = rig->state.x;
  const vec3 u(0.3, -0.2, 0.5);
  for (vec3& v : rig->state.v) v = u;
  Stepper stepper(*rig, info(), test::tight_settings());
  const double h = 0.002;
  for (int k = 0; k < 5; ++k) {
    rig->system.projection().fix(4, rig->state.x[4] + h * u);
    stepper.step(h);
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    EXPECT_LT(glm::length(rig->state.x[i] - rest[i] - 5 * h * u), 1e-14);
    EXPECT_LT(glm::length(rig->state.v[i] - u), 1e-12);
  }
}

TEST_P(Contract, WhatVelocityAPinComesWithDoesNotMatter) {
  // Strong damping, so that a first force with that velocity would be seen. What the pin does in the step is
  // prescribed: the two runs differ by rounding, and solvers end them at the same place.
  auto rig = hanging_sheet(1, 1), expected = hanging_sheet(1, 1);
  rig->state.v[0] = vec3(3, -2, 5);
  expected->state.v[0] = vec3(0.0);
  Stepper stepper(*rig, info()), same(*expected, info());
  for (int k = 0; k < 3; ++k) {
    stepper.step(1e-4);
    same.step(1e-4);
  }
  for (std::size_t i = 0; i < rig->state.x.size(); ++i) {
    EXPECT_LT(glm::length(rig->state.v[i] - expected->state.v[i]), 1e-12) << i;
  }
}

TEST_P(Contract, RepeatsItselfFromTheSameState) {
  auto rig = hanging_sheet();
  const State start = rig->state;
  const auto integrator = test::make_integrator(info());
  const SolverSettings settings;
  const StopProbe stop;
  const StepContext context{settings, rig->pool, stop};
  for (int k = 0; k < 3; ++k) integrator->advance(rig->system, rig->state, 0.002, context);
  const State first = rig->state;
  rig->state = start;
  integrator->reset();
  for (int k = 0; k < 3; ++k) integrator->advance(rig->system, rig->state, 0.002, context);
  EXPECT_EQ(rig->state.x, first.x);
  EXPECT_EQ(rig->state.v, first.v);
  EXPECT_EQ(rig->state.t, first.t);
}

TEST_P(Contract, AStopLeavesEverythingAsItWas) {
  // Every step is stopped at the first poll, the second, and so on (long ones at a sample of them), until it
  // gets through; modes that are found in one step are used in the next two.
  IntegratorParameters values = default_parameters(info());
  for (std::size_t p = 0; p < info().parameters.size(); ++p) {
    if (info().parameters[p].id == "mode-refresh") values[p] = 3;
  }
  auto rig = hanging_sheet(), other = hanging_sheet();
  Stepper stepper(*rig, info(), {}, values), undisturbed(*other, info(), {}, values);
  for (int k = 0; k < 4; ++k) {
    const State before = rig->state;
    int polls_allowed = 0;
    for (;; polls_allowed += 1 + polls_allowed / 32) {
      ASSERT_LT(polls_allowed, 100000);
      int polls = 0;
      stepper.set_stop([&] { return polls++ >= polls_allowed; });
      if (!stepper.step(0.01).stopped) break;
      ASSERT_EQ(rig->state.x, before.x) << polls_allowed;
      ASSERT_EQ(rig->state.v, before.v) << polls_allowed;
      ASSERT_EQ(rig->state.t, before.t);
    }
    EXPECT_GE(polls_allowed, 1);  // it was polled at all
    undisturbed.step(0.01);
    ASSERT_EQ(rig->state.x, other->state.x) << k;
    ASSERT_EQ(rig->state.v, other->state.v) << k;
  }
}

TEST_P(Contract, GoesOnFromWhatWasSavedWhateverCameAfter) {
  IntegratorParameters values = default_parameters(info());
  for (std::size_t p = 0; p < info().parameters.size(); ++p) {
    if (info().parameters[p].id == "mode-refresh") values[p] = 3;
  }
  const SolverSettings settings;
  const StopProbe stop;
  auto rig = hanging_sheet(), other = hanging_sheet();
  const StepContext context{settings, rig->pool, stop}, undisturbed{settings, other->pool, stop};
  const auto integrator = info().make(values), never_loaded = info().make(values);
  Memory memory;
  for (int k = 0; k < 5; ++k) {  // from the start, from the first step with a past, and so on
    const State before = rig->state;
    memory.clear();
    integrator->save(memory);
    const auto load = [&](Integrator& into) {
      MemoryReader reader(memory);
      into.load(reader, before.x.size());
      EXPECT_TRUE(reader.at_end());
    };
    for (const char* after : {"s", "ss", "r", "rs", "srss", ""}) {
      for (const char* what = after; *what != 0; ++what) {
        if (*what == 'r') {
          integrator->reset();
        } else {
          integrator->advance(rig->system, rig->state, 0.01, context);
        }
      }
      load(*integrator);
      rig->state = before;
    }
    const auto fresh = info().make(values);
    load(*fresh);
    fresh->advance(rig->system, rig->state, 0.01, context);
    const State from_fresh = std::exchange(rig->state, before);
    integrator->advance(rig->system, rig->state, 0.01, context);
    never_loaded->advance(other->system, other->state, 0.01, undisturbed);
    for (const State* state : std::initializer_list<const State*>{&rig->state, &from_fresh}) {
      ASSERT_EQ(state->x, other->state.x) << k;
      ASSERT_EQ(state->v, other->state.v) << k;
    }
  }
}

TEST_P(Contract, NeitherHangsNorCrashesOnAnyState) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const JacobianMode mode : {JacobianMode::clamped, JacobianMode::exact}) {
    for (const auto kind : {LinearSolverSettings::Kind::cg, LinearSolverSettings::Kind::cholesky}) {
      for (const double value : {1e3, 1e20, 1e154, 1e200, 1e308, inf, std::nan("")}) {
        auto rig = hanging_sheet(1, 0.0);
        for (std::size_t i = 1; i < rig->state.x.size(); i += 3) {
          rig->state.x[i] = vec3(value, -value, 0);
          rig->state.v[i] = vec3(-value, 0, value);
        }
        SolverSettings settings;
        settings.jacobian = mode;
        settings.linear.kind = kind;
        Stepper stepper(*rig, info(), settings);
        const StepReport report = stepper.steps(2, 1);
        EXPECT_LE(report.newton_iterations, 2 * settings.newton_max_iterations);
      }
    }
  }
}

TEST_P(Contract, ReportsSolvesThatDoNotConverge) {
  if (!info().uses_linear_solver) return;
  auto rig = hanging_sheet();
  SolverSettings settings;
  settings.linear.cg.max_iterations = 1;
  settings.newton_max_iterations = 3;  // with more iterations every method converges
  settings.newton_tolerance = 1e-6;
  settings.linear.cg.tolerance = 1e-10;
  const StepReport report = Stepper(*rig, info(), settings).step(0.05);
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_GT(report.linear_residual, 1e-10);
  EXPECT_GE(report.residual_history.size(), 2u);
}

TEST_P(Contract, ReportsItsWork) {
  auto rig = info().inextensible ? test::make_chain(8, 0.1, Material{}) : hanging_sheet();
  Stepper stepper(*rig, info());  // outlives the report, which refers to its residuals
  const StepReport report = stepper.step(1.0 / 60);
  // Methods with a fixed number of iterations have not converged yet, and report it.
  EXPECT_EQ(report.converged, info().stability_condition.empty()) << report.reason;
  EXPECT_EQ(report.converged, report.reason.empty());
  EXPECT_FALSE(report.stopped);
  EXPECT_EQ(report.newton_iterations > 0, info().uses_newton);
  EXPECT_EQ(report.linear_iterations > 0, info().uses_linear_solver || info().inextensible);
  if (info().uses_linear_solver) {
    EXPECT_EQ(report.residual_history.back(), report.linear_residual);
    ASSERT_TRUE(report.last_cg.has_value());
    EXPECT_EQ(report.last_cg->preconditioner, PreconditionerKind::block_jacobi)
        << "the automatic choice here";
    EXPECT_EQ(report.last_cg->levels, 0u);
    EXPECT_EQ(report.last_cg->converged, report.linear_residual <= report.last_cg->tolerance);
    const std::span<const int> solves = report.solves.all();
    EXPECT_EQ(std::accumulate(solves.begin(), solves.end(), 0), report.linear_iterations);
    if (info().uses_newton) {
      EXPECT_EQ(static_cast<int>(solves.size()), report.newton_iterations);
    }
  }
}

TEST_P(Contract, CholeskyTakesTheSameStep) {
  if (!info().uses_linear_solver) return;
  auto direct = hanging_sheet(), iterative = hanging_sheet();
  SolverSettings settings = test::tight_settings(JacobianMode::clamped);
  Stepper(*iterative, info(), settings).step(0.01);
  settings.linear.kind = LinearSolverSettings::Kind::cholesky;
  const StepReport report = Stepper(*direct, info(), settings).step(0.01);
  EXPECT_EQ(report.linear_iterations, 0);
  EXPECT_FALSE(report.last_cg.has_value());
  for (std::size_t i = 0; i < direct->state.x.size(); ++i) {
    EXPECT_LT(glm::length(direct->state.x[i] - iterative->state.x[i]), 1e-12);
  }
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(Contract);

TEST(Registry, OnlyImplicitMethodsAreStableAtEveryStepUnlessTheirRowSaysSo) {
  const auto limit = [](IntegratorFamily family) {
    const IntegratorInfo info{.id = {},
                              .title = {},
                              .letters = {},
                              .family = family,
                              .formula = {},
                              .summary = {},
                              .cost = {},
                              .use = {},
                              .reference = {}};
    return info.stability_limit;
  };
  EXPECT_EQ(limit(IntegratorFamily::implicit), kNoStabilityLimit);
  EXPECT_EQ(limit(IntegratorFamily::linearly_implicit), kNoStabilityLimit);
  EXPECT_EQ(limit(IntegratorFamily::explicit_method), 0);
  EXPECT_EQ(limit(IntegratorFamily::exponential), 0);
  EXPECT_EQ(limit(IntegratorFamily::position_based), 0);
}

TEST(Registry, HasCompleteRows) {
  std::set<std::string_view> ids;
  for (const IntegratorInfo& info : integrators()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_EQ(find_integrator(info.id), &info);
    for (const std::string_view text : {info.title, info.formula, info.summary, info.reference}) {
      EXPECT_FALSE(text.empty()) << info.id;
    }
    ASSERT_NE(info.growth, nullptr);
    EXPECT_DOUBLE_EQ(info.growth(0, 0, default_parameters(info)), 1);
    const IntegratorParameters values = default_parameters(info);
    ASSERT_EQ(values.size(), info.parameters.size() + info.table.size());
    for (std::size_t p = 0; p < info.parameters.size(); ++p)
      EXPECT_TRUE(is_valid(info.parameters[p], values[p]));
    EXPECT_NE(info.make(values), nullptr);
  }
  EXPECT_EQ(find_integrator("no-such-method"), nullptr);
}

TEST(Parameter, KnowsItsRange) {
  ParameterSpec spec;
  spec.min = 1;
  spec.max = 4;
  EXPECT_TRUE(is_valid(spec, 1));
  EXPECT_TRUE(is_valid(spec, 2.5));
  EXPECT_FALSE(is_valid(spec, 4.0001));
  EXPECT_FALSE(is_valid(spec, std::nan("")));
  spec.kind = ParameterSpec::Kind::integer;
  EXPECT_TRUE(is_valid(spec, 3));
  EXPECT_FALSE(is_valid(spec, 2.5));
  spec.max = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(is_valid(spec, spec.max));
}

}  // namespace
}  // namespace clothlab
