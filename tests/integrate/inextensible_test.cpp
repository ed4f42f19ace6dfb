// SPDX-License-Identifier: MIT
// The methods that keep stretch springs at their lengths: RATTLE, SHAKE and PBD with velocity projection.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numbers>
#include <tuple>

#include "dense_algebra.h"
#include "integrate/stabilised_rods.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Rig;
using test::Stepper;

const IntegratorInfo& rattle() { return *find_integrator("rattle"); }
const IntegratorInfo& shake() { return *find_integrator("shake"); }
const IntegratorInfo& fast_projection() { return *find_integrator("fast-projection"); }
const IntegratorInfo& pbd() { return *find_integrator("pbd-proj2"); }

// Largest errors of the stretch springs' lengths [m] and of their rates of change [m/s].
struct Violation {
  double length = 0, rate = 0;
};

Violation violation(const Rig& rig) {
  Violation worst;
  const auto& [x, v, t] = rig.state;
  for (const ElasticElement e : rig.system.elements()) {
    if (!e.stretch) continue;
    const vec3 x_ij = x[e.i] - x[e.j];
    const double l = glm::length(x_ij);
    worst.length = std::max(worst.length, std::abs(l - e.rest_length));
    worst.rate = std::max(worst.rate, std::abs(glm::dot(x_ij / l, v[e.i] - v[e.j])));
  }
  return worst;
}

double energy(const Rig& rig) {
  const ClothSystem::Energies potential = rig.system.energies(rig.pool, rig.state.x);
  double sum = potential.bend + potential.gravity;
  for (std::size_t i = 0; i < rig.state.v.size(); ++i) {
    sum += rig.system.masses()[i] / 2 * glm::dot(rig.state.v[i], rig.state.v[i]);
  }
  return sum;
}

Material undamped() {
  Material material;
  material.bend_stiffness = 0.05;
  material.spring_damping = 0;
  return material;
}

// A chain at rest that winds away from its pin, links all of their length.
std::unique_ptr<Rig> bent_chain(int particles, const Material& material = undamped()) {
  auto rig = test::make_chain(particles, 0.1, material);
  for (std::size_t i = 1; i < rig->state.x.size(); ++i) {
    const auto a = static_cast<double>(i);
    rig->state.x[i] = rig->state.x[i - 1] +
                      0.1 * glm::normalize(vec3(std::cos(a), 0.3 * std::sin(2 * a) - 0.2, std::sin(0.7 * a)));
  }
  return rig;
}

// A sheet whose rest shape is bumpy, at rest in it, with two pins in its first row.
std::unique_ptr<Rig> bumpy_sheet(int rows, int cols, const Material& material = undamped()) {
  const auto flat = test::make_sheet(rows, cols, 0.1, material);
  test::shake(flat->state, 0.02, 0);
  std::vector<ClothModel::Ends> stretch, bend;
  for (const ElasticElement e : flat->system.elements()) (e.stretch ? stretch : bend).push_back({e.i, e.j});
  auto model = std::make_shared<const ClothModel>(flat->state.x, stretch, bend);
  auto rig = std::make_unique<Rig>(std::move(model), flat->state.x, material);
  rig->pin(0);
  rig->pin(static_cast<std::size_t>(cols - 1));
  return rig;
}

TEST(Rattle, KeepsLengthsAndVelocitiesOfAChain) {
  auto rig = bent_chain(12);
  Stepper stepper(*rig, rattle());
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(stepper.step(0.002).converged) << k;
    const Violation now = violation(*rig);
    ASSERT_LT(now.length, 1e-10) << k;
    ASSERT_LT(now.rate, 1e-10) << k;
  }
}

TEST(Rattle, KeepsLengthsAndVelocitiesOfABumpySheet) {
  // 4c − 3 edges on a strip of 2 × c, 69 on the sheet of 30 particles: fewer than there are free directions.
  for (const auto& [rows, cols] : {std::pair{2, 8}, {5, 6}}) {
    auto rig = bumpy_sheet(rows, cols);
    const std::vector<vec3> start = rig->state.x;
    Stepper stepper(*rig, rattle());
    double moved = 0;
    for (int k = 0; k < 300; ++k) {
      ASSERT_TRUE(stepper.step(0.002).converged) << k;
      const Violation now = violation(*rig);
      ASSERT_LT(now.length, 1e-10) << k;
      ASSERT_LT(now.rate, 1e-10) << k;
      moved = std::max(moved, glm::length(rig->state.x.back() - start.back()));
    }
    EXPECT_GT(moved, 0.02);
  }
}

TEST(Rattle, KeepsLinearAndAngularMomentum) {
  Material material = undamped();
  material.gravity = vec3(0.0);
  auto rig = bumpy_sheet(4, 4, material);
  rig->system.projection().clear(rig->state.x.size());
  test::shake(rig->state, 0, 0.5);
  const auto momenta = [&] {
    std::pair<vec3, vec3> sum{vec3(0.0), vec3(0.0)};
    for (std::size_t i = 0; i < rig->state.x.size(); ++i) {
      const vec3 p = rig->system.masses()[i] * rig->state.v[i];
      sum.first += p;
      sum.second += glm::cross(rig->state.x[i], p);
    }
    return sum;
  };
  const auto before = momenta();
  Stepper(*rig, rattle()).steps(200, 0.002);
  const auto after = momenta();
  EXPECT_LT(glm::length(after.first - before.first), 1e-14);
  EXPECT_LT(glm::length(after.second - before.second), 1e-14);
  EXPECT_GT(glm::length(before.second), 1e-4);
}

