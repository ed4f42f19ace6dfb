# SPDX-License-Identifier: MIT
"""The largest stable h of each method: docs/analysis.md, "`analyze stability`: the largest stable h on a scene"."""
import clothlab
from figure import choose, panels, save

METHODS = ["explicit-euler", "symplectic-euler", "velocity-verlet", "rk4", "implicit-midpoint", "trapezoidal", "bdf2",
           "backward-euler"]
LARGEST = 1 / 60  # [s]
sheet = clothlab.Scene(grid=(5, 5), mass=0.05, spring_damping=0, energy_limit=2)


def is_stable(method, h, steps=400):
    """No blow-up, and the energy of the last quarter does not exceed that of the first one."""
    run = clothlab.Run(sheet, integrator=method, dt=h, threads=1)
    total, moving = [], 0
    for _ in range(steps):
        if run.step() == 0:
            return False
        energy = run.energy
        total.append(energy["total"])
        moving = max(moving, energy["kinetic"] + energy["stretch"] + energy["bend"])
    quarter = steps // 4
    return max(total[-quarter:]) - max(total[:quarter]) < moving / 10


def largest_stable_step(method, precision):
    stable, unstable = LARGEST, None
    while not is_stable(method, stable) and stable > 1e-6:
        stable, unstable = stable / 2, stable
    while unstable and unstable - stable > precision * stable:
        middle = (stable + unstable) / 2
        stable, unstable = (middle, unstable) if is_stable(method, middle) else (stable, middle)
    return stable, unstable is None


axes = panels(1, "Largest stable h on a sheet of 5 x 5 particles")
for row, method in enumerate(METHODS):
    h, at_least = largest_stable_step(method, choose(0.005, 0.2))
    label = "no h" if h <= 1e-6 else f"{'≥ ' if at_least else ''}{1e3 * h:.3g} ms"
    print(f"{method:20} {label}")
    axes[0].barh(row, h, color="C0" if at_least else "C1")
    axes[0].text(h, row, " " + label, va="center")
axes[0].set(xscale="log", xlim=(1e-4, 0.1), xlabel="h [s]", yticks=range(len(METHODS)), yticklabels=METHODS)
save()
