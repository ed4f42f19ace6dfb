// SPDX-License-Identifier: MIT
#include "integrate/rattle.h"

#include "integrate/growth.h"
#include "integrate/integrator_info.h"

namespace clothlab {

extern constinit const IntegratorInfo kRattle{
    .id = "rattle",
    .title = "RATTLE",
    .letters = "RA",
    .family = IntegratorFamily::position_based,
    .order = 2,
    .uses_newton = true,
    .inextensible = true,
    .formula =
        "v½ = v0 + h/2 M⁻¹ (f0 − J0ᵀλ); x1 = x0 + h v½ with C(x1) = l − L = 0; "
        "v1 = v½ + h/2 M⁻¹ (f1 − J1ᵀμ) with J1 v1 = 0",
    .summary =
        "Verlet's method for inextensible cloth: stretch springs become rods of fixed length, at any "
        "stiffness. Lengths and velocities satisfy their constraints exactly, and the energy does not "
        "drift. Bending springs and the grab are explicit and limit h. On triangle meshes of 256 "
        "particles or more the rods contradict each other. There, and in steps that may touch a surface, "
        "they are compliant like stiff springs, energy is lost, and the length error is reported.",
    .cost =
        "Newton's method on the lengths: a linear system with an unknown per stretch spring in each "
        "iteration, and one more for the velocities. With compliant rods, two solves with multigrid.",
    .use = "Chains and nets that must not stretch at all.",
    .reference =
        "Andersen: Rattle, Journal of Computational Physics 52, 1983; Hairer, Lubich, Wanner: "
        "Geometric Numerical Integration, section VII.1.4",
    .stability_limit = 2,
    .coupling = StepCoupling::velocity_verlet,
    .growth = velocity_verlet_growth,
    .make = make_method<Rattle<false>>,
};

}  // namespace clothlab
