// SPDX-License-Identifier: MIT
#include "integrate/dirk.h"

namespace clothlab {
namespace {

/// u½ = u0 + h/4 (F(u½) + F(u0)); u1 = u0 + 4/3 (u½ − u0) + h/3 F(u1) [Bank 1985; Ascher 2022, §3.1].
constexpr DirkStages kTrBdf2Stages{0.5, 4.0 / 3, 1.0 / 3};

}  // namespace

double tr_bdf2_growth(double y, double s, const IntegratorParameters& values) {
  return dirk_growth<kTrBdf2Stages>(y, s, values);
}

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
    .growth = tr_bdf2_growth,
    .make = make_method<Dirk, &kTrBdf2Stages>,
};

}  // namespace clothlab
