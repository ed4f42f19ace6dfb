// SPDX-License-Identifier: MIT
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/siere.h"

namespace clothlab {

extern constinit const IntegratorInfo kBeere{
    .id = "beere",
    .title = "BEERE",
    .letters = "XB",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .uses_newton = true,
    .uses_linear_solver = true,
    .stiff_forces = StiffForces::none,
    .formula = "u1 = u0 + h E(u0, h) + h H(u1), by Newton's method",
    .summary =
        "Keeps the energy of the s slowest modes and damps the others like backward Euler. Unlike SIERE, its "
        "first Newton iteration, it follows springs that turn within the step.",
    .cost = "As backward Euler, with the search for s modes, which every linear solve leaves out.",
    .use = "Stiff cloth whose slow swing must not be damped, at steps in which its springs turn.",
    .reference = CLOTHLAB_ASCHER_2022 "section 3.5.2, (20)",
    .parameters = kModeParameters,
    .stability_limit = kNoStabilityLimit,
    .growth = implicit_euler_growth,
    .growth_of_slow_modes = siere_mode_growth,
    .make = make_method<Siere, Siere::OtherModes::euler, StageSolve::newton>,
};

}  // namespace clothlab
