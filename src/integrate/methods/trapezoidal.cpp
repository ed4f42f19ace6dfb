// SPDX-License-Identifier: MIT
#include "integrate/dirk.h"

namespace clothlab {
namespace {

/// u1 = u0 + h/2 (F(u0) + F(u1)) [Hairer 2006, II.1]. Keeps an oscillator's amplitude; on cloth it is the
/// midpoint rule in other variables.
constexpr DirkStages kTrapezoidalStage{1, 1, 0};

}  // namespace

extern constinit const IntegratorInfo kTrapezoidal{
    .id = "trapezoidal",
    .title = "Trapezoidal rule",
    .letters = "TR",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .formula = "u1 = u0 + h/2 (F(u0) + F(u1)), by Newton's method",
    .summary =
        "Closely related to the midpoint rule: constant amplitude on an oscillator, the same cost. It "
        "evaluates the forces at both ends of the step instead of at its middle. A stiff force at the "
        "start therefore counts in full.",
    .cost = "As backward Euler, per iteration.",
    .use = "As the midpoint rule, with forces evaluated at both ends of the step.",
    .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section II.1",
    .growth = trapezoidal_growth,
    .make = make_method<Dirk, &kTrapezoidalStage>,
};

}  // namespace clothlab
