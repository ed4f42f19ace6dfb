# SPDX-License-Identifier: MIT
"""From stiff springs to rods: docs/analysis.md, "`analyze stiff-limit`: from stiff springs to rods"."""
import clothlab
import numpy as np
from figure import choose, panels, save

METHODS = ["backward-euler", "bdf2", "tr-bdf2", "generalized-alpha", "implicit-midpoint"]
STEPS = choose(3000, 600)
ANGLE, COLUMNS = 1.1311, 8  # sin(a)/a = 0.8: half the arc of the start

strip = clothlab.Scene(grid=(2, COLUMNS), size=(1, 0.15), pin=[0, COLUMNS - 1, COLUMNS, 2 * COLUMNS - 1], rayleigh_mass=10, mass=0.2,
                       dt=0.01, newton_tolerance=1e-13, linear_solver="cholesky")
across, along = np.divmod(np.arange(2 * COLUMNS), COLUMNS)
angle = ANGLE * (2 * along / (COLUMNS - 1) - 1)
strip = strip.with_state(np.stack([np.sin(angle) / (2 * ANGLE), -np.cos(angle) / (2 * ANGLE), 0.15 * across], axis=1))


def end_of(method, **values):
    run = clothlab.Run(strip, integrator=method, threads=1, **values)
    return run.positions if run.step(STEPS) == STEPS else None


rods = end_of("rattle")
axes = panels(1, "Distance of the positions from those with rods")
for method in METHODS:
    found = []
    for stiffness in 10 ** np.arange(3, choose(7.1, 6.1), choose(0.5, 1)):
        end = end_of(method, stretch_stiffness=stiffness)
        if end is not None:
            found.append((stiffness, np.sqrt(np.mean(np.sum((end - rods) ** 2, axis=1)))))
    print(method.ljust(20), *(f"{distance:.1e}" for _, distance in found))
    axes[0].loglog(*np.transpose(found), "o-", label=method)
axes[0].set(xlabel="stretch stiffness [N/m]", ylabel="root mean square distance [m]")
axes[0].legend()
save()
