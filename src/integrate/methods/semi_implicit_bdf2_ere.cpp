// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <complex>

#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/siere.h"

namespace clothlab {
namespace {

// The exponential modes gain energy: ζ² − ⅔ (1 + e^z) ζ + ⅓ = 0 at z = iy, so |ζ| ≈ 1 + y²/2.
double bdf2_ere_mode_growth(double y, const IntegratorParameters& values) {
  if (!(values.at(0) > 0)) return bdf2_growth(y, 0, values);
  const std::complex<double> half_sum = (1.0 + std::polar(1.0, y)) / 3.0;
  const std::complex<double> root = std::sqrt(half_sum * half_sum - 1.0 / 3);
  return std::max(std::abs(half_sum + root), std::abs(half_sum - root));
}

}  // namespace

extern constinit const IntegratorInfo kSemiImplicitBdf2Ere{
    .id = "semi-implicit-bdf2-ere",
    .title = "Semi-implicit BDF2 + ERE",
    .letters = "BX",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .order_without_modes = 2,
    .order_condition = "2 with the exact Jacobian and without modes (--modes 0)",
    .uses_linear_solver = true,
    .only_forward = kUsesEarlierSteps,
    .formula = "u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h (H(u0) + E(u0, h)))",
    .summary =
        "SIERE with BDF2, which damps less, for the other modes. The slow modes gain energy: their "
        "amplitude grows by (hω)²/2 per step. Implemented as published.",
    .cost = "As SIERE.",
    .use = "Comparison with the publication; its slow modes gain energy.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
        "3.5.2, (23)",
    .parameters = kModeParameters,
    .stability_limit = 0,
    .growth = bdf2_growth,
    .growth_of_slow_modes = bdf2_ere_mode_growth,
    .force_time = force_at_end,
    .make = [](const IntegratorParameters& values) -> std::unique_ptr<Integrator> {
      return std::make_unique<Siere>(values, true);
    },
};

}  // namespace clothlab
