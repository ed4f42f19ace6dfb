// SPDX-License-Identifier: MIT
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/rattle.h"

namespace clothlab {

extern constinit const IntegratorInfo kShake{
    .id = "shake",
    .title = "SHAKE",
    .letters = "SH",
    .family = IntegratorFamily::position_based,
    .order = 2,
    .uses_newton = true,
    .inextensible = true,
    .formula =
        "v½ = v₋½ + h M⁻¹ (f0 − J0ᵀλ); x1 = x0 + h v½ with C(x1) = l − L = 0; shown: v0 = (v₋½ + v½)/2",
    .summary =
        "The older form of RATTLE: the same positions, and velocities from the positions only. They do not "
        "satisfy the constraints of the velocities, with an error of order h². On large triangle "
        "meshes and in steps that may touch a surface, rods are compliant as in RATTLE.",
    .cost = "Newton's method on the lengths, twice: v1 contains the force of the rods in the next step.",
    .use = "Comparison with RATTLE: what its second projection changes.",
    .reference =
        "Ryckaert, Ciccotti, Berendsen: Numerical integration of the cartesian equations of motion of a "
        "system with constraints, Journal of Computational Physics 23, 1977; Hairer, Lubich, Wanner: "
        "Geometric Numerical Integration, section VII.1.4",
    .stability_limit = 2,
    .coupling = StepCoupling::velocity_verlet,
    .growth = velocity_verlet_growth,
    .make = make_method<Rattle<true>>,
};

}  // namespace clothlab
