// SPDX-License-Identifier: MIT
#include "integrate/siere.h"

#include "integrate/growth.h"
#include "integrate/integrator_info.h"

namespace clothlab {
extern constinit const IntegratorInfo kSiere{
    .id = "siere",
    .title = "SIERE",
    .letters = "SX",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .uses_linear_solver = true,
    .formula = "u1 = u0 + (I − hJ_H)⁻¹ h (H(u0) + E(u0, h))",
    .summary =
        "Keeps the energy of the s slowest modes and damps the others like semi-implicit Euler. Needs one "
        "solve per step, up to s more with damping, and the search for the modes.",
    .cost = "One linear solve per step, up to s more with damping, and the search for s modes.",
    .use = "Stiff cloth whose slow swing must not be damped.",
    .reference = "Chen, Sheen, Ascher, Pai: SIERE, ACM Transactions on Graphics 40(1), 2020",
    .parameters = kModeParameters,
    .stability_limit = kNoStabilityLimit,
    .growth = implicit_euler_growth,
    .growth_of_slow_modes = siere_mode_growth,
    .make = make_method<Siere, Siere::OtherModes::euler, StageSolve::linear>,
};

}  // namespace clothlab
