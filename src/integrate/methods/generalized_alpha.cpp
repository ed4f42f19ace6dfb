// SPDX-License-Identifier: MIT
#include "integrate/methods/generalized_alpha.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {

StepReport GeneralizedAlpha::advance(const DynamicSystem& system, State& state, double h,
                                     const StepContext& context) {
  StepReport report;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &x1_, &v1_, &a_}) scratch->resize(n);
  const auto& [alpha_m, alpha_f, gamma, beta] = constants_;

  if (!start_.compute(system, state, h, context, 0, report)) return report;
  const auto& v0 = start_.v;
  if (!has_a_) impulses_.start(context, system, state.x, v0);
  const std::vector<vec3>& a0 = has_a_ ? a_ : start_.a;

  // With s = (1 − α_f) h:   v_f = v0 + s ((1 − γ) a0 + γ a1)   gives a1, hence
  //   x_f = x0 + s v0 + s h ((½ − β) a0 + β a1) = x̂ + (hβ/γ) v_f,   M (v_f − v̂) = γs/(1 − α_m) f.
  const double s = (1 - alpha_f) * h;
  const double gamma_v = h * beta / gamma, gamma_f = s * gamma / (1 - alpha_m);
  for (std::size_t i = 0; i < n; ++i) {
    const vec3 without_a1 = v0[i] + s * (1 - gamma) * a0[i];
    x_hat_[i] = state.x[i] + s * v0[i] + s * h * (0.5 - beta) * a0[i] - gamma_v * without_a1;
    v_hat_[i] = without_a1 - alpha_m * gamma_f * a0[i];
    guess_[i] = v0[i] + s * start_.a[i];
  }
  const StageEquation equation{gamma_f, gamma_v, x_hat_, v_hat_, h * start_.force_norm(system.masses())};
  if (!stage_.solve(system, equation, {v0, guess_}, context, x1_, v1_, report)) return report;

  // M (v1 − v0) = h ((1 − γ) A0 + γ A1),   A1 = (f − α_m A0)/(1 − α_m) + r/(γs)
  impulses_.recall(context, h * (1 - gamma - gamma * alpha_m / (1 - alpha_m)));
  stage_.report(system, context, h / s, gamma_f, x1_, v1_);
  impulses_.keep(context, 1 / (h * gamma), -(1 - gamma) / gamma);
  for (std::size_t i = 0; i < n; ++i) {
    const vec3 a1 = (v1_[i] - v0[i] - s * (1 - gamma) * a0[i]) / (s * gamma);
    x1_[i] = state.x[i] + h * v0[i] + h * h * ((0.5 - beta) * a0[i] + beta * a1);
    v1_[i] = v0[i] + h * ((1 - gamma) * a0[i] + gamma * a1);
    a_[i] = a1;
  }
  has_a_ = true;
  finish_step(system, context, h, x1_, v1_, state);
  return report;
}

void GeneralizedAlpha::save(Memory& memory) const {
  memory.put(has_a_ ? 1 : 0);
  if (!has_a_) return;
  memory.put(a_);
  impulses_.save(memory);
}

void GeneralizedAlpha::load(MemoryReader& memory, std::size_t n) {
  has_a_ = !memory.at_end() && memory.count(1) == 1;
  if (!has_a_) return;
  a_.resize(n);
  memory.vectors(a_);
  impulses_.load(memory, n);
}

