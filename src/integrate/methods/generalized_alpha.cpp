// SPDX-License-Identifier: MIT
#include "integrate/generalized_alpha.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "integrate/integrator_info.h"

namespace clothlab {
namespace {

constexpr std::array kGeneralizedAlphaParameters{
    ParameterSpec{
        .id = "rho-inf",
        .title = "Spectral radius ρ∞",
        .min = 0,
        .max = 1,
        .fallback = 0.5,
        .help = "Factor by which generalized-α multiplies the fastest oscillations per step: 0 removes them "
                "at once, 1 keeps them.",
    },
};

/// Constants for the spectral radius at infinity ρ∞ in [0, 1].
GeneralizedAlpha::Constants constants_of(const IntegratorParameters& values) {
  const double rho_inf = values.at(0);
  GeneralizedAlpha::Constants c;
  c.alpha_m = (2 * rho_inf - 1) / (rho_inf + 1);
  c.sigma = rho_inf / (rho_inf + 1);
  c.gamma = 0.5 - c.alpha_m + c.sigma;
  c.beta = (1 - c.alpha_m + c.sigma) * (1 - c.alpha_m + c.sigma) / 4;
  return c;
}

}  // namespace

// Largest |ζ| of ((1 − α_m) ζ + α_m) (ζ − 1)² + ((1 − σ) ζ + σ) (y² (βζ² + (½ + γ − 2β) ζ + ½ − γ + β)
// + s (ζ − 1) (γζ + 1 − γ)). One root is real and found by bisection; the others are roots of a quadratic.
double GeneralizedAlpha::Constants::growth(double y, double s) const {
  const double m1 = 1 - alpha_m, m0 = alpha_m, f0 = sigma, f1 = 1 - sigma;
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

extern constinit const IntegratorInfo kGeneralizedAlpha{
    .id = "generalized-alpha",
    .title = "Generalized-α",
    .letters = "GA",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .only_forward = kUsesEarlierSteps,
    .formula =
        "x1 = x0 + h v0 + h²((½ − β)a0 + βa1); v1 = v0 + h((1 − γ)a0 + γa1); "
        "(1 − α_m) M a1 + α_m M a0 = (1 − α_f) f(u1) + α_f f(u0)",
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
        "gains energy where cloth lands on the floor or an obstacle with steps above 4 ms. Use h = 4 ms or "
        "less (--substeps), or a method that damps more: BDF2 or Backward Euler",
    .parameters = kGeneralizedAlphaParameters,
    .growth = GeneralizedAlpha::growth<constants_of>,
    .force_time = [](const IntegratorParameters& values) { return 1 - constants_of(values).sigma; },
    .make = make_method<GeneralizedAlpha, constants_of>,
};

}  // namespace clothlab
