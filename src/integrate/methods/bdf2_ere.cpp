// SPDX-License-Identifier: MIT
#include <array>

#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/siere.h"

namespace clothlab {
namespace {

constexpr std::array kBdf2EreParameters{
    kModeParameters[0],
    kModeParameters[1],
    ParameterSpec{
        .id = "lawson",
        .title = "Lawson form",
        .kind = ParameterSpec::Kind::boolean,
        .help =
            "Moves both past states exactly in the modes before BDF2 combines them: the modes then gain no "
            "energy, and the order is 2. Not in the publication.",
    },
};

bool is_lawson(const IntegratorParameters& values) { return values.at(2) != 0; }

}  // namespace

extern constinit const IntegratorInfo kBdf2Ere{
    .id = "bdf2-ere",
    .title = "BDF2 + ERE",
    .letters = "X2",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .order_without_modes = 2,
    .order_condition = "2 in Lawson's form (--lawson), and without modes (--modes 0)",
    .uses_newton = true,
    .uses_linear_solver = true,
    .stiff_forces = StiffForces::none,
    .only_forward = kUsesEarlierSteps,
    .formula = "u1 = û + ⅔h H(u1), by Newton's method, û = ⅓ (4u0 − u₋₁ + 2h E(u0, h)); first step BEERE",
    .summary =
        "BEERE with BDF2, which damps less, for the other modes. As published, the slow modes gain energy: "
        "their amplitude grows by (hω)²/2 per step. Lawson's form ends that at the same cost.",
    .cost = "As BEERE.",
    .use = "In Lawson's form: stiff cloth whose slow swing must keep its energy.",
    .reference = CLOTHLAB_ASCHER_2022 "section 3.5.2, (22)",
    .parameters = kBdf2EreParameters,
    .stability_limit = 0,
    .stability_limit_with =
        [](const IntegratorParameters& values) { return is_lawson(values) ? kNoStabilityLimit : 0.0; },
    .growth = bdf2_growth,
    .growth_of_slow_modes =
        [](double y, const IntegratorParameters& values) {
          return is_lawson(values) && values.at(0) > 0 ? 1 : bdf2_ere_mode_growth(y, values);
        },
    .force_time = force_at_end,
    .make = [](const IntegratorParameters& values) -> std::unique_ptr<Integrator> {
      return std::make_unique<Siere>(values, Siere::OtherModes::bdf2, StageSolve::newton, is_lawson(values));
    },
};

}  // namespace clothlab
