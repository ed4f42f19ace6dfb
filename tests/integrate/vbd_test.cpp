// SPDX-License-Identifier: MIT
// Vertex block descent against its formula, evaluated apart particle by particle, and against backward Euler;
// its potential from sweep to sweep; and the colours of its particles.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <set>
#include <string>
#include <vector>

#include "integrate/colouring.h"
#include "integrate/stepping.h"
#include "slowdown.h"

namespace clothlab {
namespace {

using test::Rig;
using test::Stepper;

constexpr double kStep = 0.02;

const IntegratorInfo& vbd() { return *find_integrator("vbd"); }

Material damped_cloth() {
  Material material;
  material.mass_model = MassModel::area;
  material.stretch_stiffness = 40;
  material.bend_stiffness = 3;
  material.damping_model = DampingModel::projected;
  material.spring_damping = 0.1;
  material.rayleigh_mass = 2;
  return material;
}

// Stretched, so that a step has one solution; particle 0 is pinned and 4 is led.
std::unique_ptr<Rig> stretched(const Material& material) {
  auto rig = test::make_sheet(4, 5, 0.2, material);
  for (vec3& x : rig->state.x) x *= vec3(1.2, 1, 1.15);
  test::shake(rig->state, 0.01, 0.3);
  for (const std::size_t i : {0u, 4u}) rig->pin(i);
  return rig;
}

double distance_between(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i)
    largest = std::max({largest, glm::length(a.x[i] - b.x[i]), kStep * glm::length(a.v[i] - b.v[i])});
  return largest;
}

/// First-fit colouring, the slow way; all particles, one colour after the other.
std::vector<std::uint32_t> colour_order(const ElasticElements& springs, std::size_t n) {
  std::vector<std::size_t> colour(n);
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::set<std::size_t> taken;
    for (const ElasticElement e : springs)
      if (std::max(e.i, e.j) == i || std::min(e.i, e.j) == i)
        if (const std::uint32_t other = e.i == i ? e.j : e.i; other < i) taken.insert(colour[other]);
    while (taken.contains(colour[i])) ++colour[i];
    order[i] = i;
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return colour[i]; });
  return order;
}

/// A run of the formulas, word for word, with full steps of the particles.
struct Formula {
  const Rig& rig;
  int sweeps;
  double rho;
  std::vector<vec3> v_before = {};

  State step(const State& u0, std::span<const vec3> pin_velocity) {
    const Material& material = rig.system.material();
    const std::size_t n = u0.x.size();
    const double h = kStep;
    const auto held = [&](std::size_t i) { return rig.system.projection().is_fixed(i); };
    std::vector<vec3> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      const vec3 g = material.gravity;
      y[i] = u0.x[i] + h * u0.v[i] + h * h * g;
      double share = 0;
      if (!v_before.empty())
        share =
            std::clamp(glm::dot((u0.v[i] - v_before[i]) / h, glm::normalize(g)) / glm::length(g), 0.0, 1.0);
      x[i] = held(i) ? u0.x[i] + h * pin_velocity[i] : u0.x[i] + h * u0.v[i] + h * h * share * g;
    }
    std::vector<std::vector<vec3>> all{x};
    double omega = 1;
    for (int k = 1; k <= sweeps; ++k) {
      for (const std::uint32_t i : colour_order(rig.system.elements(), n)) {
        if (held(i)) continue;
        const double m = rig.system.masses()[i], beta = material.rayleigh_mass;
        vec3 f = -m / (h * h) * (x[i] - y[i]) - m * beta / h * (x[i] - u0.x[i]);
        mat3 H(m / (h * h) + m * beta / h);
        for (const ElasticElement e : rig.system.elements()) {
          if (e.i != i && e.j != i) continue;
          const std::uint32_t j = e.i == i ? e.j : e.i;
          const vec3 d = x[i] - x[j];
          const double l = glm::length(d);
          const mat3 along = glm::outerProduct(d / l, d / l);
          f -= e.stiffness * (l - e.rest_length) * d / l;
          f -= e.damping / h * (along * (x[i] - u0.x[i] - (x[j] - u0.x[j])));
          H += e.stiffness * (along + std::max(0.0, 1 - e.rest_length / l) * (mat3(1.0) - along));
          H += e.damping / h * along;
        }
        x[i] += glm::inverse(H) * f;
      }
      if (k < sweeps && rho > 0) {
        omega = k == 1 ? 1 : k == 2 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * omega);
        if (k > 1)
          for (std::size_t i = 0; i < n; ++i)
            x[i] = omega * (x[i] - all[all.size() - 2][i]) + all[all.size() - 2][i];
      }
      all.push_back(x);
    }
    v_before = u0.v;
    State u1 = u0;
    u1.x = x;
    for (std::size_t i = 0; i < n; ++i) u1.v[i] = (x[i] - u0.x[i]) / h;
    return u1;
  }
};

