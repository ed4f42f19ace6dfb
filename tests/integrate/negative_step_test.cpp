// SPDX-License-Identifier: MIT
// Steps of h < 0, by all methods that allow them.

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <string>
#include <utility>

#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Rig;
using test::Stepper;

constexpr double kBackStep = 0.002;

std::unique_ptr<Rig> moving_sheet(double spring_damping) {
  Material material;
  material.stretch_stiffness = 100;
  material.spring_damping = spring_damping;
  auto rig = test::make_sheet(5, 6, 0.1, material);
  rig->pin(0);
  rig->pin(5);
  test::shake(rig->state, 0.002, 0.1);
  for (const std::uint32_t pin : {0U, 5U}) rig->state.x[pin] = rig->system.projection().find(pin)->target;
  for (const std::uint32_t pin : {0U, 5U}) rig->state.v[pin] = vec3(0);
  return rig;
}

void reverse_velocities(State& state) {
  for (vec3& v : state.v) v = -v;
}

/// The largest distance of two positions or, times the step, of two velocities [m].
double largest_distance(const State& a, const State& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i)
    most = std::max({most, glm::length(a.x[i] - b.x[i]), kBackStep * glm::length(a.v[i] - b.v[i])});
  return most;
}

/// A bent chain of rods, at rest.
std::unique_ptr<Rig> rod_chain() {
  Material material;
  material.spring_damping = 0;
  auto rig = test::make_chain(8, 0.1, material);
  for (std::size_t i = 1; i < rig->state.x.size(); ++i) {
    const auto a = static_cast<double>(i);
    rig->state.x[i] = rig->state.x[i - 1] + 0.1 * glm::normalize(vec3(1, std::sin(a), std::cos(2 * a)));
  }
  return rig;
}

const IntegratorInfo& row_of(std::string_view id) {
  for (const IntegratorInfo* info : test::rows())
    if (info->id == id || test::name_of(*info) == id) return *info;
  throw std::out_of_range(std::string(id));
}

/// Takes a step of h and one of −h; returns the distance from the start, and in `moved` that of the first
/// step.
double there_and_back(std::string_view there, std::string_view back, double h, double damping,
                      double& moved) {
  const bool rods = row_of(there).inextensible;
  auto rig = rods ? rod_chain() : moving_sheet(damping);
  const SolverSettings tight = test::tight_settings();
  // Until the velocities are constrained too.
  if (rods) Stepper(*rig, row_of(there), tight).steps(3, std::abs(h));
  const State start = rig->state;
  Stepper(*rig, row_of(there), tight).step(h);
  moved = largest_distance(rig->state, start);
  Stepper(*rig, row_of(back), tight).step(-h);
  EXPECT_NEAR(rig->state.t, start.t, 1e-15);
  return largest_distance(rig->state, start);
}

class NegativeStep : public test::EveryIntegrator {};

// Without forces that depend on velocities or time, every method commutes with v → −v.
TEST_P(NegativeStep, IsThePositiveOneOfReversedVelocities) {
  if (!info().only_forward.empty()) GTEST_SKIP() << info().only_forward;
  auto forward = moving_sheet(0), back = moving_sheet(0);
  const State start = forward->state;
  reverse_velocities(forward->state);
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(Stepper(*forward, info(), test::tight_settings()).step(kBackStep).converged);
    EXPECT_TRUE(Stepper(*back, info(), test::tight_settings()).step(-kBackStep).converged);
  }
  reverse_velocities(forward->state);
  EXPECT_GT(largest_distance(back->state, start), 1e-5);
  EXPECT_LT(largest_distance(back->state, forward->state), 1e-12);
  EXPECT_DOUBLE_EQ(back->state.t, -3 * kBackStep);
}

// With the tolerances that runs have, also of a step that resolves all oscillations.
TEST_P(NegativeStep, KeepsTheUsualTolerances) {
  if (!info().only_forward.empty()) GTEST_SKIP() << info().only_forward;
  for (const double h : {kBackStep, kBackStep / 100}) {
    auto forward = moving_sheet(0), back = moving_sheet(0);
    const State start = forward->state;
    reverse_velocities(forward->state);
    EXPECT_TRUE(Stepper(*forward, info()).step(h).converged);
    EXPECT_TRUE(Stepper(*back, info()).step(-h).converged);
    reverse_velocities(forward->state);
    const double moved = largest_distance(back->state, start);
    EXPECT_LT(largest_distance(back->state, forward->state), 0.01 * moved) << h;
  }
}

TEST_P(NegativeStep, IsRefusedByMethodsWithAMemory) {
  auto rig = moving_sheet(0);
  const auto method = test::make_integrator(info());
  const SolverSettings settings;
  for (int k = 0; k < 2; ++k) method->advance(rig->system, rig->state, kBackStep, {settings, rig->pool, {}});
  Memory memory;
  method->save(memory);
  const bool modes_only = info().growth_of_slow_modes != nullptr && !method->has_history();
  const bool remembers = method->has_history() || (!memory.empty() && !modes_only);
  EXPECT_EQ(remembers, info().only_forward == kUsesEarlierSteps);
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(NegativeStep);

// Hairer, Lubich, Wanner: Geometric Numerical Integration, section II.3: the adjoint of Φ_h is the inverse of
// Φ_{−h}.
TEST(AdjointStep, OfExplicitEulerIsOneOfBackwardEuler) {
  for (const double damping : {0.0, 0.01})
    for (const double h : {kBackStep, -kBackStep}) {
      double moved = 0;
      EXPECT_LT(there_and_back("explicit-euler", "backward-euler", h, damping, moved), 1e-13) << h;
      EXPECT_GT(moved, 1e-4);
      EXPECT_LT(there_and_back("backward-euler", "explicit-euler", h, damping, moved), 1e-13) << h;
      EXPECT_GT(moved, 1e-4);
    }
}

TEST(AdjointStep, OfASymmetricMethodIsItsOwn) {
  const std::pair<const char*, double> methods[] = {{"velocity-verlet", 0},         {"yoshida4", 0},
                                                    {"implicit-midpoint", 0.01},    {"trapezoidal", 0.01},
                                                    {"runge_kutta_midpoint", 0.01}, {"rattle", 0}};
  for (const auto& [id, damping] : methods) {
    double moved = 0;
    EXPECT_LT(there_and_back(id, id, kBackStep, damping, moved), 2e-13) << id;
    EXPECT_GT(moved, 1e-4) << id;
  }
}

TEST(AdjointStep, OfOtherMethodsIsAnother) {
  for (const char* id :
       {"explicit-euler", "backward-euler", "symplectic-euler", "semi-implicit-euler", "tr-bdf2"}) {
    double moved = 0;
    EXPECT_GT(there_and_back(id, id, kBackStep, 0, moved), 1e-7) << id;
  }
}

}  // namespace
}  // namespace clothlab