namespace {

constexpr std::array kGeneralizedAlphaParameters{
    ParameterSpec{
        .id = "rho-inf",
        .title = "Spectral radius ρ∞",
        .unit = "",
        .min = 0,
        .max = 1,
        .fallback = 0.5,
        .help = "Factor by which generalized-α multiplies the fastest oscillations per step: 0 removes them "
                "at once, 1 keeps them.",
    },
};

/// Constants for the spectral radius at infinity ρ∞ in [0, 1].
GeneralizedAlpha::Constants constants_of(double rho_inf) {
  GeneralizedAlpha::Constants c;
  c.alpha_m = (2 * rho_inf - 1) / (rho_inf + 1);
  c.alpha_f = rho_inf / (rho_inf + 1);
  c.gamma = 0.5 - c.alpha_m + c.alpha_f;
  c.beta = (1 - c.alpha_m + c.alpha_f) * (1 - c.alpha_m + c.alpha_f) / 4;
  return c;
}

// Largest |ζ| of ((1 − α_m) ζ + α_m) (ζ − 1)² + ((1 − α_f) ζ + α_f) (y² (βζ² + (½ + γ − 2β) ζ + ½ − γ + β)
// + s (ζ − 1) (γζ + 1 − γ)), which is at most 1 for every ρ∞. One root is real and found by bisection; the
// others are roots of a quadratic.
double generalized_alpha_growth(double y, double s, const IntegratorParameters& values) {
  const auto [alpha_m, alpha_f, gamma, beta] = constants_of(values.at(0));
  const double m1 = 1 - alpha_m, m0 = alpha_m, f1 = 1 - alpha_f, f0 = alpha_f;
  const double n2 = y * y * beta + s * gamma;
  const double n1 = y * y * (0.5 + gamma - 2 * beta) + s * (1 - 2 * gamma);
  const double n0 = y * y * (0.5 - gamma + beta) - s * (1 - gamma);
  const double p3 = m1 + f1 * n2, p2 = m0 - 2 * m1 + f0 * n2 + f1 * n1;
  const double p1 = m1 - 2 * m0 + f0 * n1 + f1 * n0, p0 = m0 + f0 * n0;

  double below = -2, above = 2;  // the polynomial is negative at `below`, positive at `above`
  for (double middle = 0; below < middle && middle < above; middle = (below + above) / 2) {
    (((p3 * middle + p2) * middle + p1) * middle + p0 < 0 ? below : above) = middle;
  }
  const double real = above;
  const double q1 = p2 + p3 * real, q0 = p1 + q1 * real;  // p3 ζ² + q1 ζ + q0
  const double discriminant = q1 * q1 - 4 * p3 * q0;
  const double other =
      discriminant < 0 ? std::sqrt(q0 / p3) : (std::abs(q1) + std::sqrt(discriminant)) / (2 * p3);
  return std::min(1.0, std::max(std::abs(real), other));
}

}  // namespace

extern constinit const IntegratorInfo kGeneralizedAlpha{
    .id = "generalized-alpha",
    .title = "Generalized-α",
    .letters = "GA",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .uses_newton = true,
    .uses_linear_solver = true,
    .formula =
        "x1 = x0 + h v0 + h²((½ − β)a0 + βa1); v1 = v0 + h((1 − γ)a0 + γa1); "
        "(1 − α_m) M a1 + α_m M a0 = f((1 − α_f) u1 + α_f u0)",
    .summary =
        "ρ∞ is the amplitude factor of the fastest oscillations per step, from 1 (kept) to 0 (removed). "
        "Slow motion is hardly damped.",
    .cost = "One nonlinear solve per step, as backward Euler's.",
    .use = "Adjustable damping of oscillations that h does not resolve; slow motion is kept.",
    .reference =
        "Chung, Hulbert: A time integration algorithm for structural dynamics with improved "
        "numerical dissipation, Journal of Applied Mechanics 60, 1993",
    .longest_contact_step = 0.004,
    .contact_warning =
        "often blows up where cloth lands on the floor or an obstacle with steps above 4 ms. Use h = 4 ms "
        "or less (--substeps), or a method that damps more: BDF2 or Backward Euler",
    .parameters = kGeneralizedAlphaParameters,
    .stability_limit = kNoStabilityLimit,
    .growth = generalized_alpha_growth,
    .make = [](const IntegratorParameters& values) -> std::unique_ptr<Integrator> {
      return std::make_unique<GeneralizedAlpha>(constants_of(values.at(0)));
    },
};

}  // namespace clothlab