TEST(VertexBlockDescent, TakesTheStepsOfTheFormula) {
  Material undamped = damped_cloth();
  undamped.spring_damping = undamped.rayleigh_mass = 0;
  for (const Material& material : {undamped, damped_cloth()})
    for (const auto& [sweeps, rho] : {std::pair{1, 0.0}, {2, 0.0}, {7, 0.0}, {7, 0.6}}) {
      auto rig = stretched(material);
      Stepper stepper(*rig, vbd(), {}, {static_cast<double>(sweeps), rho});
      Formula formula{*rig, sweeps, rho};
      State expected = rig->state;
      for (int step = 0; step < 8; ++step) {
        const vec3 target = rig->state.x[4] + kStep * kStep * step * vec3(0.5, -2, 1);
        std::vector<vec3> pin_velocity(expected.x.size(), vec3(0.0));
        pin_velocity[4] = (target - expected.x[4]) / kStep;
        rig->system.projection().fix(4, target);
        expected = formula.step(expected, pin_velocity);
        stepper.step(kStep);
        ASSERT_LT(distance_between(rig->state, expected), 1e-12) << sweeps << ' ' << rho << ' ' << step;
      }
    }
}

TEST(VertexBlockDescent, IsBackwardEulerWhenItHasConverged) {
  for (const double rho : {0.0, 0.8})
    for (const bool grabbed : {false, true}) {
      auto rig = stretched(damped_cloth()), expected = stretched(damped_cloth());
      Stepper backward_euler(*expected, *find_integrator("backward-euler"), test::tight_settings());
      Stepper descent(*rig, vbd(), {}, {2000, rho});
      for (int k = 0; k < 5; ++k) {
        for (Rig* each : {&*rig, &*expected}) {
          each->system.projection().fix(4, each->state.x[4] + vec3(0.002, 0.004 * k, -0.001));
          if (grabbed)
            each->system.set_grab(
                GrabSpring{{11, 12, 16}, vec3(0.2, 0.3, 0.5), vec3(0.5, 0.5, 0.3), 60, 0.5, 3});
        }
        const StepReport report = descent.step(kStep);
        EXPECT_TRUE(report.converged) << report.reason;
        EXPECT_LT(report.newton_residual, 1e-11);
        backward_euler.step(kStep);
        EXPECT_LT(distance_between(rig->state, expected->state), 1e-10) << rho;
      }
    }
}

/// ½ ‖x − y‖²_M/h² + E(x) after a number of sweeps of the first step of a rig; before it at x0 + h v0.
double potential_after(int sweeps, const std::function<std::unique_ptr<Rig>()>& make) {
  auto rig = make();
  const State u0 = rig->state;
  if (sweeps > 0)
    Stepper(*rig, vbd(), {}, {static_cast<double>(sweeps), 0}).step(kStep);
  else
    for (std::size_t i = 0; i < u0.x.size(); ++i)
      if (!rig->system.projection().is_fixed(i)) rig->state.x[i] += kStep * u0.v[i];
  double sum = rig->system.potential_energy(rig->pool, rig->state.x);
  for (std::size_t i = 0; i < u0.x.size(); ++i) {
    const vec3 beyond = rig->state.x[i] - u0.x[i] - kStep * u0.v[i];
    sum += rig->system.masses()[i] / (2 * kStep * kStep) * glm::dot(beyond, beyond);
  }
  return sum;
}

void expect_falling_potential(const std::function<std::unique_ptr<Rig>()>& make) {
  double before = potential_after(0, make);
  for (int sweeps = 1; sweeps <= 40; ++sweeps) {
    const double now = potential_after(sweeps, make);
    EXPECT_LE(now, before + 1e-14 * std::abs(before)) << "sweep " << sweeps;
    before = now;
  }
}

