// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/growth.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

struct Slope {
  double weight;  // in the sum, in sixths
  double node;    // position of the next slope along it, in h
};
constexpr Slope kSlopes[] = {{1, 0.5}, {2, 0.5}, {2, 1}};
constexpr double kLastWeight = 1;

/// The classical Runge–Kutta method on u' = (v, M⁻¹ f(x, v)) [Kutta 1901].
class Rk4 final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&x_, &v_, &a_, &v_sum_, &a_sum_}) scratch->resize(n);

    start_.compute(system, state, h, context, kSlopes[0].weight * h / 6);
    const std::vector<vec3>&v0 = start_.v, &a0 = start_.a;
    for (const Slope& slope : kSlopes) {
      const bool first = &slope == kSlopes;
      const std::vector<vec3>&v = first ? v0 : v_, &a = first ? a0 : a_;
      context.poll();
      context.for_particles(n, [&](std::size_t i) {
        v_sum_[i] = first ? v[i] : v_sum_[i] + slope.weight * v[i];
        a_sum_[i] = first ? a[i] : a_sum_[i] + slope.weight * a[i];
        x_[i] = state.x[i] + slope.node * h * v[i];
        v_[i] = v0[i] + slope.node * h * a[i];
      });
      const double weight = &slope + 1 == std::end(kSlopes) ? kLastWeight : (&slope + 1)->weight;
      free_acceleration(system, x_, v_, context, weight * h / 6, a_);
    }

    context.for_particles(n, [&](std::size_t i) {
      x_[i] = state.x[i] + h / 6 * (v_sum_[i] + kLastWeight * v_[i]);
      v_[i] = v0[i] + h / 6 * (a_sum_[i] + kLastWeight * a_[i]);
    });
    contacts_.act(system, context, h, ContactTiming::throughout, {state.x, v0, x_, v_}, report);
    finish_step(system, context, h, x_, v_, state);
  }

  ContactCorrection contacts_;
  StepStart start_;
  std::vector<vec3> x_;      // of the current stage
  std::vector<vec3> v_;      // of the current stage, the x part of its slope
  std::vector<vec3> a_;      // the v part of its slope
  std::vector<vec3> v_sum_;  // k1 + 2 k2 + 2 k3, x part
  std::vector<vec3> a_sum_;  // v part
};

double rk4_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(
      y, s, [](auto z) { return std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))); });
}

}  // namespace

extern constinit const IntegratorInfo kRk4{
    .id = "rk4",
    .title = "Runge–Kutta 4",
    .letters = "RK",
    .family = IntegratorFamily::explicit_method,
    .order = 4,
    .formula =
        "k1 = F(u0); k2 = F(u0 + h/2 k1); k3 = F(u0 + h/2 k2); k4 = F(u0 + h k3); "
        "u1 = u0 + h/6 (k1 + 2 k2 + 2 k3 + k4)",
    .summary =
        "The classical method of order four, with four evaluations of the forces per step. It is the most "
        "accurate method here while h·ω_max is well below its limit of 2√2. It damps oscillations that "
        "are fast for the step.",
    .cost = "Four evaluations of the forces per step.",
    .use = "Reference solutions at steps well below its limit.",
    .reference = "Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, section II.1",
    .stability_limit = 2 * std::numbers::sqrt2,
    .growth = rk4_growth,
    .make = make_method<Rk4>,
};

}  // namespace clothlab
