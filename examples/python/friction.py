# SPDX-License-Identifier: MIT
"""Sticking, creeping and sliding on a slope: docs/analysis.md, "`analyze friction`: sticking, creeping and sliding"."""
import clothlab
import numpy as np
from figure import choose, panels, save

METHODS = ["symplectic-euler", "rk4", "semi-implicit-euler", "backward-euler", "trapezoidal", "exponential-rosenbrock-euler"]
FRICTION, FRICTION_SPEED, EDGE = 0.5, 0.01, 0.01
CREEP = FRICTION_SPEED * (1 - np.sqrt(0.5))


def slide(method, h, slope, contact):
    """Mean speed and acceleration of 2 x 2 particles down the slope in the second half of 0.5 s."""
    angle = np.arctan(slope * FRICTION)
    normal, down = np.array([np.sin(angle), np.cos(angle), 0]), np.array([np.cos(angle), -np.sin(angle), 0])
    gap = 5e-3 - 0.01 * 9.8 * np.cos(angle) / 50 if contact == "penalty" else 0
    corners = [gap * normal + x * down + (0, 0, z) for z in (0, EDGE) for x in (0, EDGE)]
    scene = clothlab.Scene(grid=(2, 2), size=(EDGE, EDGE), pin="none", mass=0.04, stretch_stiffness=5, bend_stiffness=5, dt=h,
                           obstacle=f"plane:{normal[0]},{normal[1]},0,0", friction=FRICTION, contact=contact,
                           contact_stiffness=50, contact_distance=5e-3, friction_speed=FRICTION_SPEED,
                           cg_tolerance=1e-12, newton_tolerance=1e-10)
    run = clothlab.Run(scene.with_state(corners), integrator=method, threads=1)
    half = round(0.25 / h)
    if run.step(half) < half:
        return np.nan, np.nan
    start, speed = run.positions, run.velocities
    done = run.step(half)
    return np.mean((run.positions - start) @ down) / 0.25, np.mean((run.velocities - speed) @ down) / 0.25 if done == half else np.nan


axes = panels(2, "A sheet on a slope, penalty contact")
sizes = 1 / 60 / 10 ** np.arange(0, choose(2.1, 1.1), choose(0.5, 1))
for method in METHODS:
    angle = np.arctan(2 * FRICTION)
    theory = 9.8 * (np.sin(angle) - FRICTION * np.cos(angle))
    creep = [slide(method, h, 0.5, "penalty")[0] / CREEP for h in sizes]
    rate = [abs(slide(method, h, 2, "penalty")[1] / theory - 1) for h in sizes]
    sticks = slide(method, 1 / 60, 0.5, "filter")[0]
    print(f"{method:30} creep at 1/60 s {creep[0]:.3f} x theory, filter {sticks:.1e} m/s")
    axes[0].loglog(sizes, creep, "o-", label=method)
    axes[1].loglog(sizes, np.maximum(rate, 1e-12), "o-")
axes[0].set(xlabel="h [s]", ylabel="speed over the speed of creep")
axes[1].set(xlabel="h [s]", ylabel="relative error of the acceleration")
axes[0].legend()
save()