// Crushed, torn apart and thrown about, at a stiffness of h² k = 20 000 m.
TEST(VertexBlockDescent, NeverRaisesThePotentialInASweep) {
  for (const double scale : {0.1, 1.0, 1.8})
    expect_falling_potential([&] {
      Material material;
      material.mass = 0.1;
      material.stretch_stiffness = 1e5;
      material.bend_stiffness = 1e3;
      material.spring_damping = 0;
      auto rig = test::make_sheet(7, 7, 0.1, material);
      for (vec3& x : rig->state.x) x *= scale;
      test::shake(rig->state, 0.08, 3);
      rig->pin(0);
      return rig;
    });
}

// A flat patch in a frame, without stiffness out of its plane, that falls by four times its edges in a step:
// full steps of the particles would raise the potential.
TEST(VertexBlockDescent, ShortensStepsInWhichSpringsTurn) {
  expect_falling_potential([] {
    Material material;
    material.mass = 1e-3;
    material.stretch_stiffness = 1e3;
    material.spring_damping = 0;
    auto rig = test::make_sheet(5, 5, 1e-3, material);
    for (std::size_t i = 0; i < 25; ++i)
      if (i < 5 || i >= 20 || i % 5 == 0 || i % 5 == 4) rig->pin(i);
    return rig;
  });
}

TEST(VertexBlockDescent, ConvergesFasterWithItsAcceleration) {
  const auto residual = [](double rho) {
    Material material;
    material.stretch_stiffness = 2000;
    auto rig = test::make_sheet(12, 12, 0.05, material);
    for (vec3& x : rig->state.x) x *= 1.02;
    rig->pin(0);
    rig->pin(11);
    return Stepper(*rig, vbd(), {}, {100, rho}).step(kStep).newton_residual;
  };
  EXPECT_LT(residual(0.98), residual(0) / 5);
  EXPECT_GT(residual(0.99), residual(0)) << "and diverges beyond";
}

struct Swing {
  State end;
  double strain = 0;    // largest, of springs that are longer than at rest
  double energy = 0;    // change of the total energy [J]
  double residual = 0;  // largest of a step, relative
};

double total_energy(const Rig& rig) {
  double sum = rig.system.potential_energy(rig.pool, rig.state.x);
  for (std::size_t i = 0; i < rig.state.x.size(); ++i)
    sum += rig.system.masses()[i] / 2 * glm::dot(rig.state.v[i], rig.state.v[i]);
  return sum;
}

/// A sheet of 20 x 20 that swings down from two corners for 0.5 s, undamped, h = 1/60 s.
Swing swing_down(const IntegratorInfo& info, const IntegratorParameters& values, double stiffness) {
  Material material;
  material.mass = 0.2;
  material.stretch_stiffness = stiffness;
  material.bend_stiffness = stiffness / 1000;
  material.spring_damping = 0;
  auto rig = test::make_sheet(20, 20, 1.0 / 19, material);
  rig->pin(0);
  rig->pin(19);
  SolverSettings settings = test::tight_settings(JacobianMode::clamped);
  settings.newton_tolerance = 1e-10;
  Stepper stepper(*rig, info, settings, values);
  Swing swing;
  const double start = total_energy(*rig);
  for (int k = 0; k < 30; ++k)
    swing.residual = std::max(swing.residual, stepper.step(1.0 / 60).newton_residual);
  for (const ElasticElement e : rig->system.elements())
    if (e.stretch)
      swing.strain =
          std::max(swing.strain, glm::length(rig->state.x[e.i] - rig->state.x[e.j]) / e.rest_length - 1);
  swing.energy = total_energy(*rig) - start;
  swing.end = rig->state;
  return swing;
}

/// The share of its angular momentum that a free sheet of 12 x 12, stretched by 5 %, keeps in 0.5 s of
/// turning at 2 rad/s, and its linear momentum then over the sum of m |v|.
std::pair<double, double> momentum_kept(const IntegratorInfo& info, const IntegratorParameters& values) {
  Material material;
  material.stretch_stiffness = 1000;
  material.spring_damping = 0;
  material.gravity = vec3(0.0);
  auto rig = test::make_sheet(12, 12, 1.0 / 11, material);
  const vec3 centre(0.5, 0, 0.5);
  const auto sums = [&] {
    vec3 linear(0.0), angular(0.0);
    double size = 0;
    for (std::size_t i = 0; i < rig->state.x.size(); ++i) {
      const vec3 momentum = rig->system.masses()[i] * rig->state.v[i];
      linear += momentum;
      angular += glm::cross(rig->state.x[i] - centre, momentum);
      size += glm::length(momentum);
    }
    return std::pair{angular.y, glm::length(linear) / size};
  };
  for (std::size_t i = 0; i < rig->state.x.size(); ++i) {
    rig->state.v[i] = glm::cross(vec3(0, 2, 0), rig->state.x[i] - centre);
    rig->state.x[i] = centre + 1.05 * (rig->state.x[i] - centre);
  }
  const double before = sums().first;
  Stepper(*rig, info, test::tight_settings(JacobianMode::clamped), values).steps(30, 1.0 / 60);
  const auto [angular, linear] = sums();
  return {angular / before, linear};
}

