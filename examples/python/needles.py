# SPDX-License-Identifier: MIT
"""A sheet on needles by nodal contact and by impulses: docs/contact.md, "Which model to use"."""
from pathlib import Path

import clothlab
from figure import choose, panels, save

scene = clothlab.Scene(Path(__file__).resolve().parents[2] / "assets/scenes/26-needles.json")
axes = panels(2, "A sheet that falls on needles", subplot_kw={"projection": "3d"})
for panel, contact in zip(axes, ["filter", "impulse"]):
    run = clothlab.Run(scene, contact=contact)
    run.step(choose(120, 60))
    x, y, z = run.positions.T
    print(f"{contact:8} lowest particle {y.min():.3f} m, {len(run.contacts)} contacts after {run.time:.1f} s")
    panel.plot_trisurf(x, z, y, triangles=run.triangles, color="C0", linewidth=0)
    panel.set(title=contact, aspect="equal")
    panel.view_init(elev=20)
save()