TEST(Rattle, IsOfSecondOrderAgainstItsOwnMotion) {
  const auto end_of = [](std::unique_ptr<Rig> rig, int n) {
    Stepper(*rig, rattle()).steps(n, 0.2 / n);
    return std::move(rig->state);
  };
  const auto error = [](std::span<const vec3> a, std::span<const vec3> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += glm::dot(a[i] - b[i], a[i] - b[i]);
    return std::sqrt(sum);
  };
  for (const double k_d : {0.0, 0.02}) {
    Material material = undamped();
    material.damping_model = DampingModel::isotropic;
    material.spring_damping = k_d;
    const auto make = [&](bool chain) {
      return chain ? bent_chain(6, material) : bumpy_sheet(2, 5, material);
    };
    for (const bool chain : {true, false}) {
      const State reference = end_of(make(chain), 6400);
      const State coarse = end_of(make(chain), 200), fine = end_of(make(chain), 400);
      EXPECT_NEAR(std::log2(error(coarse.x, reference.x) / error(fine.x, reference.x)), 2, 0.1);
      EXPECT_NEAR(std::log2(error(coarse.v, reference.v) / error(fine.v, reference.v)), 2, 0.1);
      EXPECT_GT(error(fine.x, reference.x), 1e-9);  // far above what the constraints leave
    }
  }
}

// One rod of length 1 m, let go at 90° to the vertical.
std::unique_ptr<Rig> pendulum() {
  Material material = undamped();
  auto rig = test::make_chain(2, 1, material);
  rig->state.x[1] = vec3(1, 0, 0);
  return rig;
}

// Time from the start to the second time at rest, where v·tangent changes its sign for the second time.
double period(double h) {
  auto rig = pendulum();
  Stepper stepper(*rig, rattle());
  int turns = 0;
  double before = 0;
  for (;;) {
    stepper.step(h);
    const vec3 &x = rig->state.x[1], &v = rig->state.v[1];
    const double speed = x.x * v.y - x.y * v.x;  // counter-clockwise
    if (rig->state.t > 0.1 && before * speed < 0 && ++turns == 2) {
      return rig->state.t - h * speed / (speed - before);
    }
    before = speed;
  }
}

TEST(Rattle, SwingsWithThePeriodOfThePendulum) {
  // T = 2π √(L/g) / agm(1, cos(θ0/2)).
  double a = 1, b = std::cos(std::numbers::pi / 4);
  for (int k = 0; k < 6; ++k) std::tie(a, b) = std::pair((a + b) / 2, std::sqrt(a * b));
  const double exact = 2 * std::numbers::pi * std::sqrt(1 / 9.8) / a;
  const double coarse = period(0.01) - exact, fine = period(0.005) - exact;
  EXPECT_LT(std::abs(fine), 1e-4 * exact);
  EXPECT_NEAR(coarse / fine, 4, 0.2);
}

// The force of a rod cancels what acts along it, weight and centrifugal force: m v²/L + m g sin φ = 3 m g sin
// φ after a start from rest at the angle φ = 0 to the horizontal.
double rod_force(const Rig& rig) { return -3 * rig.system.masses()[1] * 9.8 * rig.state.x[1].y; }

TEST(Rattle, PullsAtAPendulumWithTheForceOfItsRod) {
  for (const double h : {2e-3, 1e-3}) {
    auto rig = pendulum();
    Stepper stepper(*rig, rattle());
    for (int k = 0; k < std::lround(0.5 / h); ++k) {
      const State before = rig->state;
      const double expected = rod_force(*rig);
      const StepReport report = stepper.step(h);
      // x1 = x0 + h v0 + h²/2 (g − T n/m), n along the rod at the start.
      const vec3 kick = 2.0 / (h * h) * (rig->state.x[1] - before.x[1] - h * before.v[1]) + vec3(0, 9.8, 0);
      EXPECT_NEAR(-rig->system.masses()[1] * glm::dot(kick, before.x[1]), expected, 10 * h) << k;
      EXPECT_LT(glm::length(glm::cross(kick, before.x[1])), 1e-7) << k;
      ASSERT_EQ(report.rod_forces.size(), 1u);
      EXPECT_NEAR(report.rod_forces[0], -rig->system.masses()[1] * glm::dot(kick, before.x[1]), 1e-7) << k;
    }
    EXPECT_GT(rod_force(*rig), 2);
  }
}

// A stiffer spring in its place is extended less and pulls no more: the force has a limit, that of the rod.
TEST(StiffSpring, HasTheForceAndTheMotionOfARod) {
  constexpr double kEnd = 0.5;
  auto rod = pendulum();
  Stepper(*rod, rattle()).steps(5000, kEnd / 5000);
  double farther = 0;
  for (const double stiffness : {1e3, 1e4, 1e5}) {
    Material material = undamped();
    material.stretch_stiffness = stiffness;
    auto rig = test::make_chain(2, 1, material);
    rig->state.x[1] = vec3(1, 0, 0);
    const double omega = std::sqrt(stiffness / rig->system.masses()[1]);
    const int steps = static_cast<int>(std::ceil(kEnd * omega / 0.02));
    Stepper stepper(*rig, *find_integrator("velocity-verlet"));
    double extension = 0;
    for (int k = 0; k < steps; ++k) {
      stepper.step(kEnd / steps);
      const double force = stiffness * (glm::length(rig->state.x[1]) - 1);
      EXPECT_NEAR(force, rod_force(*rig), 15 / stiffness) << stiffness;
      extension = std::max(extension, std::abs(force / stiffness));
    }
    EXPECT_NEAR(extension * stiffness, rod_force(*rig), 20 / stiffness) << stiffness;
    EXPECT_GT(rod_force(*rig), 2) << stiffness;
    const double apart = glm::distance(rig->state.x[1], rod->state.x[1]);
    if (farther > 0) {
      EXPECT_NEAR(farther / apart, 10, 1) << stiffness;
    }
    farther = apart;
  }
}

