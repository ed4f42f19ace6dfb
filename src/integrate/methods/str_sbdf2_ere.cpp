// SPDX-License-Identifier: MIT
#include "integrate/tr_bdf2_ere.h"

namespace clothlab {

extern constinit const IntegratorInfo kStrSbdf2Ere{
    .id = "str-sbdf2-ere",
    .title = "Semi-implicit TR-BDF2 + ERE",
    .letters = "TX",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .order_without_modes = 2,
    .order_condition = "2 with the exact Jacobian and without modes (--modes 0)",
    .uses_linear_solver = true,
    .formula =
        "u½ = u0 + ½ (I − h/4 J(u0))⁻¹ h F(u0); "
        "at u½: u1 = u½ + ⅓ (I − h/3 J_H)⁻¹ (u½ − u0 + h (H + E(u½, h/2)))",
    .summary =
        "Less damped than SIERE. Its slow modes gain energy: their amplitude grows by (hω)²/12 per step.",
    .cost = "Two linear solves per step, up to s more with damping, and the search for s modes.",
    .use = "Comparison with the publication; its slow modes gain less energy than with BDF2.",
    .reference = CLOTHLAB_ASCHER_2022 "section 4, (27)",
    .parameters = kModeParameters,
    .stability_limit = 0,
    .growth = dirk_growth<kTrBdf2Stages>,
    .growth_of_slow_modes = tr_bdf2_ere_mode_growth,
    .make = make_method<TrBdf2Ere, StageSolve::linear>,
};

}  // namespace clothlab
