# SPDX-License-Identifier: MIT
"""Energy of an undamped strip over time: docs/analysis.md, "`analyze energy`: energy over time"."""
import clothlab
import numpy as np
from figure import choose, panels, save

METHODS = ["backward-euler", "implicit-midpoint", "bdf2", "tr-bdf2", "sdirk2", "siere", "semi-implicit-bdf2-ere", "str-sbdf2-ere"]
ROWS, COLUMNS, STEPS = 5, 25, choose(600, 200)

strip = clothlab.Scene(grid=(ROWS, COLUMNS), size=(1, 0.16), mass=0.1, stretch_stiffness=60, bend_stiffness=0.6,
                       spring_damping=0, dt=0.005, cg_tolerance=1e-6, newton_tolerance=1e-6,
                       pin=[r * COLUMNS + c for r in range(ROWS) for c in (0, COLUMNS - 1)])
across, along = np.divmod(np.arange(ROWS * COLUMNS), COLUMNS) / np.array([[ROWS - 1], [COLUMNS - 1]])
arch = 0.08 * np.sin(np.pi * along) + 0.03 * np.sin(2 * np.pi * along) * (across - 0.5)
strip = strip.with_state(np.stack([along, arch, 0.16 * across], axis=1))

axes = panels(2, "A soft strip without damping, h = 5 ms", sharex=True)
run = clothlab.Run(strip, integrator=METHODS[0])
for method in METHODS[1:]:
    run.add_lane(integrator=method)
energies = {lane.integrator: [lane.energy] for lane in run.lanes}
for _ in range(STEPS):
    run.step()
    for lane in run.lanes:
        if not lane.blow_up:
            energies[lane.integrator].append(lane.energy)
for method, rows in energies.items():
    time = 0.005 * np.arange(len(rows))
    total = np.array([row["total"] for row in rows])
    kinetic = np.array([row["kinetic"] for row in rows])
    print(f"{method:24} {1e3 * (total[-1] - total[0]):8.1f} mJ after {time[-1]:.1f} s")
    axes[0].plot(time, total - kinetic)
    axes[1].plot(time, total, label=method)
axes[0].set(xlabel="time [s]", ylabel="potential energy [J]")
axes[1].set(xlabel="time [s]", ylabel="total energy [J]")
axes[1].legend()
save()
