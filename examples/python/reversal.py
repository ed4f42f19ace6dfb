# SPDX-License-Identifier: MIT
"""Forward and back: docs/analysis.md, "`analyze reversal`: forward and back"."""
from pathlib import Path

import clothlab
import numpy as np
from figure import choose, panels, save

METHODS = ["velocity-verlet", "yoshida4", "implicit-midpoint", "newmark", "rk4", "tr-bdf2", "symplectic-euler", "backward-euler"]
STEPS = choose(1200, 300)
strip = clothlab.Scene(Path(__file__).resolve().parents[2] / "assets/scenes/16-there-and-back.json")

axes = panels(1, "Distance from the forward run, after the velocities were reversed")
for method in METHODS:
    there = clothlab.Run(strip, integrator=method, threads=1)
    past = []
    for _ in range(STEPS):
        past.append(there.positions)  # each view keeps its moment
        there.step()
    back = clothlab.Run(strip.with_state(there.positions, -there.velocities), integrator=method, threads=1)
    distance = []
    while past and back.step() == 1:
        distance.append(np.sqrt(np.mean(np.sum((back.positions - past.pop()) ** 2, axis=1))))
    print(f"{method:20} {distance[-1]:.1e} m from the start")
    axes[0].semilogy(np.arange(1, len(distance) + 1) / 240, np.maximum(distance, 1e-17), label=method)
axes[0].set(xlabel="time since the reversal [s]", ylabel="root mean square distance [m]")
axes[0].legend()
save()
