// SPDX-License-Identifier: MIT
// Projective dynamics against its formula, against backward Euler where it has converged, and how often it
// makes its matrix.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <limits>

#include "dense_algebra.h"
#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::Rig;
using test::Stepper;

constexpr double kH = 0.02;

Material damped() {
  Material material;
  material.stretch_stiffness = 40;
  material.bend_stiffness = 3;
  material.damping_model = DampingModel::isotropic;
  material.spring_damping = 0.1;
  material.rayleigh_mass = 2;
  return material;
}

// Stretched, so that a step has one solution; particle 0 is pinned and 4 is led.
std::unique_ptr<Rig> stretched_sheet(const Material& material, int threads = 1) {
  auto rig = test::make_sheet(4, 5, 0.2, material, threads);
  for (vec3& x : rig->state.x) x *= vec3(1.2, 1, 1.15);
  test::shake(rig->state, 0.01, 0.3);
  for (const std::size_t i : {0u, 4u}) rig->pin(i);
  return rig;
}

std::unique_ptr<Integrator> make_projective(int iterations, double tolerance) {
  return find_integrator("projective-dynamics")->make({static_cast<double>(iterations), tolerance});
}

StepReport advance(Integrator& method, Rig& rig, double h = kH) {
  const SolverSettings settings;
  const StopProbe stop;
  return method.advance(rig.system, rig.state, h, {settings, rig.pool, stop});
}

double separation(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    largest = std::max({largest, glm::length(a.x[i] - b.x[i]), kH * glm::length(a.v[i] - b.v[i])});
  }
  return largest;
}

// One step with dense matrices: (M/h² (1 + hβ) + Σ (k + k_d/h) GᵀG) x = M/h² (y + hβ x0) + Σ (k Gᵀp + k_d/h
// GᵀG x0), x and p from x0 + h v0 at first.
Eigen::MatrixXd dense_step(const Rig& rig, const State& u0, int iterations) {
  const Material& material = rig.system.material();
  const auto n = static_cast<Eigen::Index>(u0.x.size());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n), fixed_rhs(n, 3), x(n, 3), x0(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto p = static_cast<std::size_t>(i);
    const double m = rig.system.masses()[p] / (kH * kH), damping = kH * material.rayleigh_mass;
    a(i, i) += m * (1 + damping);
    const vec3 y = u0.x[p] + kH * u0.v[p] + kH * kH * material.gravity;
    for (int c = 0; c < 3; ++c) {
      x0(i, c) = u0.x[p][c];
      fixed_rhs(i, c) = m * (y[c] + damping * u0.x[p][c]);
      x(i, c) = u0.x[p][c] + kH * u0.v[p][c];
    }
  }
  for (const ElasticElement e : rig.system.elements()) {
    const double viscous = e.damping / kH, k = e.stiffness + viscous;
    a(e.i, e.i) += k;
    a(e.j, e.j) += k;
    a(e.i, e.j) -= k;
    a(e.j, e.i) -= k;
    fixed_rhs.row(e.i) += viscous * (x0.row(e.i) - x0.row(e.j));
    fixed_rhs.row(e.j) -= viscous * (x0.row(e.i) - x0.row(e.j));
  }
  for (const Projection::Entry& e : rig.system.projection().entries())
    x.row(e.particle) << e.target.x, e.target.y, e.target.z;
  for (int k = 0; k < iterations; ++k) {
    Eigen::MatrixXd rhs = fixed_rhs, system = a;
    for (const ElasticElement e : rig.system.elements()) {
      const Eigen::RowVector3d d = x.row(e.i) - x.row(e.j), p = e.rest_length * d.normalized();
      rhs.row(e.i) += e.stiffness * p;
      rhs.row(e.j) -= e.stiffness * p;
    }
    for (const Projection::Entry& e : rig.system.projection().entries()) {
      system.row(e.particle).setZero();
      system(e.particle, e.particle) = 1;
      rhs.row(e.particle) << e.target.x, e.target.y, e.target.z;
    }
    x = algebra::solve_columns(system, rhs);
  }
  return x;
}

