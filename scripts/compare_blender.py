#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares contact with Blender's cloth, which collides with a body and with itself.

    compare_blender.py CLOTHLAB [--scene NAME] [--threads N] [--frames N] [--particles N] [--blender RUNS] [--keep DIR]

CLOTHLAB is the program. NAME is `sphere`, a loose sheet of 2,500 particles that falls on a sphere; `table`, the
tablecloth and the round table of assets/; or `dress`, the sample dress on the sample figure, with --meshes FOLDER: it
begins at rest in the shape that it has after --dress and a second of contact by impulses. Both get the same triangles,
mass, springs, friction, thickness and 60 frames a second; the shape of every tenth frame of both is searched for
intersections by CLOTHLAB. Without Blender in the path (Debian:
blender) it says so and ends with 77. --keep leaves all shapes in DIR. The table goes to stdout (docs/performance.md).
"""

import argparse
import csv
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FPS = 60
EVERY = 10
MATERIALS = {"sphere": (0.2, 1000.0, 1.0), "table": (0.4, 400.0, 0.02), "dress": (0.2, 1000.0, 1.0)}
MASS, STRETCH, BEND = MATERIALS["sphere"]  # [kg], [N/m], [N/m]; main() chooses those of the scene
DAMPING = 0.01  # [N s/m]
FRICTION = 0.3
GRAVITY = 9.8
CENTRE, RADIUS = (0.5, -0.31, 0.5), 0.3  # [m]


def sheet(n):
    """n x n particles on 1 m, its triangles, and its edges with their lengths."""
    points = [(c / (n - 1), 0.0, r / (n - 1)) for r in range(n) for c in range(n)]
    faces = []
    for r in range(n - 1):
        for c in range(n - 1):
            a = r * n + c
            faces += [(a, a + n, a + 1), (a + 1, a + n, a + n + 1)]
    return points, faces


def edges_of(points, faces):
    edges = {tuple(sorted((f[k], f[k - 1]))) for f in faces for k in range(3)}
    return [(a, b, math.dist(points[a], points[b])) for a, b in sorted(edges)]


def mean_edge(edges):
    return sum(length for _, _, length in edges) / len(edges)


def ball(rings=48, sectors=64):
    """A sphere's triangles, a convex body."""
    points = [(0.0, RADIUS, 0.0)]
    for ring in range(1, rings):
        y, r = RADIUS * math.cos(math.pi * ring / rings), RADIUS * math.sin(math.pi * ring / rings)
        points += [(r * math.cos(2 * math.pi * k / sectors), y, r * math.sin(2 * math.pi * k / sectors))
                   for k in range(sectors)]
    points.append((0.0, -RADIUS, 0.0))
    at = lambda ring, k: 1 + (ring - 1) * sectors + k % sectors
    faces = []
    for k in range(sectors):
        faces += [(0, at(1, k + 1), at(1, k)), (len(points) - 1, at(rings - 1, k), at(rings - 1, k + 1))]
        for ring in range(1, rings - 1):
            faces += [(at(ring, k), at(ring, k + 1), at(ring + 1, k)),
                      (at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k))]
    return [tuple(x + c for x, c in zip(p, CENTRE)) for p in points], faces


def write_obj(path, points, faces):
    with open(path, "w", encoding="utf-8") as out:
        out.writelines("v %.9g %.9g %.9g\n" % tuple(p) for p in points)
        out.writelines("f %d %d %d\n" % tuple(k + 1 for k in f) for f in faces)


def read_points(path):
    with open(path, encoding="utf-8") as lines:
        return [tuple(map(float, line.split()[1:4])) for line in lines if line.startswith("v ")]


def read_triangles(path, group=None):
    """Polygons become the fans of their first corners, as in CLOTHLAB."""
    faces, inside = [], group is None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, *rest = line.split() or [""]
            if kind == "g" and group:
                inside = rest == [group]
            elif kind == "f" and inside:
                corners = [int(corner.split("/")[0]) - 1 for corner in rest]
                faces += [(corners[0], a, b) for a, b in zip(corners[1:], corners[2:])]
    return faces


def dressed(program, meshes, thickness_of, folder):
    """Cloth and body: points and triangles."""
    garment, figure = meshes / "dress_quads_2205.obj", meshes / "human_base_quads_19158.obj"
    faces = read_triangles(garment)
    rest = [tuple(0.1 * x for x in p) for p in read_points(garment)]
    thickness = thickness_of(edges_of(rest, faces))
    subprocess.run(list(map(str, [program, "simulate", "--quiet", "--mesh", garment, "--scale", 0.1, "--pin", "none",
                                  "--obstacle", f"mesh:0,0,0,0.1,{figure}#body", "--dress", "--contact", "impulse",
                                  "--thickness", thickness, "--steps", 60, "--every", 60, "--obj-sequence", folder,
                                  "--summary", folder / "summary.json"])), check=True, capture_output=True)
    with open(folder / "summary.json", encoding="utf-8") as file:
        body = json.load(file)["scene"]["obstacles"][0]
    origin = list(map(float, (body if isinstance(body, str) else body["body"]).split(":")[1].split(",")[:3]))
    skin, points = read_triangles(figure, "body"), read_points(figure)
    used = sorted({k for f in skin for k in f})
    number = {k: n for n, k in enumerate(used)}
    return ([tuple(0.1 * x for x in p) for p in read_points(folder / "000060.obj")], faces), (
        [tuple(o + 0.1 * x for o, x in zip(origin, points[k])) for k in used],
        [tuple(number[k] for k in f) for f in skin])