TEST(Rattle, KeepsTheEnergyOfAPendulumForEver) {
  auto rig = pendulum();
  Stepper stepper(*rig, rattle());
  const double h = 0.02, start = energy(*rig);
  const double scale = rig->system.masses()[1] * 9.8;
  double early = 0, late = 0;
  for (int k = 0; k < 100000; ++k) {
    stepper.step(h);
    double& largest = k < 10000 ? early : late;
    largest = std::max(largest, std::abs(energy(*rig) - start) / scale);
  }
  EXPECT_LT(early, 10 * h * h);   // (hω)² with ω² up to 3 g/L, the acceleration at the bottom
  EXPECT_LT(late, 1.01 * early);  // no trend over 1000 swings
}

// RATTLE and SHAKE move the end of a step along the rod at its start. Where the step leads farther than the
// length of the rod past that line, no such point has the length; step and project has one.
TEST(Rattle, HasNoSolutionInAStepThatIsTooLong) {
  for (const IntegratorInfo* info : {&rattle(), &shake(), &pbd(), &fast_projection()})
    for (const double share : {0.9, 1.1}) {  // h v / L
      Material material = undamped();
      material.gravity = vec3(0);
      auto rig = test::make_chain(2, 1, material);
      rig->state.v[1] = vec3(5, 0, 0);
      const StepReport report = Stepper(*rig, *info).step(share / 5);
      const bool has_solution = share < 1 || info == &pbd() || info == &fast_projection();
      EXPECT_EQ(report.converged, has_solution) << info->id << share;
      if (has_solution) {
        EXPECT_LT(violation(*rig).length, 1e-9) << info->id << share;
      }
    }
}

// Without damping their velocities differ by what the constraints take away.
TEST(Shake, HasThePositionsOfRattle) {
  for (const bool chain : {true, false}) {
    auto first = chain ? bent_chain(12) : bumpy_sheet(5, 6),
         second = chain ? bent_chain(12) : bumpy_sheet(5, 6);
    Stepper by_shake(*first, shake()), by_rattle(*second, rattle());
    double apart = 0;
    for (int k = 0; k < 300; ++k) {
      ASSERT_TRUE(by_shake.step(0.002).converged) << k;
      by_rattle.step(0.002);
      for (std::size_t i = 0; i < first->state.x.size(); ++i) {
        ASSERT_LT(glm::distance(first->state.x[i], second->state.x[i]), 1e-9) << k;
        apart = std::max(apart, glm::distance(first->state.v[i], second->state.v[i]));
      }
    }
    EXPECT_GT(apart, 1e-5);
  }
}

// The mean of two chords misses the tangent of a circle by h² v v²/(…): the rate falls by 4 with h/2.
TEST(Shake, LeavesVelocitiesThatChangeTheLengthsByHSquared) {
  const auto rate = [](double h) {
    auto rig = bent_chain(6);
    Stepper stepper(*rig, shake());
    double most = 0;
    for (int k = 0; k < std::lround(0.4 / h); ++k) {
      stepper.step(h);
      most = std::max(most, violation(*rig).rate);
    }
    return most;
  };
  const double coarse = rate(0.001), fine = rate(0.0005);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  EXPECT_GT(fine, 1e-6);
}

TEST(Pbd, DriftsOffTheVelocitiesThatKeepLengthsWithoutItsSecondProjection) {
  double drift[2] = {0, 0};
  for (const bool projected : {false, true}) {
    auto rig = pendulum();
    Stepper stepper(*rig, pbd(), {}, {20, projected ? 1.0 : 0.0});
    for (int k = 0; k < 1000; ++k) {
      stepper.step(0.01);
      const Violation now = violation(*rig);
      ASSERT_LT(now.length, 1e-14);  // one constraint: a sweep meets it
      drift[projected] = std::max(drift[projected], now.rate);
    }
  }
  // v = (x1 − x0)/h points along a chord: (h/2)(v²/L) off the tangent, v² = 2gL at the bottom.
  EXPECT_NEAR(drift[0], 0.01 * 9.8, 0.02);
  EXPECT_LT(drift[1], 1e-11);
}

TEST(Pbd, ComesToTheLengthsWithMoreSweeps) {
  double before = std::numeric_limits<double>::infinity();
  for (const double sweeps : {1.0, 4.0, 16.0, 64.0}) {
    auto rig = bent_chain(8);
    Stepper(*rig, pbd(), {}, {sweeps, 1}).steps(20, 0.005);
    const Violation now = violation(*rig);
    EXPECT_LT(now.length, before / 2);
    EXPECT_LT(now.rate, 1e-10);
    before = now.length;
  }
  EXPECT_LT(before, 1e-12);
}

// Steps of rods at the level of velocities; the forces are those of the last one.
struct StabilisedEnd {
  bool converged = false;
  std::vector<double> forces;
};
StabilisedEnd stabilised_steps(Rig& rig, const StabilisationSettings& settings, int n, double h) {
  const SolverSettings solver = test::tight_settings();
  const StopProbe stop;
  StabilisedRods method(settings);
  StepReport report;
  for (int k = 0; k < n; ++k) report = method.advance(rig.system, rig.state, h, {solver, rig.pool, stop});
  return {report.converged, {report.rod_forces.begin(), report.rod_forces.end()}};
}

