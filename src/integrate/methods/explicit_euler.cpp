// SPDX-License-Identifier: MIT
#include "integrate/euler.h"
#include "integrate/growth.h"
#include "integrate/integrator_info.h"

namespace clothlab {
namespace {

double explicit_euler_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) { return std::abs(1.0 + z); });
}

}  // namespace

extern constinit const IntegratorInfo kExplicitEuler{
    .id = "explicit-euler",
    .title = "Explicit Euler",
    .letters = "EE",
    .family = IntegratorFamily::explicit_method,
    .order = 1,
    .formula = "x1 = x0 + h v0; v1 = v0 + h M⁻¹ f(x0, v0)",
    .summary =
        "The simplest method. It gains energy at every step size, so undamped cloth always blows up "
        "eventually. Damped cloth is stable at very small steps.",
    .cost = "One evaluation of the forces per step.",
    .use = "Teaching only: it shows numerical instability.",
    .reference = CLOTHLAB_ASCHER_2022 "section 3",
    .stability_limit = 0,
    .growth = explicit_euler_growth,
    .make = make_method<Euler<false>>,
};

}  // namespace clothlab
