// SPDX-License-Identifier: MIT
// What every integrator reports to the energy ledger, against the conservative impulse of its own formula
// (model.md), evaluated here from u0 and u1 on a cloth without damping, and against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "integrate/stepping.h"
#include "integrate/tableau.h"
#include "integrate/two_step.h"

namespace clothlab {
namespace {

using test::EveryIntegrator;
using test::Rig;
using Vectors = std::vector<vec3>;

/// A rig that keeps a ledger.
class Booked {
 public:
  Booked(std::unique_ptr<Rig> the_rig, const IntegratorInfo& info, const IntegratorParameters& values,
         const SolverSettings& settings = test::tight_settings())
      : rig(std::move(the_rig)), settings_(settings), integrator_(info.make(values)) {}

  StepReport step(double h) {
    ledger.begin();
    return integrator_->advance(rig->system, rig->state, h, {settings_, rig->pool, {}, &ledger});
  }
  double energy() const {
    double sum = rig->system.potential_energy(rig->pool, rig->state.x);
    for (std::size_t i = 0; i < rig->state.v.size(); ++i)
      sum += 0.5 * rig->system.masses()[i] * glm::dot(rig->state.v[i], rig->state.v[i]);
    return sum;
  }
  /// E_method of a step of pins at rest.
  double method(double h) {
    const double before = energy();
    step(h);
    const StepWork& work = ledger.work();
    return energy() - before - work.damping - work.solver - work.rods;
  }

  std::unique_ptr<Rig> rig;
  StepLedger ledger;