// A straight chain at rest, each of its rods longer by `error`, without loads.
std::unique_ptr<Rig> stretched_chain(double error) {
  Material material = undamped();
  material.bend_stiffness = 0;
  material.gravity = vec3(0);
  auto rig = test::make_chain(5, 0.1, material);
  for (vec3& x : rig->state.x) x *= 1 + error / 0.1;
  return rig;
}

TEST(Stabilisation, ByBaumgarteRemovesAViolationAsTheExponentialOfTime) {
  for (const double alpha : {1.0, 10.0, 300.0})
    for (const double h : {0.01, 0.002}) {
      auto rig = stretched_chain(0.01);
      stabilised_steps(*rig, {Stabilisation::baumgarte, alpha}, 20, h);
      EXPECT_NEAR(violation(*rig).length, 0.01 * std::exp(-alpha * 20 * h), 1e-12) << alpha << " " << h;
    }
}

TEST(Stabilisation, WithoutItAViolationStays) {
  auto rig = stretched_chain(0.01);
  stabilised_steps(*rig, {Stabilisation::none}, 20, 0.01);
  EXPECT_NEAR(violation(*rig).length, 0.01, 1e-14);
  stabilised_steps(*rig, {Stabilisation::projection}, 1, 0.01);
  EXPECT_LT(violation(*rig).length, 1e-13);
}

// The tension of a link is the weight below it, and its violation h c λ/E.
TEST(Stabilisation, ByForceMixingLeavesAViolationProportionalToTheLoad) {
  constexpr double kAlpha = 50, kMixing = 0.02, kStep = 0.01;
  for (const double gravity : {9.8, 19.6}) {
    Material material = undamped();
    material.bend_stiffness = 0;
    material.gravity = vec3(0, -gravity, 0);
    auto rig = test::make_chain(5, 0.1, material);
    const StabilisedEnd end = stabilised_steps(*rig, {Stabilisation::cfm, kAlpha, kMixing}, 400, kStep);
    EXPECT_TRUE(end.converged);
    const double removed = 1 - std::exp(-kAlpha * kStep);
    std::size_t row = 0;
    for (const ElasticElement e : rig->system.elements()) {
      if (!e.stretch) continue;
      const double weight = static_cast<double>(4 - row) * rig->system.masses()[1] * gravity;
      EXPECT_NEAR(end.forces[row], weight, 1e-9) << row;
      EXPECT_NEAR(glm::distance(rig->state.x[e.i], rig->state.x[e.j]) - e.rest_length,
                  kStep * kMixing * weight / removed, 1e-9)
          << row;
      ++row;
    }
    EXPECT_EQ(row, 4u);
    EXPECT_LT(violation(*rig).rate, 1e-9);
  }
}

// v1 is normal to x0, so that l² grows by h² v1² in every step; a projection takes that away.
TEST(Stabilisation, WithoutItAPendulumGrowsByThePythagoreanTheorem) {
  auto rig = pendulum();
  double squared = 1;
  for (int k = 0; k < 100; ++k) {
    stabilised_steps(*rig, {Stabilisation::none}, 1, 0.01);
    squared += 1e-4 * glm::dot(rig->state.v[1], rig->state.v[1]);
    EXPECT_NEAR(glm::dot(rig->state.x[1], rig->state.x[1]), squared, 1e-12);
  }
  EXPECT_GT(violation(*rig).length, 0.03);
  auto projected = pendulum();
  stabilised_steps(*projected, {Stabilisation::projection}, 100, 0.01);
  EXPECT_LT(violation(*projected).length, 1e-12);
}

// Newton's method squares the error in each iteration, where sweeps divide it.
TEST(FastProjection, ConvergesQuadraticallyWithinAStep) {
  std::vector<double> left;
  for (const int iterations : {1, 2, 20}) {
    auto rig = bent_chain(8);
    for (vec3& v : rig->state.v) v = vec3(0.5, 0, -0.3);
    SolverSettings settings;
    settings.newton_max_iterations = iterations;
    const StepReport report = Stepper(*rig, fast_projection(), settings).step(0.02);
    EXPECT_LE(report.newton_iterations, 4);
    EXPECT_EQ(report.converged, iterations == 20);
    EXPECT_EQ(report.length_violation, violation(*rig).length);
    left.push_back(report.length_violation / 0.1);
  }
  for (std::size_t k = 0; k + 1 < left.size(); ++k)
    EXPECT_LT(left[k + 1], std::max(2 * left[k] * left[k], 1e-12)) << k;
  EXPECT_GT(left[0], 1e-4);
}

TEST(FastProjection, LosesEnergyAsStepAndProjectDoes) {
  double lost[2];
  for (const bool fine : {false, true}) {
    auto rig = pendulum();
    const double h = fine ? 0.005 : 0.01, start = energy(*rig);
    Stepper(*rig, fast_projection()).steps(static_cast<int>(std::lround(2 / h)), h);
    lost[fine] = start - energy(*rig);
  }
  EXPECT_GT(lost[1], 0.05);
  EXPECT_NEAR(lost[0] / lost[1], 2, 0.3);
}

class Inextensible : public test::EveryIntegrator {};

