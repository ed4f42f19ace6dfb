// SPDX-License-Identifier: MIT
#include <array>
#include <numbers>

#include "integrate/dirk.h"

namespace clothlab {
namespace {

/// γ = 2 − √2, β = √2/4: uγ = u0 + γh/2 (F(uγ) + F(u0)); u1 = u0 + (2β/γ)(uγ − u0) + γh/2 F(u1). Both stages
/// have the same form of A [Ascher 2022, §3.1].
constexpr DirkStages kSdirk2Stages{2 - std::numbers::sqrt2,
                                   std::numbers::sqrt2 / 2 / (2 - std::numbers::sqrt2),
                                   1 - std::numbers::sqrt2 / 2};

constexpr std::array kSdirk2Parameters{
    ParameterSpec{
        .id = "shared-matrix",
        .title = "Shared matrix",
        .kind = ParameterSpec::Kind::boolean,
        .help =
            "With one linear solve per stage, the second stage uses the matrix of the first one: Cholesky "
            "factorises once per step instead of twice. Off, and with contact by penalty or barrier, each "
            "stage has the matrix of its own start.",
    },
};

}  // namespace

extern constinit const IntegratorInfo kSdirk2{
    .id = "sdirk2",
    .title = "SDIRK2",
    .letters = "SD",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .formula =
        "γ = 2 − √2, β = √2/4: uγ = u0 + γh/2 (F(u0) + F(uγ)); "
        "u1 = u0 + (2β/γ)(uγ − u0) + γh/2 F(u1), both by Newton's method",
    .summary =
        "TR-BDF2 with stages chosen so that both have the same matrix, evaluated at different positions. "
        "It has the same order, the same damping of fast motion and the same cost.",
    .cost = "Two nonlinear solves per step, each as backward Euler's.",
    .use = "As TR-BDF2.",
    .reference = CLOTHLAB_ASCHER_2022 "section 3.1",
    .parameters = kSdirk2Parameters,
    .growth = dirk_growth<kSdirk2Stages>,
    .make = make_method<Dirk, &kSdirk2Stages>,
};

}  // namespace clothlab