# ---- within Blender ----

def in_blender(frames, quality, material, thickness, folder):
    """One frame is the unit of time of Blender's cloth, and gravity acts with a thousandth of its value. With masses
    times 3600, stiffness is that in N/m times the mean edge, by which Blender divides it."""
    import bpy
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = FPS, 1
    scene.frame_start, scene.frame_end = 1, frames + 1
    scene.gravity = (0, -GRAVITY * 1000 / FPS**2, 0)

    def added(name, points, faces):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(points, [], faces)
        thing = bpy.data.objects.new(name, mesh)
        scene.collection.objects.link(thing)
        return thing

    body = added("body", read_points(folder.parent / "body.obj"), read_triangles(folder.parent / "body.obj"))
    body.modifiers.new("collision", "COLLISION")
    outer = min(1e-3, thickness / 2)  # its least
    body.collision.thickness_outer = outer
    body.collision.cloth_friction = 100 * FRICTION
    points, faces = read_points(folder.parent / "cloth.obj"), read_triangles(folder.parent / "cloth.obj")
    edge = mean_edge(edges_of(points, faces))
    cloth = added("cloth", points, faces)
    modifier = cloth.modifiers.new("cloth", "CLOTH")
    settings, contact = modifier.settings, modifier.collision_settings
    settings.quality = quality
    if material == "equal":
        settings.mass = MASS / len(points) * FPS**2
        settings.air_damping = 0
        settings.tension_stiffness = settings.compression_stiffness = STRETCH * edge
        settings.tension_damping = settings.compression_damping = DAMPING * FPS
        # A fold by 1 rad has the energy that our spring across an edge has then.
        settings.bending_stiffness = BEND * (edge / 4) ** 2 / (0.1 * edge)
        settings.bending_damping = 0
    contact.use_collision = contact.use_self_collision = True
    contact.distance_min = thickness - outer
    contact.self_distance_min = thickness
    contact.friction = contact.self_friction = 100 * FRICTION
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, frames + 1

    def now():
        used = os.times()
        return time.perf_counter(), used.user + used.system

    def shape(frame):
        evaluated = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
        write_obj(folder / f"{frame:06}.obj", [v.co for v in evaluated.data.vertices], faces)

    scene.frame_set(1)
    shape(0)
    wall = used = 0.0
    for frame in range(1, frames + 1):
        begin = now()
        scene.frame_set(frame + 1)
        end = now()
        wall, used = wall + end[0] - begin[0], used + end[1] - begin[1]
        if frame % EVERY == 0:
            shape(frame)
    print(f"measured {wall / frames * 1e3} {used / frames * 1e3}")


# ---- outside ----

def of_blender(threads, scene, frames, quality, material, thickness, folder):
    done = subprocess.run(["blender", "-b", "--factory-startup", "-noaudio", "-t", str(threads), "--python-exit-code",
                           "1", "--python", __file__, "--", "--within", scene, str(frames), str(quality),
                           material, repr(thickness), str(folder)], check=False, capture_output=True, text=True)
    found = re.search(r"^measured (\S+) (\S+)$", done.stdout, re.MULTILINE)
    if not found:
        sys.exit(f"blender failed:\n{done.stdout}{done.stderr}")
    return float(found[1]), float(found[2])


def of_clothlab(program, threads, frames, thickness, options, where, folder):
    command = [program, "simulate", "--quiet", "--mesh", where / "cloth.obj", "--pin", "none", "--mass", MASS,
               "--stretch-stiffness", STRETCH, "--bend-stiffness", BEND, "--spring-damping", DAMPING,
               "--gravity", f"0,{-GRAVITY},0", "--friction", FRICTION, "--dt", repr(1 / FPS), "--threads", threads,
               *(option.replace("THICKNESS", repr(thickness)) for option in options)]

    def run(steps, *more):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(list(map(str, [*command, "--steps", steps, *more])), check=False, capture_output=True,
                              text=True)
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done

    nothing, whole = run(0), run(frames, "--obj-sequence", folder, "--every", EVERY)
    if whole[2].returncode != 0:
        print(f"{' '.join(options)}: {whole[2].stderr.strip()}", file=sys.stderr)
    return tuple((whole[k] - nothing[k]) / frames * 1e3 for k in (0, 1))


