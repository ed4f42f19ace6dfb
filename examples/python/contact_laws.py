# SPDX-License-Identifier: MIT
"""Barrier and smoothed friction, as a run evaluates them: docs/analysis.md, "`analyze contact-laws`: barrier and smoothed friction"."""
import clothlab
import numpy as np
from figure import choose, panels, save

COUNT, STIFFNESS = choose(200, 40), 10.0


def contacts(heights, speeds=0.0, **values):
    """Contacts of particles at these heights above a floor, which move along it at these speeds."""
    n = len(heights)
    scene = clothlab.Scene(grid=(2, n), size=(n, 1), pin="none", floor=True, floor_height=0, floor_friction=0.5, self_contact=False,
                           contact="barrier", barrier_stiffness=STIFFNESS, **values)
    along = np.arange(n, dtype=float)
    rows = [np.stack([along, heights, np.full(n, z)], axis=1) for z in (0.0, 1.0)]
    moving = np.zeros((2 * n, 3))
    moving[:, 2] = np.tile(np.broadcast_to(speeds, n), 2)
    found = clothlab.Run(scene.with_state(np.concatenate(rows), moving), threads=1).contacts
    return found[found["particle"] < n]


axes = panels(2, "What contact by a barrier evaluates, and the formulas (dashed)")
for distance in 0.004, 0.002, 0.001:
    found = contacts(np.linspace(distance / 15, distance, COUNT, endpoint=False), contact_distance=distance)
    gap, push = found["gap"], found["push"][:, 1]
    formula = 2 * (distance - gap) * np.log(distance / gap) + (distance - gap) ** 2 / gap  # −b′(g)
    print(f"distance {distance} m: largest difference {np.abs(push / (STIFFNESS * formula) - 1).max():.1e}")
    axes[0].plot(1e3 * gap, push, label=f"δ = {1e3 * distance:g} mm")
    axes[0].plot(1e3 * gap, STIFFNESS * formula, "k--", lw=0.8)
for speed in 0.02, 0.01, 0.005:
    found = contacts(np.full(COUNT, 1e-3), np.linspace(0, 0.03, COUNT), contact_distance=0.002, friction_speed=speed)
    slip = found["slip"]
    share = np.linalg.norm(found["friction"], axis=1) / (0.5 * found["push"][:, 1])
    formula = np.where(slip < speed, 2 * slip / speed - (slip / speed) ** 2, 1)
    print(f"friction speed {speed} m/s: largest difference {np.abs(share - formula).max():.1e}")
    axes[1].plot(1e3 * slip, share, label=f"ε = {1e3 * speed:g} mm/s")
    axes[1].plot(1e3 * slip, formula, "k--", lw=0.8)
axes[0].set(xlabel="gap [mm]", ylabel="normal force [N]")
axes[1].set(xlabel="sliding speed [mm/s]", ylabel="friction over its largest value")
for panel in axes:
    panel.legend()
save()
