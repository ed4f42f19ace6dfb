# SPDX-License-Identifier: MIT
"""How fast the error falls with h: docs/analysis.md, "`analyze convergence`: how fast the error falls with h"."""
import clothlab
import numpy as np
from figure import choose, panels, save

END = 0.1  # [s]
METHODS = ["explicit-euler", "symplectic-euler", "backward-euler", "bdf2", "tr-bdf2", "implicit-midpoint", "rk4"]


def bumpy_sheet():
    """3 x 4 particles, stretched by 15 % and 10 % and in motion."""
    flat = clothlab.Run(grid=(3, 4), size=(0.6, 0.4)).rest_positions.copy()
    row, column = np.divmod(np.arange(12), 4)
    flat[:, 1] += 0.04 * np.sin(2 * row + 0.7) * np.cos(1.3 * column)
    k = np.arange(12)
    velocity = 0.2 * np.stack([np.sin(k), np.cos(2 * k), np.sin(3 * k + 1)], axis=1)
    return flat * (1.15, 1, 1.1), velocity


positions, velocities = bumpy_sheet()
sheet = clothlab.Scene(grid=(3, 4), size=(0.6, 0.4), pin=(0, 3), mass=0.2, stretch_stiffness=20, bend_stiffness=2,
                       spring_damping=0, jacobian="exact", cg_tolerance=1e-12, newton_tolerance=1e-12,
                       energy_limit="off").with_state(positions, velocities)


def end_of(method, steps):
    run = clothlab.Run(sheet, integrator=method, dt=END / steps, threads=1)
    return (run.positions, run.velocities) if run.step(steps) == steps else None


reference = end_of("rk4", choose(8192, 4096))
axes = panels(2, "Error after 0.1 s over h")
for method in METHODS:
    steps = [10 * 2**level for level in range(choose(8, 5))]
    ends = [(END / n, end_of(method, n)) for n in steps]
    errors = [(h, *(np.linalg.norm(a - b) for a, b in zip(end, reference))) for h, end in ends if end]
    h, x, v = np.array(errors).T
    print(f"{method:20} order {np.log2(x[-2] / x[-1]):.2f} {np.log2(v[-2] / v[-1]):.2f}")
    axes[0].loglog(h, x, "o-", label=method)
    axes[1].loglog(h, v, "o-")
axes[0].set(xlabel="h [s]", ylabel="error of the positions [m]")
axes[1].set(xlabel="h [s]", ylabel="error of the velocities [m/s]")
axes[0].legend()
save()