// Rods of a large sheet of triangles are compliant: few iterations, a reported error, no energy gained.
TEST_P(Inextensible, LetsTheRodsOfALargeSheetGiveWay) {
  auto rig = test::make_sheet(20, 20, 0.05, undamped());
  rig->pin(0);
  rig->pin(19);
  Stepper stepper(*rig, info());
  const double start = energy(*rig);
  for (int k = 0; k < 1000; ++k) {
    const StepReport report = stepper.step(0.001);
    ASSERT_LT(report.linear_iterations, 40) << k;
    ASSERT_LT(report.length_violation, 0.02 * 0.05) << k;
    ASSERT_EQ(report.length_violation, violation(*rig).length) << k;
    ASSERT_LT(energy(*rig), start + 1e-9) << k;
    if (k > 100) {
      ASSERT_FALSE(report.converged) << k;
      ASSERT_NE(report.reason.find("compliant"), std::string_view::npos) << k;
    }
  }
}

// Compliant rods too: the forces account for the distance to the step without rods.
TEST_P(Inextensible, ReportsTheForcesThatMovedALargeSheet) {
  Material material = undamped();
  material.gravity = vec3(0, 0, 9.8);
  auto rig = test::make_sheet(20, 20, 0.05, material);
  rig->pin(0);
  rig->pin(19);
  const double h = 1e-4;
  const State start = rig->state;
  Stepper stepper(*rig, info(), test::tight_settings());
  const StepReport report = stepper.step(h);
  const double share = info().order == 2 ? 0.5 : 1;
  std::vector<vec3> without = start.x, pull(start.x.size(), vec3(0));
  for (std::size_t i = 0; i < without.size(); ++i)
    if (i != 0 && i != 19) without[i] += share * h * h * material.gravity;
  std::size_t row = 0;
  for (const ElasticElement e : rig->system.elements()) {
    if (!e.stretch) continue;
    const vec3 force = report.rod_forces[row++] * glm::normalize(without[e.i] - without[e.j]);
    pull[e.i] -= force;
    pull[e.j] += force;
  }
  EXPECT_EQ(row, report.rod_forces.size());
  double most = 0, worst = 0;
  for (std::size_t i = 0; i < without.size(); ++i) {
    if (i == 0 || i == 19) continue;
    const vec3 by_rods = rig->state.x[i] - without[i];
    most = std::max(most, glm::length(by_rods));
    worst = std::max(worst, glm::distance(by_rods, share * h * h / rig->system.masses()[i] * pull[i]));
  }
  EXPECT_LT(worst, 1e-3 * most);
  EXPECT_GT(most, 1e-8);
}

TEST_P(Inextensible, MeetsRedundantConstraints) {
  // Two springs join every pair of neighbours: the motion is that with one.
  const auto chain = [](int copies) {
    const auto single = bent_chain(5);
    std::vector<ClothModel::Ends> stretch;
    for (const ElasticElement e : single->system.elements()) {
      for (int k = 0; k < copies; ++k) stretch.push_back({e.i, e.j});
    }
    Material material = undamped();
    auto rig = std::make_unique<Rig>(std::make_shared<const ClothModel>(single->state.x, stretch),
                                     single->state.x, material);
    rig->pin(0);
    return rig;
  };
  auto single = chain(1), twice = chain(2);
  // Enough sweeps for both to converge.
  IntegratorParameters values = default_parameters(info());
  if (!values.empty()) values[0] = 1000;
  Stepper one(*single, info(), {}, values), two(*twice, info(), {}, values);
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(one.step(0.002).converged);
    ASSERT_TRUE(two.step(0.002).converged);
  }
  EXPECT_LT(violation(*twice).length, 1e-10);
  if (info().id != "shake") {
    EXPECT_LT(violation(*twice).rate, 1e-10);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_LT(glm::length(single->state.x[i] - twice->state.x[i]), 1e-9);
  }
}

TEST_P(Inextensible, ReportsPinsThatAreTooFarApart) {
  Material material = undamped();
  material.gravity = vec3(0.0);
  auto rig = test::make_chain(3, 0.1, material);
  rig->pin(2);
  Stepper stepper(*rig, info());
  EXPECT_TRUE(stepper.step(0.01).converged);
  StepReport report;
  for (int k = 0; k < 20; ++k) {
    rig->system.projection().fix(2, rig->state.x[2] + vec3(0, -0.001, 0));
    report = stepper.step(0.01);
    // The rods move the middle, without a further force against each other.
    if (k == 0 && info().uses_newton) {
      ASSERT_EQ(report.rod_forces.size(), 2u);
      EXPECT_GT(std::abs(report.rod_forces[0]), 0.1);
      EXPECT_NEAR(report.rod_forces[0], -report.rod_forces[1], 1e-6);
    }
  }
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_EQ(rig->state.x[2], rig->system.projection().find(2)->target);
  // Least squares: either spring corrects half of the excess. A sweep leaves it all to one of them.
  if (info().uses_newton) {
    EXPECT_LT(glm::length(rig->state.x[1] - rig->state.x[2] / 2.0), 1e-9);
  }
}

TEST_P(Inextensible, LeavesSpringsBetweenPinsAlone) {
  auto rig = bent_chain(4);
  rig->pin(1);
  Stepper stepper(*rig, info());
  for (int k = 0; k < 10; ++k) {
    rig->system.projection().fix(1, rig->state.x[1] + vec3(0, 0.001, 0));
    EXPECT_TRUE(stepper.step(0.002).converged);
  }
  EXPECT_EQ(rig->state.x[0], vec3(0.0));
}

