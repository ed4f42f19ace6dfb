// SPDX-License-Identifier: MIT
// One oscillator against theory: the exact one-step recurrences, the growth per step, and the
// invariant of symplectic Euler.

#include <gtest/gtest.h>

#include <cmath>
#include <glm/mat2x2.hpp>
#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>
#include <glm/vec2.hpp>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "dense_algebra.h"
#include "integrate/fitted_step.h"
#include "integrate/stepping.h"
#include "integrate/two_step.h"
#include "slowdown.h"

namespace clothlab {
namespace {

using test::EveryIntegrator;
using test::make_oscillator;
using test::OscillatorValues;
using test::Stepper;
using vec2 = glm::dvec2;
using mat2 = glm::dmat2;

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

Point yoshida4(Point p, const OscillatorValues& o, double h) {
  const double outer = 1 / (2 - std::cbrt(2.0));
  for (const double share : {outer, 1 - 2 * outer, outer}) p = velocity_verlet(p, o, share * h);
  return p;
}

// m (v1 − v) = h (−k (y + h v1) − c v1), solved for v1; the spring is linear along its axis, so that this is
// the step of the semi-implicit method too.
Point implicit_euler(Point p, const OscillatorValues& o, double h) {
  const double v = (o.mass * p.v - h * o.stiffness * p.y) / (o.mass + h * o.damping + h * h * o.stiffness);
  return {p.y + h * v, v};
}

// The oscillator as u' = A u.
vec2 vector_of(Point p) { return {p.y, p.v}; }
Point point_of(vec2 u) { return {u.x, u.y}; }

mat2 matrix(double a, double b, double c, double d) { return {vec2(a, c), vec2(b, d)}; }  // by rows
const mat2 one(1.0);

mat2 slope(const OscillatorValues& o) { return matrix(0, 1, -o.stiffness / o.mass, -o.damping / o.mass); }

// Runge–Kutta of order 4 on a linear equation: the exponential series up to its fourth term.
Point rk4(Point p, const OscillatorValues& o, double h) {
  const mat2 z = h * slope(o);
  return point_of((one + z * (one + z / 2.0 * (one + z / 3.0 * (one + z / 4.0)))) * vector_of(p));
}

// The exponential methods take the undamped part of a single mode, and damping implicitly: with
// u' = G u − D u, D = diag(0, c/m), they average F over a time τ as φ1(τG) F and divide by 1 + γ c/m.
vec2 exponential_average(vec2 u, const OscillatorValues& o, double tau) {
  const double omega = std::sqrt(o.stiffness / o.mass), angle = omega * tau;
  const double s = std::sin(angle) / angle, c = (1 - std::cos(angle)) / (angle * omega);
  return matrix(s, c, -omega * omega * c, s) * (slope(o) * u);
}

vec2 damped(vec2 change, const OscillatorValues& o, double gamma) {
  return {change[0], change[1] / (1 + gamma * o.damping / o.mass)};
}

Point exponential_rosenbrock_euler(Point p, const OscillatorValues& o, double h) {
  // e^{hA} with A = −d + [d 1; −ω² −d], d = c/2m, the square of which is d² − ω².
  const double d = o.damping / o.mass / 2, nu = std::sqrt(o.stiffness / o.mass - d * d);
  return point_of(std::exp(-d * h) * (std::cos(nu * h) * one + std::sin(nu * h) / nu * (slope(o) + d * one)) *
                  vector_of(p));
}

Point siere(Point p, const OscillatorValues& o, double h) {
  const vec2 u = vector_of(p);
  return point_of(u + damped(h * exponential_average(u, o, h), o, h));
}

Trajectory semi_implicit_bdf2_ere(Point p, const OscillatorValues& o, double h, int steps) {
  Trajectory points{siere(p, o, h)};
  vec2 before = vector_of(p);
  while (static_cast<int>(points.size()) < steps) {
    const vec2 u = vector_of(points.back());
    const vec2 change = (u - before + 2 * h * exponential_average(u, o, h)) / 3.0;
    points.push_back(point_of(u + damped(change, o, 2 * h / 3)));
    before = u;
  }
  return points;
}

Point str_sbdf2_ere(Point p, const OscillatorValues& o, double h) {
  const vec2 u = vector_of(p);
  const vec2 half = u + glm::inverse(one - h / 4 * slope(o)) * (h / 2 * slope(o) * u);
  const vec2 change = (half - u + h * exponential_average(half, o, h / 2)) / 3.0;
  return point_of(half + damped(change, o, h / 3));
}

// Solves u = rhs + c A u.
vec2 implicit(const OscillatorValues& o, double c, vec2 rhs) {
  return glm::inverse(one - c * slope(o)) * rhs;
}

// Midpoint and trapezoidal rule are one on a linear equation.
Point trapezoidal(Point p, const OscillatorValues& o, double h) {
  const vec2 u = vector_of(p);
  return point_of(implicit(o, h / 2, u + h / 2 * slope(o) * u));
}

// The semi-implicit method too, since the equation is linear.
Trajectory bdf2(Point start, const OscillatorValues& o, double h, int steps) {
  Trajectory points{implicit_euler(start, o, h)};
  vec2 before = vector_of(start);
  while (static_cast<int>(points.size()) < steps) {
    const vec2 u = vector_of(points.back());
    points.push_back(point_of(implicit(o, 2 * h / 3, 4.0 / 3 * u - before / 3.0)));
    before = u;
  }
  return points;
}

Point tr_bdf2(Point p, const OscillatorValues& o, double h) {
  const vec2 u = vector_of(p), half = implicit(o, h / 4, u + h / 4 * slope(o) * u);
  return point_of(implicit(o, h / 3, u + 4.0 * (half - u) / 3.0));
}

Point sdirk2(Point p, const OscillatorValues& o, double h) {
  const double gamma = 2 - std::sqrt(2.0), beta = std::sqrt(2.0) / 4, c = gamma * h / 2;
  const vec2 u = vector_of(p), stage = implicit(o, c, u + c * slope(o) * u);
  return point_of(implicit(o, c, u + 2 * beta / gamma * (stage - u)));
}

// Generalized-α with ρ∞ = ½: α_m = 0, α_f = ⅓, γ = 5/6, β = 4/9. Three linear equations in x1, v1, a1.
Trajectory generalized_alpha(Point p, const OscillatorValues& o, double h, int steps) {
  const double k = o.stiffness / o.mass, c = o.damping / o.mass;
  // By columns.
  const mat3 left(vec3(1, 0, k * 2 / 3), vec3(0, 1, c * 2 / 3), vec3(-h * h * 4 / 9, -h * 5 / 6, 1));
  const mat3 right(vec3(1, 0, -k / 3), vec3(h, 1, -c / 3), vec3(h * h / 18, h / 6, 0));
  Trajectory points;
  vec3 state(p.y, p.v, acceleration(p, o));
  for (int i = 0; i < steps; ++i) {
    state = glm::inverse(left) * right * state;
    points.push_back({state[0], state[1]});
  }
  return points;
}

// With α = −0.3: γ = 0.8, β = 0.4225, a1 = −0.7 (k x1 + c v1) − 0.3 (k x0 + c v0). Three equations again.
Trajectory hht_alpha(Point p, const OscillatorValues& o, double h, int steps) {
  const double k = o.stiffness / o.mass, c = o.damping / o.mass;
  // By columns.
  const mat3 left(vec3(1, 0, 0.7 * k), vec3(0, 1, 0.7 * c), vec3(-h * h * 0.4225, -h * 0.8, 1));
  const mat3 right(vec3(1, 0, -0.3 * k), vec3(h, 1, -0.3 * c), vec3(h * h * 0.0775, h * 0.2, 0));
  Trajectory points;
  vec3 state(p.y, p.v, acceleration(p, o));
  for (int i = 0; i < steps; ++i) {
    state = glm::inverse(left) * right * state;
    points.push_back({state[0], state[1]});
  }
  return points;
}

// On one spring d = h (k/m) (y1 − y): (1 + α (hω)²) times the velocity of backward Euler. α is the smallest
// with H1 = H* in [0, 1], or that of the smaller |H1 − H*|; damping takes h c v v̄.
Trajectory a_search(Point p, const OscillatorValues& o, double h, int steps) {
  const double k = o.stiffness, m = o.mass, y = h * h * k / m;
  double excess = 0;
  Trajectory points;
  for (int i = 0; i < steps; ++i) {
    const Point end = implicit_euler(p, o, h);
    const auto left = [&](double alpha) {
      const double v = (1 + alpha * y) * end.v;
      const double damped = std::min(-h * o.damping * end.v * (p.v + v) / 2, 0.0);
      return excess + k / 2 * (end.y * end.y - p.y * p.y) + m / 2 * (v * v - p.v * p.v) - damped;
    };
    double alpha = std::abs(left(1)) < std::abs(left(0)) ? 1 : 0;
    if (left(0) < 0 && left(1) > 0) {
      double low = 0, high = 1;
      for (int bisection = 0; bisection < 60; ++bisection) {
        alpha = (low + high) / 2;
        (left(alpha) < 0 ? low : high) = alpha;
      }
    }
    excess = left(alpha);
    points.push_back(p = {end.y, (1 + alpha * y) * end.v});
  }
  return points;
}

const std::map<std::string_view, Recurrence> kRecurrences{
    {"explicit-euler", repeat<explicit_euler>},
    {"symplectic-euler", repeat<symplectic_euler>},
    {"velocity-verlet", repeat<velocity_verlet>},
    {"rk4", repeat<rk4>},
    {"semi-implicit-euler", repeat<implicit_euler>},
    {"backward-euler", repeat<implicit_euler>},
    {"implicit-midpoint", repeat<trapezoidal>},
    {"trapezoidal", repeat<trapezoidal>},
    {"bdf2", bdf2},
    {"semi-implicit-bdf2", bdf2},
    {"tr-bdf2", repeat<tr_bdf2>},
    {"sdirk2", repeat<sdirk2>},
    {"generalized-alpha", generalized_alpha},
    {"xpbd", repeat<implicit_euler>},
    {"projective-dynamics", repeat<implicit_euler>},
    {"vbd", repeat<implicit_euler>},
    {"exponential-rosenbrock-euler", repeat<exponential_rosenbrock_euler>},
    {"siere", repeat<siere>},
    {"beere", repeat<siere>},
    {"bdf2-ere", semi_implicit_bdf2_ere},
    {"tr-bdf2-ere", repeat<str_sbdf2_ere>},
    {"semi-implicit-bdf2-ere", semi_implicit_bdf2_ere},
    {"str-sbdf2-ere", repeat<str_sbdf2_ere>},
    {"rattle", repeat<velocity_verlet>},
    {"pbd-proj2", repeat<symplectic_euler>},
    {"fast-projection", repeat<symplectic_euler>},
    {"newmark", repeat<trapezoidal>},
    {"yoshida4", repeat<yoshida4>},
    {"hht-alpha", hht_alpha},
    {"shake", repeat<velocity_verlet>},
    {"a-search", a_search},
    {"energy-tracking", repeat<trapezoidal>},
};

/// u1 = u0 + h bᵀ k, k = (I − h A ⊗ J)⁻¹ (1 ⊗ J u0).
Trajectory tableau_steps(const RungeKuttaTable& table, Point p, const OscillatorValues& o, double h,
                         int steps) {
  const auto s = static_cast<Eigen::Index>(table.stages());
  Eigen::Matrix2d J;
  J << 0, 1, -o.stiffness / o.mass, -o.damping / o.mass;
  Eigen::MatrixXd system = Eigen::MatrixXd::Identity(2 * s, 2 * s);
  const auto at = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  for (Eigen::Index i = 0; i < s; ++i)
    for (Eigen::Index j = 0; j < s; ++j) system.block<2, 2>(2 * i, 2 * j) -= h * table.a(at(i), at(j)) * J;
  Trajectory points;
  for (int k = 0; k < steps; ++k) {
    const Eigen::Vector2d u0(p.y, p.v);
    Eigen::VectorXd right(2 * s);
    for (Eigen::Index i = 0; i < s; ++i) right.segment<2>(2 * i) = J * u0;
    const Eigen::VectorXd slopes = algebra::solve(system, right);
    Eigen::Vector2d u1 = u0;
    for (Eigen::Index i = 0; i < s; ++i) u1 += h * table.b(at(i)) * slopes.segment<2>(2 * i);
    points.push_back(p = {u1[0], u1[1]});
  }
  return points;
}

/// (I − h β2 J) u1 = −α1 u0 − α0 u₋₁ + h J (β1 u0 + β0 u₋₁); the first step by a Runge–Kutta method.
Trajectory two_step_steps(const TwoStepTable& table, Point p, const OscillatorValues& o, double h,
                          int steps) {
  Eigen::Matrix2d J;
  J << 0, 1, -o.stiffness / o.mass, -o.damping / o.mass;
  const Eigen::Matrix2d system = Eigen::Matrix2d::Identity() - h * table.beta(2) * J;
  const Tableau& first = tableau_preset(table.is_implicit() ? "sdirk3" : "rk4");
  Trajectory points = tableau_steps(RungeKuttaTable(first), p, o, h, 1);
  Eigen::Vector2d before(p.y, p.v), u0(points[0].y, points[0].v);
  for (int k = 1; k < steps; ++k) {
    const Eigen::Vector2d right = -table.alpha(1) * u0 - table.alpha(0) * before +
                                  h * J * (table.beta(1) * u0 + table.beta(0) * before);
    before = std::exchange(u0, Eigen::Vector2d(algebra::solve(system, right)));
    points.push_back({u0[0], u0[1]});
  }
  return points;
}

TEST_P(EveryIntegrator, TakesTheExactStepsOfOneOscillator) {
  const auto row = kRecurrences.find(info().id);
  const bool has_table = !info().table.empty();
  ASSERT_TRUE(has_table || row != kRecurrences.end())
      << "Add the recurrence of " << info().id << " to kRecurrences in tests/integrate/oscillator_test.cpp.";
  int checked = 0;
  for (const double damping : {0.0, 0.7}) {
    for (const double h_omega : {0.01, 0.3, 1.0}) {
      OscillatorValues o;
      o.damping = damping;
      const double omega = std::sqrt(o.stiffness / o.mass);
      const double h = h_omega / omega;
      for (const auto& [y, v] : {Point{0.5, 0}, Point{-0.4, 0.3}, Point{0.1, -1.2}, Point{0.0, 2.0}}) {
        auto rig = make_oscillator(o, info().inextensible);
        rig->state.x[1].x = o.rest_length + y * o.rest_length / 2;
        rig->state.v[1].x = v;
        Stepper stepper(*rig, info(), test::tight_settings());
        // Several steps, for those that remember; positions are about L.
        const double scale = o.rest_length + std::abs(v);
        const Point start{rig->state.x[1].x - o.rest_length, v};
        const auto expected_points = [&] {
          if (info().id == kTwoStepIntegrator)
            return two_step_steps(TwoStepTable(info().table), start, o, h, 4);
          if (has_table) return tableau_steps(RungeKuttaTable(info().table), start, o, h, 4);
          return row->second(start, o, h, 4);
        };
        for (const Point& expected : expected_points()) {
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

// Spectral radius of the step as a linear map (fitted_step.h).
struct Amplification {
  double radius, rounding;
};

Amplification amplification(const IntegratorInfo& info, const IntegratorParameters& values, double h_omega) {
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass);
  const double a =
      std::min(1e-3, 0.1 / std::pow(slow_growth(info, h_omega, values), 3));  // stays linear in 3 steps
  test::FourStates runs[2];
  for (int start = 0; start < 2; ++start) {
    auto rig = make_oscillator(o, info.inextensible);
    if (start == 0) rig->state.x[1].x += a;
    if (start == 1) rig->state.v[1].x = a * omega;
    Stepper stepper(*rig, info, test::tight_settings(), values);
    for (std::size_t k = 0; k < 4; ++k) {
      if (k > 0) stepper.step(h_omega / omega);
      runs[start][k] = vec2(rig->state.x[1].x - o.rest_length, rig->state.v[1].x / omega) / a;
    }
  }
  const test::FittedStep step = test::fitted_step(runs, 1e-7);
  // Positions are rounded to 1e-16 L, so the u to 1e-16 L/a; a history that fades makes more of that.
  // Of nearly equal roots only the square is known.
  const bool nearly_equal = info.id == kTwoStepIntegrator && h_omega < 0.1;
  const double rounding = nearly_equal ? 1e-6 : step.rank > 2 ? 1e-7 : 1e-14 / a;
  return {step.radius, rounding};
}

TEST_P(EveryIntegrator, GrowsPerStepAsItsRowSays) {
  if (info().id == "a-search") return;  // not a linear map: α depends on the energy
  for (const IntegratorParameters& values : test::parameter_corners(info())) {
    const double limit = stability_limit(info(), values);
    for (const double h_omega : {0.05, 0.5, 1.9, 2.5, 7.0}) {
      const auto [radius, rounding] = amplification(info(), values, h_omega);
      const double growth = slow_growth(info(), h_omega, values);
      EXPECT_NEAR(radius, growth, rounding * std::max(1.0, radius)) << h_omega;
      // A method that gains at every h does so where the motion is slow for the step.
      if (limit > 0 || h_omega < 1) {
        EXPECT_EQ(growth <= 1, h_omega <= limit) << h_omega;
      }
    }
  }
}

TEST(GeneralizedAlpha, LeavesPerStepWhatItsParameterSays) {
  const IntegratorInfo& info = *find_integrator("generalized-alpha");
  for (const double rho : {0.0, 0.2, 0.5, 0.8, 1.0}) {
    for (const double h_omega : {0.3, 1.0, 4.0, 20.0}) {
      EXPECT_NEAR(amplification(info, {rho}, h_omega).radius, info.growth(h_omega, 0, {rho}), 1e-7)
          << rho << ' ' << h_omega;
    }
    // Three eigenvalues come together at −ρ∞: at distances like (1/hω)^⅔.
    EXPECT_NEAR(info.growth(1e6, 0, {rho}), rho, 1e-3) << rho;
    EXPECT_DOUBLE_EQ(info.growth(0, 0, {rho}), 1);
  }
}

TEST(HhtAlpha, LeavesPerStepWhatItsParameterSays) {
  const IntegratorInfo& info = *find_integrator("hht-alpha");
  for (const double alpha : {-1.0 / 3, -0.2, -0.05, 0.0}) {
    for (const double h_omega : {0.3, 1.0, 4.0, 20.0})
      EXPECT_NEAR(amplification(info, {alpha}, h_omega).radius, info.growth(h_omega, 0, {alpha}), 1e-7)
          << alpha << ' ' << h_omega;
    EXPECT_NEAR(info.growth(1e6, 0, {alpha}), (1 + alpha) / (1 - alpha), 1e-3) << alpha;
    EXPECT_DOUBLE_EQ(info.growth(0, 0, {alpha}), 1);
  }
}

// The energy is never above that of the start. In the end α = 1 in every step: the ellipse of that method
// which touches the energy of the start from below.
TEST(ASearch, KeepsTheEnergyOfAnOscillatorForEver) {
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass);
  for (const double h_omega : {0.1, 0.3, 1.0}) {
    auto rig = make_oscillator(o);
    rig->state.x[1].x += 0.1;
    Stepper stepper(*rig, *find_integrator("a-search"), test::tight_settings());
    double least = 1, largest_of_last = 0;
    for (int k = 0; k < 20000; ++k) {
      stepper.step(h_omega / omega);
      const double y = (rig->state.x[1].x - o.rest_length) / 0.1, v = rig->state.v[1].x / (0.1 * omega);
      ASSERT_LE(y * y + v * v, 1 + 1e-9) << h_omega << ", step " << k;
      least = std::min(least, y * y + v * v);
      if (k >= 19900) largest_of_last = std::max(largest_of_last, y * y + v * v);
    }
    EXPECT_GT(least, 1 - h_omega) << h_omega;
    EXPECT_GT(largest_of_last, 1 - 1e-4) << h_omega;
  }
}

TEST(Amplitude, IsKeptForEver) {
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass);
  for (const char* id : {"implicit-midpoint", "trapezoidal", "energy-tracking"}) {
    for (const double h_omega : {0.3, 3.0}) {
      auto rig = make_oscillator(o);
      rig->state.x[1].x += 0.1;
      Stepper stepper(*rig, *find_integrator(id), test::tight_settings());
      double largest = 0;
      for (int k = 0; k < 100000; ++k) {
        stepper.step(h_omega / omega);
        const double amplitude = std::hypot(rig->state.x[1].x - o.rest_length, rig->state.v[1].x / omega);
        largest = std::max(largest, std::abs(amplitude / 0.1 - 1));
      }
      EXPECT_LT(largest, 1e-10) << id << ' ' << h_omega;
    }
  }
}

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

// Δx of semi-implicit Euler is (I − h² M⁻¹K)⁻¹ times Δx of symplectic Euler: in a mode of frequency ω,
// divided by 1 + (hω)². A chain along its axis, whose blocks do not depend on x.
TEST(SemiImplicitEuler, IsSymplecticEulerBehindALowPassFilter) {
  constexpr int kSprings = 8;
  constexpr double kStiffness = 40, kMass = 0.1, h = 0.1;
  Material material;
  material.mass = kMass * (kSprings + 1);
  material.stretch_stiffness = kStiffness;
  material.spring_damping = 0;
  material.gravity = vec3(0);
  const auto made = [&] {
    auto rig = test::make_chain(kSprings + 1, 0.5, material);
    rig->pin(kSprings);
    for (std::size_t i = 1; i < kSprings; ++i) {
      rig->state.x[i].y += 0.02 * std::sin(5.0 * static_cast<double>(i * i));
      rig->state.v[i].y = 0.3 * std::cos(3.0 * static_cast<double>(i * i));
    }
    return rig;
  };
  // Displacement of a step in mode j, sin(jπi/n), of a chain between two pins.
  const auto displacement = [&](const char* id, int j) {
    auto rig = made();
    const std::vector<vec3> before = rig->state.x;
    Stepper(*rig, *find_integrator(id), test::tight_settings()).step(h);
    double sum = 0;
    for (std::size_t i = 1; i < kSprings; ++i)
      sum += std::sin(j * std::numbers::pi * static_cast<double>(i) / kSprings) *
             (rig->state.x[i].y - before[i].y);
    return sum;
  };
  double first = 0, last = 0;
  for (int j = 1; j < kSprings; ++j) {
    const double omega = 2 * std::sqrt(kStiffness / kMass) * std::sin(j * std::numbers::pi / (2 * kSprings));
    const double passed = displacement("semi-implicit-euler", j), whole = displacement("symplectic-euler", j);
    EXPECT_GT(std::abs(whole), 1e-3) << j;
    EXPECT_NEAR(passed, whole / (1 + h * h * omega * omega), 1e-12) << j;
    (j == 1 ? first : last) = passed / whole;
  }
  EXPECT_GT(first, 0.5);
  EXPECT_LT(last, 0.1);
}

TEST_P(EveryIntegrator, FeelsAPinThatSetsOff) {
  // In the frame of a pin that moves at the speed w from the first step on, it is at rest. The modes of the
  // split methods know of no moving pin.
  if (info().growth_of_slow_modes != nullptr) return;
  const OscillatorValues o;
  const double h = 0.05, w = 0.7;
  auto moving = make_oscillator(o), resting = make_oscillator(o);
  moving->state.x[1].x = resting->state.x[1].x += 0.1;
  moving->state.v[1].x = 0.3;
  resting->state.v[1].x = 0.3 - w;
  Stepper first(*moving, info(), test::tight_settings()), second(*resting, info(), test::tight_settings());
  for (int k = 1; k <= 4; ++k) {
    moving->system.projection().fix(0, vec3(k * h * w, 0, 0));
    first.step(h);
    second.step(h);
    EXPECT_NEAR(moving->state.x[1].x, resting->state.x[1].x + k * h * w, 1e-13);
    EXPECT_NEAR(moving->state.v[1].x, resting->state.v[1].x + w, 1e-12);
    EXPECT_EQ(moving->state.x[0], vec3(k * h * w, 0, 0));
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

// A step that is a linear map [a b; c d] of (y, v/ω) with determinant 1 keeps c y² + (d − a) y v/ω − b (v/ω)²
// in exact arithmetic: v² + ω²x² − hω²xv of symplectic Euler, v² + ω²x² (1 − (hω)²/4) of Verlet.
TEST_P(EveryIntegrator, KeepsItsInvariantForEverWhereItDampsNothing) {
  const double limit = info().stability_limit;
  const auto keeps = [&](double share) {
    return info().growth(share * limit, 0, default_parameters(info())) == 1;
  };
  if (info().id == kTwoStepIntegrator) return;  // its map is that of two points
  if (std::isinf(limit) || limit == 0 || info().inextensible || !keeps(0.05) || !keeps(0.5) || !keeps(0.95))
    return;
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass), amplitude = o.rest_length / 8;
  for (const double share : {0.05, 0.5, 0.95}) {
    const double h = share * limit / omega;
    const auto started = [&](double y, double v) {
      auto rig = make_oscillator(o);
      rig->state.x[1].x += amplitude * y;
      rig->state.v[1].x = amplitude * omega * v;
      return rig;
    };
    const auto point = [&](const test::Rig& rig) {
      return vec2(rig.state.x[1].x - o.rest_length, rig.state.v[1].x / omega) / amplitude;
    };
    vec2 columns[2];
    for (int k = 0; k < 2; ++k) {
      auto rig = started(1 - k, k);
      Stepper(*rig, info()).step(h);
      columns[k] = point(*rig);
    }
    const auto invariant = [&](vec2 u) {
      return columns[0].y * u.x * u.x + (columns[1].y - columns[0].x) * u.x * u.y - columns[1].x * u.y * u.y;
    };
    auto rig = started(1, 0);
    Stepper stepper(*rig, info());
    const double start = invariant(point(*rig));
    double largest = 0;
    for (int k = 0; k < 500000 / testing::kSlowdown; ++k) {
      stepper.step(h);
      largest = std::max(largest, std::abs(invariant(point(*rig)) / start - 1));
    }
    EXPECT_LT(largest, 1e-10) << share;
  }
}

TEST_P(EveryIntegrator, IsStableBelowItsLimitAndNotAbove) {
  const double limit = info().stability_limit;
  if (std::isinf(limit) || limit == 0 || info().inextensible) return;
  const OscillatorValues o;
  const double omega = std::sqrt(o.stiffness / o.mass), a = 1e-4 * o.rest_length;
  for (const double share : {0.995, 1.005}) {
    const double growth = info().growth(share * limit, 0, default_parameters(info()));
    ASSERT_EQ(growth > 1, share > 1);
    auto rig = make_oscillator(o);
    rig->state.x[1].x += a;
    Stepper stepper(*rig, info());
    double largest = 0;
    const double steps = share < 1 ? 200000.0 / testing::kSlowdown : std::log(1000) / std::log(growth);
    for (int k = 0; k < steps; ++k) {
      stepper.step(share * limit / omega);
      largest = std::max(largest, std::abs(rig->state.x[1].x - o.rest_length));
    }
    // Below, the ellipse on which a start at rest stays is about a / √(1 − share²) ≈ 10 a wide at most.
    if (share < 1) {
      EXPECT_LT(largest, 15 * a);
    } else {
      EXPECT_GT(largest, 50 * a);
    }
  }
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(EveryIntegrator);

}  // namespace
}  // namespace clothlab