TEST(ProjectiveDynamics, TakesTheStepsOfTheFormula) {
  Material undamped;
  undamped.mass_model = MassModel::area;
  undamped.stretch_stiffness = 40;
  undamped.spring_damping = 0;
  for (const Material& material : {undamped, damped()}) {
    for (const int iterations : {1, 2, 7}) {
      auto rig = stretched_sheet(material);
      const auto method = make_projective(iterations, 0);
      State expected = rig->state;
      for (int step = 0; step < 10; ++step) {
        rig->system.projection().fix(4, rig->state.x[4] + kH * kH * step * vec3(0.5, -2, 1));
        const Eigen::MatrixXd x = dense_step(*rig, expected, iterations);
        advance(*method, *rig);
        for (std::size_t i = 0; i < expected.x.size(); ++i) {
          const auto row = x.row(static_cast<Eigen::Index>(i));
          const vec3 next(row[0], row[1], row[2]);
          expected.v[i] = (next - expected.x[i]) / kH;
          expected.x[i] = next;
        }
        // Of the linear solves, 1e-10 of a step at most, and what the steps before made of theirs.
        EXPECT_LT(separation(rig->state, expected), 1e-11) << iterations << ' ' << step;
      }
    }
  }
}

TEST(ProjectiveDynamics, IsBackwardEulerWhenItHasConverged) {
  for (const bool dragged : {false, true}) {
    auto rig = stretched_sheet(damped()), expected = stretched_sheet(damped());
    Stepper backward_euler(*expected, *find_integrator("backward-euler"), test::tight_settings());
    const auto method = make_projective(3000, 1e-13);
    for (int k = 0; k < 5; ++k) {
      for (Rig* each : {&*rig, &*expected}) {
        each->system.projection().fix(4, each->state.x[4] + vec3(0.002, 0.004 * k, -0.001));
        // Far from the cursor, so that the grab's force saturates.
        if (dragged) {
          each->system.set_grab(
              GrabSpring{{11, 12, 16}, vec3(0.2, 0.3, 0.5), vec3(0.5, 0.5, 0.3), 60, 0.5, 3});
        }
      }
      const StepReport report = advance(*method, *rig);
      EXPECT_TRUE(report.converged) << report.reason;
      backward_euler.step(kH);
      EXPECT_LT(separation(rig->state, expected->state), 1e-10);
      EXPECT_EQ(report.factorised, k == 0);
    }
  }
}

TEST(ProjectiveDynamics, DampsIsotropicallyWhateverIsChosen) {
  Material projected = damped();
  projected.damping_model = DampingModel::projected;
  auto rig = stretched_sheet(projected), expected = stretched_sheet(damped());
  const auto method = make_projective(10, 0), same = make_projective(10, 0);
  advance(*method, *rig);
  advance(*same, *expected);
  EXPECT_EQ(rig->state.x, expected->state.x);
}

TEST(ProjectiveDynamics, MakesItsMatrixAnewOnlyWhenItChanges) {
  auto rig = stretched_sheet(damped());
  const auto method = make_projective(10, 0);
  // What does not change it: motion, targets of pins, where the grab pulls to.
  for (int k = 0; k < 3; ++k) {
    rig->system.projection().fix(4, rig->state.x[4] + vec3(0.001, 0, 0));
    EXPECT_EQ(advance(*method, *rig).factorised, k == 0);
    method->reset();
  }
  const auto hold = [](double stiffness, double y) {
    return GrabSpring{{11, 12, 16}, vec3(0.2, 0.3, 0.5), vec3(0.5, y, 0.3), stiffness, 0.1, 3};
  };
  const auto with = [&](auto change) {
    Material material = rig->system.material();
    change(material);
    rig->system.set_material(material);
  };
  double h = kH;
  const std::vector<std::function<void()>> changes{
      [&] { h = kH / 2; },
      [&] { with([](Material& m) { m.stretch_stiffness = 50; }); },
      [&] { with([](Material& m) { m.bend_stiffness = 2; }); },
      [&] { with([](Material& m) { m.mass = 0.3; }); },
      [&] { with([](Material& m) { m.spring_damping = 0.3; }); },
      [&] { with([](Material& m) { m.rayleigh_mass = 0; }); },
      [&] { rig->system.projection().fix(7, rig->state.x[7]); },
      [&] {
        rig->system.projection().constrain(7, mat3(1.0) - glm::outerProduct(vec3(1, 0, 0), vec3(1, 0, 0)),
                                           rig->state.x[7]);
      },
      [&] { rig->system.set_grab(hold(20, 0.1)); },
      [&] { rig->system.set_grab(hold(30, 0.1)); },
      [&] { rig->system.set_grab({}); },
  };
  for (std::size_t c = 0; c < changes.size(); ++c) {
    changes[c]();
    // The kept factor gives what a new one would.
    const State before = rig->state;
    for (int repeat = 0; repeat < 2; ++repeat) {
      if (repeat == 1 && rig->system.grab()) rig->system.set_grab(hold(rig->system.grab()->stiffness, 0.1));
      rig->state = before;
      EXPECT_EQ(advance(*method, *rig, h).factorised, repeat == 0) << c;
      const State kept = rig->state;
      rig->state = before;
      const auto fresh = make_projective(10, 0);
      advance(*fresh, *rig, h);
      EXPECT_EQ(rig->state.x, kept.x) << c;
    }
  }
}

