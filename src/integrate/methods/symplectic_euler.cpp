// SPDX-License-Identifier: MIT
#include "integrate/euler.h"
#include "integrate/growth.h"
#include "integrate/integrator_info.h"

namespace clothlab {
extern constinit const IntegratorInfo kSymplecticEuler{
    .id = "symplectic-euler",
    .title = "Symplectic Euler",
    .letters = "SE",
    .family = IntegratorFamily::explicit_method,
    .order = 1,
    .formula = "v1 = v0 + h M⁻¹ f(x0, v0); x1 = x0 + h v1",
    .summary =
        "Costs the same as explicit Euler, but its energy stays bounded for h·ω_max < 2, less with "
        "damping. Above the limit it blows up at once. The method of choice for soft cloth and small "
        "steps.",
    .cost = "One evaluation of the forces per step.",
    .use = "Soft cloth at small steps; long runs without energy drift.",
    .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section I.1",
    .stability_limit = 2,
    .coupling = StepCoupling::symplectic_euler,
    .growth = symplectic_euler_growth,
    .make = make_method<Euler<true>>,
};

}  // namespace clothlab