TEST_P(Inextensible, SurvivesSpringsOfNoLength) {
  Material material = undamped();
  const std::vector<vec3> rest{vec3(0.0), vec3(0, -0.1, 0), vec3(0, -0.1, 0), vec3(0, -0.2, 0)};
  const std::vector<ClothModel::Ends> stretch{{0, 1}, {1, 2}, {2, 3}};
  Rig rig(std::make_shared<const ClothModel>(rest, stretch), rest, material);
  rig.pin(0);
  rig.state.x[3] = rig.state.x[2];  // nor has the last one a direction
  Stepper stepper(rig, info());
  for (int k = 0; k < 20; ++k) stepper.step(0.005);
  for (const vec3& x : rig.state.x) EXPECT_TRUE(std::isfinite(x.x + x.y + x.z));
  for (const vec3& v : rig.state.v) EXPECT_TRUE(std::isfinite(v.x + v.y + v.z));
}

// The constraints of a rig as dense matrices, on the free directions of fixed particles alone.
struct DenseConstraints {
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  explicit DenseConstraints(const Rig& of) : rig(of) {}

  Vector lengths(const Vector& x) const {
    Vector c(count());
    for (Eigen::Index k = 0; k < count(); ++k) c[k] = arm(k, x).norm() - spring(k).rest_length;
    return c;
  }
  Matrix jacobian(const Vector& x) const {
    Matrix J = Matrix::Zero(count(), x.size());
    for (Eigen::Index k = 0; k < count(); ++k) {
      const Eigen::Vector3d n = arm(k, x).normalized();
      J.block<1, 3>(k, 3 * spring(k).i) += n.transpose();
      J.block<1, 3>(k, 3 * spring(k).j) -= n.transpose();
    }
    return J;
  }
  Vector inverse_masses() const {
    Vector w(static_cast<Eigen::Index>(3 * rig.state.x.size()));
    for (Eigen::Index i = 0; i < w.size(); ++i) {
      const auto particle = static_cast<std::size_t>(i / 3);
      w[i] = rig.system.projection().is_fixed(particle) ? 0 : 1 / rig.system.masses()[particle];
    }
    return w;
  }
  /// M⁻¹ f without stretch springs; 0 where fixed.
  Vector acceleration(const Vector& x, const Vector& v) const {
    std::vector<vec3> f(rig.state.x.size());
    rig.system.force(rig.pool, points(x), points(v), f, SpringForces::inextensible);
    return inverse_masses().cwiseProduct(flat(f));
  }

  static Vector flat(const std::vector<vec3>& a) {
    return Eigen::Map<const Vector>(&a.data()->x, static_cast<Eigen::Index>(3 * a.size()));
  }
  static std::vector<vec3> points(const Vector& a) {
    std::vector<vec3> b(static_cast<std::size_t>(a.size() / 3));
    Eigen::Map<Vector>(&b.data()->x, a.size()) = a;
    return b;
  }
  ElasticElement spring(Eigen::Index k) const { return rig.system.elements()[static_cast<std::size_t>(k)]; }
  Eigen::Index count() const { return static_cast<Eigen::Index>(rig.system.model().stretch_springs()); }
  Eigen::Vector3d arm(Eigen::Index k, const Vector& x) const {
    return x.segment<3>(3 * spring(k).i) - x.segment<3>(3 * spring(k).j);
  }

  const Rig& rig;
};

struct DenseState {
  Eigen::VectorXd x, v, forces = {};
};

Eigen::VectorXd keep_lengths(const DenseConstraints& c, const Eigen::VectorXd& x, const Eigen::VectorXd& v) {
  const Eigen::MatrixXd J = c.jacobian(x), pull = c.inverse_masses().asDiagonal() * J.transpose();
  const Eigen::VectorXd lambda = algebra::shortest_solution(algebra::product(J, pull), algebra::times(J, v));
  return v - algebra::times(pull, lambda);
}

DenseState dense_rattle(const DenseConstraints& c, const DenseState& u, double h) {
  const Eigen::VectorXd half = u.v + h / 2 * c.acceleration(u.x, u.v);
  const Eigen::MatrixXd pull = c.inverse_masses().asDiagonal() * c.jacobian(u.x).transpose();
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(c.count()), x = u.x + h * half;
  for (int k = 0; k < 30; ++k) {
    lambda += algebra::solve(algebra::product(c.jacobian(x), pull), c.lengths(x));
    x = u.x + h * half - algebra::times(pull, lambda);
  }
  const Eigen::VectorXd v = half - algebra::times(pull, lambda) / h;
  return {x, keep_lengths(c, x, v + h / 2 * c.acceleration(x, 2 * v - u.v)), 2 / (h * h) * lambda};
}

DenseState dense_shake(const DenseConstraints& c, const DenseState& u, double h) {
  Eigen::VectorXd forces;
  const auto constrained = [&](const Eigen::VectorXd& from, const Eigen::VectorXd& v) -> Eigen::VectorXd {
    const Eigen::MatrixXd pull = c.inverse_masses().asDiagonal() * c.jacobian(from).transpose();
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(c.count()), x = from + h * v;
    for (int k = 0; k < 30; ++k) {
      lambda += algebra::solve(algebra::product(c.jacobian(x), pull), c.lengths(x));
      x = from + h * v - algebra::times(pull, lambda);
    }
    if (forces.size() == 0) forces = 2 / (h * h) * lambda;
    return (x - from) / h;
  };
  const Eigen::VectorXd half = constrained(u.x, u.v + h / 2 * c.acceleration(u.x, u.v)), x = u.x + h * half;
  const Eigen::VectorXd next = constrained(x, half + h * c.acceleration(x, 2 * half - u.v));
  return {x, (half + next) / 2, forces};
}