TEST(ProjectiveDynamics, KeepsNoOldFactorAfterAStoppedStep) {
  auto rig = stretched_sheet(damped());
  const auto method = make_projective(10, 0), fresh = make_projective(10, 0);
  advance(*method, *rig);
  Material stiffer = rig->system.material();
  stiffer.stretch_stiffness *= 10;
  rig->system.set_material(stiffer);
  const State before = rig->state;
  const SolverSettings settings;
  const StopProbe now = [] { return true; };
  EXPECT_TRUE(method->advance(rig->system, rig->state, kH, {settings, rig->pool, now}).stopped);
  EXPECT_EQ(rig->state.x, before.x);
  advance(*method, *rig);
  const State kept = rig->state;
  rig->state = before;
  advance(*fresh, *rig);
  EXPECT_EQ(rig->state.x, kept.x);
}

// Whatever ends the iterations, convergence is judged by the residual: ‖M (v1 − v0) − h
// f‖, with the damping of the method, over ‖h f0‖ or ‖r‖ at the start.
TEST(ProjectiveDynamics, HasConvergedWhenTheMomentumResidualSaysSo) {
  for (const auto& [iterations, tolerance, converged] : {std::tuple{2, 0.0, false},
                                                         {2, 1e-8, false},
                                                         {2000, 1e-8, true},
                                                         {2000, 1e-30, true},
                                                         {2000, 1e-2, false},
                                                         {200, 0.0, true}}) {
    auto rig = stretched_sheet(damped());
    const State u0 = rig->state;
    const auto free_force = [&](const State& u) {
      std::vector<vec3> f(u.x.size());
      rig->system.force(rig->pool, u.x, u.v, f);
      rig->system.projection().filter(f);
      return f;
    };
    const auto method = make_projective(iterations, tolerance);
    const StepReport report = advance(*method, *rig);
    const std::vector<vec3> f0 = free_force(u0), f1 = free_force(rig->state);
    double r = 0, scale = 0;
    for (std::size_t i = 0; i < f0.size(); ++i) {
      const double m = rig->system.projection().find(i) ? 0 : rig->system.masses()[i];
      const vec3 r_i = m * (rig->state.v[i] - u0.v[i]) - kH * f1[i];
      r += glm::dot(r_i, r_i);
      scale += kH * kH * glm::dot(f0[i], f0[i]);
    }
    // ‖r at the start‖, with f at x0 + h v0, is of the order of ‖h f0‖.
    const double ratio = std::sqrt(r / scale);
    EXPECT_LT(report.newton_residual, 1.001 * ratio + 1e-12) << iterations << ' ' << tolerance;
    EXPECT_GT(report.newton_residual, 0.2 * ratio - 1e-12) << iterations << ' ' << tolerance;
    EXPECT_EQ(report.converged, converged) << iterations << ' ' << tolerance << ' ' << ratio;
    EXPECT_EQ(report.reason.empty(), converged);
  }
}

TEST(ProjectiveDynamics, StaysStableUnderAStrongHandAtLargeSteps) {
  // h² k is 10⁴ times the mass of a particle: taken at the start of the step, such a force would explode.
  Material material;
  material.stretch_stiffness = 1000;
  auto rig = test::make_sheet(16, 16, 1.0 / 15, material);
  rig->pin(0);
  rig->pin(15);
  rig->system.set_grab(GrabSpring{{120, 121, 136}, vec3(0.2, 0.3, 0.5), vec3(0.5, 0.5, 0.5), 2000, 0.1, 20});
  for (const char* id : {"projective-dynamics", "xpbd"}) {
    Stepper stepper(*rig, *find_integrator(id));
    for (int k = 0; k < 120; ++k) {
      stepper.step(1.0 / 60);
      for (const vec3& x : rig->state.x) ASSERT_LT(glm::length(x), 3) << id << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace clothlab
