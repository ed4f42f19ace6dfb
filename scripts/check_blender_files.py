#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens the shapes that ClothLab writes in Blender and compares them, to 1e-6 units.

    check_blender_files.py CLOTHLAB

CLOTHLAB is the program. Blender plays the point caches (PC2 and MDD) by its modifier Mesh Cache on the OBJ file from which
the run started, and imports the last shape as OBJ and PLY. All are compared with --obj-sequence, which is read here. Without Blender in
the path (Debian: blender) it says so and ends with 77.
"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS, FPS = 24, 60
TOLERANCE = 1e-6  # the formats have 32 bits a number; the cloth is 1 unit wide

IN_BLENDER = r'''
import bpy, json, sys
folder, steps = sys.argv[-2], int(sys.argv[-1])
found = {}

def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS

def obj(name):
    bpy.ops.wm.obj_import(filepath=f"{folder}/{name}")
    cloth, = bpy.context.selected_objects
    assert cloth.name == "Sheet", cloth.name
    return cloth

def points(mesh):
    return [list(v.co) for v in mesh.vertices]

for kind in "PC2", "MDD":
    empty()
    cloth = obj("start.obj")
    cache = cloth.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = kind, f"{folder}/shapes.{kind.lower()}", 0
    found[kind] = []
    for frame in range(steps + 1):
        bpy.context.scene.frame_set(frame)
        found[kind].append(points(cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data))

empty()
last = obj("last.obj").data
last.calc_normals_split()
normals = [None] * len(last.vertices)
for loop in last.loops:
    normals[loop.vertex_index] = list(loop.normal)
found["obj"] = {"points": points(last), "materials": [m.name for m in last.materials], "normals": normals, "own_normals": last.has_custom_normals,
                "material_of_face": [p.material_index for p in last.polygons], "uv": [list(d.uv) for d in last.uv_layers[0].data]}
empty()
bpy.ops.import_mesh.ply(filepath=f"{folder}/last.ply")
found["ply"] = {"points": points(bpy.context.selected_objects[0].data), "faces": [list(p.vertices) for p in bpy.context.selected_objects[0].data.polygons]}
json.dump(found, open(f"{folder}/found.json", "w"))
'''


def sheet(n):
    """A sheet with texture coordinates, a normal, an object, groups and two materials."""
    text = "mtllib sheet.mtl\no Sheet\nvn 0 1 0\n"
    text += "".join(f"v {c / (n - 1)} 0 {r / (n - 1)}\nvt {c / (n - 1)} {r / (n - 1)}\n" for r in range(n) for c in range(n))
    for r in range(n - 1):
        text += f"g row{r}\nusemtl {'red' if r < n // 2 else 'blue'}\n"
        for c in range(n - 1):
            a = r * n + c + 1
            text += "f " + " ".join(f"{i}/{i}/1" for i in (a, a + n, a + n + 1, a + 1)) + "\n"
    return text


def vectors(path, keyword):
    return [[float(x) for x in line.split()[1:]] for line in path.read_text().splitlines() if line.startswith(keyword + " ")]


def largest_difference(a, b):
    assert len(a) == len(b), f"{len(a)} points instead of {len(b)}"
    return max(math.dist(p, q) for p, q in zip(a, b))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if shutil.which("blender") is None:
        print("SKIPPED: Blender is not installed, so the files were not compared with it (Debian: apt-get install blender).")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "start.obj").write_text(sheet(12))
        (folder / "sheet.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
        run = [os.path.abspath(sys.argv[1]), "simulate", "--mesh", "start.obj", "--pin", "top-corners", "--dt", f"1/{FPS}", "--steps", str(STEPS),
               "--quiet"]
        for more in (["--point-cache", "shapes.pc2", "--obj-sequence", "shapes", "--obj", "last.obj", "--ply", "last.ply"],
                     ["--point-cache", "shapes.mdd"]):
            subprocess.run([*run, *more], cwd=folder, check=True)
        (folder / "check.py").write_text(IN_BLENDER.replace("FPS", str(FPS)))
        done = subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "3", "--python", str(folder / "check.py"), "--", name, str(STEPS)],
                              cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        found = json.loads((folder / "found.json").read_text())
        shapes = [vectors(folder / "shapes" / f"{step:06d}.obj", "v") for step in range(STEPS + 1)]
        moved = largest_difference(shapes[0], shapes[-1])
        assert moved > 0.1, f"the cloth moved by {moved} only"
        differences = {kind: max(largest_difference(a, b) for a, b in zip(found[kind], shapes, strict=True)) for kind in ("PC2", "MDD")}
        differences["OBJ"] = largest_difference(found["obj"]["points"], shapes[-1])
        differences["OBJ, normals"] = largest_difference(found["obj"]["normals"], vectors(folder / "last.obj", "vn"))
        differences["PLY"] = largest_difference(found["ply"]["points"], shapes[-1])
        for what, difference in differences.items():
            print(f"{what}: largest difference {difference:.2g}")
        # Blender keeps imported normals as two angles of 16 bits.
        assert all(d <= (3e-3 if "normals" in what else TOLERANCE) for what, d in differences.items())
        obj = found["obj"]
        assert obj["own_normals"] and obj["materials"] == ["red", "blue"], obj["materials"]
        assert obj["material_of_face"] == [0] * 66 + [1] * 55, obj["material_of_face"]
        faces = found["ply"]["faces"]
        uv = [vectors(folder / "start.obj", "vt")[i] for face in faces for i in face]
        assert len(faces) == 121 and largest_difference(obj["uv"], uv) < TOLERANCE
        print(f"{STEPS + 1} shapes of {len(shapes[0])} vertices, materials and texture coordinates are the same in Blender.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