/// A table of docs/vertex-block-descent.md: the distances of swings with 1, 4, 20, 100 and 1000 sweeps from
/// backward Euler [m], RMS, without acceleration, and their energies. The rest of the table, which is only
/// printed, costs twice as much and needs CLOTHLAB_LONG_TESTS.
struct SweepResult {
  double apart, energy;
};
std::vector<SweepResult> print_sweeps(double stiffness) {
  const IntegratorInfo& implicit = *find_integrator("backward-euler");
  const bool is_long = std::getenv("CLOTHLAB_LONG_TESTS") != nullptr;
  const auto kept_by = [&](const IntegratorInfo& info, const IntegratorParameters& values) {
    return is_long ? momentum_kept(info, values) : std::pair(std::nan(""), std::nan(""));
  };
  const Swing exact = swing_down(implicit, {}, stiffness);
  std::printf("k = %g N/m\n%-24s %9s %10s %10s %9s %9s %9s\n", stiffness, "", "strain %", "energy mJ",
              "residual", "off mm", "L kept %", "P");
  const auto print = [&](const std::string& name, const Swing& swing, const std::pair<double, double>& kept) {
    double squared = 0;
    for (std::size_t i = 0; i < swing.end.x.size(); ++i) {
      const vec3 apart = swing.end.x[i] - exact.end.x[i];
      squared += glm::dot(apart, apart) / static_cast<double>(swing.end.x.size());
    }
    const double apart = std::sqrt(squared);
    std::printf("%-24s %9.3f %10.2f %10.2e %9.3f %9.3f %9.1e\n", name.c_str(), 100 * swing.strain,
                1e3 * swing.energy, swing.residual, 1e3 * apart, 100 * kept.first, kept.second);
    return SweepResult{apart, swing.energy};
  };
  std::vector<SweepResult> rows;
  for (const double rho : is_long ? std::vector{0.0, 0.9} : std::vector{0.0})
    for (const int sweeps : {1, 4, 20, 100, 1000}) {
      const IntegratorParameters values{static_cast<double>(sweeps), rho};
      const SweepResult row = print(std::to_string(sweeps) + (rho > 0 ? " sweeps, accelerated" : " sweeps"),
                                    swing_down(vbd(), values, stiffness), kept_by(vbd(), values));
      if (rho == 0) rows.push_back(row);
    }
  print("backward Euler", exact, kept_by(implicit, {}));
  return rows;
}

TEST(VertexBlockDescent, ApproachesBackwardEulerWithItsSweeps) {
  // h² k/m = 10 and 556; a sanitizer sees in one what it would see in the other.
  for (const double stiffness : testing::kSlowdown > 1 ? std::vector{18.0} : std::vector{18.0, 1000.0}) {
    const std::vector<SweepResult> rows = print_sweeps(stiffness);
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LT(rows[i].apart, rows[i - 1].apart) << i;
    EXPECT_GT(rows[0].energy, 0) << "one sweep gains";
    EXPECT_LT(rows[3].energy, 0) << "100 sweeps lose, as backward Euler does";
    EXPECT_LT(rows[4].apart, stiffness > 100 ? 0.04 : 1e-6);
  }
}

TEST(ParticleColouring, SharesNoSpringWithinAColour) {
  auto rig = test::make_sheet(9, 11, 0.1, Material());
  ParticleColouring colouring;
  colouring.update(rig->system, {});
  EXPECT_TRUE(
      std::ranges::equal(colouring.order(), colour_order(rig->system.elements(), rig->state.x.size())));
  std::vector<std::size_t> colour(rig->state.x.size());
  for (std::size_t c = 0; c < colouring.colours(); ++c)
    for (std::size_t k = colouring.begin(c); k < colouring.begin(c + 1); ++k)
      colour[colouring.order()[k]] = c;
  for (const ElasticElement e : rig->system.elements()) EXPECT_NE(colour[e.i], colour[e.j]);
}

}  // namespace
}  // namespace clothlab
