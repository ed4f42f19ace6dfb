// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/growth.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// 2^(1/3)
constexpr double kCubeRoot = 1.2599210498948731648;
constexpr double kOuterShare = 1 / (2 - kCubeRoot), kInnerShare = -kCubeRoot * kOuterShare;
/// Shares of h. Their sum is 1 and the sum of their cubes is 0, so errors of the third power cancel.
constexpr std::array kShares{kOuterShare, kInnerShare, kOuterShare};

/// Three steps of velocity Verlet, of w1 h, w0 h and w1 h, w1 = 1/(2 − 2^{1/3}), w0 = 1 − 2 w1: the middle
/// one goes back in time (model.md) [Yoshida 1990; Hairer 2006, II.4].
class Yoshida4 final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    start_.compute(system, state, h, context, kOuterShare * h / 2);
    x_ = state.x;
    v_ = start_.v;
    a_ = start_.a;
    v_ahead_.resize(n);
    a_ahead_.resize(n);
    for (std::size_t k = 0; k < kShares.size(); ++k) {
      const double t = kShares[k] * h;
      context.poll();
      // With damping the acceleration differs from the end of the previous step.
      if (k > 0) free_acceleration(system, x_, v_, context, t / 2, a_);
      context.poll();
      context.for_particles(n, [&](std::size_t i) {
        x_[i] += t * v_[i] + t * t / 2 * a_[i];
        v_ahead_[i] = v_[i] + t * a_[i];
      });
      free_acceleration(system, x_, v_ahead_, context, t / 2, a_ahead_);
      context.for_particles(n, [&](std::size_t i) { v_[i] += t / 2 * (a_[i] + a_ahead_[i]); });
    }
    contacts_.act(system, context, h, ContactTiming::throughout, {state.x, start_.v, x_, v_}, report);
    finish_step(system, context, h, x_, v_, state);
  }

  ContactCorrection contacts_;
  StepStart start_;
  std::vector<vec3> x_;
  std::vector<vec3> v_;
  std::vector<vec3> a_;
  std::vector<vec3> v_ahead_;  // v + t a, at the end of a step of t
  std::vector<vec3> a_ahead_;
};

/// The spectral radius of the product of the three steps' matrices, from its determinant and its trace.
double yoshida4_growth(double y, double s, const IntegratorParameters& /*values*/) {
  const auto acceleration = [&](double x, double v) { return -y * y * x - s * v; };  // with h = 1
  double determinant = 1, trace = 0;
  for (const int column : {0, 1}) {
    double x = column == 0 ? 1 : 0, v = column == 0 ? 0 : 1;
    for (const double t : kShares) {
      const double a = acceleration(x, v), x1 = x + t * v + t * t / 2 * a;
      v += t / 2 * (a + acceleration(x1, v + t * a));
      x = x1;
    }
    trace += column == 0 ? x : v;
  }
  for (const double t : kShares) determinant *= 1 - t * s + t * t * s * s / 2 - t * t * t * s * y * y / 4;
  const double q = 1 - trace / 2;
  return quadratic_radius(q, 2 * q + determinant - 1, determinant);
}

}  // namespace

extern constinit const IntegratorInfo kYoshida4{
    .id = "yoshida4",
    .title = "Yoshida 4",
    .letters = "Y4",
    .family = IntegratorFamily::explicit_method,
    .order = 4,
    .order_with_damping = 3,
    .order_condition = "without damping, otherwise 3",
    .formula = "u1 = V(w1 h) V(w0 h) V(w1 h) u0, V velocity Verlet, w1 = 1/(2 - 2^(1/3)), w0 = 1 - 2 w1",
    .summary =
        "Three steps of velocity Verlet, the middle one backwards in time, whose errors cancel: order "
        "four, and still symplectic. Energy oscillates and does not drift. Dampers also act backwards in "
        "the middle step, so strong damping limits h.",
    .cost = "Six evaluations of the forces per step.",
    .use = "Long runs without damping at small h, where energy must not drift.",
    .reference = "Yoshida: Construction of higher order symplectic integrators, Physics Letters A 150, 1990",
    .stability_limit = 1.5734019474345398,  // √(12 − 6·2^{2/3})
    .coupling = StepCoupling::composition,
    .growth = yoshida4_growth,
    .make = make_method<Yoshida4>,
};

}  // namespace clothlab