def faults(program, where, folder, edges):
    """Pairs of triangles of cloth and cloth, and of cloth and body, that intersect, the deepest particle and the
    largest strain of an edge, most of all shapes."""
    own = with_body = 0
    deepest = strain = 0.0
    for path in sorted(folder.glob("*.obj")):
        listed = folder / "intersections.csv"
        subprocess.run([program, "analyze", "intersections", "--mesh", path, "--pin", "none", "--obstacle",
                        f"mesh:0,0,0,1,{where / 'body.obj'}", "--csv", listed], check=True, capture_output=True)
        with open(listed, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        pairs = [row["body"] == "cloth" for row in rows if row["kind"] == "pair"]
        own, with_body = max(own, sum(pairs)), max(with_body, len(pairs) - sum(pairs))
        deepest = max([deepest] + [float(row["depth"]) for row in rows if row["kind"] == "vertex"])
        points = read_points(path)
        strain = max([strain] + [abs(math.dist(points[a], points[b]) / length - 1) for a, b, length in edges])
    return own, with_body, deepest, strain


def main():
    global MASS, STRETCH, BEND
    if "--within" in sys.argv:
        scene, frames, quality, material, thickness, folder = sys.argv[sys.argv.index("--within") + 1:]
        MASS, STRETCH, BEND = MATERIALS[scene]
        return in_blender(int(frames), int(quality), material, float(thickness), Path(folder))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clothlab", type=lambda text: Path(text).resolve())
    parser.add_argument("--scene", choices=MATERIALS, default="sphere")
    parser.add_argument("--meshes", type=lambda text: Path(text).resolve(), default=os.environ.get(
        "CLOTHLAB_SHARED_MESHES", Path(__file__).resolve().parents[2] / "shared" / "meshes"))
    parser.add_argument("--contact", default="impulse,barrier,penalty", metavar="MODELS")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--frames", type=int, default=90)
    parser.add_argument("--particles", type=int, default=50, help="along an edge of the sheet; default 50")
    parser.add_argument("--blender", default="5-own,5-equal,15-equal", metavar="RUNS",
                        help="substeps and material of Blender's runs, its own defaults or equal to ours; default "
                             "%(default)s")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if not shutil.which("blender"):
        print("compare_blender.py: SKIPPED, no blender in the path.", file=sys.stderr)
        return 77
    version = subprocess.run(["blender", "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0]
    MASS, STRETCH, BEND = MATERIALS[options.scene]
    with tempfile.TemporaryDirectory() as temporary:
        where = (options.keep or Path(temporary)).resolve()
        where.mkdir(parents=True, exist_ok=True)
        thickness_of = lambda edges: round(mean_edge(edges) / 10, 6)
        if options.scene == "sphere":
            cloth, body = sheet(options.particles), ball()
        elif options.scene == "table":
            assets = Path(__file__).resolve().parent.parent / "assets"
            cloth, body = ((read_points(assets / name), read_triangles(assets / name))
                           for name in ("tablecloth.obj", "round_table.obj"))
        else:
            (where / "dressed").mkdir(exist_ok=True)
            cloth, body = dressed(options.clothlab, options.meshes, thickness_of, where / "dressed")
        edges = edges_of(*cloth)
        thickness = thickness_of(edges)
        write_obj(where / "cloth.obj", *cloth)
        write_obj(where / "body.obj", *body)
        bodies = {"mesh": ["--obstacle", f"mesh:0,0,0,1,{where / 'body.obj'}"]}
        if options.scene == "sphere":
            bodies["sphere"] = ["--obstacle", "sphere:" + ",".join(map(str, (*CENTRE, RADIUS)))]
        apart = {"impulse": ["--thickness", "THICKNESS"], "barrier": ["--contact-distance", "THICKNESS"],
                 "penalty": ["--contact-distance", "THICKNESS"]}
        print(f"thickness {1e3 * thickness:.2f} mm, {options.frames} frames, {options.threads} thread(s)\n\n"
              "| what | a frame [ms] | of processors [ms] | cloth and cloth | cloth and body | deepest [mm] | "
              "strain [%] |\n|---|---:|---:|---:|---:|---:|---:|", flush=True)

        def row(name, measure):
            folder = where / name.replace(" ", "-").replace(",", "")
            folder.mkdir(exist_ok=True)
            wall, used = measure(folder)
            own, with_body, deepest, strain = faults(options.clothlab, where, folder, edges)
            print(f"| {name} | {wall:.1f} | {used:.1f} | {own} | {with_body} | {1e3 * deepest:.2f} | "
                  f"{100 * strain:.0f} |", flush=True)

        for quality, material in (q.split("-") for q in options.blender.split(",") if q):
            name = f"{version}, {quality} substeps, " + ("our material" if material == "equal" else "its material")
            row(name, lambda folder, q=quality, m=material: of_blender(
                options.threads, options.scene, options.frames, q, m, thickness, folder))
        for contact in options.contact.split(","):
            for on, obstacle in bodies.items():
                given = ["--contact", contact, *apart[contact], *obstacle]
                row(f"{contact} on the {on}", lambda folder, g=given: of_clothlab(
                    options.clothlab, options.threads, options.frames, thickness, g, where, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
