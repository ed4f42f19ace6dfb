#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the answers of `clothlab choose` with picks by rule of thumb, in cost for the same error.

    compare_picks.py CLOTHLAB [--scenes NAME,NAME...] [--picks FILE] [--repeats N] [--markdown FILE]

CLOTHLAB is the program. FILE (studies/choice/picks.json) has scenes with three picks each: a method and a step, which
were written down before `choose` ran. A pick that blows up or misses the goal is repeated with half its step until it
reaches the goal. Its cost is that of the run that does; the runs before it do not count, and neither does the search
of `choose`. A pick ends without a result once a run needs more than 5 s of processor time. Steps are rounded so
that they divide the duration.

Cost is the processor time of all steps per simulated time, on one thread: the least of N runs (5), each of the answer
and of all picks in turn. Prints the table of docs/analysis.md, and ends with 1 if an answer costs more than the median
of the picks.
"""

import argparse
import csv
import json
import math
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 5  # [s]
REFERENCES = {"Runge–Kutta 4": "rk4", "TR-BDF2": "tr-bdf2"}


class Trials:
    """Runs of a scene from its start, and their distance from a reference."""

    def __init__(self, program, scene, folder):
        self.program, self.folder = program, folder
        self.options, self.duration = scene["options"], scene["end-time"]

    def call(self, *arguments, allowed=(0,)):
        arguments = [self.program, *map(str, arguments), "--threads", "1", "--quiet"]
        done = subprocess.run(arguments, cwd=ROOT, check=False, capture_output=True, text=True)
        if done.returncode not in allowed:
            raise RuntimeError(f"{shlex.join(arguments)}: {done.stderr}")
        return done

    def run(self, method, steps):
        """Lines of the state at the end, none if it blew up, and the processor time of all steps [s]."""
        state, summary = self.folder / "state.csv", self.folder / "summary.json"
        done = self.call("simulate", *self.options, "--substeps", 1, *method, "--dt", self.duration / steps,
                         "--steps", steps, "--state", state, "--summary", summary, allowed=(0, 3))
        spent = json.loads(summary.read_text(encoding="utf-8"))["step_cpu_ms"]["sum"] / 1000
        return (state.read_text(encoding="utf-8").splitlines()[1:] if done.returncode == 0 else None), spent

    def refer_to(self, method, steps):
        self.reference, _ = self.run(["--integrator", method], steps)
        # Welded vertices have equal states.
        self.particles = sorted({row: k for k, row in enumerate(self.reference)}.values())

    def error(self, state):
        """Root mean square of the distances of the particles [m]; infinite without a state."""
        if state is None:
            return math.inf
        def place(row):
            return [float(value) for value in row.split(",")[:3]]
        squares = [math.dist(place(state[k]), place(self.reference[k])) ** 2 for k in self.particles]
        return math.sqrt(sum(squares) / len(squares))

    def choose(self, goal):
        """The answer as a row of its table and its method, and the displacement [m]."""
        table = self.folder / "choose.csv"
        done = self.call("choose", *self.options, "--end-time", self.duration, "--goal", f"error={goal}", "--csv", table)
        name, steps = re.search(r"against (.+) in (\d+) steps", done.stdout).groups()
        self.refer_to(REFERENCES[name], int(steps))
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        measured = next(row for row in rows if row["end"] == "good")
        displacement = 100 * float(measured["error_x"]) / float(measured["error_x_percent"])
        return next((row for row in rows if row["best"] == "1"), None), displacement


def refined(trials, pick, largest):
    """The number of steps with which a pick reaches the error, after how many halvings, and its error; or None."""
    steps = max(1, round(trials.duration / float(Fraction(pick["h"]))))
    for halvings in range(30):
        state, spent = trials.run(["--integrator", pick["integrator"]], steps << halvings)
        error = trials.error(state)
        if error <= largest:
            return steps << halvings, halvings, error
        if spent > LONGEST:
            break
    return None


def compared(trials, scene, goal, repeats):
    """A row for each of the answer and the picks: method, steps, halvings, error, cost."""
    best, displacement = trials.choose(goal)
    if best is None:
        raise RuntimeError(f"{scene['name']}: choose has no answer")
    rows = [{"title": best["method"], "options": shlex.split(best["options"]), "steps": int(best["steps"]), "halvings": 0}]
    state, _ = trials.run(rows[0]["options"], rows[0]["steps"])
    rows[0]["error"] = trials.error(state)
    if not math.isclose(rows[0]["error"], float(best["error_x"]), rel_tol=1e-6):
        raise RuntimeError(f"{scene['name']}: {best['method']} misses by {rows[0]['error']} m, in choose by {best['error_x']} m")
    for pick in scene["picks"]:
        found = refined(trials, pick, goal * displacement)
        steps, halvings, error = found or (None, None, math.inf)
        rows.append({"title": pick["integrator"], "options": ["--integrator", pick["integrator"]], "steps": steps,
                     "halvings": halvings, "error": error})
    for row in rows:
        row["percent"] = 100 * row["error"] / displacement
        row["cost"] = math.inf
    for _ in range(repeats):
        for row in rows:
            if row["steps"] is not None:
                _, spent = trials.run(row["options"], row["steps"])
                row["cost"] = min(row["cost"], spent / trials.duration)
    return rows


def shown(row, duration):
    if row["steps"] is None:
        return f"`{row['title']}`: –"
    halved = f", halved {row['halvings']}×" if row["halvings"] else ""
    return (f"`{row['title']}` {1000 * duration / row['steps']:.3g} ms{halved}: {row['percent']:.2g} %, "
            f"**{row['cost']:.3g}**")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: Path(path).resolve())
    parser.add_argument("--scenes")
    parser.add_argument("--picks", default=ROOT / "studies/choice/picks.json", type=Path)
    parser.add_argument("--repeats", default=5, type=int)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    study = json.loads(options.picks.read_text(encoding="utf-8"))
    names = options.scenes.split(",") if options.scenes else [scene["name"] for scene in study["scenes"]]
    lines = ["| scene | `choose` | picks: method, h, error, cost | median | choose / median |", "|---|---|---|---|---|"]
    print("\n".join(lines))
    missed = []
    for scene in study["scenes"]:
        if scene["name"] not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            answer, *picks = compared(Trials(options.program, scene, Path(folder)), scene, study["goal"], options.repeats)
        median = statistics.median(pick["cost"] for pick in picks)
        if answer["cost"] > median:
            missed.append(scene["name"])
        lines.append(f"| {scene['name']}, {scene['end-time']} s | {shown(answer, scene['end-time'])} | "
                     f"{'; '.join(shown(pick, scene['end-time']) for pick in picks)} | {median:.3g} | "
                     f"{answer['cost'] / median:.2f} |")
        print(lines[-1], flush=True)
    if options.markdown:
        options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in missed:
        print(f"{name}: the answer costs more than the median of the picks", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
