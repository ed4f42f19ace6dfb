// SPDX-License-Identifier: MIT
#include <array>

#include "integrate/generalized_alpha.h"
#include "integrate/integrator_info.h"

namespace clothlab {
namespace {

constexpr std::array kHhtParameters{
    ParameterSpec{
        .id = "hht-alpha",
        .title = "HHT's α",
        .min = -1.0 / 3,
        .max = 0,
        .fallback = -0.3,
        .help =
            "−α is the weight of the old force. The fastest oscillations are multiplied by ρ∞ = (1 + α)/(1 − "
            "α) per step: 1 at α = 0, 1/2 at α = −1/3.",
    },
};

/// The constants that give order 2 for every α, and stability at every h for −⅓ ≤ α ≤ 0 [Hilber 1977].
GeneralizedAlpha::Constants hht_constants(const IntegratorParameters& values) {
  const double alpha = values.at(0);
  return {.gamma = 0.5 - alpha, .beta = (1 - alpha) * (1 - alpha) / 4, .sigma = -alpha};
}

}  // namespace

extern constinit const IntegratorInfo kHhtAlpha{
    .id = "hht-alpha",
    .title = "HHT-α",
    .letters = "HH",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .only_forward = kUsesEarlierSteps,
    .formula =
        "x1 = x0 + h v0 + h²((½ − β)a0 + βa1); v1 = v0 + h((1 − γ)a0 + γa1); "
        "M a1 = (1 + α) f(u1) − α f(u0), γ = ½ − α, β = (1 − α)²/4",
    .summary =
        "Newmark's method with a weighted mean of the new and the old force, which damps fast oscillations "
        "and keeps order 2. α = 0 is the trapezoidal rule; α = −1/3 is generalized-α with ρ∞ = 1/2. Stiff "
        "cloth gains energy at large steps.",
    .cost = "One nonlinear solve per step, as backward Euler's.",
    .use = "Comparison with structural mechanics, where it is a standard method.",
    .reference =
        "Hilber, Hughes, Taylor: Improved numerical dissipation for time integration algorithms in "
        "structural "
        "dynamics, Earthquake Engineering and Structural Dynamics 5, 1977",
    .longest_contact_step = 0.004,
    .contact_warning =
        "gains energy where cloth lands on the floor or an obstacle with steps above 4 ms. Use h = 4 ms or "
        "less (--substeps), or a method that damps more: BDF2 or Backward Euler",
    .parameters = kHhtParameters,
    .growth = GeneralizedAlpha::growth<hht_constants>,
    .force_time = [](const IntegratorParameters& values) { return 1 + values.at(0); },
    .make = make_method<GeneralizedAlpha, hht_constants>,
};

}  // namespace clothlab
