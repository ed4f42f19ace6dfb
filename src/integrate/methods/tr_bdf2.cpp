// SPDX-License-Identifier: MIT
#include "integrate/dirk.h"

namespace clothlab {
extern constinit const IntegratorInfo kTrBdf2{
    .id = "tr-bdf2",
    .title = "TR-BDF2",
    .letters = "TB",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .formula = "u½ = u0 + h/4 (F(u0) + F(u½)); u1 = u0 + 4/3 (u½ − u0) + h/3 F(u1), both by Newton's method",
    .summary =
        "The trapezoidal rule over half a step, then BDF2 over both halves: second order without a "
        "history. It hardly damps motion that the step resolves, and fully damps all other motion. It "
        "costs twice as much as backward Euler, which its accuracy usually justifies.",
    .cost = "Two nonlinear solves per step, each as backward Euler's.",
    .use = "Accurate motion of stiff cloth; damps only motion that h does not resolve.",
    .reference = "Bank et al.: Transient simulation of silicon devices and circuits, IEEE 1985",
    .growth = dirk_growth<kTrBdf2Stages>,
    .make = make_method<Dirk, &kTrBdf2Stages>,
};

}  // namespace clothlab
