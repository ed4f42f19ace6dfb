// SPDX-License-Identifier: MIT
#include "integrate/tr_bdf2_ere.h"

namespace clothlab {

extern constinit const IntegratorInfo kTrBdf2Ere{
    .id = "tr-bdf2-ere",
    .title = "TR-BDF2 + ERE",
    .letters = "XT",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .order_without_modes = 2,
    .order_condition = "2 without modes (--modes 0)",
    .uses_newton = true,
    .uses_linear_solver = true,
    .stiff_forces = StiffForces::none,
    .formula =
        "u½ = u0 + h/4 (F(u0) + F(u½)); u1 = u½ + ⅓ (u½ − u0) + h/3 (H(u1) + E(u½, h/2)), both by Newton's "
        "method",
    .summary =
        "Less damped than BEERE. Its slow modes gain energy: their amplitude grows by (hω)²/12 per step. It "
        "answers a conjecture of the publication, which gives no equations.",
    .cost = "Two nonlinear solves per step, and the search for s modes.",
    .use = "Comparison with the publication; its slow modes gain less energy than with BDF2.",
    .reference = CLOTHLAB_ASCHER_2022 "section 4",
    .parameters = kModeParameters,
    .stability_limit = 0,
    .growth = dirk_growth<kTrBdf2Stages>,
    .growth_of_slow_modes = tr_bdf2_ere_mode_growth,
    .make = make_method<TrBdf2Ere, StageSolve::newton>,
};

}  // namespace clothlab
