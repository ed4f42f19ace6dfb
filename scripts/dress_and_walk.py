#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Dresses a human figure, lets it walk, and searches every frame for intersections.

    dress_and_walk.py CLOTHLAB [--meshes FOLDER] [--runs RUNS] [--frames N] [--stand S] [--dt S] [--threads N]
                      [--keep DIR]

CLOTHLAB is the program. FOLDER has the figure and the dress; without them it says so and ends with 77. The figure
stands for a second, then it walks a step per second for 30 frames, 15 a second. The legs swing about the
hips by up to 15 degrees, the arms about the shoulders by up to 4. It advances by the distance that its standing foot
moves back.
Each run of RUNS is a contact model, with a method after a colon. A row per run goes to stdout (docs/contact.md): the
largest numbers of intersecting triangles, the largest strain since the walk begins, and the lag, in one of the frames:
how far particles are behind the vertices of the figure that were nearest when the walk began. Ends with 1 if a run does not reach its end, or triangles intersect by barrier
or impulse. --keep leaves the walk and the last two checkpoints of each run in DIR.
"""

import argparse
import csv
import json
import math
import os
import resource
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FIGURE, DRESS = "human_base_quads_19158.obj", "dress_quads_2205.obj"
SCALE = 0.1  # metres per unit of the files
FRAMES, RATE = 30, 15  # of one cycle, two steps
LEGS, ARMS = math.radians(15), math.radians(4)
HIP, SHOULDER = (0.8, 0.2), (5.2, 0.1)  # y and z of the axes, in units of the files
FOOT = -8.1  # y of the soles


def smooth(x, low, high):
    s = min(max((x - low) / (high - low), 0.0), 1.0)
    return s * s * (3 - 2 * s)


def turned(y, z, axis, angle):
    """Forwards, which is +z, for a point below the axis and a positive angle."""
    down, ahead = axis[0] - y, z - axis[1]
    c, s = math.cos(angle), math.sin(angle)
    return axis[0] - down * c + ahead * s, axis[1] + ahead * c + down * s


def posed(point, phase):
    """A vertex of the figure at a phase of the walk from 0 to 1; 0 is the pose of the file."""
    x, y, z = point
    swing = math.sin(2 * math.pi * phase)
    side = math.copysign(smooth(abs(x), 0.0, 0.5), x)
    is_arm = smooth(abs(x), 1.6, 2.6) if y > 1.2 else 0.0
    if is_arm:
        return (x, *turned(y, z, SHOULDER, -ARMS * swing * side * is_arm))
    return (x, *turned(y, z, HIP, LEGS * swing * side * smooth(-y, -1.4, 0.6)))


def read_figure(path):
    points, faces, inside = [], [], False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, *rest = line.split() or [""]
            if kind == "v":
                points.append(tuple(map(float, rest[:3])))
            elif kind == "g":
                inside = rest == ["body"]
            elif kind == "f" and inside:
                faces.append([int(corner.split("/")[0]) - 1 for corner in rest])
    used = sorted({k for face in faces for k in face})
    number = {k: n for n, k in enumerate(used)}
    return [points[k] for k in used], [[number[k] for k in face] for face in faces]


def write_walk(points, faces, folder):
    """walk.obj and walk.pc2."""
    with open(folder / "walk.obj", "w", encoding="utf-8") as out:
        out.writelines("v %.9g %.9g %.9g\n" % p for p in points)
        out.writelines("f " + " ".join(str(k + 1) for k in face) + "\n" for face in faces)
    with open(folder / "walk.pc2", "wb") as out:
        out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(points), 0, 1, FRAMES))
        for k in range(FRAMES):
            out.write(b"".join(struct.pack("<3f", *posed(p, k / FRAMES)) for p in points))


def advance(start):
    """Keyframes of a cycle from `start` [s] on: the foot that moves back stays in its place on the floor."""
    length = SCALE * (HIP[0] - FOOT)
    keys, z = [], 0.0
    for k in range(FRAMES + 1):
        if k > 0:
            z += length * abs(math.sin(LEGS * math.sin(2 * math.pi * k / FRAMES)) -
                              math.sin(LEGS * math.sin(2 * math.pi * (k - 1) / FRAMES)))
        keys.append({"time": start + k / RATE, "move": [0, 0, z]})
    return keys


def position_of(keys, t):
    for a, b in zip(keys, keys[1:]):
        if t < b["time"]:
            share = max(0.0, (t - a["time"]) / (b["time"] - a["time"]))
            return a["move"][2] + share * (b["move"][2] - a["move"][2])
    return keys[-1]["move"][2]


def nearest(points, figure):
    """For each point the number of the nearest vertex of the figure."""
    cell, grid = 0.02, {}
    at = lambda p: tuple(math.floor(x / cell) for x in p)
    for k, p in enumerate(figure):
        grid.setdefault(at(p), []).append(k)
    found = []
    for p in points:
        middle, reach, near = at(p), 0, []
        while not near or reach * cell < math.dist(p, figure[near[0]]):
            reach += 1
            near = [k for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)
                    for l in range(-reach, reach + 1)
                    for k in grid.get((middle[0] + i, middle[1] + j, middle[2] + l), ())]
            near = [min(near, key=lambda k: math.dist(p, figure[k]))] if near else []
        found.append(near[0])
    return found


class Run:
    """One run in parts, each from the checkpoint of the last one."""

    def __init__(self, program, threads, folder, options):
        self.program, self.threads = program, threads
        self.folder, self.options, self.part, self.text, self.used = folder, options, 0, "", 0.0

    def on(self, steps):
        """The summary after `steps` more, and the positions of the cloth [m]; None if it broke off."""
        old, new = (self.folder / f"{(self.part + k) % 2}.checkpoint" for k in (0, 1))
        command = [self.program, "simulate", "--quiet", "--threads", self.threads,
                   *(["--resume", old] if self.part else self.options), "--steps", steps, "--checkpoint", new, "--summary",
                   self.folder / "summary.json", "--state", self.folder / "state.csv"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.used += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.text = done.stderr.strip()
        self.part += 1
        if done.returncode != 0:
            return None
        with open(self.folder / "summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        with open(self.folder / "state.csv", encoding="utf-8") as file:
            return summary, [tuple(SCALE * float(row[axis]) for axis in "xyz") for row in csv.DictReader(file)]

    def intersecting(self):
        """Of each pair of triangles that intersects after the last part, what the cloth intersects: "cloth" or a body."""
        listed = self.folder / "intersections.csv"
        command = [self.program, "analyze", "intersections", "--threads", self.threads, "--resume",
                   self.folder / f"{self.part % 2}.checkpoint", "--csv", listed]
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
        with open(listed, encoding="utf-8") as file:
            return [row["body"] for row in csv.DictReader(file) if row["kind"] == "pair"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clothlab", type=lambda text: Path(text).resolve())
    parser.add_argument("--meshes", type=lambda text: Path(text).resolve(), default=os.environ.get(
        "CLOTHLAB_SHARED_MESHES", Path(__file__).resolve().parents[2] / "shared" / "meshes"))
    parser.add_argument("--runs", default="barrier:backward-euler,impulse,penalty,filter", help="default %(default)s")
    parser.add_argument("--frames", type=int, default=FRAMES, help="default %(default)s, a cycle")
    parser.add_argument("--stand", type=float, default=1, help="default 1 s")
    parser.add_argument("--dt", type=float, default=1 / 60, help="default 1/60 s")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    for name in (FIGURE, DRESS):
        if not (options.meshes / name).exists():
            print(f"dress_and_walk.py: SKIPPED, without {options.meshes / name}.", file=sys.stderr)
            return 77
    per_frame = round(1 / RATE / options.dt)
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        where = (options.keep or Path(temporary)).resolve()
        where.mkdir(parents=True, exist_ok=True)
        figure, faces = read_figure(options.meshes / FIGURE)
        write_walk(figure, faces, where)
        keys = advance(options.stand)
        body = {"body": f"mesh:0,0,0,{SCALE},{where / 'walk.pc2'}", "path": keys,
                "frames": {"rate": RATE, "start": options.stand, "loops": True}}
        print("| contact | cloth and body | the cloth itself | strain [%] | lag: mean, largest [mm] | not converged | "
              "a step [ms of processors] |\n|---|---:|---:|---:|---:|---:|---:|", flush=True)
        for name in options.runs.split(","):
            model, _, method = name.partition(":")
            folder = where / model
            folder.mkdir(exist_ok=True)
            run = Run(options.clothlab, options.threads, folder,
                      ["--mesh", options.meshes / DRESS, "--scale", SCALE, "--pin", "none", "--obstacle",
                       json.dumps(body), "--dress", "--contact", model, "--dt", repr(options.dt),
                       "--integrator", method or "semi-implicit-euler"])
            state = run.on(round(options.stand / options.dt))
            run.used = 0.0
            if state:
                placed = state[0]["scene"]["obstacles"][0]["body"].split(":")[1].split(",")
                origin = [float(x) for x in placed[:3]]
                start = state[1]
                vertices = nearest(start, [tuple(o + SCALE * x for o, x in zip(origin, p)) for p in figure])
            own = with_body = unsolved = frame = 0
            strain = mean_lag = largest_lag = 0.0
            while state and frame < options.frames:
                if not (state := run.on(per_frame)):
                    break
                frame += 1
                summary, positions = state
                crossed = run.intersecting()
                own = max(own, crossed.count("cloth"))
                with_body = max(with_body, len(crossed) - crossed.count("cloth"))
                advanced = position_of(keys, summary["time"])
                moved = [advanced + SCALE * (posed(p, frame / FRAMES)[2] - p[2]) for p in figure]
                lags = [moved[k] - (now[2] - before[2]) for k, now, before in zip(vertices, positions, start)]
                mean_lag, largest_lag = max(mean_lag, sum(lags) / len(lags)), max(largest_lag, *lags)
                strain = max(strain, summary["max_strain"]["whole_run"])
                unsolved += summary["iterations"]["steps_not_converged"]
            if not state:
                print(f"{name} broke off: {run.text}", file=sys.stderr)
            failed = failed or not state or (model in ("barrier", "impulse") and own + with_body > 0)
            print(f"| {name} | {with_body} | {own} | {100 * strain:.0f} | {1e3 * mean_lag:.0f}, {1e3 * largest_lag:.0f} | "
                  f"{unsolved} of {frame * per_frame} | {1e3 * run.used / max(1, frame * per_frame):.0f} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
