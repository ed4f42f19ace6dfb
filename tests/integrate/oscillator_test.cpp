// One oscillator against what theory says of it: the exact one-step recurrences, the growth per step, and the
// invariant of symplectic Euler.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <vector>

#include "integrate/stepping.h"

namespace clothlab {
namespace {

using test::EveryIntegrator;
using test::make_oscillator;
using test::OscillatorValues;
using test::Stepper;

// The oscillator on the x axis: y = x − L and v.
struct Point {
  double y, v;
};
using Trajectory = std::vector<Point>;
/// The points after 1, 2, ... `steps` steps.
using Recurrence = Trajectory (*)(Point start, const OscillatorValues& o, double h, int steps);

double acceleration(Point p, const OscillatorValues& o) {
  return (-o.stiffness * p.y - o.damping * p.v) / o.mass;
}

// The trajectory of a method without history.
template <Point (*step)(Point, const OscillatorValues&, double)>
Trajectory repeat(Point p, const OscillatorValues& o, double h, int steps) {
  Trajectory points;
  for (int k = 0; k < steps; ++k) points.push_back(p = step(p, o, h));
  return points;
}

Point explicit_euler(Point p, const OscillatorValues& o, double h) {
  return {p.y + h * p.v, p.v + h * acceleration(p, o)};
}

Point symplectic_euler(Point p, const OscillatorValues& o, double h) {
  const double v = p.v + h * acceleration(p, o);
  return {p.y + h * v, v};
}

Point velocity_verlet(Point p, const OscillatorValues& o, double h) {
  const double a = acceleration(p, o);
  const Point next{p.y + h * p.v + h * h / 2 * a, p.v + h * a};
  return {next.y, p.v + h / 2 * (a + acceleration(next, o))};
}

// m (v1 − v) = h (−k (y + h v1) − c v1), solved for v1; the spring is linear along its axis, so that this is
// the step of the semi-implicit method too.
Point implicit_euler(Point p, const OscillatorValues& o, double h) {
  const double v = (o.mass * p.v - h * o.stiffness * p.y) / (o.mass + h * o.damping + h * h * o.stiffness);
  return {p.y + h * v, v};
}

// The oscillator as u' = A u.
Eigen::Vector2d vector_of(Point p) { return {p.y, p.v}; }
Point point_of(const Eigen::Vector2d& u) { return {u[0], u[1]}; }

Eigen::Matrix2d slope(const OscillatorValues& o) {
  return Eigen::Matrix2d{{0, 1}, {-o.stiffness / o.mass, -o.damping / o.mass}};
}

// Runge–Kutta of order 4 on a linear equation: the exponential series up to its fourth term.
Point rk4(Point p, const OscillatorValues& o, double h) {
  const Eigen::Matrix2d z = h * slope(o), one = Eigen::Matrix2d::Identity();
  return point_of((one + z * (one + z / 2 * (one + z / 3 * (one + z / 4)))) * vector_of(p));
}

const std::map<std::string_view, Recurrence> kRecurrences{
    {"explicit-euler", repeat<explicit_euler>},      {"symplectic-euler", repeat<symplectic_euler>},
    {"velocity-verlet", repeat<velocity_verlet>},    {"rk4", repeat<rk4>},
    {"semi-implicit-euler", repeat<implicit_euler>}, {"backward-euler", repeat<implicit_euler>},
};

TEST_P(EveryIntegrator, TakesTheExactStepsOfOneOscillator) {
  const auto row = kRecurrences.find(info().id);
  ASSERT_NE(row, kRecurrences.end()) << "write the recurrence of this integrator";
  int checked = 0;
  for (const double damping : {0.0, 0.7}) {
    for (const double h_omega : {0.01, 0.3, 1.0}) {
      OscillatorValues o;
      o.damping = damping;
      const double omega = std::sqrt(o.stiffness / o.mass);
      const double h = h_omega / omega;
      for (const auto& [y, v] : {Point{0.5, 0}, Point{-0.4, 0.3}, Point{0.1, -1.2}, Point{0.0, 2.0}}) {
        auto rig = make_oscillator(o);
        rig->state.x[1].x = o.rest_length + y * o.rest_length / 2;
        rig->state.v[1].x = v;
        Stepper stepper(*rig, info(), test::tight_settings());
        // Several steps, for those that remember; positions are about L.
        const double scale = o.rest_length + std::abs(v);
        for (const Point& expected : row->second({rig->state.x[1].x - o.rest_length, v}, o, h, 4)) {
          if (std::abs(expected.y) > o.rest_length / 2) break;
          const double t = rig->state.t;
          stepper.step(h);
          EXPECT_NEAR(rig->state.x[1].x - o.rest_length, expected.y, 1e-12 * scale);
          EXPECT_NEAR(rig->state.v[1].x, expected.v, 1e-12 * (scale * omega));
          EXPECT_EQ(rig->state.x[0], vec3(0.0));
          EXPECT_EQ(rig->state.v[0], vec3(0.0));
          EXPECT_EQ(rig->state.t, t + h);
          ++checked;
        }
      }
    }
  }
  EXPECT_GE(checked, 60);
}

TEST_P(EveryIntegrator, GrowsPerStepAsItsRowSays) {
  // The step is linear in (y ω, v): its matrix comes from two starts, its spectral radius from that.
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass);
  for (const double h_omega : {0.05, 0.5, 1.9, 2.5, 7.0}) {
    const double a = 1e-3;
    Eigen::Matrix2d step;
    for (int start = 0; start < 2; ++start) {
      auto rig = make_oscillator(o);
      if (start == 0) rig->state.x[1].x += a;
      if (start == 1) rig->state.v[1].x = a * omega;
      Stepper(*rig, info(), test::tight_settings()).step(h_omega / omega);
      step(0, start) = (rig->state.x[1].x - o.rest_length) / a;
      step(1, start) = rig->state.v[1].x / (a * omega);
    }
    const double growth = info().growth(h_omega, default_parameters(info()));
    const double radius = step.eigenvalues().cwiseAbs().maxCoeff();
    // Positions are rounded to 1e-16 L, so the matrix to 1e-16 L/a; a double eigenvalue would take its root.
    EXPECT_NEAR(radius, growth, 1e-11 * std::max(1.0, radius)) << h_omega;
    EXPECT_EQ(growth <= 1, h_omega <= info().stability_limit);
  }
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(EveryIntegrator);

TEST(ExplicitEuler, GainsTheSameFactorAtEveryStep) {
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass), h = 0.1 / omega;
  auto rig = make_oscillator(o);
  rig->state.x[1].x += 1e-3;
  Stepper stepper(*rig, *find_integrator("explicit-euler"));
  double before = 1e-3;
  for (int k = 0; k < 200; ++k) {
    stepper.step(h);
    const double after = std::hypot(rig->state.x[1].x - o.rest_length, rig->state.v[1].x / omega);
    EXPECT_NEAR(after / before, std::sqrt(1 + 0.01), 1e-11);
    before = after;
  }
}

TEST(ImplicitEuler, LosesTheSameFactorAtEveryStep) {
  for (const char* id : {"semi-implicit-euler", "backward-euler"}) {
    const OscillatorValues o;
    const double omega = std::sqrt(o.stiffness / o.mass), h = 0.5 / omega;
    auto rig = make_oscillator(o);
    rig->state.x[1].x += 0.3;
    Stepper stepper(*rig, *find_integrator(id), test::tight_settings());
    double before = 0.3;
    for (int k = 0; k < 50; ++k) {
      stepper.step(h);
      const double after = std::hypot(rig->state.x[1].x - o.rest_length, rig->state.v[1].x / omega);
      EXPECT_NEAR(after / before, 1 / std::sqrt(1.25), 1e-15 * o.rest_length / after + 1e-12) << id;
      before = after;
    }
  }
}

TEST(ImplicitEuler, FeelsWhereAPinWillBe) {
  // The pin goes to p1 within the step: m (v1 − v0) = −h k (y0 + h v1 − p1), the old step in y − p1.
  for (const char* id : {"semi-implicit-euler", "backward-euler"}) {
    const OscillatorValues o;
    const double h = 0.05, p1 = 0.2;
    auto rig = make_oscillator(o);
    rig->state.x[1].x += 0.1;
    rig->state.v[1].x = 0.3;
    rig->system.projection().fix(0, vec3(p1, 0, 0));
    Stepper(*rig, *find_integrator(id), test::tight_settings()).step(h);
    const Point expected = implicit_euler({0.1 - p1, 0.3}, o, h);
    EXPECT_NEAR(rig->state.x[1].x - o.rest_length, expected.y + p1, 1e-12) << id;
    EXPECT_NEAR(rig->state.v[1].x, expected.v, 1e-11) << id;
    EXPECT_EQ(rig->state.x[0], vec3(p1, 0, 0));
    EXPECT_EQ(rig->state.v[0], vec3(p1 / h, 0, 0));
  }
}

// v² + ω²x² − hω²xv of symplectic Euler, exactly kept in exact arithmetic.
double invariant(double y, double v, double omega, double h) {
  return v * v + omega * omega * y * y - h * omega * omega * y * v;
}

TEST(SymplecticEuler, KeepsItsInvariantForEver) {
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass);
  for (const double h_omega : {0.1, 1.0, 1.9}) {
    const double h = h_omega / omega;
    auto rig = make_oscillator(o);
    rig->state.x[1].x += o.rest_length / 8;
    Stepper stepper(*rig, *find_integrator("symplectic-euler"));
    const double start = invariant(o.rest_length / 8, 0, omega, h);
    double largest = 0;
    for (int k = 0; k < 1000000; ++k) {
      stepper.step(h);
      const double now = invariant(rig->state.x[1].x - o.rest_length, rig->state.v[1].x, omega, h);
      largest = std::max(largest, std::abs(now / start - 1));
    }
    EXPECT_LT(largest, 1e-10) << h_omega;
  }
}

TEST(Leapfrog, IsStableBelowTwoAndNotAbove) {
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass);
  const double a = 1e-3;
  for (const char* id : {"symplectic-euler", "velocity-verlet"}) {
    for (const double h_omega : {1.99, 2.01}) {
      auto rig = make_oscillator(o);
      rig->state.x[1].x += a;
      Stepper stepper(*rig, *find_integrator(id));
      double largest = 0;
      for (int k = 0; k < (h_omega < 2 ? 1000000 : 60); ++k) {
        stepper.step(h_omega / omega);
        largest = std::max(largest, std::abs(rig->state.x[1].x - o.rest_length));
      }
      // Below: the ellipse on which a start at rest stays is at most a / √(1 − (hω/2)²) ≈ 10 a wide for
      // symplectic Euler, a for Verlet. Above: 1.22 per step.
      if (h_omega < 2) {
        EXPECT_LT(largest, id[0] == 's' ? 10.1 * a : 1.001 * a) << id;
      } else {
        EXPECT_GT(largest, 100 * a) << id;
      }
    }
  }
}

}  // namespace
}  // namespace clothlab
