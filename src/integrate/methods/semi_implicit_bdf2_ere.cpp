// SPDX-License-Identifier: MIT
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/siere.h"

namespace clothlab {

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
    .reference = CLOTHLAB_ASCHER_2022 "section 3.5.2, (23)",
    .parameters = kModeParameters,
    .stability_limit = 0,
    .growth = bdf2_growth,
    .growth_of_slow_modes = bdf2_ere_mode_growth,
    .force_time = force_at_end,
    .make = make_method<Siere, Siere::OtherModes::bdf2, StageSolve::linear>,
};

}  // namespace clothlab