 private:
  SolverSettings settings_;
  std::unique_ptr<Integrator> integrator_;
};

// ---- The momentum of a step

Material damped_material() {
  Material material;
  material.mass = 0.2;
  material.stretch_stiffness = 20;
  material.bend_stiffness = 2;
  material.spring_damping = 0.03;
  material.rayleigh_stiffness = 2e-3;
  material.rayleigh_mass = 1.5;
  material.strain_limit = 0.05;
  material.limit_stiffness = 1.5;
  return material;
}

Material without_damping(Material material) {
  material.spring_damping = material.rayleigh_stiffness = material.rayleigh_mass = 0;
  return material;
}

constexpr double kWind = 4;  // along x [m/s]

/// With a grab and, where it is damped, wind.
std::unique_ptr<Rig> shaken_sheet(const Material& material) {
  auto rig = test::make_sheet(4, 5, 0.2, material);
  const bool damped = material.spring_damping > 0;
  rig->system.set_grab(
      GrabSpring{{7, 8, 12}, vec3(0.2, 0.5, 0.3), vec3(0.4, 0.1, 0.5), 5, damped ? 0.2 : 0.0, 2});
  Wind wind;
  wind.on = damped;
  wind.speed = kWind;
  rig->system.set_wind(wind);
  test::shake(rig->state, 0.03, 0.4);
  rig->pin(0);
  rig->state.v[0] = vec3(0.0);
  return rig;
}

Vectors sum(double a, const Vectors& x, double b, const Vectors& y) {
  Vectors z(x.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = a * x[i] + b * y[i];
  return z;
}

/// Conservative forces, and all of them, on the sheet of a step.
struct StepFormula {
  explicit StepFormula(double the_h) : h(the_h) {}

  double h;
  std::unique_ptr<Rig> conservative = shaken_sheet(without_damping(damped_material()));
  std::unique_ptr<Rig> whole = shaken_sheet(damped_material());
  std::vector<State> past;  // before u0, newest last
  State u0, u1;

  Vectors force(const Rig& rig, const Vectors& x, const Vectors& v) const {
    Vectors f(x.size());
    rig.system.force(rig.pool, x, v, f);
    return f;
  }
  Vectors f(const Vectors& x) const { return force(*conservative, x, Vectors(x.size(), vec3(0.0))); }
  Vectors times_k(const Vectors& x, const Vectors& change) const {
    SpringMatrix k(conservative->system.pattern());
    conservative->system.assemble(conservative->pool, x, change, {0, 0, 1}, JacobianMode::exact, k);
    Vectors product(x.size());
    k.multiply(conservative->pool, change, product);
    return sum(-1, product, 0, change);
  }
  Vectors acceleration(const Vectors& x, const Vectors& v) const {
    Vectors a = force(*whole, x, v);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = i == 0 ? vec3(0.0) : a[i] / whole->system.masses()[i];
    return a;
  }
  /// f0 + K (x − x0), linearised at u0
  Vectors linear(const State& at, const Vectors& dx) const { return sum(1, f(at.x), 1, times_k(at.x, dx)); }
};

using Impulse = std::function<Vectors(const StepFormula&)>;

/// h Σ b_i f(X_i), the stages by fixed-point iteration.
Vectors impulse_of_tableau(const RungeKuttaTable& table, const StepFormula& c, const State& u0) {
  constexpr int kIterations = 60;
  const std::size_t s = table.stages();
  std::vector<Vectors> x(s, u0.x), v(s, u0.v), a(s, Vectors(u0.x.size(), vec3(0)));
  for (int k = 0; k < kIterations; ++k)
    for (std::size_t i = 0; i < s; ++i) {
      x[i] = u0.x;
      Vectors now = u0.v;
      for (std::size_t j = 0; j < s; ++j) {
        x[i] = sum(1, x[i], c.h * table.a(i, j), v[j]);
        now = sum(1, now, c.h * table.a(i, j), a[j]);
      }
      v[i] = now;
      a[i] = c.acceleration(x[i], v[i]);
    }
  Vectors J(u0.x.size(), vec3(0));
  for (std::size_t i = 0; i < s; ++i) J = sum(1, J, c.h * table.b(i), c.f(x[i]));
  return J;
}

/// α0 times that of the last step, and h Σ β f; the first step is one of a Runge–Kutta method.
Vectors impulse_of_two_steps(const TwoStepTable& table, const StepFormula& c) {
  std::vector<State> states = c.past;
  states.push_back(c.u0);
  states.push_back(c.u1);
  const Tableau& first = tableau_preset(table.is_implicit() ? "sdirk3" : "rk4");
  Vectors J = impulse_of_tableau(RungeKuttaTable(first), c, states[0]);
  for (std::size_t n = 2; n < states.size(); ++n) {
    J = sum(table.alpha(0), J, c.h * table.beta(2), c.f(states[n].x));
    J = sum(1, J, c.h * table.beta(1), c.f(states[n - 1].x));
    J = sum(1, J, c.h * table.beta(0), c.f(states[n - 2].x));
  }
  return J;
}

// The impulse of conservative forces in the step from u0 to u1.
Impulse impulse_of(const IntegratorInfo& info) {
  if (info.id == kRungeKuttaIntegrator)
    return [&info](const StepFormula& c) { return impulse_of_tableau(RungeKuttaTable(info.table), c, c.u0); };
  if (info.id == kTwoStepIntegrator)
    return [&info](const StepFormula& c) { return impulse_of_two_steps(TwoStepTable(info.table), c); };
  const auto at_start = [](const StepFormula& c) { return sum(c.h, c.f(c.u0.x), 0, c.u0.x); };
  const auto at_end = [](const StepFormula& c) { return sum(c.h, c.f(c.u1.x), 0, c.u0.x); };
  const auto both_ends = [](const StepFormula& c) { return sum(c.h / 2, c.f(c.u0.x), c.h / 2, c.f(c.u1.x)); };
  const auto dirk = [](double end, double weight) {
    return [=](const StepFormula& c) {
      // x1 = x0 + weight (xc − x0) + end h v1
      const Vectors dx = sum(1, sum(1, c.u1.x, -1, c.u0.x), -end * c.h, c.u1.v);
      const Vectors xc = sum(1, c.u0.x, 1 / weight, dx);
      const double rest = (1 - end) / 2 * c.h;
      return sum(1, sum(rest, c.f(c.u0.x), rest, c.f(xc)), end * c.h, c.f(c.u1.x));
    };
  };
  const auto linear = [](const StepFormula& c) {
    return sum(c.h, c.linear(c.u0, sum(1, c.u1.x, -1, c.u0.x)), 0, c.u0.x);
  };
  // Of two steps: ⅓ of the first one's and c f of the second.
  const auto bdf2 = [](auto force) {
    return [=](const StepFormula& c) {
      const Vectors now = sum(c.past.empty() ? c.h : 2 * c.h / 3, force(c, c.u0, c.u1), 0, c.u0.x);
      return c.past.empty() ? now : sum(1, now, c.h / 3, force(c, c.past.back(), c.u0));
    };
  };
  const auto end_force = [](const StepFormula& c, const State&, const State& u1) { return c.f(u1.x); };
  const auto linear_force = [](const StepFormula& c, const State& u0, const State& u1) {
    return c.linear(u0, sum(1, u1.x, -1, u0.x));
  };
  const auto rk4 = [](const StepFormula& c) {
    const double h = c.h;
    const Vectors &x = c.u0.x, &v = c.u0.v;
    const Vectors a1 = c.acceleration(x, v);
    const Vectors x2 = sum(1, x, h / 2, v), v2 = sum(1, v, h / 2, a1), a2 = c.acceleration(x2, v2);
    const Vectors x3 = sum(1, x, h / 2, v2), v3 = sum(1, v, h / 2, a2), a3 = c.acceleration(x3, v3);
    const Vectors x4 = sum(1, x, h, v3);
    return sum(1, sum(h / 6, c.f(x), h / 3, c.f(x2)), 1, sum(h / 3, c.f(x3), h / 6, c.f(x4)));
  };
  const auto yoshida4 = [](const StepFormula& c) {
    const double outer = 1 / (2 - std::cbrt(2.0));
    Vectors x = c.u0.x, v = c.u0.v, J(x.size(), vec3(0.0));
    for (const double share : {outer, 1 - 2 * outer, outer}) {
      const double t = share * c.h;
      const Vectors a = c.acceleration(x, v), v_ahead = sum(1, v, t, a);
      J = sum(1, J, t / 2, c.f(x));
      x = sum(1, sum(1, x, t, v), t * t / 2, a);
      J = sum(1, J, t / 2, c.f(x));
      v = sum(1, v, t / 2, sum(1, a, 1, c.acceleration(x, v_ahead)));
    }
    return J;
  };
  const auto midpoint = [](const StepFormula& c) {
    return sum(c.h, c.f(sum(0.5, c.u0.x, 0.5, c.u1.x)), 0, c.u0.x);
  };
  // A1 = ((1 − σ) f1 + σ f0 − α_m A0)/(1 − α_m) of the first two steps.
  const auto alpha = [](double alpha_m, double sigma, double gamma) {
    return [=](const StepFormula& c) {
      const auto next = [&](const Vectors& A0, const Vectors& x0, const Vectors& x1) {
        return sum(1 / (1 - alpha_m), sum(sigma, c.f(x0), 1 - sigma, c.f(x1)), -alpha_m / (1 - alpha_m), A0);
      };
      const Vectors A0 = c.past.empty() ? c.f(c.u0.x) : next(c.f(c.past.back().x), c.past.back().x, c.u0.x);
      return sum(c.h * (1 - gamma), A0, c.h * gamma, next(A0, c.u0.x, c.u1.x));
    };
  };
  // x1 is that of backward Euler, M (v1 − (x1 − x0)/h) = α h (f(x0) − f(x1)) where nothing is held.
  const auto a_search = [](const StepFormula& c) {
    const Vectors f0 = c.f(c.u0.x), f1 = c.f(c.u1.x);
    double along = 0, square = 0;
    for (std::size_t i = 1; i < f0.size(); ++i) {
      const vec3 change = c.h * (f0[i] - f1[i]);
      const vec3 added = c.u1.v[i] - (c.u1.x[i] - c.u0.x[i]) / c.h;
      along += c.whole->system.masses()[i] * glm::dot(added, change);
      square += glm::dot(change, change);
    }
    const double share = along / square;
    return sum(share * c.h, f0, (1 - share) * c.h, f1);
  };
  // The ends of the two methods of the blend tell its share.
  const auto energy_tracking = [](const StepFormula& c) {
    const auto end_of = [&](const char* other) {
      auto rig = shaken_sheet(damped_material());
      rig->state = c.u0;
      test::Stepper(*rig, *find_integrator(other), test::tight_settings()).step(c.h);
      return rig->state;
    };
    const State middle = end_of("implicit-midpoint");
    const Vectors change = sum(1, c.u1.x, -1, middle.x);
    Vectors best;
    double least = std::numeric_limits<double>::infinity();
    for (const bool implicit : {false, true}) {
      const State euler = end_of(implicit ? "backward-euler" : "explicit-euler");
      const Vectors apart = sum(1, euler.x, -1, middle.x);
      double along = 0, square = 0, rest = 0;
      for (std::size_t i = 0; i < apart.size(); ++i) {
        along += glm::dot(change[i], apart[i]);
        square += glm::dot(apart[i], apart[i]);
      }
      const double share = along / square;
      for (std::size_t i = 0; i < apart.size(); ++i) rest += glm::length(change[i] - share * apart[i]);
      if (!(rest < least)) continue;
      least = rest;
      best = sum((1 - share) * c.h, c.f(sum(0.5, c.u0.x, 0.5, middle.x)), share * c.h,
                 c.f(implicit ? euler.x : c.u0.x));
    }
    return best;
  };
  // M v' = f0 + K (x − x0) + D (v − v0) in 400 steps of the classical Runge–Kutta method.
  const auto exponential = [](const StepFormula& c) {
    constexpr int kParts = 400;
    const std::size_t n = c.u0.x.size();
    SpringMatrix k(c.whole->system.pattern()), d(c.whole->system.pattern());
    c.whole->system.assemble(c.whole->pool, c.u0.x, c.u0.v, {0, 0, 1}, JacobianMode::exact, k);
    c.whole->system.assemble(c.whole->pool, c.u0.x, c.u0.v, {0, 1, 0}, JacobianMode::exact, d);
    const Vectors f0 = c.force(*c.whole, c.u0.x, c.u0.v), zero(n, vec3(0.0));
    const auto slope = [&](const Vectors& dx, const Vectors& dv) {
      Vectors kx(n), dd(n);
      k.multiply(c.whole->pool, dx, kx);
      d.multiply(c.whole->pool, dv, dd);
      Vectors a = sum(1, f0, -1, sum(1, kx, 1, dd));
      for (std::size_t i = 0; i < n; ++i) a[i] = i == 0 ? vec3(0.0) : a[i] / c.whole->system.masses()[i];
      return a;
    };
    Vectors x = zero, dv = zero, integral = zero;  // x − x0, v − v0, ∫ (x − x0)
    const double t = c.h / kParts;
    for (int part = 0; part < kParts; ++part) {
      const auto v_of = [&](const Vectors& change) { return sum(1, c.u0.v, 1, change); };
      const Vectors a1 = slope(x, dv), w1 = v_of(dv);
      const Vectors x2 = sum(1, x, t / 2, w1), d2 = sum(1, dv, t / 2, a1), a2 = slope(x2, d2), w2 = v_of(d2);
      const Vectors x3 = sum(1, x, t / 2, w2), d3 = sum(1, dv, t / 2, a2), a3 = slope(x3, d3), w3 = v_of(d3);
      const Vectors x4 = sum(1, x, t, w3), d4 = sum(1, dv, t, a3), a4 = slope(x4, d4), w4 = v_of(d4);
      integral = sum(1, integral, 1, sum(t / 6, sum(1, x, 2, x2), t / 6, sum(2, x3, 1, x4)));
      x = sum(1, x, 1, sum(t / 6, sum(1, w1, 2, w2), t / 6, sum(2, w3, 1, w4)));
      dv = sum(1, dv, 1, sum(t / 6, sum(1, a1, 2, a2), t / 6, sum(2, a3, 1, a4)));
    }
    return sum(c.h, c.f(c.u0.x), 1, c.times_k(c.u0.x, integral));
  };
  // With no modes: half a step of the linearised trapezoidal rule, then of BDF2.
  const auto semi_tr_bdf2 = [](const StepFormula& c) {
    // x½ − x0 = h/2 v0 + h/4 (v½ − v0), v1 − v½ = …: x1 − x½ = ⅓ (x½ − x0) + h/3 v1, so x½ follows.
    const Vectors half = sum(0.75, sum(1, c.u1.x, -c.h / 3, c.u1.v), 0.25, c.u0.x);
    const Vectors first = sum(c.h / 2, c.f(c.u0.x), c.h / 4, c.times_k(c.u0.x, sum(1, half, -1, c.u0.x)));
    const Vectors second = sum(c.h / 3, c.f(half), c.h / 3, c.times_k(half, sum(1, c.u1.x, -1, half)));
    return sum(4.0 / 3, first, 1, second);
  };
  const double gamma = 2 - std::numbers::sqrt2;
  const double rho = 0.5, alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  const std::map<std::string, Impulse> formulas{
      {"explicit-euler", at_start},
      {"symplectic-euler", at_start},
      {"velocity-verlet", both_ends},
      {"rk4", rk4},
      {"semi-implicit-euler", linear},
      {"backward-euler", at_end},
      {"implicit-midpoint", midpoint},
      {"trapezoidal", both_ends},
      {"bdf2", bdf2(end_force)},
      {"semi-implicit-bdf2", bdf2(linear_force)},
      {"tr-bdf2", dirk(1.0 / 3, 4.0 / 3)},
      {"sdirk2", dirk(gamma / 2, std::numbers::sqrt2 / 2 / gamma)},
      {"generalized-alpha", alpha(alpha_m, alpha_f, 0.5 - alpha_m + alpha_f)},
      {"newmark", alpha(0, 0, 0.5)},
      {"exponential-rosenbrock-euler", exponential},
      {"siere", linear},
      {"beere", at_end},
      {"bdf2-ere", bdf2(end_force)},
      {"tr-bdf2-ere", dirk(1.0 / 3, 4.0 / 3)},
      {"semi-implicit-bdf2-ere", bdf2(linear_force)},
      {"str-sbdf2-ere", semi_tr_bdf2},
      {"xpbd", at_end},
      {"projective-dynamics", at_end},
      {"vbd", at_end},
      {"yoshida4", yoshida4},
      {"hht-alpha", alpha(0, 0.3, 0.8)},
      {"a-search", a_search},
      {"energy-tracking", energy_tracking},
  };
  const auto found = formulas.find(std::string(info.id));
  return found == formulas.end() ? Impulse() : found->second;
}

class LedgerOfEveryIntegrator : public EveryIntegrator {};

// M (v1 − v0) = J_conservative + Σ J_k + r on the free directions.
TEST_P(LedgerOfEveryIntegrator, HasTheMomentumOfAStep) {
  if (info().inextensible) GTEST_SKIP() << "what rods do is the rest";
  IntegratorParameters values = test::whole_step_parameters(info());
  for (std::size_t p = 0; p < info().parameters.size(); ++p)
    if (info().parameters[p].id == "modes") values[p] = 0;
  const Impulse formula = impulse_of(info());
  ASSERT_TRUE(formula) << "Add the impulse of the conservative forces in a step of " << info().id
                       << " to impulse_of() in tests/integrate/ledger_test.cpp.";
  // Fixed-point iteration needs short steps.
  const double h = !info().table.empty() && info().family == IntegratorFamily::implicit ? 0.0012 : 0.012;
  StepFormula c(h);
  Booked run(shaken_sheet(damped_material()), info(), values);
  const std::span<const double> m = run.rig->system.masses();
  const double tolerance = info().id == "exponential-rosenbrock-euler" ? 1e-8 : 1e-12;
  for (int k = 0; k < 2; ++k) {
    if (k > 0) c.past.push_back(c.u0);
    c.u0 = run.rig->state;
    ASSERT_FALSE(run.step(h).stopped);
    c.u1 = run.rig->state;
    const Vectors conservative = formula(c);
    const Vectors whole = c.force(*c.whole, c.u0.x, c.u0.v);
    double largest = 0, scale = 0;
    const auto of = [&](ImpulseKind kind) { return run.ledger.impulses().of(kind); };
    for (std::size_t i = 0; i < m.size(); ++i) {
      // Particle 0 is held: what the method takes as the forces there.
      const bool is_held = i == 0;
      vec3 left = (is_held ? of(ImpulseKind::held)[0] : m[i] * (c.u1.v[i] - c.u0.v[i])) - conservative[i];
      for (const ImpulseKind kind : {ImpulseKind::damping, ImpulseKind::wind, ImpulseKind::hand})
        left -= of(kind)[i];
      if (const auto r = of(ImpulseKind::residual); !r.empty() && !is_held) left -= r[i];
      if (is_held && info().id == "exponential-rosenbrock-euler") {
        EXPECT_LT(glm::length(left), 0.1 * h * glm::length(whole[i]));  // K acts on a cubic there
        continue;
      }
      ASSERT_TRUE(std::isfinite(glm::length(left)));
      largest = std::max(largest, glm::length(left));
      scale = std::max(scale, h * glm::length(whole[i]));
    }
    EXPECT_LT(largest, tolerance * scale) << "step " << k;
    for (const ImpulseKind kind : {ImpulseKind::damping, ImpulseKind::wind, ImpulseKind::hand}) {
      double most = 0;
      for (const vec3& J : of(kind)) most = std::max(most, glm::length(J));
      EXPECT_GT(most, 1e-3 * scale);
    }
  }
}

// The air is the same everywhere, so that it gives its velocity times the sum of the impulses.
TEST_P(LedgerOfEveryIntegrator, HasWhatTheWindGives) {
  Booked run(shaken_sheet(damped_material()), info(), test::whole_step_parameters(info()));
  for (int k = 0; k < 3; ++k) {
    ASSERT_FALSE(run.step(0.004).stopped);
    double along = 0, scale = 0;
    for (const vec3& J : run.ledger.impulses().of(ImpulseKind::wind)) {
      along += J.x;
      scale += std::abs(J.x);
    }
    ASSERT_GT(scale, 1e-6);
    EXPECT_NEAR(run.ledger.work().given_by_wind, kWind * along, 1e-13 * kWind * scale) << "step " << k;
  }
}

TEST_P(LedgerOfEveryIntegrator, ChangesNoBitOfTheState) {
  Booked run(shaken_sheet(damped_material()), info(), test::whole_step_parameters(info()));
  auto rig = shaken_sheet(damped_material());
  test::Stepper unbooked(*rig, info(), test::tight_settings());
  for (int k = 0; k < 3; ++k) {
    run.step(0.004);
    unbooked.step(0.004);
  }
  EXPECT_EQ(run.rig->state.x, rig->state.x);
  EXPECT_EQ(run.rig->state.v, rig->state.v);
}

// The exponential modes filter some of the forces; what is left then is no more than the solver's tolerance.
TEST_P(LedgerOfEveryIntegrator, KnowsWhatItsSolverLeft) {
  if (info().inextensible || info().family == IntegratorFamily::position_based) GTEST_SKIP();
  for (const StageSolve stages : {StageSolve::newton, StageSolve::linear}) {
    SolverSettings settings = test::tight_settings();
    settings.stage_solve = stages;
    Booked run(shaken_sheet(damped_material()), info(), test::whole_step_parameters(info()), settings);
    for (int k = 0; k < 3; ++k) {
      run.step(0.012);
      const auto r = run.ledger.impulses().of(ImpulseKind::residual);
      double largest = 0;
      for (const vec3& each : r) {
        ASSERT_TRUE(std::isfinite(glm::length(each)));
        largest = std::max(largest, glm::length(each));
      }
      EXPECT_LT(largest, 1e-13) << "step " << k;
    }
  }
}

// ---- Closed forms

constexpr double kMass = 0.3, kStiffness = 20;

std::unique_ptr<Rig> swinging_mass(double y, double v, double damping = 0) {
  auto rig = test::make_oscillator({.mass = kMass, .stiffness = kStiffness, .damping = damping});
  rig->state.x[1].x += y;
  rig->state.v[1].x = v;
  return rig;
}

/// h at hω = y.
double step_at(double y) { return y / std::sqrt(kStiffness / kMass); }

const IntegratorInfo& row(const char* id) { return *find_integrator(id); }

/// True if the row reports that a step is a function of the Jacobian. Others change the energy by an amount
/// that depends on the phase.
bool is_function_of_jacobian(const IntegratorInfo& info) {
  return info.coupling == StepCoupling::eigenvalues ||
         (info.coupling == StepCoupling::undamped && info.stability_limit == kNoStabilityLimit);
}

/// True if the method corrects the energy of its steps: its share is 0 as far as that is possible.
bool follows_energy(const IntegratorInfo& info) {
  return info.id == "a-search" || info.id == "energy-tracking";
}

/// True if the second step depends on the first one. Generalized-α with α_m = α_f = 0 remembers only what
/// the state determines.
bool depends_on_history(const IntegratorInfo& info, const IntegratorParameters& values) {
  const double h = step_at(1), y = 2e-4;
  Booked run(swinging_mass(y, 3e-3), info, values), restarted(swinging_mass(0, 0), info, values);
  run.step(h);
  restarted.rig->state = run.rig->state;
  run.step(h);
  restarted.step(h);
  return glm::distance(run.rig->state.x[1], restarted.rig->state.x[1]) > 1e-8 * y;
}

// (|R(iy)|² − 1) H0, whatever the state.
TEST_P(LedgerOfEveryIntegrator, OfAnOscillatorHasTheShareOfTheStabilityFunction) {
  if (info().inextensible || !is_function_of_jacobian(info()) || follows_energy(info())) return;
  IntegratorParameters values = test::whole_step_parameters(info());
  for (std::size_t p = 0; p < info().parameters.size(); ++p)
    if (info().parameters[p].id == "xpbd-iterations" || info().parameters[p].id == "pd-iterations")
      values[p] = 200;
  if (depends_on_history(info(), values)) return;
  for (const double y : {0.1, 1.0, 10.0}) {
    for (const double start : {0.0, 3e-3}) {
      Booked run(swinging_mass(2e-4, start), info(), values);
      const double H0 = run.energy(), R = slow_growth(info(), y, values);
      // What is lost is of one sign: no tolerance hides a missing half.
      EXPECT_NEAR(run.method(step_at(y)), (R * R - 1) * H0, 2e-9 * R * R * H0)
          << "at h·ω = " << y
          << ". This holds if a step is a function of the Jacobian, as `coupling` in the row of " << info().id
          << " reports. Check `coupling`, `growth` and the weights of the forces in the step.";
    }
  }
}

TEST(LedgerOfAnOscillator, TelescopesForSymplecticMethods) {
  for (const double y : {0.1, 1.0, 1.9}) {
    const double h = step_at(y), omega = y / h;
    for (const bool verlet : {false, true}) {
      Booked run(swinging_mass(0.02, 0.1), row(verlet ? "velocity-verlet" : "symplectic-euler"), {});
      for (int k = 0; k < 5; ++k) {
        const auto potential = [&](const State& s) {
          const double x = s.x[1].x - 1.5, v = s.v[1].x;
          return verlet ? 0.125 * kMass * omega * omega * y * y * x * x
                        : 0.5 * kMass * h * omega * omega * x * v;
        };
        const double before = potential(run.rig->state), H0 = run.energy();
        const double made = run.method(h);
        EXPECT_NEAR(made, potential(run.rig->state) - before, 1e-13 * (H0 + run.energy()));
      }
    }
  }
}

TEST(LedgerOfAnOscillator, TellsDampingFromNumericalDamping) {
  const double h = step_at(0.7), omega = 0.7 / h, c = 2.5;
  for (const char* id : {"backward-euler", "semi-implicit-euler"}) {
    Booked run(swinging_mass(0.02, -0.2, c), row(id), {});
    const double v0 = run.rig->state.v[1].x;
    const double made = run.method(h);
    const double v1 = run.rig->state.v[1].x, x1 = run.rig->state.x[1].x - 1.5, H1 = run.energy();
    EXPECT_NEAR(run.ledger.work().damping, -h * c / 2 * v1 * (v0 + v1), 1e-14);
    EXPECT_NEAR(made, -0.49 * H1 - 0.5 * h * h * omega * omega * c * x1 * v1, 1e-13);
  }
  // A damper alone: T falls by (1 + hd)^−2.
  auto rig = test::make_oscillator({.mass = kMass, .stiffness = 0, .damping = c});
  rig->state.v[1].x = 0.4;
  Booked run(std::move(rig), row("backward-euler"), {});
  const double T0 = run.energy(), factor = 1 / (1 + h * c / kMass);
  EXPECT_NEAR(run.method(h), 0, 1e-15);
  EXPECT_NEAR(run.ledger.work().damping, -T0 * (1 - factor * factor), 1e-15);
}

TEST(LedgerOfADamper, BooksTheWholeLossForSeveralStages) {
  for (const char* id : {"trapezoidal", "implicit-midpoint", "tr-bdf2", "sdirk2"}) {
    for (const double hd : {0.1, 1.0, 30.0}) {
      const double h = 0.01;
      auto rig = test::make_oscillator({.mass = kMass, .stiffness = 0, .damping = hd / h * kMass});
      rig->state.v[1].x = 0.4;
      Booked run(std::move(rig), row(id), default_parameters(row(id)));
      const double T0 = run.energy();
      EXPECT_NEAR(run.method(h), 0, 1e-9 * T0) << id;
      EXPECT_NEAR(run.ledger.work().damping, run.energy() - T0, 1e-9 * T0) << id;
    }
  }
}

// Stiff springs turn the velocity round within a step: v̄·J is positive in some of these.
TEST_P(LedgerOfEveryIntegrator, NeverCreditsDampers) {
  const bool limited = info().stability_limit < kNoStabilityLimit || info().inextensible;
  Booked run(shaken_sheet(damped_material()), info(), default_parameters(info()));
  for (int k = 0; k < 60; ++k) {
    run.step(limited ? 1e-4 : 0.02);
    EXPECT_LE(run.ledger.work().damping, 0) << "step " << k;
  }
}

// The share of ½ M g² h² in the first step. BDF2 begins with a step of backward Euler and forgets two thirds
// of that with each further one. The falling sheet has modes of one frequency only, which SIERE does not
// split.
TEST_P(LedgerOfEveryIntegrator, OfFreeFallIsThatOfTheFirstOrder) {
  const double h = 0.01, g = 9.8, M = 0.2;
  const std::map<std::string_view, double> shares{{"explicit-euler", 1},
                                                  {"symplectic-euler", -1},
                                                  {"backward-euler", -1},
                                                  {"semi-implicit-euler", -1},
                                                  {"xpbd", -1},
                                                  {"projective-dynamics", -1},
                                                  {"vbd", -1},
                                                  {"pbd-proj2", -1},
                                                  {"fast-projection", -1},
                                                  {"velocity-verlet", 0},
                                                  {"yoshida4", 0},
                                                  {"rk4", 0},
                                                  {"implicit-midpoint", 0},
                                                  {"trapezoidal", 0},
                                                  {"tr-bdf2", 0},
                                                  {"sdirk2", 0},
                                                  {"generalized-alpha", 0},
                                                  {"newmark", 0},
                                                  {"runge-kutta", 0},
                                                  {"two-step", 0},
                                                  {"hht-alpha", 0},
                                                  {"exponential-rosenbrock-euler", 0},
                                                  {"rattle", 0},
                                                  {"shake", 0},
                                                  {"a-search", -1},
                                                  {"energy-tracking", 0},
                                                  {"siere", -1},
                                                  {"beere", -1},
                                                  {"bdf2-ere", -1},
                                                  {"tr-bdf2-ere", 0},
                                                  {"str-sbdf2-ere", 0},
                                                  {"bdf2", -1},
                                                  {"semi-implicit-bdf2", -1},
                                                  {"semi-implicit-bdf2-ere", -1}};
  const auto share = shares.find(info().id);
  ASSERT_NE(share, shares.end()) << "Add the energy that " << info().id
                                 << " gains in the first step of free fall, in units of ½ M g² h², to "
                                 << "`shares` in tests/integrate/ledger_test.cpp.";
  Material material;
  material.mass = M;
  auto rig = test::make_sheet(2, 2, 0.1, material);
  Booked run(std::move(rig), info(), test::whole_step_parameters(info()));
  const bool forgets = info().id.find("bdf2") != std::string_view::npos;
  double expected = share->second * 0.5 * M * g * g * h * h;
  for (int n = 1; n <= 3; ++n) {
    EXPECT_NEAR(run.method(h), expected, 1e-12) << "in step " << n;
    if (forgets) expected /= 3;  // −½ M g² h² 3^{1−n}
  }
}

// ---- Resolved motion

/// The method's share of n steps of h: the sheet of order_test.cpp, hung by two corners.
double share_of_swing(const IntegratorInfo& info, int n, double h, double damping) {
  Material material;
  material.mass = 0.2;
  material.stretch_stiffness = 20;
  material.bend_stiffness = 2;
  material.spring_damping = damping;
  auto rig = test::make_sheet(3, 4, 0.2, material);
  for (vec3& x : rig->state.x) x *= vec3(1.15, 1, 1.1);
  test::shake(rig->state, 0.005, 0.2);
  for (const std::uint32_t i : {0u, 3u}) {
    rig->pin(i);
    rig->state.v[i] = vec3(0.0);
  }
  SolverSettings settings = test::tight_settings();
  settings.linear.cg.tolerance = settings.newton_tolerance = 1e-12;
  Booked run(std::move(rig), info, default_parameters(info), settings);
  double share = 0;
  for (int k = 0; k < n; ++k) share += run.method(h);
  return share;
}

// The sum over a run falls by 2^p from one halving of h to the next, p at least the order of the method; with
// damping 2 at the most, since v̄·J is a quadrature of that order of the dampers' power. What is seen at h is
// p + a h + O(h²): twice that of h/2 less that of h leaves a remainder of about (a h)², 0.04 where the two
// differ by less than 0.2. Rods are left out, whose V has no stretch, and methods without an order.
TEST_P(LedgerOfEveryIntegrator, LeavesTheMethodLessWithSmallerSteps) {
  if (info().order == 0 || info().inextensible || follows_energy(info())) return;
  // The first-order error of the split methods is that of slow modes, and shows above the rest's late.
  const bool split = info().growth_of_slow_modes != nullptr;
  const double time = split ? 0.05 : 0.1;
  const bool accurate = info().order > 3 && info().family == IntegratorFamily::implicit;
  // The first step of a two-step method has another error.
  const int of_two_steps = info().order == 2 ? 2560 : info().order == 3 ? 320 : 40;
  const int steps = info().id == kTwoStepIntegrator ? of_two_steps
                    : split || info().order == 2    ? 320
                    : info().order == 1             ? 160
                    : accurate                      ? 14
                                                    : 20;
  for (const double damping : {0.0, 0.02}) {
    const auto share = [&](int n) { return share_of_swing(info(), n, time / n, damping); };
    const double coarse = share(steps), middle = share(2 * steps), fine = share(4 * steps);
    ASSERT_GT(std::abs(fine), 1e-10);  // above rounding, 1e-14
    const double at_h = std::log2(std::abs(coarse / middle)), at_half = std::log2(std::abs(middle / fine));
    EXPECT_NEAR(at_h, at_half, 0.2) << "resolve it better";
    EXPECT_GT(2 * at_half - at_h, (damping > 0 ? std::min(info().order, 2) : info().order) - 0.05)
        << coarse << ' ' << middle << ' ' << fine << " J at damping " << damping;
  }
}

TEST_P(LedgerOfEveryIntegrator, OfRestIsEmpty) {
  Material material;
  material.gravity = vec3(0.0);
  auto rig = test::make_sheet(4, 4, 0.1, material);
  rig->pin(0);
  Booked run(std::move(rig), info(), default_parameters(info()));
  EXPECT_NEAR(run.method(0.01), 0, 1e-20);
  const StepWork& w = run.ledger.work();
  for (const double each : {w.damping, w.wind, w.hand, w.friction, w.solver, w.rods})
    EXPECT_NEAR(each, 0, 1e-20);
}

CLOTHLAB_FOR_EVERY_INTEGRATOR(LedgerOfEveryIntegrator);

// ---- One linear solve per stage

const IntegratorParameters kSharedMatrix{1};  // of SDIRK2

SolverSettings solved_once(double tolerance = 1e-14) {
  SolverSettings settings = test::tight_settings();
  settings.stage_solve = StageSolve::linear;
  settings.linear.cg.tolerance = tolerance;
  return settings;
}

// The largest difference of two lists, over the largest of the second.
double difference(std::span<const vec3> a, std::span<const vec3> b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, glm::length(a[i] - b[i]));
    scale = std::max(scale, glm::length(b[i]));
  }
  return scale > 0 ? largest / scale : largest;
}

TEST(LedgerOfOneLinearSolve, IsThatOfTheSemiImplicitMethod) {
  for (const auto& [full, once] :
       {std::pair("backward-euler", "semi-implicit-euler"), std::pair("bdf2", "semi-implicit-bdf2")}) {
    Booked a(shaken_sheet(damped_material()), row(full), {}, solved_once(1e-3)),
        b(shaken_sheet(damped_material()), row(once), {}, solved_once(1e-3));
    for (int k = 0; k < 3; ++k) {
      a.step(0.012);
      b.step(0.012);
      for (const ImpulseKind kind : {ImpulseKind::damping, ImpulseKind::wind, ImpulseKind::hand,
                                     ImpulseKind::residual, ImpulseKind::held})
        EXPECT_LT(difference(a.ledger.impulses().of(kind), b.ledger.impulses().of(kind)), 1e-9)
            << full << ", step " << k << ", impulses " << static_cast<int>(kind);
      EXPECT_NEAR(a.ledger.work().solver, b.ledger.work().solver, 1e-9 * std::abs(b.ledger.work().solver));
    }
  }
}

TEST(LedgerOfOneLinearSolve, ApproachesThatOfNewtonsMethod) {
  for (const IntegratorInfo& info : integrators()) {
    if (info.family != IntegratorFamily::implicit) continue;
    std::vector<IntegratorParameters> choices{default_parameters(info)};
    if (info.id == "sdirk2") choices.push_back(kSharedMatrix);
    for (const IntegratorParameters& values : choices) {
      Booked a(shaken_sheet(damped_material()), info, values, solved_once()),
          b(shaken_sheet(damped_material()), info, values);
      for (int k = 0; k < 3; ++k) {
        a.step(1e-5);
        b.step(1e-5);
        for (const ImpulseKind kind :
             {ImpulseKind::damping, ImpulseKind::wind, ImpulseKind::hand, ImpulseKind::held})
          EXPECT_LT(difference(a.ledger.impulses().of(kind), b.ledger.impulses().of(kind)), 1e-4)
              << info.id << ", step " << k << ", impulses " << static_cast<int>(kind);
      }
    }
  }
}

// What the solver left refers to the matrix that it had.
TEST(LedgerOfOneLinearSolve, WithASharedMatrixKnowsWhatItsSolverLeft) {
  for (const auto kind : {LinearSolverSettings::Kind::cg, LinearSolverSettings::Kind::cholesky}) {
    SolverSettings settings = solved_once();
    settings.linear.kind = kind;
    Booked run(shaken_sheet(damped_material()), row("sdirk2"), kSharedMatrix, settings);
    for (int k = 0; k < 3; ++k) {
      run.step(0.012);
      for (const vec3& each : run.ledger.impulses().of(ImpulseKind::residual))
        EXPECT_LT(glm::length(each), 1e-13) << "step " << k;
    }
  }
}

}  // namespace
}  // namespace clothlab