DenseState dense_pbd(const DenseConstraints& c, const DenseState& u, double h) {
  const Eigen::VectorXd w = c.inverse_masses();
  Eigen::VectorXd x = u.x + h * (u.v + h * c.acceleration(u.x, u.v)),
                  forces = Eigen::VectorXd::Zero(c.count());
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (Eigen::Index k = 0; k < c.count(); ++k) {
      const Eigen::Vector3d arm = c.arm(k, x);
      const Eigen::Index i = 3 * c.spring(k).i, j = 3 * c.spring(k).j;
      const double lambda = (arm.norm() - c.spring(k).rest_length) / (w[i] + w[j]);
      const Eigen::Vector3d move = lambda * arm.normalized();
      forces[k] += lambda / (h * h);
      x.segment<3>(i) -= w[i] * move;
      x.segment<3>(j) += w[j] * move;
    }
  }
  return {x, keep_lengths(c, x, (x - u.x) / h), forces};
}

DenseState dense_fast_projection(const DenseConstraints& c, const DenseState& u, double h) {
  const Eigen::VectorXd w = c.inverse_masses();
  Eigen::VectorXd x = u.x + h * (u.v + h * c.acceleration(u.x, u.v)),
                  forces = Eigen::VectorXd::Zero(c.count());
  for (int k = 0; k < 10; ++k) {
    const Eigen::MatrixXd J = c.jacobian(x), pull = w.asDiagonal() * J.transpose();
    const Eigen::VectorXd lambda = algebra::solve(algebra::product(J, pull), c.lengths(x));
    x -= algebra::times(pull, lambda);
    forces += lambda / (h * h);
  }
  return {x, keep_lengths(c, x, (x - u.x) / h), forces};
}

TEST_P(Inextensible, AgreesWithItsFormulaOnABumpySheet) {
  for (const DampingModel model : {DampingModel::projected, DampingModel::isotropic}) {
    Material material;
    material.mass_model = MassModel::uniform;
    material.bend_stiffness = 2;
    material.damping_model = model;
    material.spring_damping = 0.03;
    material.rayleigh_mass = 1.5;
    auto rig = bumpy_sheet(3, 4, material);
    const DenseConstraints constraints(*rig);
    DenseState u{DenseConstraints::flat(rig->state.x), DenseConstraints::flat(rig->state.v)};
    // Bending springs are explicit: ω is about 70/s.
    const double h = 0.005;
    Stepper stepper(*rig, info());
    for (int k = 0; k < 10; ++k) {
      const vec3 target = rig->state.x[3] - h * h * k * vec3(5, 2, -1);
      const Eigen::Vector3d velocity =
          (Eigen::Vector3d(target.x, target.y, target.z) - u.x.segment<3>(9)) / h;
      u.v.segment<3>(9) = velocity;
      rig->system.projection().fix(3, target);
      u = info().id == "rattle"            ? dense_rattle(constraints, u, h)
          : info().id == "shake"           ? dense_shake(constraints, u, h)
          : info().id == "fast-projection" ? dense_fast_projection(constraints, u, h)
                                           : dense_pbd(constraints, u, h);
      const StepReport report = stepper.step(h);
      ASSERT_TRUE(report.converged);
      EXPECT_LT(algebra::largest_difference(DenseConstraints::flat(rig->state.x), u.x), 1e-9) << k;
      ASSERT_EQ(static_cast<Eigen::Index>(report.rod_forces.size()), constraints.count());
      for (Eigen::Index e = 0; e < constraints.count(); ++e)
        EXPECT_NEAR(report.rod_forces[static_cast<std::size_t>(e)], u.forces[e], 1e-7) << k << " " << e;
      EXPECT_LT(algebra::largest_difference(DenseConstraints::flat(rig->state.v), u.v), 1e-9) << k;
    }
  }
}

TEST(Stabilisation, AgreesWithItsFormulaOnABumpySheet) {
  constexpr double kAlpha = 30, kMixing = 0.05, h = 0.005;
  auto rig = bumpy_sheet(3, 4);
  test::shake(rig->state, 0.002, 0.3);
  const DenseConstraints c(*rig);
  const Eigen::VectorXd x = DenseConstraints::flat(rig->state.x), inverse = c.inverse_masses();
  Eigen::VectorXd v = DenseConstraints::flat(rig->state.v);
  for (Eigen::Index i = 0; i < v.size(); ++i)
    if (inverse[i] == 0)
      v[i] =
          (rig->system.projection().find(static_cast<std::size_t>(i / 3))->target[static_cast<int>(i % 3)] -
           x[i]) /
          h;
  v += h * c.acceleration(x, v);
  const Eigen::MatrixXd J = c.jacobian(x), pull = c.inverse_masses().asDiagonal() * J.transpose();
  Eigen::MatrixXd A = algebra::product(J, pull);
  A.diagonal().array() += kMixing / h;
  const Eigen::VectorXd impulse =
      algebra::solve(A, algebra::times(J, v) - std::expm1(-kAlpha * h) / h * c.lengths(x));
  v -= algebra::times(pull, impulse);
  const StabilisedEnd end = stabilised_steps(*rig, {Stabilisation::cfm, kAlpha, kMixing}, 1, h);
  EXPECT_LT(algebra::largest_difference(DenseConstraints::flat(rig->state.v), v), 1e-9);
  EXPECT_LT(algebra::largest_difference(DenseConstraints::flat(rig->state.x), x + h * v), 1e-11);
  for (Eigen::Index e = 0; e < c.count(); ++e)
    EXPECT_NEAR(end.forces[static_cast<std::size_t>(e)], impulse[e] / h, 1e-8) << e;
}

