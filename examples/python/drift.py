# SPDX-License-Identifier: MIT
"""Rods and their velocities: docs/analysis.md, "`analyze drift`: rods and their velocities"."""
import tempfile
from pathlib import Path

import clothlab
import numpy as np
from figure import choose, panels, save

RUNS = {"rattle": {}, "shake": {}, "fast-projection": {}, "pbd-proj2": {}, "pbd-proj2, plain": {"velocity_projection": False}}
STEPS = choose(500, 200)

with tempfile.TemporaryDirectory() as folder:  # one rod: a triangle of which only an edge is left
    mesh = Path(folder) / "rod.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nf 1 2 2\n")
    rod = clothlab.Scene(mesh, pin=[0], mass=0.2, spring_damping=0, dt=0.01, newton_tolerance=1e-6)

axes = panels(3, "One rod of 1 m, released from the horizontal, h = 10 ms", sharex=True)
for name, values in RUNS.items():
    run = clothlab.Run(rod, integrator=name.split(",")[0], **values)
    length, rate, energy = [], [], []
    for _ in range(STEPS):
        run.step()
        x, v = np.diff(run.positions, axis=0)[0], np.diff(run.velocities, axis=0)[0]
        length.append(abs(np.linalg.norm(x) - 1))
        rate.append(abs(x @ v) / np.linalg.norm(x))
        energy.append(run.energy["total"])
    print(f"{name:18} length {max(length):.1e} m, speed {max(rate):.1e} m/s, {energy[0] - energy[-1]:.2f} J lost")
    time = 0.01 * np.arange(1, STEPS + 1)
    axes[0].semilogy(time, np.maximum(length, 1e-18), label=name)
    axes[1].semilogy(time, np.maximum(rate, 1e-18))
    axes[2].plot(time, energy)
axes[0].set(xlabel="time [s]", ylabel="error of the length [m]")
axes[1].set(xlabel="time [s]", ylabel="speed at which the length would change [m/s]")
axes[2].set(xlabel="time [s]", ylabel="total energy [J]")
axes[0].legend()
save()
