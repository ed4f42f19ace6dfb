// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>

#include "integrate/generalized_alpha.h"
#include "integrate/growth.h"
#include "integrate/integrator_info.h"

namespace clothlab {
namespace {

constexpr std::array kNewmarkParameters{
    ParameterSpec{
        .id = "newmark-beta",
        .title = "Newmark's β",
        .min = 0,
        .max = 1,
        .fallback = 0.25,
        .help =
            "Weight of the new acceleration in the positions. 1/4: mean of old and new; 1/6: linear in time; "
            "0: old only. Stable at every h for 2β ≥ γ.",
    },
    ParameterSpec{
        .id = "newmark-gamma",
        .title = "Newmark's γ",
        .min = 0.5,
        .max = 1,
        .fallback = 0.5,
        .help = "Weight of the new acceleration in the velocities. 1/2: no damping, order 2. More: fast "
                "oscillations are damped, order 1.",
    },
};

GeneralizedAlpha::Constants newmark_constants(const IntegratorParameters& values) {
  return {.gamma = values.at(1), .beta = values.at(0)};
}

// (ζ − 1)² + s (ζ − 1) (γζ + 1 − γ) + y² (βζ² + (½ + γ − 2β) ζ + ½ − γ + β) = 0
double newmark_growth(double y, double s, const IntegratorParameters& values) {
  const double beta = values.at(0), gamma = values.at(1);
  const double lead = 1 + s * gamma + y * y * beta;
  return quadratic_radius((s + y * y * (gamma + 0.5)) / (2 * lead), y * y / lead,
                          1 - (s + y * y * (gamma - 0.5)) / lead);
}

// The root ζ = −1 of the above without damping. On a cloth, with σ = (ζ − 1)/(ζ + 1), it is
// (1 + (γ − ½) hC̃ − (γ/2 − β) h²K̃) σ² + ½ (hC̃ + (γ − ½) h²K̃) σ + ¼ h²K̃ = 0, which has a root with a positive
// real part only if the coefficient of σ² is not positive definite; damping does not change that.
double newmark_limit(const IntegratorParameters& values) {
  const double beta = values.at(0), gamma = values.at(1);
  return 2 * beta >= gamma ? kNoStabilityLimit : 1 / std::sqrt(gamma / 2 - beta);
}

}  // namespace

extern constinit const IntegratorInfo kNewmark{
    .id = "newmark",
    .title = "Newmark",
    .letters = "NM",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .order_condition = "with γ = 1/2, otherwise 1",
    .only_forward = kUsesEarlierSteps,
    .formula = "x1 = x0 + h v0 + h²((½ − β)a0 + βa1); v1 = v0 + h((1 − γ)a0 + γa1); M a1 = f(x1, v1)",
    .summary =
        "The method of structural mechanics. With β = 1/4 and γ = 1/2 it is the trapezoidal rule and "
        "keeps an oscillator's amplitude. β below γ/2 limits h. A larger γ damps oscillations that are "
        "fast for the step and lowers the order to 1.",
    .cost = "One nonlinear solve per step, as backward Euler's.",
    .use = "Comparison with structural mechanics; experiments with β and γ.",
    .reference =
        "Newmark: A method of computation for structural dynamics, Journal of the Engineering Mechanics "
        "Division 85(3), 1959; Hughes: The Finite Element Method, section 9.1",
    .parameters = kNewmarkParameters,
    .stability_limit_with = newmark_limit,
    .coupling = StepCoupling::undamped,
    .growth = newmark_growth,
    .force_time = force_at_end,
    .make = make_method<GeneralizedAlpha, newmark_constants>,
};

}  // namespace clothlab
