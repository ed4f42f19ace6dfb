# SPDX-License-Identifier: MIT
"""A sheet on a sphere by nodal contact and by a soft penalty: docs/contact.md, "Which model to use"."""
import clothlab
import numpy as np
from figure import choose, panels, save

SIZE, CENTRE, RADIUS = choose(40, 20), np.array([0.5, -0.31, 0.5]), 0.3
RUNS = {"nodal contact": {"contact": "filter"}, "penalty, k = 1 N/m": {"contact": "penalty", "contact_stiffness": 1}}

axes = panels(2, "A sheet of 1 m on a sphere after 1.5 s", subplot_kw={"projection": "3d"})
for panel, (name, values) in zip(axes, RUNS.items()):
    run = clothlab.Run(grid=(SIZE, SIZE), pin="none", obstacle=f"sphere:0.5,-0.31,0.5,{RADIUS}", integrator="backward-euler",
                       rayleigh_mass=2, **values)
    run.step(90)
    x, y, z = run.positions.T
    inside = RADIUS - np.linalg.norm(run.positions - CENTRE, axis=1)
    print(f"{name:20} {len(run.contacts)} contacts, deepest particle {1e3 * max(inside.max(), 0):.2f} mm below the surface")
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 30), np.linspace(0, np.pi, 15))
    ball = CENTRE[:, None, None] + RADIUS * np.array([np.cos(u) * np.sin(v), np.cos(v), np.sin(u) * np.sin(v)])
    panel.plot_surface(ball[0], ball[2], ball[1], color="C1", alpha=0.4)
    panel.plot_trisurf(x, z, y, triangles=run.triangles, color="C0", alpha=0.7, linewidth=0)
    panel.set(title=name, box_aspect=(1, 1, 0.7), zlim=(-0.7, 0.1))
    panel.view_init(elev=12)
save()