// A step of semi-implicit Euler and its tensions τ solve a saddle-point problem with positions as primal and
// tensions as dual unknowns, in which a spring is a constraint of the compliance 1/k:
//
//   (M/h² + G) Δx + Jᵀτ = M v0/h + M g,   J Δx − τ/k = −C,
//
// G the transverse stiffness of springs under tension. A compliance of 0 makes them rods.
struct SaddlePoint {
  Eigen::VectorXd displacement, tension;
};
SaddlePoint saddle_point(const DenseConstraints& c, const State& u, double h, double stiffness,
                         bool rods = false) {
  const Eigen::VectorXd x = DenseConstraints::flat(u.x), v = DenseConstraints::flat(u.v);
  const Eigen::Index n = x.size(), m = c.count();
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd right(n + m);
  const Eigen::VectorXd masses = c.inverse_masses().cwiseInverse();
  system.topLeftCorner(n, n).diagonal() = masses / (h * h);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Eigen::Index i = 3 * c.spring(k).i, j = 3 * c.spring(k).j;
    const Eigen::Vector3d arm = c.arm(k, x), along = arm.normalized();
    const Eigen::Matrix3d G = stiffness * (1 - c.spring(k).rest_length / arm.norm()) *
                              (Eigen::Matrix3d::Identity() - along * along.transpose());
    system.block<3, 3>(i, i) += G;
    system.block<3, 3>(j, j) += G;
    system.block<3, 3>(i, j) -= G;
    system.block<3, 3>(j, i) -= G;
  }
  const Eigen::MatrixXd J = c.jacobian(x);
  system.bottomLeftCorner(m, n) = J;
  system.topRightCorner(n, m) = J.transpose();
  if (!rods) system.bottomRightCorner(m, m).diagonal().setConstant(-1 / stiffness);
  right.head(n) = masses.cwiseProduct(v / h + c.acceleration(x, v));
  right.tail(m) = -c.lengths(x);
  const Eigen::VectorXd solution = algebra::solve(system, right);
  return {solution.head(n), solution.tail(m)};
}

// A free strip, more directions than springs, in motion. `strained`: away from its rest lengths.
std::unique_ptr<Rig> free_strip(double stiffness, bool strained) {
  Material material;
  material.stretch_stiffness = stiffness;
  material.bend_stiffness = 0;
  material.spring_damping = 0;
  auto rig = bumpy_sheet(2, 5, material);
  rig->system.projection().clear(rig->state.x.size());
  test::shake(rig->state, strained ? 0.01 : 0, 1, 11);
  return rig;
}

TEST(SemiImplicitEuler, SolvesTheSaddlePointProblemOfSoftConstraints) {
  const double h = 0.01;
  for (const bool strained : {true, false})
    for (const double stiffness : {10.0, 1e3}) {
      auto rig = free_strip(stiffness, strained);
      const State start = rig->state;
      const SaddlePoint expected = saddle_point(DenseConstraints(*rig), start, h, stiffness);
      Stepper(*rig, *find_integrator("semi-implicit-euler"), test::tight_settings()).step(h);
      const Eigen::VectorXd moved = DenseConstraints::flat(rig->state.x) - DenseConstraints::flat(start.x);
      EXPECT_LT(algebra::largest_difference(moved, expected.displacement), 1e-12) << stiffness << strained;
      EXPECT_GT(expected.tension.cwiseAbs().maxCoeff(), 0.01);
    }
}

// As k grows the step and its tensions approach those of rods, by 1/k: no force becomes infinite.
TEST(SemiImplicitEuler, ApproachesTheStepOfRodsAsTheComplianceVanishes) {
  const double h = 0.01;
  double displacement_before = 0, tension_before = 0;
  for (const double stiffness : {1e5, 1e6, 1e7}) {
    auto rig = free_strip(stiffness, false);
    const State start = rig->state;
    const DenseConstraints constraints(*rig);
    const SaddlePoint soft = saddle_point(constraints, start, h, stiffness),
                      rods = saddle_point(constraints, start, h, stiffness, true);
    SolverSettings settings = test::tight_settings();
    settings.linear.kind = LinearSolverSettings::Kind::cholesky;
    Stepper(*rig, *find_integrator("semi-implicit-euler"), settings).step(h);
    const Eigen::VectorXd moved = DenseConstraints::flat(rig->state.x) - DenseConstraints::flat(start.x);
    const double displacement = algebra::largest_difference(moved, rods.displacement),
                 tension = algebra::largest_difference(soft.tension, rods.tension);
    if (displacement_before > 0) {
      EXPECT_NEAR(displacement_before / displacement, 10, 0.5) << stiffness;
      EXPECT_NEAR(tension_before / tension, 10, 0.5) << stiffness;
    }
    displacement_before = displacement;
    tension_before = tension;
    EXPECT_GT(rods.tension.cwiseAbs().maxCoeff(), 1);
  }
}

std::vector<const IntegratorInfo*> inextensible_rows() {
  std::vector<const IntegratorInfo*> rows;
  for (const IntegratorInfo& info : integrators()) {
    if (info.inextensible) rows.push_back(&info);
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(All, Inextensible, testing::ValuesIn(inextensible_rows()),
                         [](const auto& row) { return test::name_of(*row.param); });

}  // namespace
}  // namespace clothlab
