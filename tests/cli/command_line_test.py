# SPDX-License-Identifier: MIT
"""Runs the program as scripts do, and holds it to its fixed command line.

    command_line_test.py PROGRAM SOURCE_DIR
"""
import base64
import csv
import html
import itertools
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
import zlib

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
SMALL = ["--grid", "8x8", "--steps", "10"]
SANITIZED = "CLOTHLAB_TEST_SANITIZED" in os.environ  # the program starts slowly
long_with_sanitizer = unittest.skipIf(SANITIZED, "long with a sanitizer, and shorter tests run the same code")
ANALYSES = ["damping", "convergence", "stability", "energy", "drift", "stiff-limit", "reversal", "response", "spectrum", "friction", "contact-laws", "drape",
            "work", "cost", "intersections"]
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 5 5 5\nv 0 1 0\nf 1 2 4\n"  # the third vertex is used by no face


def first_pixel(png):
    """Red, green and blue of the upper left pixel, which no row filter changes."""
    at, packed = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            packed += png[at + 8:at + 8 + length]
        at += length + 12
    return zlib.decompress(packed)[1:4]


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_program(self, *arguments, status=0, env=None):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.dir,
                              env=env, timeout=300)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
        return done

    def refused(self, *arguments, says):
        """Bad usage: status 2, one sentence on stderr, nothing written."""
        before = sorted(self.dir.iterdir())
        done = self.run_program(*arguments, status=2)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("clothlab: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.stderr)
        self.assertEqual(sorted(self.dir.iterdir()), before)

    def without_time(self, name):
        """The diagnostics but for the one column that depends on the clock."""
        return [{key: value for key, value in row.items() if key != "step_ms"} for row in self.rows(name)]

    def rows(self, name):
        with open(self.dir / name, newline="") as file:
            return list(csv.DictReader(file))

    # Help

    def test_help_and_version(self):
        self.assertRegex(self.run_program("--version").stdout, r"^clothlab \d+\.\d+\.\d+\n$")
        for command in [], ["simulate"], ["render"], ["bench"], ["analyze"], *(["analyze", kind] for kind in ANALYSES):
            text = self.run_program(*command, "--help").stdout
            self.assertIn("Usage", text)
        text = self.run_program("simulate", "--help").stdout
        for name in ("--stretch-stiffness", "--rayleigh-mass", "--cg-tolerance", "--adaptive-dt", "--pin", "--summary",
                     "backward-euler"):
            self.assertIn(name, text)

    def test_the_document_is_what_help_says(self):
        """The build target `docs` regenerates the page."""
        shown, pages = set(), ""
        subcommands = re.findall(r"^  (\w+)  ", self.run_program("--help").stdout.split("Subcommands:")[1], re.M)
        for command in [[], *([name] for name in subcommands), *(["analyze", kind] for kind in ANALYSES)]:
            sections = []
            for section in re.split(r"\n\n+", self.run_program(*command, "--help").stdout.strip()):
                head, *options = re.split(r"\n(?=  -)", section)
                left = [option for option in options if option not in shown]
                if left or not options and section not in shown:
                    sections.append("\n".join([head, *left]))
                shown.update([section, *options])
            pages += "\n".join([f"\n## `{' '.join(['clothlab', *command])}`\n", "```", "\n\n".join(sections), "```", ""])
        written = (SOURCE / "docs" / "command-line.md").read_text()
        start = written.index("\n## `clothlab`")
        if os.environ.get("CLOTHLAB_WRITE_DOCS"):
            (SOURCE / "docs" / "command-line.md").write_text(written[:start] + pages)
        else:
            self.assertEqual(written[start:], pages,
                             "docs/command-line.md is out of date. Regenerate all pages with "
                             "`cmake --build build/check --target docs`.")

    def test_numbers_have_units_and_are_expressions(self):
        def state(*options):
            self.run_program("simulate", *SMALL, "--steps", "3", "--quiet", "--state", "state.csv", *options)
            return (self.dir / "state.csv").read_bytes()
        self.assertEqual(state("--dt", "1/100", "--mass", "300 g", "--size", "50cmx1 m", "--gravity", "0,-5 m/s^2,0",
                               "--obstacle", "sphere:0,-50cm,0,20cm"),
                         state("--dt", "0.01", "--mass", "0.3", "--size", "0.5x1", "--gravity", "0,-5,0",
                               "--obstacle", "sphere:0,-0.5,0,0.2"))
        for options, says in ((["--dt", "5 kg"], ["--dt: '5 kg' is not in s", "1e-06 to 1e+10 s"]),
                              (["--dt", "-2*1"], "--dt: '-2*1' is not a number from 1e-06 to 1e+10 s, or from -1 to -1e-06."),
                              (["--friction", "1 m"], "has a unit, but this value has none"),
                              (["--duration", "1 m"], "--duration: '1 m' is not in s"),
                              (["--gravity", "0,1 kg,0"], "is not in m/s²")):
            self.refused("simulate", "--grid", "8x8", *options, says=says)

    def test_steps_back_in_time(self):
        """A run forwards and one backwards from its end return to the start, by a symmetric method."""
        both = ["--grid", "6x6", "--spring-damping", 0, "--integrator", "velocity-verlet"]
        self.run_program("simulate", *both, "--dt", 0.001, "--steps", 80, "--state", "end.csv")
        self.run_program("simulate", *both, "--dt=-0.001", "--duration", 0.08, "--initial-state", "end.csv",
                         "--state", "start.csv", "--summary", "back.json", "--diagnostics", "back.csv")
        rows = list(csv.DictReader((self.dir / "start.csv").read_text().splitlines()))
        self.assertLess(max(abs(float(row["y"])) for row in rows), 1e-10)
        summary = json.loads((self.dir / "back.json").read_text())
        self.assertEqual(summary["steps"], 80)
        self.assertAlmostEqual(summary["time"], -0.08)
        self.assertGreater(summary["real_time_factor"], 0)
        self.assertEqual({float(row["dt"]) for row in csv.DictReader((self.dir / "back.csv").read_text().splitlines())}, {-0.001})
        # A summary is a scene, with its negative step.
        again = self.run_program("simulate", "--scene", "back.json", "--state", "again.csv")
        self.assertEqual(again.stderr.count("refused"), 0)
        self.assertEqual((self.dir / "again.csv").read_bytes(), (self.dir / "start.csv").read_bytes())
        for options, says in ((["--integrator", "bdf2"], "because BDF2 uses earlier steps; it must be positive."),
                              (["--floor"], "because contact has no step back")):
            self.refused("simulate", *SMALL, "--dt=-0.01", "--state", "s.csv", *options, says=says)

    def test_steps_of_a_century(self):
        run = ["simulate", "--scene", SOURCE / "assets/scenes/34-century.json", "--steps", 3]
        done = self.run_program(*run, "--diagnostics", "d.csv", "--summary", "s.json")
        self.assertEqual(done.stderr, "")
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["time"], 3 * 3155760000)
        self.assertIn("3.16e9 s", self.run_program(*run, "--integrator", "rk4", status=3).stderr)

    def test_point_caches_and_ply_have_the_shapes_of_the_run(self):
        """Read here by the layouts of the formats; positions have 32 bits in caches, 64 in PLY."""
        (self.dir / "m.obj").write_text("v 0 0 0\nv 2 0 0\nv 5 5 5\nv 0 2 0\nv 2 2 0\nv 2 0 0\nf 1 2 4\nf 6 5 4\n")  # unused 3, welded 6
        run = ["simulate", "--mesh", "m.obj", "--scale", 0.5, "--pin", "0", "--dt", 0.02, "--steps", 7, "--quiet"]
        self.run_program(*run, "--every", 3, "--obj-sequence", "shapes", "--point-cache", "m.pc2", "--ply", "m.ply", "--state", "s.csv",
                         "--diagnostics", "d.csv")
        self.run_program(*run, "--every", 3, "--point-cache", "m.mdd")
        shapes = [[[float(x) for x in line.split()[1:]] for line in (self.dir / f"shapes/{step:06d}.obj").read_text().splitlines()
                   if line.startswith("v ")] for step in (0, 3, 6)]
        self.assertGreater(math.dist(shapes[0][4], shapes[2][4]), 0.1)

        pc2 = (self.dir / "m.pc2").read_bytes()
        self.assertEqual(struct.unpack("<12siiffi", pc2[:32]), (b"POINTCACHE2\0", 1, 6, 0, 1, 3))
        mdd = (self.dir / "m.mdd").read_bytes()
        self.assertEqual(struct.unpack(">ii", mdd[:8]), (3, 6))
        for time, step in zip(struct.unpack(">3f", mdd[8:20]), (0, 3, 6)):
            self.assertAlmostEqual(time, 0.02 * step, delta=1e-7)
        for order, packed in ("<", pc2[32:]), (">", mdd[20:]):
            numbers = struct.unpack(f"{order}{3 * 6 * 3}f", packed)
            for number, exact in zip(numbers, (x for shape in shapes for point in shape for x in point), strict=True):
                self.assertEqual(number, struct.unpack("f", struct.pack("f", exact))[0])

        head, body = (self.dir / "m.ply").read_text().split("end_header\n")
        self.assertEqual(head, "ply\nformat ascii 1.0\nelement vertex 6\n" + "".join(f"property double {name}\n" for name in (
            "x", "y", "z", "vx", "vy", "vz", "strain")) + "element face 2\nproperty list int int vertex_indices\n")
        lines = body.splitlines()
        self.assertEqual(lines[6:], ["3 0 1 3", "3 5 4 3"])
        vertices = [[float(x) for x in line.split()] for line in lines[:6]]
        state = [[float(row[key]) for key in ("x", "y", "z", "vx", "vy", "vz")] for row in self.rows("s.csv")]
        self.assertEqual([vertex[:6] for vertex in vertices], state)
        self.assertEqual(vertices[2], [5, 5, 5, 0, 0, 0, 0])
        edges = [(0, 1), (1, 3), (0, 3), (1, 4), (3, 4)]  # 5 is 1
        of_edges = {edge: abs(math.dist(*(state[k][:3] for k in edge)) / math.dist(*(shapes[0][k] for k in edge)) - 1) for edge in edges}
        for k in (0, 1, 3, 4):
            self.assertAlmostEqual(vertices[k][6], max(s for edge, s in of_edges.items() if k in edge), delta=1e-12)
        self.assertAlmostEqual(max(vertex[6] for vertex in vertices), float(self.rows("d.csv")[-1]["max_strain"]), delta=1e-12)

        # A run that blows up has the shapes until then.
        done = self.run_program("simulate", "--grid", "4x4", "--integrator", "explicit-euler", "--dt", 0.1, "--steps", 500, "--quiet",
                                "--point-cache", "b.PC2", "--summary", "b.json", status=3)
        steps = json.loads((self.dir / "b.json").read_text())["steps"]
        self.assertEqual(struct.unpack("<i", (self.dir / "b.PC2").read_bytes()[28:32])[0], steps + 1, done.stderr)
        # A recorded session is played into a cache too, if it has one mesh.
        done = self.run_program("replay", SOURCE / "tests/documents/journals/load.journal", "--quiet", "--point-cache", "l.pc2", "--usd", "l.usda", status=1)
        self.assertEqual(done.stderr.count("The run changed its mesh, and --point-cache and --usd have the points of one mesh."), 2)
        self.assertFalse((self.dir / "l.pc2").exists() or (self.dir / "l.usda").exists())
        self.run_program("replay", SOURCE / "tests/documents/journals/drag.journal", "--quiet", "--point-cache", "j.pc2", "--summary", "j.json")
        steps = json.loads((self.dir / "j.json").read_text())["steps"]
        self.assertEqual(struct.unpack("<12siiffi", (self.dir / "j.pc2").read_bytes()[:32])[2::3], (36, steps + 1))
        for options, says in ((["--point-cache", "a.obj"], "another format; this output is .pc2 or .mdd"), (["--every", 2], "needs --obj-sequence, --point-cache, --usd"),
                              (["--point-cache", "a.pc2", "--steps", 10**9], "64 vertices have more than 4 GiB. Use a larger --every"),
                              (["--point-cache", "a.pc2", "--obj", "a.pc2"], "has the extension of another format")):
            self.refused("simulate", *SMALL, *options, says=says)

    def test_a_usd_file_has_the_shapes_of_the_run(self):
        (self.dir / "m.obj").write_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 5 1 0\nvt 0 0\nvt 1 0\nvt 1 0.1\nf 1/1 2/2 3/3 4/1\nf 2/2 5/1 3/3\n")
        self.run_program("simulate", "--mesh", "m.obj", "--scale", 0.5, "--pin", "0", "--dt", 0.02, "--steps", 7, "--quiet", "--every", 3,
                         "--obj-sequence", "shapes", "--usd", "m.usda")
        text = (self.dir / "m.usda").read_text()
        self.assertTrue(text.startswith("#usda 1.0\n("))
        layer = dict(re.findall(r"^    (\w+) = (.*)$", text.split(")")[0], re.M))
        self.assertEqual({key: layer[key] for key in ("defaultPrim", "endTimeCode", "metersPerUnit", "startTimeCode", "upAxis")},
                         {"defaultPrim": '"cloth"', "endTimeCode": "2", "metersPerUnit": "0.5", "startTimeCode": "0", "upAxis": '"Y"'})
        self.assertAlmostEqual(float(layer["timeCodesPerSecond"]), 1 / 0.06, delta=1e-5)
        self.assertEqual(layer["framesPerSecond"], layer["timeCodesPerSecond"])

        def attribute(name):
            return json.loads(re.search(rf"^ +{re.escape(name)} = (\[.*?\])", text, re.M).group(1).replace("(", "[").replace(")", "]"))
        self.assertEqual(attribute("int[] faceVertexCounts"), [4, 3])
        self.assertEqual(attribute("int[] faceVertexIndices"), [0, 1, 2, 3, 1, 4, 2])
        self.assertEqual(attribute("texCoord2f[] primvars:st"), [[0, 0], [1, 0], [1, 0.1]])
        self.assertEqual(attribute("int[] primvars:st:indices"), [0, 1, 2, 0, 1, 0, 2])
        samples = re.findall(r"^        (\d+): (\[.*\]),$", text.split("point3f[] points.timeSamples = {\n")[1], re.M)
        self.assertEqual([code for code, _ in samples], ["0", "1", "2"])
        for (_, points), step in zip(samples, (0, 3, 6)):
            shape = [[float(x) for x in line.split()[1:]] for line in (self.dir / f"shapes/{step:06d}.obj").read_text().splitlines()
                     if line.startswith("v ")]
            found = json.loads(points.replace("(", "[").replace(")", "]"))
            self.assertEqual([len(point) for point in found], [3] * 5)
            for number, exact in zip(sum(found, []), sum(shape, []), strict=True):
                self.assertEqual(struct.pack("f", number), struct.pack("f", exact))
        self.refused("simulate", *SMALL, "--usd", "a.usda", "--steps", 10**8, says="more than 4 GiB")

    def test_what_intersects_at_the_start_is_said(self):
        (self.dir / "crossed.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n"
                                              "v 0.2 -1 0.2\nv 0.2 1 0.2\nv 3 1 3\nf 4 5 6\n")
        done = self.run_program("simulate", "--mesh", "crossed.obj", "--pin", "none", "--steps", 1, "--quiet",
                                "--summary", "s.json")
        notices = json.loads((self.dir / "s.json").read_text())["notices"]
        self.assertEqual([(n["cause"], n["step"]) for n in notices], [("intersections", 0)])
        text = "1 pair of triangles intersects at the start; contact by filter may not undo that. Separate them."
        self.assertEqual(notices[0]["text"], text)
        self.assertEqual(done.stderr, f"clothlab: Start: {text}\n")

    def test_a_run_without_an_output_prints_its_summary(self):
        printed = json.loads(self.run_program("simulate", *SMALL).stdout)
        self.assertEqual((printed["steps"], printed["particles"]), (10, 64))
        self.assertEqual(self.run_program("simulate", *SMALL, "--quiet").stdout, "")
        self.assertEqual(self.run_program("simulate", *SMALL, "--state", "s.csv").stdout, "")

    def test_a_summary_repeats_its_run(self):
        (self.dir / "m.obj").write_text(TRIANGLE)
        (self.dir / "ball.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n")
        mesh = ["--mesh", "m.obj", "--pin", "0", "--obstacle", "mesh:0,-2,0,1,ball.obj", "--contact", "impulse",
                "--integrator", "generalized-alpha", "--rho-inf", 0.3, "--dt", 0.007, "--substeps", 2, "--mass", 0.3,
                "--energy-limit", "off", "--gravity", "0.1,-9,-0.0"]
        self.run_program("simulate", *mesh, "--steps", 5, "--state", "start.csv")
        run = ["simulate", *mesh, "--initial-state", "start.csv", "--steps", 17]
        self.run_program(*run, "--summary", "s.json", "--state", "a.csv", "--threads", 2)
        summary = json.loads((self.dir / "s.json").read_text())
        self.assertEqual(summary["clothlab-summary"], 1)
        self.assertEqual(summary["command"].split()[:4], ["clothlab", "simulate", "--mesh", "m.obj"])
        self.assertEqual("clothlab " + summary["version"], self.run_program("--version").stdout.strip())
        self.assertEqual(summary["pins"], [0])
        self.assertEqual({key: summary["contact"][key] for key in ("model", "obstacles", "floor", "self_contact")},
                         {"model": "impulse", "obstacles": 1, "floor": False, "self_contact": True})
        self.assertGreater(summary["contact"]["thickness"], 0)
        expected = {"source": str((self.dir / "m.obj").absolute()), "particles": 3, "stretch_springs": 3,
                    "bending_springs": 0, "merged_faces": 0, "welded_vertices": 0, "dropped_faces": 0}
        self.assertEqual({key: summary["mesh"][key] for key in expected}, expected)
        self.assertEqual(summary["intersections"], {when: {"pairs": 0, "interior_vertices": 0} for when in ("start", "end")})
        self.assertGreater(summary["wall_seconds"], 0)
        self.assertGreaterEqual(summary["cpu_seconds"], 0)
        self.assertGreater(summary["step_cpu_ms"]["max"], 0)
        self.assertLessEqual(summary["step_cpu_ms"]["median"] * 8, 1000 * summary["cpu_seconds"] + 1)
        self.assertGreaterEqual(summary["step_cpu_ms"]["sum"], summary["step_cpu_ms"]["median"] * summary["steps"] / 2)
        self.assertLessEqual(summary["step_cpu_ms"]["sum"], 1000 * summary["cpu_seconds"] + 1)
        slowest = summary["dt"] / (summary["step_ms"]["max"] / 1000)
        self.assertGreaterEqual(summary["real_time_factor"], 0.999 * slowest)

        # From another folder, and from what a run prints.
        (self.dir / "elsewhere").mkdir()
        shutil.move(self.dir / "s.json", self.dir / "elsewhere")
        self.run_program("simulate", "--scene", "elsewhere/s.json", "--summary", "t.json", "--state", "b.csv")
        again = json.loads((self.dir / "t.json").read_text())
        self.assertEqual((self.dir / "a.csv").read_bytes(), (self.dir / "b.csv").read_bytes())
        for key in "state_hash", "steps", "scene", "mesh", "energy", "ledger", "contacts":
            self.assertEqual(again[key], summary[key])
        (self.dir / "printed.json").write_text(self.run_program("simulate", "--scene", "elsewhere/s.json").stdout)
        self.run_program("simulate", "--scene", "printed.json", "--summary", "t.json")
        self.assertEqual(json.loads((self.dir / "t.json").read_text())["state_hash"], summary["state_hash"])
        found = self.run_program("analyze", "intersections", "--scene", "elsewhere/s.json").stdout
        self.assertIn("After step 17:", found)
        for length in ["--steps", 3], ["--duration", 0.021]:
            self.run_program("simulate", "--scene", "elsewhere/s.json", *length, "--summary", "t.json")
            self.assertEqual(json.loads((self.dir / "t.json").read_text())["steps"], 3)
        self.run_program(*shlex.split(summary["command"])[1:], "--state", "c.csv")
        self.assertEqual((self.dir / "a.csv").read_bytes(), (self.dir / "c.csv").read_bytes())
        self.refused("simulate", "--scene", "t.json", "--summary", "t.json", says="which is an input")
        (self.dir / "m.obj").write_text(TRIANGLE.replace("v 1 0 0", "v 2 0 0"))
        other = self.run_program("simulate", "--scene", "elsewhere/s.json", "--quiet").stderr
        self.assertIn("the mesh differs from the one of the run in elsewhere/s.json", other)
        self.assertNotIn("the mesh of an obstacle", other)
        (self.dir / "ball.obj").write_text((self.dir / "ball.obj").read_text().replace("v 0 -1 0", "v 0 -2 0"))
        other = self.run_program("simulate", "--scene", "elsewhere/s.json", "--quiet").stderr
        self.assertIn("the mesh of an obstacle differs from the one of the run in elsewhere/s.json", other)
        (self.dir / "t.json").write_text('{"clothlab-summary": 1, ' + json.dumps(summary)[1:])
        self.refused("simulate", "--scene", "t.json", says="occurs twice")
        summary["clothlab-summary"] = 9
        (self.dir / "t.json").write_text(json.dumps(summary))
        self.refused("simulate", "--scene", "t.json", says=["t.json", "version 1"])

    def test_a_run_from_a_checkpoint_or_a_journal_names_it(self):
        journal = SOURCE / "tests/documents/journals/drag.journal"
        self.run_program("simulate", *SMALL, "--checkpoint", "c")
        for run, kind, file in ((["simulate", "--resume", "c", "--steps", 2], "checkpoint", self.dir / "c"),
                                (["replay", journal], "journal", journal)):
            self.run_program(*run, "--summary", "s.json")
            summary = json.loads((self.dir / "s.json").read_text())
            self.assertEqual(summary[kind]["file"], str(file.absolute()))
            self.assertRegex(summary[kind]["hash"], "^[0-9a-f]{16}$")
            self.refused("simulate", "--scene", "s.json", says=[f"continued from a {kind}", "clothlab " + run[0]])

    def test_options_without_effect_are_named(self):
        without = {"--mass": ("1", "The material is a fabric."), "--wind-speed": ("3", "The wind is off."),
                   "--xpbd-contact": ("position", "Semi-implicit Euler does not use it."),
                   "--newton-tolerance": ("0.1", "Semi-implicit Euler does not use Newton's method.")}
        options = [text for name, (value, _) in without.items() for text in (name, value)]
        lines = self.run_program("simulate", *SMALL, "--fabric", "denim", "--dt", "0.01", *options).stderr.splitlines()
        for name, (_, why) in without.items():
            self.assertIn(f"clothlab: {name} has no effect. {why}", lines)
        self.assertNotIn("--dt has no effect", "".join(lines))
        run = [*SMALL, "--floor", "--integrators"]
        compare = self.run_program("compare", *run, "rk4,xpbd", *options[2:]).stderr
        self.assertIn("--wind-speed has no effect", compare)
        self.assertNotIn("--xpbd-contact", compare)  # of a lane
        compare = self.run_program("compare", *run, "rk4,bdf2", *options[2:]).stderr
        self.assertIn("--xpbd-contact has no effect. None of the methods uses it here.", compare)
        self.assertNotIn("--newton-tolerance", compare)
        self.assertIn("--newton-tolerance has no effect. Runge–Kutta 4 does not use", self.run_program("compare", *run, "rk4", *options[2:]).stderr)

    def test_options_without_effect_on_any_method_are_named(self):
        """An option may affect only some of the methods that a command runs, or only its reference."""
        sheet = ["--grid", "4x4"]
        without = lambda *command: sorted(re.findall(r"clothlab: --(\S+) has no effect", self.run_program(*command).stderr))
        given = ["--rho-inf", 0.9, "--newton-tolerance", 0.01, "--cg-tolerance", 0.01]
        for command in (["analyze", "energy", *sheet, "--steps", 3], ["analyze", "reversal", *sheet, "--steps", 3],
                        ["analyze", "stability", *sheet, "--steps", 8]):
            self.assertEqual(without(*command, *given, "--integrators", "rk4,generalized-alpha"), [], command)
            self.assertEqual(without(*command, *given, "--integrators", "rk4,semi-implicit-euler"), ["newton-tolerance", "rho-inf"], command)
            self.assertEqual(without(*command, *given, "--integrators", "rk4"), ["cg-tolerance", "newton-tolerance", "rho-inf"], command)
        self.assertEqual(without("analyze", "stability", *sheet, "--steps", 8, "--integrators", "rattle", "--stretch-stiffness", 500), [])  # ω_max
        self.assertEqual(without("analyze", "stiff-limit", "--steps", 5, "--levels", 1, "--integrators", "rk4", "--newton-max-iterations", 2,
                                 "--rho-inf", 0.9), ["rho-inf"])  # the run with rods
        self.assertEqual(without("analyze", "drape", "--steps", 3, "--integrators", "bdf2", "--contact-stiffness", 50, "--barrier-stiffness", 50), [])
        self.assertEqual(without("analyze", "damping", "--points", 2, "--integrators", "rk4,newmark", "--newmark-beta", 0.3, "--rho-inf", 0.9), ["rho-inf"])
        self.assertEqual(without("analyze", "spectrum", *sheet, "--mass", 1, *given), ["cg-tolerance", "newton-tolerance", "rho-inf"])
        self.assertEqual(without("analyze", "spectrum", *sheet, "--steps", 2, *given), ["newton-tolerance", "rho-inf"])
        self.assertEqual(without("analyze", "response", *sheet, *given, "--integrators", "generalized-alpha"), ["cg-tolerance", "newton-tolerance"])
        self.assertEqual(without("choose", *sheet, *given, "--end-time", 0.05, "--integrators", "rk4"), ["newton-tolerance", "rho-inf"])
        sweep = ["sweep", *sheet, "--steps", 2, *given, "--vary", "wind-speed=1,2", "--out", "sweep", "--dry-run"]
        self.assertEqual(without(*sweep, "--integrators", "rk4,bdf2"), ["rho-inf", "wind-speed"])
        self.assertEqual(without(*sweep, "--integrators", "rk4,bdf2", "--row", 1), [])
        self.assertEqual(without("bench", "--sizes", "4,5", "--steps", 2, *given), ["newton-tolerance", "rho-inf"])
        self.assertEqual(without("bench", *sheet, "--integrators", "--steps", 2, *given, "--wind-speed", 3), ["wind-speed"])

    def test_a_scene_with_lanes_runs_its_first_lane_and_reports_that(self):
        lanes = [{"letter": "B", "method": {"integrator": "bdf2"}},
                 {"letter": "D", "method": {"integrator": "rk4", "substeps": 40}}]
        scene = {"clothlab-scene": 4, "mesh": {"grid": [5, 5]}, "lanes": lanes}
        (self.dir / "two.json").write_text(json.dumps(scene))
        scene["lanes"] = lanes[:1]
        (self.dir / "one.json").write_text(json.dumps(scene))
        for name, note in ("two.json", "the file has 2 lanes; this is lane B, BDF2."), ("one.json", None):
            done = self.run_program("simulate", "--scene", name, "--steps", 3, "--state", f"{name}.csv", "--summary", "s.json")
            self.assertEqual(json.loads((self.dir / "s.json").read_text())["integrator"], "bdf2")
            self.assertIn(note, done.stderr) if note else self.assertEqual(done.stderr, "")
        self.assertEqual((self.dir / "two.json.csv").read_bytes(), (self.dir / "one.json.csv").read_bytes())

    def test_all_summaries_have_the_same_members(self):
        def members(value):
            return {key: members(inner) for key, inner in value.items()} if isinstance(value, dict) else None
        found = []
        for options in [], ["--integrator", "xpbd"], ["--integrator", "rattle"], ["--floor", "--contact", "barrier"]:
            self.run_program("simulate", *SMALL, *options, "--steps", 1, "--summary", "s.json")
            summary = json.loads((self.dir / "s.json").read_text())
            for key in "scene", "distance_from_backward_euler", "length_violation", "rod_force":  # null where the method has none
                self.assertIn(key, summary)
                del summary[key]
            found.append(members(summary))
        self.assertEqual(found, [found[0]] * len(found))

    def test_contact_by_body(self):
        sheet = ["--grid", "4x4", "--pin", "none", "--gravity=0,-10,0", "--floor", "--floor-height", 0]
        self.run_program("simulate", *sheet, "--obstacle", "sphere:5,5,5,0.1", "--contact", "impulse", "--steps", 20,
                         "--contact-csv", "c.csv")
        rows = self.rows("c.csv")
        self.assertEqual([(row["step"], row["body"]) for row in rows[:4]],
                         [("1", "floor"), ("1", "sphere 1"), ("1", "cloth"), ("2", "floor")])
        self.assertEqual(len(rows), 3 * 20)
        floor, sphere, cloth = rows[-3:]
        self.assertAlmostEqual(float(floor["normal_impulse"]), 0.2 * 10 / 60, places=6)
        self.assertEqual((floor["particles"], sphere["particles"], cloth["particles"]), ("16", "0", "0"))

    def test_a_body_that_deforms(self):
        os.mkdir(self.dir / "walk")
        faces = "g helper\nf 1 2 4\ng plate\nf 1 2 3\nf 1 3 4\n"
        for frame in range(3):
            y = -0.3 + 0.1 * frame
            (self.dir / "walk" / f"w{frame}.obj").write_text(
                f"v -1 {y} -1\nv -1 {y} 2\nv 2 {y} 2\nv 2 {y} -1\n" + faces)
        run = ["simulate", "--grid", "4x4", "--pin", "none", "--obstacle"]
        body = {"body": "mesh:0,0,0,1,walk/w#.obj#plate", "frames": {"rate": 20, "start": 0.5}}
        outputs = ["--duration", "1", "--state", "s.csv", "--contact-csv", "c.csv", "--summary", "s.json"]
        self.run_program(*run, json.dumps(body), *outputs)
        for row in self.rows("s.csv"):  # on its rounding, which is a thousandth of the diagonal
            self.assertAlmostEqual(float(row["y"]), -0.1 + 1e-3 * math.hypot(3, 3), places=6)
        self.assertGreater(sum(float(row["work_motion"]) for row in self.rows("c.csv")), 0.2 * 9.8 * 0.2)
        state = (self.dir / "s.csv").read_text()
        self.run_program("simulate", "--scene", "s.json", "--duration", 1, "--state", "s.csv")
        self.assertEqual((self.dir / "s.csv").read_text(), state)
        self.refused(*run, "mesh:0,0,0,1,walk#skin", says="walk#skin")
        self.refused(*run, "mesh:0,0,0,1,walk/w0.obj#skin", says=["skin", "its groups are helper, plate."])
        self.refused(*run, json.dumps({"body": "sphere:0,-1,0,0.3", "frames": {}}), says=["frames", "of a mesh"])
        self.refused(*run, json.dumps({**body, "frames": {"rate": 0}}), says="rate")
        self.refused(*run, json.dumps(body), "--steps", 1, "--obj", "walk/w1.obj", says="is an input")
        (self.dir / "walk" / "w3.obj").write_text(TRIANGLE)
        self.refused(*run, json.dumps(body), says=["w3.obj: it has 1 faces, and 3 are in", "w0.obj"])

    def test_track_of_vertices(self):
        sheet = ["--grid", "4x4", "--scale", 2, "--dt", 0.002, "--steps", 6]
        lanes = "runge-kutta:heun", "runge-kutta:kutta3", "two-step:leapfrog"
        self.run_program("compare", *sheet, "--integrators", ",".join(lanes), "--track", "5,0", "--track-csv", "all.csv")
        of_all = self.rows("all.csv")
        self.assertEqual(len(of_all), 3 * 7 * 2)
        for letter, lane in zip("ABC", lanes):
            method, tableau = lane.split(":")
            self.run_program("simulate", *sheet, "--integrator", method, "--tableau", tableau, "--track", "5,0",
                             "--track-csv", "own.csv", "--state", "last.csv")
            own = self.rows("own.csv")
            self.assertEqual([(row["step"], row["vertex"]) for row in own], [(str(k), v) for k in range(7) for v in "50"])
            self.assertEqual(float(own[-1]["time"]), 0.012)
            last = self.rows("last.csv")
            for row, vertex in ((own[-2], 5), (own[-1], 0)):
                self.assertEqual({key: row[key] for key in last[vertex]}, last[vertex])
            self.assertEqual([{key: row[key] for key in own[0]} for row in of_all if (row["lane"], row["method"]) == (letter, lane)],
                             own)
        printed = self.run_program("simulate", *sheet, "--track", "5", "--track-csv", "-").stdout.splitlines()
        self.assertEqual(printed[0], "step,time,vertex,x,y,z,vx,vy,vz")
        self.assertEqual([line.split(",")[0] for line in printed[1:]], [str(k) for k in range(7)])
        both = self.run_program("compare", *sheet, "--integrators", "rk4", "--track", "5", "--track-csv", "-").stdout
        table, motion = both.split("lane,method,step,", 1)
        self.assertIn("Runge–Kutta 4", table)
        self.assertEqual(motion.count("\nA,rk4,"), 7)
        self.assertFalse((self.dir / "-").exists())
        self.refused("simulate", *sheet, "--track", "5", says="give both")
        self.refused("simulate", *sheet, "--track", "16", "--track-csv", "no.csv", says=["vertex 16", "0 to 15"])
        self.refused("simulate", *sheet, "--track", "a", "--track-csv", "no.csv", says="--track")
        self.refused("simulate", *sheet, "--track", "5,0,5", "--track-csv", "no.csv", says="vertex 5 twice")
        self.refused("compare", *sheet, "--integrators", "rk4", "--track", "1", "--track-csv", "no.png", says=".csv")
        self.refused("simulate", *sheet, "--track", "1", "--track-csv", "a.csv", "--state", "a.csv", says="same file")
        self.assertFalse((self.dir / "no.csv").exists())

    def test_drivers_of_a_scene(self):
        def scene(name, **changes):
            members = {"clothlab-scene": 4, "mesh": {"grid": [4, 4]}, "pin": "none",
                       "groups": {"pole": {"indices": [0, 1, 2, 3]}, "hem": {"loop": 0}},
                       "drivers": [{"group": "pole", "path": [{"time": 0}, {"time": 1, "move": [0, 0.5, 0]}]},
                                   {"group": "hem", "force": {"drag": 0.01, "velocity": [1, 0, 0]}}]}
            (self.dir / name).write_text(json.dumps(members | changes))
        scene("driven.json")
        self.run_program("simulate", "--scene", "driven.json", "--steps", 60, "--state", "a.csv", "--summary", "s.json",
                         "--diagnostics", "d.csv")
        self.assertAlmostEqual(float(self.rows("a.csv")[0]["y"]), 0.5, places=12)
        self.run_program("simulate", "--scene", "s.json", "--threads", 2, "--state", "b.csv")
        self.assertEqual((self.dir / "a.csv").read_bytes(), (self.dir / "b.csv").read_bytes())
        work = json.loads((self.dir / "s.json").read_text())["ledger"]["work_drivers"]
        self.assertAlmostEqual(work, sum(float(row["work_drivers"]) for row in self.rows("d.csv")), places=12)
        self.assertNotEqual(work, 0)
        self.run_program("compare", "--scene", "driven.json", "--steps", 20, "--integrators", "bdf2,xpbd")
        self.refused("simulate", "--scene", "driven.json", "--pin", "top-edge", "--steps", 1,
                     says='Group "pole": vertex 0 is pinned, and a path moves it.')
        scene("far.json", groups={"pole": {"indices": [16]}, "hem": {"loop": 0}})
        self.refused("simulate", "--scene", "far.json", "--steps", 1,
                     says='Group "pole": there is no vertex 16; the mesh has vertices 0 to 15.')
        scene("none.json", groups={})
        self.refused("simulate", "--scene", "none.json", "--steps", 1, says='Driver 1: there is no group "pole".')

    @long_with_sanitizer
    def test_the_frequency_response_of_the_document(self):
        document = (SOURCE / "docs" / "scene-format.md").read_text()
        example = document[document.index("### Example: the frequency response"):]
        for name, language in ("flag.json", "json"), ("response.py", "python"):
            (self.dir / name).write_text(re.search(rf"```{language}\n(.*?)```", example, re.S)[1])
        (self.dir / "clothlab").symlink_to(PROGRAM)
        done = subprocess.run([sys.executable, "response.py", "2.2"], cwd=self.dir, capture_output=True, text=True,
                              env=os.environ | {"PATH": f"{self.dir}:{os.environ['PATH']}"}, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, row = (line.split(",") for line in done.stdout.splitlines())
        table = dict(zip(head, map(float, row), strict=True))
        names = re.search(r"^\| frequency.*", example, re.M)[0].replace("`", "").split(" | ")[1:5]
        printed = re.search(r"^\| 2\.2 .*", example, re.M)[0].split(" | ")[1:5]
        for name, gain in zip(names, printed, strict=True):
            self.assertAlmostEqual(table[name], float(gain), delta=0.05, msg=name)

    def test_an_integrators_own_parameter(self):
        run = ["simulate", *SMALL, "--steps", 5, "--dt", 0.02, "--integrator", "generalized-alpha", "--state", "s.csv"]
        states = {}
        for rho in (0, 0.5, 1):
            self.run_program(*run, "--rho-inf", rho)
            states[rho] = (self.dir / "s.csv").read_text()
        self.assertEqual(len(set(states.values())), 3)
        self.run_program(*run)
        self.assertEqual((self.dir / "s.csv").read_text(), states[0.5])
        scene = {"clothlab-scene": 3, "mesh": {"grid": [8, 8]}, "integrator": "generalized-alpha", "dt": 0.02, "rho-inf": 1}
        (self.dir / "own.json").write_text(json.dumps(scene))
        self.run_program("simulate", "--scene", "own.json", "--steps", 5, "--state", "s.csv")
        self.assertEqual((self.dir / "s.csv").read_text(), states[1])
        self.refused(*run, "--rho-inf", 1.5, says=["rho-inf", "from 0 to 1"])

    def test_a_method_from_a_tableau(self):
        heun = {"name": "Mine", "a": [[0, 0], ["1", 0]], "b": ["1/2", 0.5], "c": [0, 1]}
        with open(os.path.join(self.dir, "heun.json"), "w") as file:
            json.dump(heun, file)
        run = ["simulate", "--grid", "6x6", "--dt", "1 ms", "--steps", 30, "--integrator", "runge-kutta"]
        states = []
        for tableau in "heun", "heun.json", json.dumps(heun):
            self.run_program(*run, "--tableau", tableau, "--state", "s.csv", "--summary", "r.json")
            with open(os.path.join(self.dir, "s.csv")) as file:
                states.append(file.read())
            # The scene contains the tableau, and the command repeats the run.
            self.run_program("simulate", "--scene", "r.json", "--state", "again.csv")
            with open(os.path.join(self.dir, "again.csv")) as file:
                self.assertEqual(file.read(), states[-1])
            with open(os.path.join(self.dir, "r.json")) as file:
                command = json.load(file)["command"]
            self.run_program(*shlex.split(command)[1:], "--state", "again.csv")
            with open(os.path.join(self.dir, "again.csv")) as file:
                self.assertEqual(file.read(), states[-1])
        self.assertEqual(states[0], states[1])
        self.assertEqual(states[0], states[2])
        # Kutta's method without one.
        self.run_program(*run, "--state", "s.csv")
        self.run_program(*run, "--tableau", "kutta3", "--state", "again.csv")
        with open(os.path.join(self.dir, "s.csv")) as file, open(os.path.join(self.dir, "again.csv")) as again:
            self.assertEqual(file.read(), again.read())
        done = self.run_program("compare", "--grid", "6x6", "--steps", 20, "--integrators",
                                "runge-kutta:gauss4,runge-kutta:heun.json,implicit-midpoint", "--dt", "2 ms")
        self.assertIn("Gauss 4", done.stdout)
        self.assertIn("Mine", done.stdout)

    def test_a_two_step_method_from_its_coefficients(self):
        leapfrog = {"name": "Mine", "alpha": [-1, 0, 1], "beta": [0, "2", 0]}
        (self.dir / "mine.json").write_text(json.dumps(leapfrog))
        run = ["simulate", "--grid", "6x6", "--dt", "1 ms", "--steps", 30, "--spring-damping", 0]
        states = []
        for integrator, tableau in ("two-step", "leapfrog"), ("two-step", "mine.json"), ("runge-kutta", json.dumps(leapfrog)):
            self.run_program(*run, "--integrator", integrator, "--tableau", tableau, "--state", "s.csv", "--summary", "r.json")
            states.append((self.dir / "s.csv").read_text())
            self.run_program("simulate", "--scene", "r.json", "--state", "again.csv")
            self.assertEqual((self.dir / "again.csv").read_text(), states[-1])
            summary = json.loads((self.dir / "r.json").read_text())
            self.assertEqual(summary["scene"]["integrator"], "two-step")
            self.run_program(*shlex.split(summary["command"])[1:], "--state", "again.csv")
            self.assertEqual((self.dir / "again.csv").read_text(), states[-1])
        self.assertEqual(states[0], states[1])
        self.assertEqual(states[0], states[2])
        # An option that asks for another kind of method drops the tableau of the file.
        self.run_program("simulate", "--scene", "r.json", "--integrator", "runge-kutta", "--state", "s.csv")
        self.run_program(*run, "--integrator", "runge-kutta", "--state", "again.csv")
        self.assertEqual((self.dir / "s.csv").read_text(), (self.dir / "again.csv").read_text())

    def test_analyses_of_tableaux(self):
        rows = self.analyze("convergence", "--integrators", "runge-kutta:heun,runge-kutta:radau-iia3,two-step:milne4")
        self.assertEqual({r["integrator"]: r["order"] for r in rows},
                         {"runge-kutta:heun": "2", "runge-kutta:radau-iia3": "3", "two-step:milne4": "4"})

    def test_a_broken_tableau_is_refused(self):
        run = ["simulate", "--grid", "3x3", "--integrator", "runge-kutta", "--tableau"]
        self.refused(*run, "huen", says="'heun'")
        self.refused(*run, "none.json", says="none.json")
        self.refused(*run, '{"a": [[0]], "b": [2]}', says="add up to 2")
        self.refused(*run, '{"a": [[0]]}', says='"b"')
        self.refused(*run, '{"a": [["x"]], "b": [1]}', says='"x" in a, row 1')
        long = "0" * 60 + "1"
        for tableau, cell in (f'{{"a": [[0]], "b": ["{long}"]}}', "b, column 1"), \
                             (f'{{"a": [[0]], "b": [1], "c": ["{long}"]}}', "c, row 1"):
            self.refused(*run, tableau, says=f"61 characters in {cell}; at most 60 are allowed in a cell.")
            (self.dir / "long.json").write_text(tableau)
            self.refused(*run, "long.json", says=f"61 characters in {cell}; at most 60 are allowed in a cell.")
        self.refused(*run, '{"a": [[0]], "b": [1], "c": [1]}', says='"c" must be')
        self.refused(*run, '{"a": 1, "b": [1]}', says='"a" must be')
        self.refused(*run, '{"a": [[0]], "b": [1], "d": 1}', says='"d"')
        self.refused(*run, '{"alpha": [-2, 1, 1], "beta": [0, 3, 0]}', says="-2 times the last one")
        self.refused(*run, '{', says="not valid JSON")
        self.refused("simulate", "--grid", "3x3", "--tableau", "heun", says="--integrator runge-kutta")

    def test_a_run_is_resumed_with_the_same_bits(self):
        (self.dir / "m.obj").write_text(TRIANGLE)
        run = ["simulate", "--mesh", "m.obj", "--integrator", "bdf2", "--pin", "0"]
        self.run_program(*run, "--steps", 12, "--threads", 2, "--state", "whole.csv")
        self.run_program(*run, "--steps", 9, "--checkpoint", "c", "--every", 4)
        on = ["simulate", "--resume", "c", "--steps", 3, "--threads", 1, "--state", "s.csv", "--diagnostics", "d.csv"]
        self.run_program(*on)
        self.assertEqual((self.dir / "s.csv").read_text(), (self.dir / "whole.csv").read_text())
        self.assertEqual([row["step"] for row in self.rows("d.csv")], ["10", "11", "12"])
        os.rename(self.dir / "m.obj", self.dir / "moved.obj")
        self.refused(*on, says="m.obj")
        self.run_program(*on, "--mesh", "moved.obj")
        self.assertEqual((self.dir / "s.csv").read_text(), (self.dir / "whole.csv").read_text())
        (self.dir / "other.obj").write_text(TRIANGLE.replace("v 1 0 0", "v 2 0 0"))
        for arguments, says in ((["--mesh", "other.obj"], "another mesh"), (["--dt", "0.1"], "--resume"),
                                (["--checkpoint", "c"], "which is an input")):
            self.refused(*on, *arguments, says=says)
        self.refused(*run, "--steps", 1, "--every", 2, says="--checkpoint")
        (self.dir / "c").write_bytes((self.dir / "c").read_bytes()[:-1])
        self.refused(*on, says="damaged")

    def test_a_copy_that_runs_ahead_foretells_the_step_of_a_blow_up(self):
        run = ["simulate", "--grid", "8x8", "--integrator", "explicit-euler", "--spring-damping", 0, "--stretch-stiffness", 100,
               "--dt", "2e-4", "--diagnostics", "d.csv", "--summary", "s.json", "--quiet"]

        def outcome(*more, status=3):
            done = self.run_program(*run, "--duration", 3, *more, status=status)
            warnings = [n for n in json.loads((self.dir / "s.json").read_text())["notices"] if n["cause"].endswith("-soon")]
            return done.stderr, warnings, self.without_time("d.csv")

        told, warnings, rows = outcome("--look-ahead", "400 ms", "--threads", 2)
        failed = len(rows) + 1
        self.assertGreater(failed, 3000)
        self.assertEqual([n["cause"] for n in warnings], ["blow-up-soon"])
        self.assertIn(f"(step {failed}), computed by running ahead: ", warnings[0]["text"])
        self.assertIn(warnings[0]["text"], told)
        self.assertLessEqual(abs(failed - warnings[0]["step"] - 2000), 1)
        self.assertEqual(outcome("--look-ahead", 0.4, "--threads", 1), (told, warnings, rows), "the same again")
        _, signs, without = outcome("--look-ahead", 0)
        self.assertEqual(without, rows, "the same bits")
        self.assertIn("is expected at about", signs[0]["text"])
        end = ["--steps", failed - 1]
        self.run_program(*run, *end, "--look-ahead", 0.4)
        self.assertNotIn("-soon", (self.dir / "s.json").read_text(), "not beyond the end")
        self.refused(*run, "--look-ahead", -1, says=["--look-ahead", "0 to 60 s"])
        self.refused(*run, *end, "--look-ahead", 1e-4, says=["--look-ahead", "dt is 200 µs"])
        self.refused(*run, *end, "--look-ahead", 0.4, "--dt=-2e-4", says=["--look-ahead", "dt is -200 µs"])

    @long_with_sanitizer
    def test_copies_run_ahead_of_compared_and_replayed_runs(self):
        scene = ["--grid", "8x8", "--spring-damping", 0, "--stretch-stiffness", 100, "--dt", "2e-4", "--duration", 3]
        done = self.run_program("compare", *scene, "--integrators", "explicit-euler,rk4", "--look-ahead", 0.4, "--report", "report")
        step = re.search(r"blew up in step (\d+)", done.stdout)[1]
        self.assertIn(f"(step {step}), computed by running ahead: ", (self.dir / "report/index.html").read_text())
        journal = SOURCE / "tests/documents/journals/blow-up.journal"
        done = self.run_program("replay", journal, "--check", "--look-ahead", 0.4)
        self.assertIn("the same bits", done.stdout)
        failed = re.search(r"A blow-up will occur at t = \S+ s \(step (\d+)\), computed by running ahead: ", done.stderr)
        self.assertTrue(failed, done.stderr)
        self.refused("replay", journal, "--look-ahead", 1e-9, says=["--look-ahead", "dt is"])

    def test_a_bundle_is_a_scene_a_checkpoint_and_a_journal(self):
        saved = SOURCE / "tests/documents/old_files/lanes-1.clothlab"
        (self.dir / "run.clothlab").write_bytes(saved.read_bytes())
        self.assertIn("2 states compared over 59 steps: the same bits.",
                      self.run_program("replay", "run.clothlab", "--check").stdout)
        self.run_program("simulate", "--resume", "run.clothlab", "--steps", 10, "--summary", "s.json")
        summary = json.loads((self.dir / "s.json").read_text())
        self.assertEqual(summary["state_hash"], "a12d55e770c4d9ba")
        self.assertEqual(summary["checkpoint"]["file"], str(self.dir / "run.clothlab"))
        for mesh in (["--scene", "run.clothlab"], ["--mesh", "run.clothlab/meshes/cloth.obj"]):
            self.run_program("simulate", *mesh, "--steps", 1, "--obj", "last.obj")
            self.assertEqual(("\n" + (self.dir / "last.obj").read_text()).count("\nv "), 9)
        self.refused("simulate", "--mesh", "run.clothlab/meshes/none.obj", says='it has no file "meshes/none.obj"')
        (self.dir / "run.clothlab").write_bytes(saved.read_bytes()[:-40])
        self.refused("replay", "run.clothlab", says="damaged")

    def test_a_run_is_resumed_among_bodies_that_have_moved(self):
        (self.dir / "body.obj").write_text(TRIANGLE)
        run = ["simulate", "--grid", "4x4", "--obstacle", "mesh:0.2,-0.5,0.2,0.5,body.obj"]
        self.run_program(*run, "--steps", 3, "--state", "whole.csv")
        self.run_program(*run, "--steps", 2, "--checkpoint", "c")
        os.mkdir(self.dir / "bodies")
        on = ["simulate", "--resume", "c", "--steps", 1, "--state", "s.csv"]
        os.rename(self.dir / "body.obj", self.dir / "bodies" / "body.obj")
        self.refused(*on, says="body.obj")
        self.run_program(*on, "--mesh-folder", "bodies")
        self.refused(*on, "--mesh-folder", "nowhere", says=["--mesh-folder", "nowhere", "not a folder"])
        self.assertEqual((self.dir / "s.csv").read_text(), (self.dir / "whole.csv").read_text())
        (self.dir / "body.obj").write_text(TRIANGLE.replace("v 1 0 0", "v 2 0 0"))
        self.refused(*on, says=["body.obj", "not the mesh"])

    def test_bodies_grow_out_of_the_cloth(self):
        run = ["simulate", "--grid", "20x20", "--pin", "none", "--obstacle", "sphere:0.5,-0.1,0.5,0.2", "--grow-bodies", "0.2 s",
               "--summary", "s.json", "--quiet"]
        self.run_program(*run, "--steps", 20, "--state", "whole.csv", "--threads", 2)
        notices = json.loads((self.dir / "s.json").read_text())["notices"]
        self.assertEqual([(notice["cause"], notice["step"]) for notice in notices], [("bodies-grow", 0), ("bodies-grown", 12)])
        self.assertEqual(notices[1]["text"], "The bodies have grown to their size: nothing intersects.")
        self.run_program("simulate", "--scene", "s.json", "--state", "again.csv")
        self.assertEqual((self.dir / "again.csv").read_text(), (self.dir / "whole.csv").read_text())
        early = self.run_program(*run, "--steps", 6, "--checkpoint", "c").stderr
        self.assertIn("grow to their size until 200 ms", early, "a run that ends before")
        self.run_program("simulate", "--resume", "c", "--steps", 14, "--state", "s.csv", "--threads", 1)
        self.assertEqual((self.dir / "s.csv").read_text(), (self.dir / "whole.csv").read_text())
        for wrong in "-1", "101", "x", "1 m":
            self.refused(*run, "--steps", 1, f"--grow-bodies={wrong}", says="--grow-bodies")

    def test_line_elements_are_sewn(self):
        (self.dir / "two.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\nf 4 5 6\nl 1 4\nl 2 5\nl 3 6\n")
        run = ["simulate", "--mesh", "two.obj", "--pin", "none", "--gravity", "0,0,0", "--spring-damping", 1, "--dt", 0.01, "--quiet"]
        sew = [*run, "--seam-seconds", 0.5]
        early = self.run_program(*sew, "--steps", 20, "--summary", "s.json", "--checkpoint", "c", "--obj", "last.obj").stderr
        self.assertIn("3 of 3 seam pairs are more than 1 mm apart", early)
        self.assertIn("seams close until 500 ms", early)
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["notices"][0]["cause"], "open-seams")
        self.assertIn("l 3 6", (self.dir / "last.obj").read_text())
        late = self.run_program(*sew, "--steps", 200, "--state", "whole.csv", "--threads", 1).stderr
        self.assertNotIn("seam", late)
        heights = [float(row["y"]) for row in csv.DictReader((self.dir / "whole.csv").read_text().splitlines())]
        self.assertLess(max(heights) - min(heights), 1e-3)
        self.run_program("simulate", "--resume", "c", "--steps", 180, "--state", "s.csv", "--threads", 2)
        self.assertEqual((self.dir / "s.csv").read_text(), (self.dir / "whole.csv").read_text())
        self.run_program("simulate", "--scene", "s.json", "--steps", 200, "--state", "s.csv")
        self.assertEqual((self.dir / "s.csv").read_text(), (self.dir / "whole.csv").read_text())
        self.run_program(*run, "--steps", 20, "--state", "free.csv")
        heights = [float(row["y"]) for row in csv.DictReader((self.dir / "free.csv").read_text().splitlines())]
        self.assertEqual((min(heights), max(heights)), (0, 1), "lines were sewn without being asked for")
        self.refused(*sew, "--steps", 1, "--integrator", "xpbd", says=["XPBD", "cannot sew"])
        self.refused(*run, "--steps", 1, "--seam-seconds", -1, says="--seam-seconds")

    @long_with_sanitizer
    def test_dress_moves_a_body_into_a_garment(self):
        assets = SOURCE / "assets"
        run = ["simulate", "--mesh", assets / "shirt.obj", "--dress", "--steps", 12, "--quiet"]
        beside = ["--obstacle", f"mesh:0,-0.05,0.2,1,{assets / 'dummy.obj'}"]
        self.run_program(*run, *beside, "--summary", "s.json", "--state", "one.csv", "--threads", 1)
        summary = json.loads((self.dir / "s.json").read_text())
        x, y, z = (float(part) for part in summary["scene"]["obstacles"][0].split(":")[1].split(",")[:3])
        self.assertLess(math.hypot(x, y, z), 0.06, "the body is still in front of the shirt")
        self.assertEqual(summary["scene"]["grow-bodies"], 0.1)
        self.assertEqual(summary["scene"]["pin"], "none")
        # The result of the search is stored, so that a repetition does not search.
        self.run_program("simulate", "--scene", "s.json", "--state", "again.csv", "--threads", 2)
        self.assertEqual((self.dir / "again.csv").read_text(), (self.dir / "one.csv").read_text())
        self.run_program(*run, *beside, "--pin", "top-edge", "--grow-bodies", 0.3, "--summary", "t.json")
        summary = json.loads((self.dir / "t.json").read_text())
        self.assertEqual((summary["scene"]["pin"], summary["scene"]["grow-bodies"]), ("top-edge", 0.3))
        self.refused(*run, "--obstacle", f"mesh:0,9,0,1,{assets / 'dummy.obj'}", says="do not fit into the cloth")
        self.refused(*run, "--obstacle", "sphere:0,1,0,0.1", says="There is no body to dress")

    def test_meshes_are_added_to_the_cloth(self):
        for name in "shirt.obj", "skirt.obj":
            (self.dir / name).write_text(TRIANGLE)
        skirt = '{"file": "skirt.obj", "position": [0, -1, 0], "turn": [0, 90, 0]}'
        run = ("simulate", "--mesh", "shirt.obj", "--add-mesh", skirt, "--add-mesh", "9,-200 cm,0,0.5,skirt.obj",
               "--steps", 5, "--quiet")
        self.run_program(*run, "--pin", "group:shirt", "--group-material", "skirt-2=stiff", "--summary", "s.json")
        summary = json.loads((self.dir / "s.json").read_text())
        self.assertEqual((summary["mesh"]["particles"], summary["pins"]), (9, [0, 1, 3]))
        self.assertEqual([mesh["position"] for mesh in summary["scene"]["added-meshes"]], [[0, -1, 0], [9, -2, 0]])
        again = "simulate", "--scene", "s.json", "--quiet", "--summary", "again.json"
        for folder in None, "moved":
            if folder:
                (self.dir / folder).mkdir()
                (self.dir / "skirt.obj").rename(self.dir / folder / "skirt.obj")
                self.refused(*again, says=["skirt.obj", "no such file"])
            done = self.run_program(*again, *(["--mesh-folder", folder] if folder else []))
            self.assertNotIn("differ", done.stderr)
            self.assertEqual(json.loads((self.dir / "again.json").read_text())["state_hash"], summary["state_hash"])
        done = self.run_program(*again, "--add-mesh", "none", "--pin", "none", status=2)
        self.assertIn("skirt-2", done.stderr)
        (self.dir / "skirt.obj").write_text(TRIANGLE)
        for command in ["compare", "--integrators", "rk4,xpbd"], ["render", "--png", "p.png"], ["analyze", "stability"]:
            self.run_program(*command, "--mesh", "shirt.obj", "--add-mesh", "1,0,0,1,skirt.obj",
                             *(["--steps", 2] if command[0] != "analyze" else []))
        self.refused("simulate", "--mesh", "shirt.obj", "--add-mesh", "0,0,0,skirt.obj", says="write x,y,z,scale,FILE")
        self.refused(*run, "--obj", "skirt.obj", says="which is an input")
        self.refused(*run, "--pin", "group:skrt", says='did you mean "skirt"?')

    def test_a_group_of_a_mesh_is_the_cloth(self):
        (self.dir / "two.obj").write_text(TRIANGLE + "v 5 0 0\nv 6 0 0\nv 5 1 0\ng other\nf 5 6 7\n")
        for name, particles in ("two.obj", 6), ("two.obj#other", 3):
            self.run_program("simulate", "--mesh", name, "--steps", 1, "--summary", "s.json", "--quiet")
            self.assertEqual(json.loads((self.dir / "s.json").read_text())["particles"], particles)
        self.run_program("simulate", "--scene", "s.json", "--steps", 1)

        # Pins and materials by group; the summary repeats the run.
        run = "simulate", "--mesh", "two.obj", "--steps", 5, "--quiet"
        self.run_program(*run, "--pin", "group:other", "--group-material", "other=stiff", "--soft-pin", "other=2",
                         "--soft-pin", "other=3", "--summary", "g.json")
        summary = json.loads((self.dir / "g.json").read_text())
        self.assertEqual(summary["pins"], [4, 5, 6])
        self.assertEqual(summary["scene"]["pin"], {"groups": ["other"]})
        self.assertEqual(summary["scene"]["materials"], {"other": {"stretch-stiffness": 20000, "bend-stiffness": 50}})
        self.assertEqual([d["force"] for d in summary["scene"]["drivers"]], [{"spring": 2}, {"spring": 3}])
        self.run_program("simulate", "--scene", "g.json", "--quiet", "--summary", "again.json")
        self.assertEqual(json.loads((self.dir / "again.json").read_text())["state_hash"], summary["state_hash"])
        self.refused(*run, "--pin", "group:oter", says='did you mean "other"?')
        self.refused(*run, "--pin", "group:", says="group:NAME")
        self.refused(*run, "--soft-pin", "other", says="collar=20")
        self.refused(*run, "--soft-pin", "other=-1", says="soft-pin")
        self.refused(*run, "--group-material", "other=silk", says="must be one of cotton")
        self.refused(*run, "--group-material", "other=denim", says="is a fabric, and that of the cloth is springs")
        self.refused(*run, "--group-material", "oter=stiff", says="its groups are other")

        self.refused("simulate", "--mesh", "two.obj#none", says=["two.obj", "none", "other"])
        self.refused("simulate", "--mesh", "two.obj#other", "--obj", "two.obj", says="which is an input")

    def test_a_lost_folder_costs_its_outputs_alone(self):
        os.mkdir(self.dir / "out")
        process = subprocess.Popen(
            [PROGRAM, "simulate", "--grid", "20x20", "--steps", "400", "--obj-sequence", "out/shapes", "--diagnostics",
             "out/d.csv", "--checkpoint", "out/c", "--every", "10", "--state", "s.csv", "--summary", "s.json"],
            cwd=self.dir, stderr=subprocess.PIPE, text=True)
        while not (self.dir / "out" / "shapes" / "000010.obj").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        os.rename(self.dir / "out", self.dir / "elsewhere")
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, errors)
        for name in ("shapes", "d.csv", "out/c"):
            self.assertEqual(sum(name in line for line in errors.splitlines()), 1, errors)
        self.assertEqual(len((self.dir / "s.csv").read_text().splitlines()), 401)
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["steps"], 400)

    def test_a_lost_folder_is_a_fault_of_pictures_too(self):
        if os.environ.get("CLOTHLAB_NO_EGL"):
            self.skipTest("SKIPPED: pictures without a display need EGL")
        os.mkdir(self.dir / "out")
        process = subprocess.Popen([PROGRAM, "render", "--grid", "10x10", "--steps", "100000", "--png", "out/p.png", "--every", "10",
                                    "--pixels", "64x64"], cwd=self.dir, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not (self.dir / "out" / "p-000010.png").exists():
            time.sleep(0.01)
        self.assertIsNone(process.poll())
        os.rename(self.dir / "out", self.dir / "elsewhere")
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("out/p-", errors)

    def test_a_lost_output_does_not_print_a_summary(self):
        os.mkdir(self.dir / "out")
        process = subprocess.Popen(
            [PROGRAM, "simulate", "--grid", "20x20", "--steps", "400", "--obj-sequence", "out", "--every", "10"],
            cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (self.dir / "out" / "000010.obj").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        os.rename(self.dir / "out", self.dir / "elsewhere")
        printed, errors = process.communicate(timeout=300)
        self.assertEqual((process.returncode, printed), (1, ""), errors)

    def test_names_do_not_turn_reports_round(self):
        name = "a\u202ejbo.obj"
        (self.dir / name).write_text(TRIANGLE)
        done = self.run_program("compare", "--mesh", name, "--steps", 2, "--integrators", "rk4", "--report", "report")
        for text in (done.stdout, done.stderr, (self.dir / "report" / "index.html").read_text()):
            self.assertNotIn("\u202e", text)

    # Refusals

    def test_a_journal_is_replayed(self):
        journals = SOURCE / "tests/documents/journals"
        done = self.run_program("replay", journals / "load.journal", "--check", "--state", "s.csv", "--threads", 2)
        self.assertIn("states compared over 12 steps: the same bits", done.stdout)
        self.assertEqual(len((self.dir / "s.csv").read_text().splitlines()), 1 + 9)
        text = (journals / "drag.journal").read_text()
        (self.dir / "other.journal").write_text(text.replace('"stretch-stiffness","value":400', '"stretch-stiffness","value":401'))
        done = self.run_program("replay", "other.journal", "--check", status=1)
        self.assertIn("the state after step 30 differs from the journal, the first compared", done.stderr)
        self.run_program("replay", "other.journal")
        self.run_program("replay", journals / "drag.journal", "--summary", "s.json")
        steps = json.loads((self.dir / "s.json").read_text())["steps"]
        self.run_program("replay", journals / "drag.journal", "--dt", 1 / 120, "--summary", "s.json")
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["steps"], 2 * steps)
        # A reset takes back simulated time, but nothing of what was simulated.
        self.run_program("replay", journals / "rewind.journal", "--summary", "s.json", "--diagnostics", "d.csv")
        rows, summary = self.rows("d.csv"), json.loads((self.dir / "s.json").read_text())
        self.assertLess(summary["time"], 0.2)
        wall = sum(float(row["step_ms"]) for row in rows) / 1000
        simulated = sum(float(row["dt"]) for row in rows)
        self.assertGreater(simulated, 0.5)
        self.assertAlmostEqual(summary["real_time_factor"] * wall / simulated, 1, delta=0.05)
        cut = text[:text.index("\n", text.index('"grab"')) + 1]
        (self.dir / "cut.journal").write_text(cut)
        self.refused("replay", "cut.journal", "--check", says=["cut off", '"state"', "--check"])
        self.run_program("replay", "cut.journal")
        done = self.run_program("replay", journals / "blow-up.journal", "--check")
        self.assertRegex(done.stderr, r"\b1 of the journal's \d+ steps blew up and is missing in the results")
        done = self.run_program("replay", journals / "switch.journal", "--integrator", "rk4", "--diagnostics", "d.csv", status=3)
        self.assertIn("skipped: changes of the integrator to semi-implicit-bdf2 (1)", done.stderr)
        self.assertIn("Blown up in step 3", done.stderr)
        done = self.run_program("replay", journals / "blow-up.journal", "--integrator", "backward-euler", "--summary", "s.json")
        self.assertIn("skipped: returns to the last good state after a blow-up (1)", done.stderr)
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["integrator"], "backward-euler")
        for arguments, says in (([journals / "drag.journal", "--integrator", "rk5"], "rk4"),
                                ([journals / "drag.journal", "--check", "--integrator", "rk4"], "--check"),
                                ([journals / "drag.journal", "--check", "--dt", "0.1"], "--check"),
                                ([journals / "square.obj"], "not a journal"),
                                ([journals / "drag.journal", "--state", journals / "drag.journal"], "drag.journal")):
            done = self.run_program("replay", *arguments, status=2)
            self.assertIn(says, done.stderr)

    def test_unknown_names_are_answered_with_the_nearest(self):
        self.refused("simulate", *SMALL, "--stretch-stifness", 3, says=["--stretch-stifness", "--stretch-stiffness"])
        self.refused("simulate", *SMALL, "--integrator", "bakward-euler", says=["bakward-euler", "backward-euler"])
        self.refused("simulate", *SMALL, "--preconditioner", "jakobi", says=["jakobi", "jacobi"])
        self.refused("render", "--grid", "8x8", "--pngs", "x.png", says="did you mean --png?")

    def test_values_out_of_range(self):
        for option, value in (("--dt", "0"), ("--dt", "-1.5"), ("--dt", "nan"), ("--dt", "0,1"), ("--mass", "inf"),
                              ("--cg-max-iterations", "2.5"), ("--cg-tolerance", "x"), ("--steps", "-1"),
                              ("--threads", "0"), ("--grid", "1x8"), ("--grid", "8"), ("--grid", "99999999999x2"),
                              ("--size", "0x1"), ("--scale", "1e999"), ("--gravity", "0,1"), ("--pin", "left"),
                              ("--pin", "99"), ("--energy-limit", "-1"), ("--damping-model", "none")):
            with self.subTest(option=option, value=value):
                arguments = [a for a in SMALL if option != "--grid" or a not in ("--grid", "8x8")]
                self.refused("simulate", *arguments, f"{option}={value}", says=[option.lstrip("-").split("-")[0]])

    def test_no_scene(self):
        self.refused("simulate", says="--grid")
        self.refused("render", "--png", "x.png", says="--grid")
        self.refused("simulate", "--grid", "8x8", "--mesh", "x.obj", says="--mesh")

    def test_bad_files(self):
        self.refused("simulate", "--mesh", "absent.obj", says="absent.obj")
        (self.dir / "bad.obj").write_text("v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n")
        self.refused("simulate", "--mesh", "bad.obj", says=["bad.obj", "3"])
        (self.dir / "bad.json").write_text('{"clothlab-scene": 1,\n "nonsense": 3}')
        self.refused("simulate", "--scene", "bad.json", says=["bad.json", "nonsense"])
        (self.dir / "state.csv").write_text("x,y,z,vx,vy,vz\n0,0,0,0,0,0\n")
        self.refused("simulate", *SMALL, "--initial-state", "state.csv", says=["state.csv", "64"])

    def test_outputs_are_checked_before_the_run(self):
        for option in "--state", "--diagnostics", "--obj", "--ply", "--point-cache", "--summary":
            with self.subTest(option=option):
                self.refused("simulate", *SMALL, option, "no/such/folder/x", says="no/such/folder")
                self.refused("simulate", *SMALL, "--state", "good.csv", option, ".", says=".")

    def test_words_in_the_wrong_place(self):
        self.refused("--threads", 2, "simulate", *SMALL, says=["--threads", "after"])
        self.refused("simulat", "--grid", "5x5", says="simulate")
        self.refused("absent.obj", says="absent.obj")
        self.refused("simulate", *SMALL, "--state", "a.csv", "--diagnostics", "a.csv", says="a.csv")
        self.refused("simulate", "--grid", "8x8", "--duration", 0.001, says="--duration")

    def test_steps_that_do_not_converge_are_said(self):
        done = self.run_program("simulate", *SMALL, "--cg-max-iterations", 1)
        self.assertIn("9 of 10 steps did not converge, the first of them step 2", done.stderr)
        self.assertEqual(self.run_program("simulate", *SMALL, "--fail-on-nonconvergence").stderr, "")
        self.run_program("simulate", *SMALL, "--cg-max-iterations", 1, "--fail-on-nonconvergence", "--state", "s.csv",
                         status=4)
        self.assertTrue((self.dir / "s.csv").exists())

    def test_cloth_that_is_lost_is_reported(self):
        run = ["simulate", "--grid", "10x10", "--pin", "none", "--obstacle", "box:0.5,-0.1,0.5,1.5,0.001,1.5",
               "--steps", 20, "--summary", "s.json", "--quiet"]
        self.run_program(*run)  # contact is solved within the step: the board holds the cloth
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["notices"], [])
        done = self.run_program(*run, "--contact", "penalty", "--contact-stiffness", 1)
        warned_or_lost = json.loads((self.dir / "s.json").read_text())["notices"]
        notices = [notice for notice in warned_or_lost if notice["cause"] != "tunnelling-soon"]
        self.assertEqual([notice["cause"] for notice in notices], ["tunnelling", "behind-obstacle"])
        for notice in notices:
            self.assertIn("100 of 100 particles", notice["text"])
            self.assertIn(f"clothlab: Step {notice['step']}: {notice['text']}\n", done.stderr)

    def test_triangles_that_intersect_at_the_end_are_reported(self):
        (self.dir / "tip.obj").write_text("v 0 0.02 0\nv 0.1 -0.3 0.1\nv -0.1 -0.3 0.1\nv 0 -0.3 -0.1\n"
                                          "f 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n")
        run = ["simulate", "--grid", "6x6", "--pin", "corners", "--scale", 1, "--steps", 10, "--summary", "s.json",
               "--quiet", "--obstacle", "mesh:0.5,-0.03,0.5,1,tip.obj", "--contact"]
        done = self.run_program(*run, "filter")
        notice = json.loads((self.dir / "s.json").read_text())["notices"][-1]
        self.assertEqual((notice["cause"], notice["step"]), ("intersections", 10))
        self.assertIn("at the end, of cloth and obstacle. Use contact by impulse or barrier", notice["text"])
        self.assertIn(notice["text"], done.stderr)
        self.assertNotIn("at the end", self.run_program(*run, "impulse").stderr)

    def test_the_smallest_adaptive_step_is_reported(self):
        done = self.run_program("simulate", *SMALL, "--adaptive-dt", "--max-strain", 1e-4)
        self.assertIn("h/1024", done.stderr)

    def test_energy_gained_in_one_step_is_reported(self):
        run = ["simulate", "--grid", "32x32", "--size", "1.4x1.4", "--pin", "none", "--mass", 0.4, "--bend-stiffness", 0.02,
               "--obstacle", "box:0.7,-0.2,0.7,0.9,0.1,0.9", "--steps", 15, "--summary", "s.json", "--quiet"]
        done = self.run_program(*run)
        notices = json.loads((self.dir / "s.json").read_text())["notices"]
        found = [notice for notice in notices if notice["cause"] == "gain-in-step"]
        self.assertEqual(len(found), 1)
        self.assertIn(f"clothlab: Step {found[0]['step']}: {found[0]['text']}\n", done.stderr)
        self.assertIn("Use adaptive steps, a smaller h, or backward Euler.", found[0]["text"])
        self.assertNotIn("J of spurious energy", self.run_program(*run, "--adaptive-dt").stderr)

    def test_an_extension_of_another_format_is_refused(self):
        for option, name in (("--obj", "a.ply"), ("--state", "a.json"), ("--summary", "a.csv"), ("--checkpoint", "a.OBJ"),
                             ("--contact-csv", "a.png"), ("--diagnostics", "a.md")):
            self.refused("simulate", *SMALL, option, name, says=[name, "another format"])
        self.refused("render", *SMALL, "--png", "a.mp4", says=["a.mp4", ".png"])
        self.refused("render", *SMALL, "--every", 5, "--png", "a.mp4", says=["a.mp4", ".png"])
        self.refused("analyze", "damping", "--csv", "a.png", says=["a.png", ".csv"])
        self.refused("bench", "--json", "a.csv", says=["a.csv", ".json"])
        self.run_program("simulate", *SMALL, "--state", "a", "--diagnostics", "a.txt", "--obj", "A.OBJ")

    def test_a_mesh_in_other_units_and_doubled_faces_are_reported(self):
        (self.dir / "large.obj").write_text("v 0 0 0\nv 100 0 0\nv 100 0 100\nv 0 0 100\nv 0 0 0\nf 1 2 3 4\nf 4 3 2 5\nf 1 5 2\n")
        run = ["simulate", "--mesh", "large.obj", "--pin", "none", "--steps", 1]
        done = self.run_program(*run, "--summary", "s.json")
        size = "The mesh is 141 m across. Is it in centimetres? Use --scale 0.01."
        faces = "1 doubled face was merged and 1 face without area was dropped."
        self.assertEqual(done.stderr, f"clothlab: Start: {size}\nclothlab: Start: {faces}\n")
        notices = {notice["cause"]: notice for notice in json.loads((self.dir / "s.json").read_text())["notices"]}
        self.assertEqual(notices["mesh-size"], {"step": 0, "cause": "mesh-size", "text": size})
        self.assertEqual(notices["mesh-repaired"]["text"], faces)
        self.assertEqual(self.run_program(*run, "--scale", 0.01, "--quiet").stderr, f"clothlab: Start: {faces}\n")
        self.assertIn("Use --scale 0.01 for 1.41 m.", self.run_program(*run, "--scale", 0.1, "--quiet").stderr)
        self.assertEqual(self.run_program("simulate", "--grid", "4x4", "--size", "20x20", "--steps", 1, "--quiet").stderr, "")

    def test_analyze_intersections(self):
        (self.dir / "crossed.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n"
                                              "v 0.2 -1 0.2\nv 0.2 1 0.2\nv 3 1 3\nf 4 5 6\n")
        run = ["analyze", "intersections", "--mesh", "crossed.obj", "--pin", "none", "--csv", "i.csv"]
        done = self.run_program(*run, "--obstacle", "sphere:0,-0.1,1,0.2", "--obstacle", "sphere:9,9,9,0.2")
        self.assertEqual(done.stdout, "After step 0: 1 intersecting pairs of triangles, 1 vertices inside a body.\n")
        vertex, pair = self.rows("i.csv")
        self.assertEqual([vertex[key] for key in ("kind", "body", "vertex", "triangle")], ["vertex", "sphere 1", "2", "nan"])
        self.assertAlmostEqual(float(vertex["depth"]), 0.1)
        self.assertEqual([pair[key] for key in ("kind", "body", "vertex", "triangle", "other_triangle", "depth")],
                         ["pair", "cloth", "nan", "0", "1", "nan"])
        # Of a later state, from a checkpoint too: all has fallen below the floor's place.
        fall = ["--steps", 30, "--gravity=0,-100,0"]
        self.run_program("simulate", *run[2:6], *fall, "--checkpoint", "c")
        for later in [*run, *fall, "--obstacle", "plane:0,1,0,-3"], ["analyze", "intersections", "--resume", "c", "--steps", 0]:
            done = self.run_program(*later)
            self.assertIn("After step 30: ", done.stdout)
            self.assertRegex(done.stderr, r"clothlab: Start: \d+ pairs? of triangles intersects? at the start")
        self.refused(*run, "--resume", "c", "--gravity=0,1,0", says="--resume")
        self.refused(*run[:-1], "crossed.obj", says="another format")

    # Results

    def test_results(self):
        self.run_program("simulate", *SMALL, "--state", "s.csv", "--diagnostics", "d.csv", "--obj", "o.obj",
                         "--obj-sequence", "shapes", "--every", 5, "--summary", "s.json")
        state = self.rows("s.csv")
        self.assertEqual(list(state[0]), ["x", "y", "z", "vx", "vy", "vz"])
        self.assertEqual(len(state), 64)
        self.assertEqual([float(state[0][c]) for c in "xyz"], [0, 0, 0])  # a pinned corner
        middle = state[8 * 4 + 4]
        self.assertLess(float(middle["vy"]), -0.1)

        diagnostics = self.rows("d.csv")
        self.assertEqual([int(r["step"]) for r in diagnostics], list(range(1, 11)))
        for row in diagnostics:
            parts = sum(float(row[k + "_energy"]) for k in ("kinetic", "stretch", "bend", "gravity", "pressure"))
            self.assertTrue(math.isclose(parts, float(row["total_energy"]), rel_tol=1e-12, abs_tol=1e-12))
            self.assertAlmostEqual(float(row["time"]), int(row["step"]) / 60, places=12)
        self.assertGreater(int(diagnostics[-1]["cg_iterations"]), 0)

        vertices = [l.split()[1:] for l in (self.dir / "o.obj").read_text().splitlines() if l.startswith("v ")]
        self.assertEqual([[float(c) for c in v] for v in vertices],
                         [[float(r[c]) for c in "xyz"] for r in state])
        self.assertEqual(sorted(p.name for p in (self.dir / "shapes").iterdir()),
                         ["000000.obj", "000005.obj", "000010.obj"])

        summary = json.loads((self.dir / "s.json").read_text())
        self.assertEqual((summary["integrator"], summary["particles"], summary["steps"]),
                         ("semi-implicit-euler", 64, 10))
        self.assertEqual(summary["springs"], {"stretch": 3 * 64 - 4 * 8 + 1, "bend": 3 * 64 - 8 * 8 + 5})
        self.assertIsNone(summary["blow_up"])
        # The ledger: a sum per column, together the change of the energy, which was 0 for the sheet at y = 0.
        ledger = summary["ledger"]
        self.assertEqual((ledger.pop("wind_given"), ledger.pop("air_loss")), (0, 0))
        for name, joule in ledger.items():
            self.assertAlmostEqual(joule, sum(float(row[name]) for row in diagnostics), places=13)
        self.assertAlmostEqual(sum(ledger.values()), summary["energy"]["total"], places=13)
        self.assertLess(ledger["energy_method"], 0)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["d.csv", "o.obj", "s.csv", "s.json", "shapes"])

    def test_same_bits_for_any_number_of_threads(self):
        for threads in 1, 2, 3, 4:
            self.run_program("simulate", "--grid", "40x40", "--steps", 5, "--integrator", "backward-euler",
                             "--threads", threads, "--state", f"{threads}.csv")
        texts = {(self.dir / f"{threads}.csv").read_bytes() for threads in (1, 2, 3, 4)}
        self.assertEqual(len(texts), 1)

    def test_a_run_can_be_continued(self):
        self.run_program("simulate", "--grid", "8x8", "--steps", 20, "--state", "whole.csv")
        self.run_program("simulate", "--grid", "8x8", "--steps", 12, "--state", "first.csv")
        self.run_program("simulate", "--grid", "8x8", "--steps", 8, "--initial-state", "first.csv", "--state",
                         "second.csv")
        self.assertEqual((self.dir / "whole.csv").read_bytes(), (self.dir / "second.csv").read_bytes())

    def test_duration_is_rounded_to_whole_steps(self):
        self.run_program("simulate", "--grid", "8x8", "--duration", 0.1, "--dt", 0.003, "--diagnostics", "d.csv")
        self.assertEqual(len(self.rows("d.csv")), 33)
        self.refused("simulate", "--grid", "8x8", "--duration", 1, "--steps", 3, says="--duration")

    def test_unused_vertices_scale_and_up_axis_are_undone_on_export(self):
        (self.dir / "t.obj").write_text(TRIANGLE)
        self.run_program("simulate", "--mesh", "t.obj", "--scale", 0.5, "--z-up", "--steps", 3, "--pin", "0,1",
                         "--obj", "o.obj", "--state", "s.csv")
        vertices = [list(map(float, l.split()[1:])) for l in (self.dir / "o.obj").read_text().splitlines()
                    if l.startswith("v ")]
        self.assertEqual(vertices[:3], [[0, 0, 0], [1, 0, 0], [5, 5, 5]])
        self.assertLess(vertices[3][2], 0)  # gravity pulls along the file's −z
        self.assertEqual(len(self.rows("s.csv")), 4)
        self.refused("simulate", "--mesh", "t.obj", "--pin", 2, says="2")

    def test_a_blow_up_keeps_the_last_good_state_and_says_why(self):
        done = self.run_program("simulate", "--grid", "16x16", "--steps", 1000, "--integrator", "symplectic-euler",
                                "--state", "s.csv", "--summary", "s.json", "--diagnostics", "d.csv", status=3)
        summary = json.loads((self.dir / "s.json").read_text())
        self.assertEqual(summary["blow_up"]["step"], summary["steps"] + 1)
        self.assertEqual(len(self.rows("d.csv")), summary["steps"])
        self.assertIn(str(summary["blow_up"]["step"]), done.stderr)
        self.assertIn("2", done.stderr)
        again = self.run_program("simulate", "--scene", "s.json", "--summary", "t.json", status=3)
        self.assertEqual(json.loads((self.dir / "t.json").read_text())["blow_up"], summary["blow_up"])
        self.assertEqual(again.stderr, done.stderr)
        for row in self.rows("s.csv"):
            self.assertTrue(all(math.isfinite(float(v)) for v in row.values()))
        self.run_program("simulate", "--grid", "16x16", "--steps", 20, "--integrator", "symplectic-euler",
                         "--energy-limit", "off", "--state", "s.csv")

    def test_standard_output_and_full_disk(self):
        for name in "/dev/stdout", "-":
            done = self.run_program("simulate", *SMALL, "--state", name)
            self.assertTrue(done.stdout.startswith("x,y,z,vx,vy,vz\n"))
        self.assertEqual(list(self.dir.iterdir()), [])
        if os.path.exists("/dev/full"):
            done = self.run_program("simulate", *SMALL, "--state", "/dev/full", status=1)
            self.assertIn("/dev/full", done.stderr)
            self.assertTrue(os.path.exists("/dev/full"))

    @unittest.skipIf(os.name == "nt", "no limit to the size of a file")
    def test_a_file_that_may_not_grow_is_not_left_half_written(self):
        import resource
        done = subprocess.run([PROGRAM, "simulate", "--grid", "20x20", "--steps", "1", "--state", "s.csv"], cwd=self.dir,
                              stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot write s.csv: ", done.stderr)
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_outputs_never_replace_inputs_or_each_other(self):
        mesh = self.dir / "m.obj"
        mesh.write_text(TRIANGLE)
        (self.dir / "seq").mkdir()
        for extension in "obj", "png", "csv":
            os.symlink(mesh, self.dir / f"link.{extension}")
        os.link(mesh, self.dir / "hard.obj")
        os.symlink(mesh, self.dir / "seq" / "000007.obj")
        os.symlink("new.csv", self.dir / "one.csv")  # a file that is yet to be made, by two links
        os.symlink("seq/../new.csv", self.dir / "two.csv")
        (self.dir / "s.json").write_text('{"clothlab-scene": 1, "mesh": {"file": "m.obj"}}')
        self.run_program("simulate", "--mesh", "m.obj", "--steps", 0, "--state", "start.csv")
        of_mesh = ["simulate", "--mesh", "m.obj", "--steps", 1]
        replaces_input = [
            *([*of_mesh, "--obj", name] for name in ("m.obj", "seq/../m.obj", mesh, "link.obj", "hard.obj")),
            [*of_mesh, "--obj-sequence", "seq"],
            ["simulate", "--mesh", "seq/000007.obj", "--steps", 1, "--obj-sequence", "seq"],
            ["simulate", "--scene", "s.json", "--obj", "m.obj"],
            ["simulate", "--scene", "s.json", "--summary", "s.json"],
            [*of_mesh, "--initial-state", "start.csv", "--state", "./start.csv"],
            ["render", "--mesh", "m.obj", "--png", "link.png"],
            ["analyze", "energy", "--mesh", "m.obj", "--csv", "link.csv"],
        ]
        for arguments in replaces_input:
            with self.subTest(arguments=arguments):
                self.refused(*arguments, says="which is an input")
        same_twice = [
            ["--state", "one.csv", "--diagnostics", "two.csv"],
            ["--state", "a.csv", "--diagnostics", "seq/../a.csv"],
            ["--obj", "shapes/000003.obj", "--obj-sequence", "shapes"],
        ]
        (self.dir / "shapes").mkdir()
        for arguments in same_twice:
            with self.subTest(arguments=arguments):
                self.refused(*of_mesh, *arguments, says="Two outputs")
        self.assertEqual(mesh.read_text(), TRIANGLE)
        if os.path.exists("/dev/null"):
            self.run_program(*of_mesh, "--state", "/dev/null", "--obj", "/dev/null", "--summary", "/dev/null")

    def test_no_output_of_any_command_replaces_an_input(self):
        """Every input with every output, by its name, a symbolic link and a hard link."""
        (self.dir / "cloth.obj").write_text(TRIANGLE)
        for body in "body", "later":
            (self.dir / f"{body}.obj").write_text("v 0 -5 0\nv 1 -5 0\nv 0 -6 0\nv 0 -5 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n")
        mesh = "mesh:0,0,0,1,"
        scene = {"clothlab-scene": 3, "mesh": {"file": "cloth.obj"}, "obstacles": [mesh + "body.obj"]}
        (self.dir / "scene.json").write_text(json.dumps(scene))
        self.run_program("simulate", "--scene", "scene.json", "--steps", 1, "--state", "state.csv", "--checkpoint",
                         "run.checkpoint")
        header = json.loads((self.dir / "run.checkpoint").read_bytes().split(b"\n")[0])
        entries = [{"clothlab-journal": 1},
                   {"step": 0, "do": "load", "mesh-fingerprint": f"{header['mesh-fingerprint']:016x}", "scene": scene},
                   {"step": 1, "do": "set-obstacles", "to": [mesh + str(self.dir / "later.obj")]}]
        (self.dir / "run.journal").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        self.run_program("replay", "run.journal")  # it is one

        results = [("--state", ".csv"), ("--diagnostics", ".csv"), ("--contact-csv", ".csv"), ("--obj", ".obj"),
                   ("--ply", ".ply"), ("--point-cache", ".pc2"), ("--usd", ".usda"), ("--checkpoint", ".checkpoint"), ("--summary", ".json"), ("--obj-sequence", "/000003.obj")]
        of_scene = ["scene.json", "cloth.obj", "body.obj"]
        steps = ["--steps", 1]
        commands = [
            (["simulate", "--scene", "scene.json", "--initial-state", "state.csv", *steps], [*of_scene, "state.csv"], results),
            (["simulate", "--mesh", "cloth.obj", "--obstacle", mesh + "body.obj", *steps], of_scene[1:], results),
            (["simulate", "--resume", "run.checkpoint", *steps], [*of_scene[1:], "run.checkpoint"], results),
            (["replay", "run.journal"], [*of_scene[1:], "later.obj", "run.journal"], results),
            (["replay", "run.journal", "--mesh", "cloth.obj"], ["cloth.obj"], results),
            (["render", "--scene", "scene.json", *steps], of_scene, [("--png", ".png")]),
            (["render", "--scene", "scene.json", *steps, "--every", 1], of_scene, [("--png", "-000002.png")]),
            (["render", "--scene", "scene.json", "--turntable", 2], of_scene, [("--png", "-000002.png")]),
            (["render", "--journal", "run.journal"], ["run.journal", "cloth.obj", "later.obj"], [("--png", ".png")]),
            (["compare", "--integrators", "rk4", "--scene", "scene.json", *steps], of_scene, [("--report", "/curves.png")]),
            (["compare", "--integrators", "rk4", "--journal", "run.journal"], ["run.journal", "body.obj", "later.obj"],
             [("--report", "/A-rk4.csv")]),
            *((["analyze", kind, "--scene", "scene.json"], of_scene, [("--csv", ".csv"), ("--png", ".png"), ("--svg", ".svg")])
              for kind in ("stability", "energy", "drift", "stiff-limit", "reversal", "response", "spectrum", "drape", "work", "cost")),
            (["choose", "--journal", "run.journal"], ["run.journal", "cloth.obj"], [("--csv", ".csv")]),
            (["bench", "--scene", "scene.json", "--integrators"], of_scene,
             [("--csv", ".csv"), ("--json", ".json"), ("--markdown", ".md"), ("--png", ".png"), ("--svg", ".svg")]),
        ]
        before = {path.name: path.read_bytes() for path in self.dir.iterdir()}
        links = self.dir / "links"
        number = itertools.count()
        for command, inputs, outputs in commands:
            for name in inputs:
                for option, suffix in outputs:
                    if SANITIZED and next(number) % 7 > 0:
                        continue
                    for kind, link in (("symlink", os.symlink), ("hard link", os.link)):
                        file = links / ("out" + suffix)
                        file.parent.mkdir(parents=True)
                        link(self.dir / name, file)
                        value = file.parent if "/" in suffix else links / ("out" + suffix[-4:] if "-0" in suffix else file.name)
                        with self.subTest(command=command, input=name, output=option, by=kind):
                            done = self.run_program(*command, option, value, status=2)
                            self.assertIn("which is an input", done.stderr)
                            self.assertEqual(done.stdout, "")
                        shutil.rmtree(links)
                    if "/" in suffix or "-0" in suffix:
                        continue
                    with self.subTest(command=command, input=name, output=option):
                        self.run_program(*command, option, name, status=2)
        self.assertEqual({path.name: path.read_bytes() for path in self.dir.iterdir()}, before)

    @unittest.skipIf(os.name == "nt", "no named pipes")
    def test_waiting_for_the_reader_of_a_pipe_can_be_interrupted(self):
        os.mkfifo(self.dir / "pipe")
        run = subprocess.Popen([PROGRAM, "simulate", *SMALL, "--diagnostics", "d.csv", "--state", "pipe"], cwd=self.dir,
                               stderr=subprocess.PIPE, text=True)
        while not (self.dir / "d.csv").exists() and run.poll() is None:
            time.sleep(0.02)
        time.sleep(0.3)  # the pipe is opened next
        run.send_signal(signal.SIGINT)
        _, message = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130, message)
        self.assertIn("interrupted", message)

    def test_an_interrupted_run_writes_what_is_done(self):
        self.interrupt_a_run(["simulate", "--grid", "20x20", "--steps", "100000000"], 400, signal.SIGINT, 130)
        # A journal edited by hand may have any number of steps.
        golden = SOURCE / "tests/documents/journals/drag.journal"
        (self.dir / "endless.journal").write_text(golden.read_text() + '{"step":1000000000000000000,"do":"release"}\n')
        self.interrupt_a_run(["replay", "endless.journal"], 36, signal.SIGTERM, 143)

    def interrupt_a_run(self, command, vertices, number, status):
        shutil.rmtree(self.dir / "shapes", ignore_errors=True)
        run = subprocess.Popen([PROGRAM, *command, "--state", "s.csv", "--diagnostics", "d.csv", "--obj-sequence", "shapes",
                                "--every", "1"], cwd=self.dir, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if (self.dir / "shapes" / "000003.obj").exists():
                break
            time.sleep(0.05)
        run.send_signal(number)
        _, message = run.communicate(timeout=30)
        self.assertEqual(run.returncode, status, message)
        self.assertIn("the results so far were written", message)
        self.assertEqual(len(self.rows("s.csv")), vertices)
        steps = [int(r["step"]) for r in self.rows("d.csv")]
        self.assertGreaterEqual(len(steps), 3)
        self.assertEqual(steps, list(range(1, len(steps) + 1)))
        left = [p for p in self.dir.rglob("*") if p.is_file() and p.suffix not in (".csv", ".obj", ".journal")]
        self.assertEqual(left, [])

    # Scenes, pictures, window

    def test_scenes_that_come_with_the_program(self):
        scenes = sorted((SOURCE / "assets" / "scenes").glob("*.json"))
        self.assertGreaterEqual(len(scenes), 7)
        for scene in scenes:
            with self.subTest(scene=scene.name):
                self.run_program("simulate", "--scene", scene, "--steps", 3, "--summary", "s.json")
        self.run_program("simulate", "--scene", scenes[0], "--integrator", "backward-euler", "--steps", 1, "--summary",
                         "s.json")
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["integrator"], "backward-euler")

    def test_render(self):
        if os.environ.get("CLOTHLAB_NO_EGL"):
            self.skipTest("SKIPPED: pictures without a display need EGL")
        env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.run_program("render", "--grid", "12x12", "--steps", 5, "--pixels", "320x200", "--png", "p.png", env=env)
        data = (self.dir / "p.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (320, 200))
        printed = subprocess.run([PROGRAM, "render", "--grid", "12x12", "--steps", "5", "--pixels", "320x200", "--png", "-"],
                                 stdout=subprocess.PIPE, cwd=self.dir, env=env, timeout=300, check=True).stdout
        self.assertEqual(printed, data)
        self.assertFalse((self.dir / "-").exists())
        for sequence in "--every", "--turntable":
            self.refused("render", *SMALL, sequence, 2, "--png", "-", says=["--png", "stdout"])
        told = self.run_program("render", "--grid", "12x12", "--pin", "none", "--obstacle", "sphere:0.5,0,0.5,0.2", "--steps", 1,
                                "--pixels", "64x64", "--png", "told.png", env=env).stderr
        self.assertIn("particles are inside surfaces", told)
        self.run_program("render", "--grid", "12x12", "--steps", 4, "--every", 2, "--pixels", "64x64", "--png", "q.png",
                         "--heat-map", "--wireframe", env=env)
        self.assertEqual(sorted(p.name for p in self.dir.glob("q*.png")),
                         ["q-000000.png", "q-000002.png", "q-000004.png"])
        self.run_program("render", "--grid", "8x8", "--steps", 4, "--every", 3, "--pixels", "64x64", "--png", "r.png",
                         env=env)
        self.assertEqual(sorted(p.name for p in self.dir.glob("r*.png")),
                         ["r-000000.png", "r-000003.png", "r-000004.png"])

    def probe(self, name):
        """A video as ffprobe, a program of others, reads it; every frame is decoded."""
        done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", name], capture_output=True,
                              text=True, cwd=self.dir, check=True)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)["streams"][0]

    def decoded(self, name, size, pixels="rgb24"):
        """The frames of a video or a picture, decoded by ffmpeg."""
        data = subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-vsync", "passthrough", "-pix_fmt", pixels, "-"],
                              capture_output=True, cwd=self.dir, check=True).stdout
        length = size[0] * size[1] * (4 if pixels == "rgba" else 3)
        self.assertEqual(len(data) % length, 0)
        return [data[at:at + length] for at in range(0, len(data), length)]

    def needs_ffmpeg(self):
        if os.environ.get("CLOTHLAB_NO_EGL"):
            self.skipTest("SKIPPED: pictures without a display need EGL")
        if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
            self.skipTest("SKIPPED: ffmpeg and ffprobe are not installed; videos are not checked")

    @long_with_sanitizer
    def test_render_writes_videos_that_others_read(self):
        self.needs_ffmpeg()
        run = ["render", "--grid", "8x8", "--dt", "0.01", "--duration", 1, "--pixels", "160x120", "--quiet"]
        self.run_program(*run, "--every", 4, "--png", "p.png")
        done = self.run_program(*run, "--fps", 25, "--mp4", "v.mp4")
        self.assertEqual(done.stderr, "")
        video = self.probe("v.mp4")
        self.assertEqual([video[key] for key in ("codec_name", "pix_fmt", "width", "height", "r_frame_rate", "nb_read_frames",
                                                 "color_space")],
                         ["h264", "yuv420p", 160, 120, "25/1", "26", "bt709"])
        self.assertAlmostEqual(float(video["duration"]), 26 / 25, places=3)
        data = (self.dir / "v.mp4").read_bytes()
        self.assertLess(data.index(b"moov"), data.index(b"mdat"))
        frames = self.decoded("v.mp4", (160, 120))
        pictures = [self.decoded(f"p-{step:06}.png", (160, 120))[0] for step in range(0, 101, 4)]
        self.assertEqual(len(frames), len(pictures))
        mean = lambda a, b: sum(abs(x - y) for x, y in zip(a, b)) / len(a)
        self.assertGreater(mean(pictures[0], pictures[-1]), 4)
        for k in 0, 12, 25:
            self.assertLess(mean(frames[k], pictures[k]), 3, k)
            self.assertEqual(k, min(range(26), key=lambda other: mean(frames[k], pictures[other])))

        # Without loss, and the same file where there is no ffmpeg.
        self.run_program(*run, "--fps", 25, "--apng", "a.apng")
        animation = self.probe("a.apng")
        self.assertEqual([animation[key] for key in ("codec_name", "width", "height", "r_frame_rate", "nb_read_frames")],
                         ["apng", 160, 120, "25/1", "26"])
        frames = self.decoded("a.apng", (160, 120), "rgba")
        for k, frame in enumerate(frames):
            self.assertEqual(frame, self.decoded(f"p-{4 * k:06}.png", (160, 120), "rgba")[0], k)
        done = self.run_program(*run, "--fps", 25, "--mp4", "w.mp4", env={**os.environ, "PATH": str(self.dir)})
        self.assertIn("no program ffmpeg in PATH, which MP4 files need: the video is an animated PNG, w.apng.", done.stderr)
        self.assertEqual((self.dir / "w.apng").read_bytes(), (self.dir / "a.apng").read_bytes())
        self.assertFalse((self.dir / "w.mp4").exists())

        # Frames are even in simulated time, whatever the step; half the speed has twice as many.
        for dt, options, count in (("1/60", [], 31), ("0.1", ["--integrator", "backward-euler"], 31), ("0.003", [], 30), ("0.01", ["--speed", 0.5], 61)):
            self.run_program(*run, "--dt", dt, *options, "--mp4", "t.mp4")
            self.assertEqual(self.probe("t.mp4")["nb_read_frames"], str(count), dt)
        self.run_program(*run, "--turntable", 12, "--mp4", "round.mp4")
        self.assertEqual(self.probe("round.mp4")["nb_read_frames"], "12")

    @long_with_sanitizer
    def test_render_compares_lanes_in_a_video(self):
        self.needs_ffmpeg()
        run = ["render", "--grid", "8x8", "--dt", "0.02", "--duration", 2, "--pixels", "320x320", "--quiet"]
        for count in range(1, 9):
            lanes = ",".join(["semi-implicit-euler", "explicit-euler", *["bdf2"] * 6][:count])
            plot = "distance" if count > 1 else "strain"
            self.run_program(*run, "--integrators", lanes, "--plot", plot, "--fps", 5, "--mp4", "v.mp4")
            self.assertEqual(self.probe("v.mp4")["nb_read_frames"], "11")
        # The marks of the lanes, the plot below them, the time line that moves, and the mark of a lane that blew up.
        lanes = ["--integrators", "bdf2,explicit-euler"]
        self.run_program(*run, *lanes, "--plot", "total-energy", "--fps", 5, "--apng", "c.apng")
        frames = self.decoded("c.apng", (320, 320))
        at = lambda frame, x, y: tuple(frame[3 * (320 * y + x):3 * (320 * y + x) + 3])
        self.assertEqual([at(frames[-1], x, 1) for x in (1, 162)], [(0, 114, 178), (213, 94, 0)])
        self.assertEqual(at(frames[0], 162, 30) == (160, 30, 30), False)
        self.assertEqual(at(frames[-1], 162, 30), (160, 30, 30))
        text = (226, 230, 236)
        lines = [[x for x in range(70, 300) if all(max(abs(a - b) for a, b in zip(at(frame, x, y), text)) < 60 for y in range(210, 260))]
                 for frame in frames]
        columns = [line[0] for line in lines if line]
        self.assertGreater(len(columns), 8)
        self.assertEqual(columns, sorted(set(columns)))
        # The lanes of a file, each with its own method; an option selects one run.
        lanes = [{"letter": "A", "method": {"integrator": "bdf2"}}, {"letter": "C", "method": {"integrator": "rk4", "substeps": 4}}]
        (self.dir / "two.json").write_text(json.dumps({"clothlab-scene": 4, "mesh": {"grid": [6, 6], "size": [1, 1]}, "lanes": lanes}))
        scene = ["render", "--scene", "two.json", "--steps", 2, "--pixels", "320x160"]
        self.assertNotIn("the file has", self.run_program(*scene, "--png", "p.png").stderr)
        picture = self.decoded("p.png", (320, 160))[0]
        self.assertEqual([at(picture, x, 1) for x in (1, 162)], [(0, 114, 178), (0, 158, 115)])
        label = lambda left: [at(picture, left + x, y) for y in range(26) for x in range(26, 159)]
        for other, differ in (("filter", False), ("penalty", True)):  # lanes with the same title
            lanes[1]["method"] = {"integrator": "bdf2", "contact": other}
            (self.dir / "alike.json").write_text(json.dumps({"clothlab-scene": 4, "mesh": {"grid": [6, 6], "size": [1, 1]}, "lanes": lanes}))
            self.run_program("render", "--scene", "alike.json", *scene[3:], "--png", "p.png")
            picture = self.decoded("p.png", (320, 160))[0]
            self.assertEqual(label(0) != label(161), differ)
        told = self.run_program(*scene, "--integrator", "bdf2", "--png", "p.png").stderr
        self.assertIn("the file has 2 lanes", told)
        self.assertIn("The window, compare and render run all of them.", told)

    @long_with_sanitizer
    def test_a_video_shows_the_end_of_a_run_that_blows_up(self):
        self.needs_ffmpeg()
        run = ["render", "--grid", "8x8", "--dt", "0.02", "--duration", 2, "--pixels", "320x320", "--quiet"]
        self.run_program(*run, "--integrator", "explicit-euler", "--every", 1, "--png", "p.png", status=3)
        last = sorted(self.dir.glob("p-*.png"))[-1].name
        one = self.run_program(*run, "--integrator", "explicit-euler", "--fps", 10, "--apng", "one.apng", status=3)
        self.assertIn("Blown up in step 6, at 0.12 s", one.stderr)
        frames = self.decoded("one.apng", (320, 320))
        self.assertEqual(len(frames), 3)  # t = 0, 0.1, and the state before the blow-up
        self.assertEqual(frames[-1], self.decoded(last, (320, 320))[0])
        # All lanes blew up: the mark is in the video. A single lane has the status of a run.
        for lanes, status in (("explicit-euler,explicit-euler", 0), ("explicit-euler", 3)):
            done = self.run_program(*run, "--integrators", lanes, "--plot", "strain", "--fps", 10, "--apng", "all.apng", status=status)
            self.assertEqual("Lane B: Blown up" in done.stderr, status == 0)
            frames = self.decoded("all.apng", (320, 320))
            mark = [frame[3 * (320 * 30 + 2):][:3] == bytes((160, 30, 30)) for frame in frames]
            self.assertEqual(mark, [False, False, True])

    def test_a_failed_ffmpeg_is_found_where_the_end_of_children_is_ignored(self):
        self.needs_ffmpeg()
        (self.dir / "ffmpeg").write_text("#!/bin/sh\nPATH=/usr/bin:/bin; cat > /dev/null; echo disk full >&2; exit 3\n")
        (self.dir / "ffmpeg").chmod(0o755)
        for path, status in ((self.dir, 1), (os.environ["PATH"], 0)):
            done = subprocess.run([PROGRAM, "render", *SMALL, "--pixels", "64x64", "--quiet", "--mp4", "a.mp4"], cwd=self.dir, capture_output=True,
                                  text=True, env={**os.environ, "PATH": str(path)}, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual("a.mp4: disk full." in done.stderr, status == 1)
            self.assertEqual((self.dir / "a.mp4").exists(), status == 0)

    @long_with_sanitizer
    def test_a_video_is_whole_or_missing(self):
        self.needs_ffmpeg()
        run = [PROGRAM, "render", "--grid", "8x8", "--pixels", "64x64", "--quiet"]
        endless, around = [*run, "--steps", "1000000"], [*run, "--steps", "2", "--turntable", "100000"]
        for name in "v.mp4", "v.apng":
            for command, stop, status in ((endless, signal.SIGINT, 130), (endless, signal.SIGTERM, 143), (endless, signal.SIGKILL, -9),
                                          (around, signal.SIGINT, 130)):
                process = subprocess.Popen([*command, "--" + name[2:], name], cwd=self.dir, stderr=subprocess.PIPE)
                part = lambda: list(self.dir.glob(".clothlab-*.part"))
                until = time.monotonic() + 60
                while not part() and time.monotonic() < until:
                    time.sleep(0.05)
                time.sleep(1)
                process.send_signal(stop)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, status)
                if stop == signal.SIGKILL:
                    self.assertFalse((self.dir / name).exists())
                    for path in part():
                        path.unlink()
                else:
                    self.assertGreater(int(self.probe(name)["nb_read_frames"]), 0)
                    (self.dir / name).unlink()

    @unittest.skipIf(SANITIZED, "a sanitizer keeps freed memory")
    def test_a_long_video_needs_no_more_memory(self):
        self.needs_ffmpeg()
        for name in "v.mp4", "v.apng":
            peaks = []
            for frames in 20, 260:
                process = subprocess.Popen([PROGRAM, "render", "--grid", "4x4", "--dt", "1/30", "--steps", str(frames - 1), "--pixels", "320x240",
                                            "--integrators", "bdf2", "--plot", "strain", "--quiet", "--" + name[2:], name], cwd=self.dir)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(process.returncode, 0)
                self.assertEqual(self.probe(name)["nb_read_frames"], str(frames))
                peaks.append(usage.ru_maxrss / 1024)
            self.assertLess(peaks[1] - peaks[0], 40, "240 frames are 74 MB")

    def test_render_refuses_videos(self):
        run = ["render", *SMALL]
        self.refused(*run, says=["--png", "--mp4", "--apng"])
        self.refused(*run, "--fps", 30, "--png", "a.png", says="--fps and --speed belong to a video")
        self.refused(*run, "--turntable", 2, "--speed", 2, "--apng", "a.apng", says="--speed has no effect on --turntable")
        self.refused(*run, "--plot", "energie", "--png", "a.png", says="total-energy")
        for lanes in [], ["--integrators", "bdf2"]:
            self.refused(*run, *lanes, "--plot", "distance", "--png", "a.png", says="--plot distance compares lanes")
        self.refused(*run, "--heat-max", 0.2, "--png", "a.png", says="--heat-max is the end of the colours of --heat-map")
        self.refused("simulate", *SMALL, "--state", "a.apng", says=["a.apng", ".csv"])
        self.refused(*run, "--apng", "no/a.apng", says="there is no folder no")
        self.refused(*run, "--apng", "a.mp4", says=["'a.mp4', does not end with .apng or .png"])
        self.refused(*run, "--mp4", "film.avi", says=["'film.avi', does not end with .mp4"])
        self.refused(*run, "--apng", "-", says=["'-', does not end with .apng or .png"])
        self.refused(*run, "--every", 2, "--apng", "a.apng", says="--every")
        self.refused(*run, "--integrators", "bdf2", "--plot", "strain", "--pixels", "300x100", "--png", "a.png",
                     says="1 tiles and a plot need at least 34x184 pixels")
        self.refused("render", "--grid", "4x4", "--dt=-0.01", "--apng", "a.apng", says="positive --dt")
        programs = self.dir / "bin"
        programs.mkdir()
        (programs / "ffmpeg").write_text("#!/bin/sh\necho no encoder >&2; exit 1\n")
        (programs / "ffmpeg").chmod(0o755)
        env = {**os.environ, "PATH": str(programs)}
        done = subprocess.run([PROGRAM, *map(str, run), "--pixels", "65x64", "--mp4", "a.mp4"], cwd=self.dir, env=env, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "clothlab: An MP4 video needs an even width and height, not 65x64.\n"))
        if not os.environ.get("CLOTHLAB_NO_EGL"):
            done = self.run_program(*run, "--mp4", "a.mp4", status=1, env=env)
            self.assertEqual(done.stderr.splitlines()[-1], "clothlab: ffmpeg could not write a.mp4: no encoder.")
        self.assertEqual([path.name for path in self.dir.iterdir()], ["bin"])

    def test_compare(self):
        lanes = ["explicit-euler", "semi-implicit-euler", "semi-implicit-euler"]
        scene = ["--grid", "6x6", "--steps", 30, "--dt", 0.005, "--threads", 2]
        done = self.run_program("compare", *scene, "--integrators", ",".join(lanes), "--report", "report/")
        table = done.stdout.splitlines()
        self.assertRegex(table[1], r"^A  Explicit Euler .* 1 +5 +\d+ .*blew up in step \d+$")
        self.assertRegex(table[2], r"^B  Semi-implicit Euler .* 30 .*good$")
        self.assertIn("\nA  Blown up in step", done.stdout)

        # A lane has the bits of a run alone, but for the time that it took.
        self.run_program("simulate", *scene, "--integrator", lanes[1], "--diagnostics", "alone.csv")
        for letter in "BC":
            lane = f"report/{letter}-semi-implicit-euler.csv"
            self.assertEqual(self.without_time(lane), self.without_time("alone.csv"))
        self.run_program("simulate", *scene, "--integrator", lanes[0], "--diagnostics", "alone.csv", status=3)
        self.assertEqual(self.without_time("report/A-explicit-euler.csv"), self.without_time("alone.csv"))

        # The page has its pictures in it, and the command that makes it again.
        page = (self.dir / "report/index.html").read_text()
        inside = [base64.b64decode(data) for data in re.findall(r"data:image/png;base64,([^\"]*)", page)]
        beside = [self.dir / "report" / name for name in
                  ("curves.png", *(f"{letter}-{lane}.png" for letter, lane in zip("ABC", lanes)))]
        if "There are no pictures" in page:
            beside = beside[:1]
        self.assertEqual(inside, [path.read_bytes() for path in beside])
        again = html.unescape(re.search(r"Repeat it with <code>(.*?)</code>", page)[1])
        self.assertEqual(self.run_program(*shlex.split(again)[1:]).stdout.splitlines()[0], table[0])
        self.assertNotRegex(page, r"(src|href)=\"(?!data:)")
        # Of every lane, where its energy went.
        ledger = page[page.index("Energy ledger<"):]
        self.assertEqual(ledger[:ledger.index("</table>")].count("<tr>"), 1 + len(lanes))

    @long_with_sanitizer
    def test_compare_runs_the_lanes_of_a_file(self):
        methods = {"A": {"integrator": "bdf2"}, "C": {"integrator": "bdf2", "stage-solve": "linear", "substeps": 2}}
        lanes = [{"letter": letter, "method": method} for letter, method in methods.items()]
        mesh = {"grid": [6, 6], "size": [1, 1]}
        (self.dir / "two.json").write_text(json.dumps({"clothlab-scene": 4, "mesh": mesh, "lanes": lanes}))
        scene = ["--scene", "two.json", "--steps", 20, "--mass", "0.4"]
        done = self.run_program("compare", *scene, "--report", "report")
        self.assertEqual(done.stderr.count("lane"), 0)
        table = done.stdout.splitlines()
        self.assertRegex(table[1], r"^A  BDF2 +2 +16.7 +20 ")
        self.assertRegex(table[2], r"^C  S-BDF2 ÷2 +1 +8.33 +20 ")

        options = ["--stage-solve", "linear", "--substeps", 2]
        self.run_program("simulate", "--grid", "6x6", *scene[2:], "--integrator", "bdf2", *options,
                         "--diagnostics", "alone.csv")
        self.assertEqual(self.without_time("report/C-bdf2.csv"), self.without_time("alone.csv"))
        page = html.unescape((self.dir / "report/index.html").read_text())
        self.assertIn("<code>--integrator bdf2 --substeps 2 --stage-solve linear</code>", page)
        self.assertIn("Repeat it with <code>clothlab compare --scene two.json --mass 0.4 --steps 20</code>", page)

        # Lanes with the same title are told apart.
        lanes[1]["method"] = {"integrator": "bdf2", "contact": "penalty"}
        (self.dir / "alike.json").write_text(json.dumps({"clothlab-scene": 4, "mesh": mesh, "lanes": lanes}))
        done = self.run_program("compare", "--scene", "alike.json", "--steps", 2)
        self.assertIn("\nA  --integrator bdf2\n", done.stdout)
        self.assertIn("\nC  --integrator bdf2 --contact penalty\n", done.stdout)

        # An option replaces the value of every lane, also where the first one had it already.
        done = self.run_program("compare", *scene, "--substeps", 1, "--report", "report")
        self.assertRegex(done.stdout.splitlines()[2], r"^C  S-BDF2 +1 +16.7 ")
        page = html.unescape((self.dir / "report/index.html").read_text())
        self.assertIn("--scene two.json --mass 0.4 --substeps 1 --steps 20</code>", page)
        self.run_program("compare", *scene, "--grid", "4x5", "--size", "2x1", "--report", "report")
        page = html.unescape((self.dir / "report/index.html").read_text())
        self.assertIn("--scene two.json --grid 4x5 --size 2x1 --mass 0.4 --steps 20</code>", page)
        self.assertIn("of 20 particles", page)
        done = self.run_program("compare", *scene, "--integrators", "rk4,bdf2")
        self.assertEqual([line.split("  ")[1] for line in done.stdout.splitlines()[1:3]], ["Runge–Kutta 4", "BDF2"])

    def test_render_tiles_lanes(self):
        lanes = ["--integrators", "explicit-euler,semi-implicit-euler"]
        steps = [*SMALL, "--dt", "0.02", "--pixels", "200x100"]
        done = self.run_program("render", *steps, *lanes, "--every", 4, "--png", "t.png")
        self.assertIn("Blown up in step", done.stderr)  # one of them; the others go on
        pictures = sorted(self.dir.glob("t-*.png"))
        self.assertEqual([path.name for path in pictures], [f"t-{step:06}.png" for step in (0, 4, 8, 10)])
        for path in pictures:
            png = path.read_bytes()
            self.assertEqual(struct.unpack(">II", png[16:24]), (200, 100))
            self.assertEqual(tuple(first_pixel(png)), (0, 114, 178))  # the mark of lane A
        self.refused("render", *SMALL, *lanes, "--integrator", "rk4", "--png", "no.png", says="--integrator")
        self.refused("render", *SMALL, *lanes, "--pixels", "60x90", "--png", "no.png", says="at least 68x34 pixels")
        self.refused("render", *SMALL, "--integrators", "rk5", "--png", "no.png", says="rk4")

    def test_compare_replays_a_journal(self):
        journal = SOURCE / "tests/documents/journals/blow-up.journal"
        done = self.run_program("compare", "--journal", journal, "--integrators", "backward-euler", "--report", "report")
        self.assertIn("Skipped: returns to the last good state after a blow-up (1).", done.stdout)
        self.run_program("replay", journal, "--integrator", "backward-euler", "--diagnostics", "alone.csv")
        rows = [self.without_time(name) for name in ("report/A-backward-euler.csv", "alone.csv")]
        self.assertEqual(*rows)

    def test_render_replays_a_journal(self):
        journal = SOURCE / "tests/documents/journals/drag.journal"
        self.run_program("render", "--journal", journal, "--pixels", "200x100", "--every", 20, "--png", "j.png")
        self.run_program("replay", journal, "--summary", "s.json")
        steps = json.loads((self.dir / "s.json").read_text())["steps"]
        self.assertEqual([path.name for path in sorted(self.dir.glob("j-*.png"))],
                         [f"j-{step:06}.png" for step in sorted({*range(0, steps + 1, 20), steps})])
        done = self.run_program("render", "--journal", journal, "--integrators", "backward-euler,rk4", "--pixels", "200x100",
                                "--png", "tiles.png")
        self.assertIn("Blown up in step 3", done.stderr)
        self.assertEqual(tuple(first_pixel((self.dir / "tiles.png").read_bytes())), (0, 114, 178))
        self.refused("render", "--journal", journal, "--grid", "4x4", "--png", "no.png", says="has its own scene")

    def test_compare_says_what_did_not_converge_and_where_it_blew_up(self):
        done = self.run_program("compare", "--grid", "8x8", "--steps", 5, "--integrators", "xpbd,semi-implicit-euler")
        self.assertRegex(done.stdout, r"\nA  XPBD .* [1-5]  not all converged\n")
        self.assertRegex(done.stdout, r"\nB  .* 0  good\n")
        # Steps count from the scene's start, of the second scene of this journal.
        journal = SOURCE / "tests/documents/journals/load.journal"
        done = self.run_program("compare", "--journal", journal, "--integrators", "symplectic-euler")
        step = re.search(r"blew up in step (\d+)", done.stdout)[1]
        self.assertIn(f"A  Blown up in step {step},", done.stdout)

    def test_compare_refuses(self):
        self.refused("compare", "--integrators", "rk4", says="There is no cloth")
        self.refused("compare", *SMALL, "--integrators", "rk5", says="rk4")
        self.refused("compare", *SMALL, says="name --integrators A,B,..., or a --scene whose file has lanes")
        self.refused("compare", *SMALL, "--integrators", "rk4,", says="integrator")
        self.refused("compare", *SMALL, "--integrators", ",".join(9 * ["rk4"]), says="at most 8 lanes, not 9")
        self.refused("compare", *SMALL, "--integrators", "rk4", "--report", "no/report", says="no/report")
        journal = SOURCE / "tests/documents/journals/drag.journal"
        self.refused("compare", "--integrators", "rk4", "--journal", journal, "--dt", "0.1", says="has its own scene")
        self.refused("compare", "--integrators", "rk4", "--journal", journal, "--steps", "3", says="--steps")
        (self.dir / "file").write_text("")
        self.refused("compare", *SMALL, "--integrators", "rk4", "--report", "file", says="'file' is not a folder")

    def test_look(self):
        if os.environ.get("CLOTHLAB_NO_EGL"):
            self.skipTest("SKIPPED: pictures without a display need EGL")
        env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        sheet = ["render", "--grid", "8x8", "--steps", 2, "--pixels", "32x32"]
        self.run_program(*sheet, "--png", "none.png", env=env)
        brightness = {}
        for look in "dark", "light":
            self.run_program(*sheet, "--look", look, "--png", f"{look}.png", env=env)
            brightness[look] = sum(first_pixel((self.dir / f"{look}.png").read_bytes())) / 3  # of the sky
        self.assertEqual((self.dir / "none.png").read_bytes(), (self.dir / "dark.png").read_bytes())
        self.assertLess(brightness["dark"], 100)
        self.assertGreater(brightness["light"], 170)
        self.refused(*sheet, "--look", "lihgt", "--png", "x.png", says=["--look", "lihgt", "light"])

    def test_turntable(self):
        if os.environ.get("CLOTHLAB_NO_EGL"):
            self.skipTest("SKIPPED: pictures without a display need EGL")
        env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        sheet = ["render", "--grid", "8x8", "--steps", 20, "--pixels", "64x64"]
        self.run_program(*sheet, "--turntable", 4, "--png", "t.png", env=env)
        pictures = [(self.dir / f"t-00000{k}.png").read_bytes() for k in range(4)]
        self.assertEqual(len(list(self.dir.glob("t*.png"))), 4)
        self.assertEqual(len(set(pictures)), 4)  # another side each time
        # A half turn is two quarters, and a quarter is 90 degrees.
        self.run_program(*sheet, "--turntable", 2, "--png", "h.png", env=env)
        self.assertEqual((self.dir / "h-000001.png").read_bytes(), pictures[2])
        self.run_program(*sheet, "--yaw", 30 + 90, "--turntable", 1, "--png", "q.png", env=env)
        self.assertEqual((self.dir / "q-000000.png").read_bytes(), pictures[1])
        self.refused(*sheet, "--turntable", 0, "--png", "p.png", says=["--turntable", "1"])

    # Analyses

    def analyze(self, what, *options):
        """The rows of the CSV; the picture is one, and nothing else is written."""
        self.run_program("analyze", what, *options, "--csv", "a.csv", "--png", "a.png")
        self.assertEqual((self.dir / "a.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["a.csv", "a.png"])
        return self.rows("a.csv")

    def test_analyze_is_told_what(self):
        self.refused("analyze", says="damping")
        self.refused("analyze", "dampin", says=["dampin", "damping"])
        self.refused("analyze", "all", "damping", says="'all'")
        self.refused("analyze", "damping", "--integrators", "bakward-euler", says=["bakward-euler", "backward-euler"])
        self.refused("analyze", "damping", "--pgn", "x", says=["--png", "clothlab analyze damping"])
        self.refused("analyze", "damping", "--points", 1, says="--points")
        self.refused("analyze", "damping", "--csv", "no/such/folder/x", says="no/such/folder")
        self.refused("analyze", "damping", "--csv", "x", "--png", "x", says="'x'")

    def test_analyze_damping(self):
        rows = self.analyze("damping", "--points", 5)
        self.assertTrue({"explicit-euler", "backward-euler"} <= {r["integrator"] for r in rows})
        for row in rows:
            self.assertTrue(math.isclose(float(row["amplitude"]), float(row["amplitude_theory"]), rel_tol=1e-6), row)
        euler = [float(r["amplitude"]) for r in rows if r["integrator"] == "backward-euler"]
        for amplitude, h_omega in zip(euler, (0.01, 0.1, 1, 10, 100), strict=True):
            self.assertAlmostEqual(amplitude, 1 / math.hypot(1, h_omega), places=9)

    @long_with_sanitizer
    def test_analyze_convergence(self):
        rows = self.analyze("convergence", "--integrators", "rk4,semi-implicit-euler", "--levels", 4)
        self.assertEqual([int(r["steps"]) for r in rows], [10, 20, 40, 80] * 2)
        self.assertEqual([r["order_x"] == "nan" for r in rows], [True, False, False, False] * 2)  # it takes two of them
        for integrator, order, tolerance in ("rk4", 4, 0.2), ("semi-implicit-euler", 1, 0.2):
            last = [r for r in rows if r["integrator"] == integrator][-1]
            self.assertEqual(int(last["order"]), order)
            self.assertAlmostEqual(float(last["order_x"]), order, delta=tolerance)
        rows = self.analyze("convergence", "--integrators", "semi-implicit-bdf2", "--levels", 8, "--jacobian", "clamped")
        self.assertEqual(int(rows[-1]["order"]), 1)
        self.assertAlmostEqual(float(rows[-1]["order_x"]), 1, delta=0.1)
        for contact, order in ("penalty", 2), ("filter", 1):
            rows = self.analyze("convergence", "--integrators", "velocity-verlet", "--levels", 6, "--contact", contact)
            self.assertEqual({r["same_pairs"] for r in rows}, {"1"})
            self.assertAlmostEqual(float(rows[-1]["order_x"]), order, delta=0.1)
        euler = self.analyze("convergence", "--integrators", "explicit-euler,backward-euler", "--levels", 8)
        gains, loses = ({key: float(euler[k][key]) for key in ("error_x", "signed_x", "error_energy")} for k in (7, 15))
        self.assertTrue(math.isclose(gains["signed_x"], gains["error_x"], rel_tol=1e-9), gains)  # along itself
        for key in "signed_x", "error_energy":
            self.assertGreater(gains[key], 0)
            self.assertAlmostEqual(loses[key] / gains[key], -1, delta=0.03)
        self.refused("analyze", "convergence", "--contact", "fliter", says=["fliter", "filter"])
        done = self.run_program("analyze", "convergence", "--contact", "filter", "--levels", 2, "--integrators", "rattle")
        self.assertIn("left out: rattle", done.stderr)

    @long_with_sanitizer
    def test_analyze_friction(self):
        self.refused("analyze", "friction", "--friction", 0, says="--friction")
        rows = self.analyze("friction", "--integrators", "backward-euler,pbd-proj2,rk4")
        self.assertEqual({r["contact"] for r in rows if r["integrator"] == "pbd-proj2"}, {"filter", "impulse"})
        for row in rows:
            case = row["integrator"], row["contact"], float(row["h"]) > 0.01
            if float(row["slope"]) > 1:
                self.assertTrue(math.isclose(float(row["rate"]), float(row["rate_theory"]), rel_tol=1e-6), row)
            elif case == ("rk4", "penalty", True):
                self.assertGreater(float(row["speed"]), 2 * float(row["speed_theory"]))  # friction is too stiff
            elif row["contact"] in ("filter", "impulse"):
                self.assertEqual(float(row["speed_theory"]), 0)
                self.assertLess(abs(float(row["speed"])), 1e-9)
            elif case == ("backward-euler", "penalty", False):
                self.assertTrue(math.isclose(float(row["speed"]), float(row["speed_theory"]), rel_tol=1e-6), row)

    def test_analyze_drape(self):
        self.refused("analyze", "drape", "--grid", "3x3", says="--obstacle")
        self.refused("analyze", "drape", "--rest-speed", 0, says="--rest-speed")
        tableaux = self.analyze("drape", "--grid", "3x3", "--pin", "none", "--obstacle", "plane:0,1,0,-1", "--steps", 2,
                                "--dt", 1e-4, "--integrators", "runge-kutta:heun,runge-kutta:ssp3")
        self.assertEqual({row["integrator"] for row in tableaux}, {"runge-kutta:heun", "runge-kutta:ssp3"})
        # On a plane each particle comes to rest where the contact carries it: d - m g / k, or where the barrier pushes so.
        rows = self.analyze("drape", "--grid", "4x4", "--pin", "none", "--obstacle", "plane:0,1,0,0", "--rayleigh-mass", 100,
                            "--contact-distance", 0.004, "--contact-stiffness", 100, "--rest-speed", 1e-7, "--dt", 0.002,
                            "--integrators", "backward-euler,rattle", "--newton-tolerance", 1e-8)
        self.assertEqual([r["contact"] for r in rows], ["filter", "impulse", "barrier", "penalty", "penalty", "penalty", "filter",
                                                      "impulse"])
        for row in rows:
            self.assertEqual(row["blew_up"], "0")
            self.assertGreater(float(row["rest_time"]), 0)
            theory = 0.004 - 0.2 / 16 * 9.8 / float(row["contact_stiffness"]) if row["contact"] == "penalty" else 0
            if row["contact"] == "impulse":
                continue
            if row["contact"] == "barrier":
                gap, below = float(row["gap"]), 0.004 - float(row["gap"])
                push = float(row["contact_stiffness"]) * (2 * below * math.log(0.004 / gap) + below**2 / gap)
                self.assertAlmostEqual(push, 0.2 / 16 * 9.8, delta=1e-4)
                continue
            self.assertAlmostEqual(float(row["gap"]), theory, delta=1e-7)
            if theory:
                for distance in "distance_mean", "distance_max":
                    self.assertAlmostEqual(float(row[distance]), abs(theory), delta=1e-6)

    @long_with_sanitizer
    def test_analyze_stability(self):
        self.refused("analyze", "stability", says="--grid")
        rows = self.analyze("stability", "--grid", "4x4", "--spring-damping", 0, "--steps", 200, "--integrators",
                            "explicit-euler,symplectic-euler,backward-euler")
        limits = {r["integrator"]: r for r in rows}
        self.assertEqual(float(limits["explicit-euler"]["stable_h"]), 0)
        # The sheet moves, so that its ω_max is not quite that of the start.
        self.assertAlmostEqual(float(limits["symplectic-euler"]["stable_h_omega"]), 2, delta=0.1)
        self.assertAlmostEqual(float(limits["backward-euler"]["stable_h"]), 1 / 60, places=12)
        damped = self.analyze("stability", "--grid", "5x5", "--mass", 0.05, "--spring-damping", 0.5, "--steps", 800,
                              "--integrators", "explicit-euler,velocity-verlet")
        for row, limit in zip(damped, (0.542e-3, 0.881e-3)):
            self.assertAlmostEqual(float(row["theory_h"]), limit, delta=0.01 * limit)
            # Just above it, growth takes longer than the trials.
            self.assertAlmostEqual(float(row["stable_h"]), limit, delta=0.1 * limit)
        # Damping, which theory leaves out for Newmark's method, can only raise the limit.
        newmark = ["--newmark-beta", 0, "--newmark-gamma", 0.7, "--integrators", "newmark"]
        self.assertRegex(self.run_program("analyze", "stability", "--grid", "4x4", "--steps", 20, *newmark).stdout,
                         r"≥ \S+ s\n")
        # Rods have no theory, and are measured all the same.
        (rods,) = self.analyze("stability", "--grid", "4x4", "--steps", 20, "--integrators", "rattle")
        self.assertGreater(float(rods["stable_h"]), 0)

    def test_analyze_with_distances(self):
        head = {"clothlab-scene": 4, "mesh": {"grid": [3, 3]}, "pin": [0], "dt": 0.01,
                "groups": {"a": {"indices": [0, 1]}, "b": {"indices": [4, 8]}}}
        drivers = [{"group": name, "constraint": "distance"} for name in "ab"]
        (self.dir / "s.json").write_text(json.dumps({**head, "drivers": drivers}))
        (self.dir / "off.json").write_text(json.dumps({**head, "drivers": [{**d, "on": False} for d in drivers]}))
        methods = ["--integrators", "rk4,beere,xpbd"]
        left_out = "left out: xpbd, beere: it cannot keep particles at a distance.\n"
        without = "clothlab: Distances are left out: this is for the cloth without them.\n"
        for what, options in {"energy": ["--steps", 5], "reversal": ["--steps", 5], "stability": ["--steps", 8], "cost": ["--steps", 5],
                              "work": ["--steps", 8, "--end-time", 0.02]}.items():
            done = self.run_program("analyze", what, "--scene", "s.json", *options, *methods, "--csv", "a.csv")
            self.assertIn(left_out, done.stderr, what)
            self.assertEqual({r["integrator"] for r in self.rows("a.csv")}, {"rk4"}, what)
            self.assertEqual(without in done.stderr, what == "stability", what)
        done = self.run_program("analyze", "drift", "--scene", "s.json", "--steps", 5)
        self.assertIn("rattle, ", done.stderr)
        for what in "spectrum", "response":
            wanted = methods if what == "response" else []
            stderr = {name: self.run_program("analyze", what, "--scene", f"{name}.json", *wanted).stderr for name in ("s", "off")}
            self.assertIn(without, stderr["s"])
            self.assertNotIn(without, stderr["off"])

    def test_analyze_energy(self):
        rows = self.analyze("energy", "--steps", 100, "--quiet", "--integrators", "backward-euler,sdirk2,explicit-euler")
        energies = {}
        for row in rows:
            parts = sum(float(row[part]) for part in ("kinetic", "stretch", "bend", "gravity", "pressure"))
            self.assertTrue(math.isclose(parts, float(row["total"]), rel_tol=1e-12, abs_tol=1e-15), row)
            energies.setdefault(row["integrator"], []).append(float(row["total"]))
        self.assertEqual([len(energies[name]) for name in ("backward-euler", "sdirk2")], [101, 101])
        self.assertLess(len(energies["explicit-euler"]), 101)  # it blew up
        gain = {name: total[-1] - total[0] for name, total in energies.items()}
        self.assertLess(gain["backward-euler"], -0.03)
        self.assertGreater(gain["sdirk2"], gain["backward-euler"] / 10)
        energy = ["analyze", "energy", "--steps", 3, "--quiet", "--integrators", "sdirk2"]
        table = self.run_program(*energy).stdout
        self.assertTrue(table)
        self.run_program(*energy, "--csv", "b.csv")
        self.assertEqual(self.run_program(*energy, "--csv", "-").stdout, table + (self.dir / "b.csv").read_text())

    def test_analyze_drift(self):
        self.refused("analyze", "drift", "--velocity-projection", "off", says="--velocity-projection")
        rows = self.analyze("drift", "--steps", 200)
        self.assertEqual({r["method"] for r in rows}, {"rattle", "shake", "pbd-proj2", "plain-pbd", "fast-projection", "none", "baumgarte", "cfm", "projection"})
        length = {name: max(float(r["length_error"]) for r in rows if r["method"] == name) for name in ("none", "baumgarte", "cfm", "projection")}
        self.assertAlmostEqual(length["baumgarte"], 0.01 * 2 * 9.8 / (2 * 20), delta=5e-4)  # h v²/(2 L α)
        load = 3 * 0.1 * 9.8
        self.assertAlmostEqual(length["cfm"] - length["baumgarte"], 0.01 * 0.1 * load / (1 - math.exp(-0.2)), delta=1e-3)
        self.assertGreater(length["none"], 0.05)
        self.assertLess(length["projection"], 1e-12)
        self.refused("analyze", "drift", "--stabilisation", "cmf", says=["cfm", "baumgarte"])
        rows_of = {r["method"] for r in self.analyze("drift", "--steps", 2, "--integrators", "rattle", "--stabilisation", "cfm")}
        self.assertEqual(rows_of, {"rattle", "cfm"})
        done = self.run_program("analyze", "drift", "--grid", "3x3", "--steps", 3, "--floor")
        self.assertIn("no contact", done.stderr)
        self.assertNotIn("cfm", done.stdout)
        rate = {name: max(float(r["rate"]) for r in rows if r["method"] == name) for name in {r["method"] for r in rows}}
        self.assertAlmostEqual(rate["plain-pbd"], 0.01 * 9.8, delta=0.02)  # half a step off the tangent
        self.assertLess(max(rate["rattle"], rate["pbd-proj2"], rate["fast-projection"]), 1e-11)
        self.assertTrue(1e-3 < rate["shake"] < 2e-3)  # of order h²
        done = self.run_program("analyze", "drift", "--grid", "3x3", "--steps", 3, "--integrators", "rattle,rk4")
        self.assertIn("left out: rk4", done.stderr)
        self.assertNotIn("pbd", done.stdout)

    @long_with_sanitizer
    def test_analyze_stiff_limit(self):
        self.refused("analyze", "stiff-limit", "--levels", 0, says="--levels")
        self.refused("analyze", "stiff-limit", "--stretch-stiffness", 1e9, says=["levels", "N/m"])
        self.refused("analyze", "stiff-limit", "--grid", "2x2", "--gravity=0,0,0", "--bend-stiffness", 0, "--steps", 2, says="carries a force")
        rows = self.analyze("stiff-limit", "--levels", 5, "--steps", 2000, "--integrators", "backward-euler,bdf2,rattle")
        self.assertEqual({r["integrator"] for r in rows}, {"backward-euler", "bdf2"})
        for name in "backward-euler", "bdf2":
            of = [r for r in rows if r["integrator"] == name]
            self.assertEqual([float(r["stretch_stiffness"]) for r in of], [1000 * 10 ** (i / 2) for i in range(5)])
            for softer, stiffer in zip(of, of[1:]):  # slope -1
                for figure in "force_difference", "distance":
                    self.assertAlmostEqual(float(softer[figure]) / float(stiffer[figure]), math.sqrt(10), delta=0.25)
            self.assertLess(float(of[-1]["force_difference"]), 1e-3)
        done = self.run_program("analyze", "stiff-limit", "--grid", "4x4", "--levels", 1, "--steps", 5, "--integrators", "rk4,shake")
        self.assertIn("left out: shake", done.stderr)
        self.assertIn("rods did not converge", done.stderr)  # a flat sheet has more of them than directions

    def test_analyze_reversal(self):
        rows = self.analyze("reversal", "--steps", 240, "--integrators", "velocity-verlet,implicit-midpoint,rk4,bdf2,explicit-euler")
        self.assertEqual({r["integrator"] for r in rows}, {"velocity-verlet", "implicit-midpoint", "rk4", "bdf2"})
        end = {r["integrator"]: r for r in rows if r["step"] == "240"}
        for name, row in end.items():
            self.assertAlmostEqual(float(row["time"]), 1)
            self.assertEqual(float(row["error_x"]) < 1e-9, name in ("velocity-verlet", "implicit-midpoint"), row)
        self.assertLess(float(end["rk4"]["error_x"]), float(end["bdf2"]["error_x"]))
        # Its first step after the reversal is one of RK4.
        leapfrog = self.analyze("reversal", "--steps", 240, "--integrators", "two-step:leapfrog")
        self.assertGreater(float(leapfrog[-1]["error_x"]), 1e-6)
        done = self.run_program("analyze", "reversal", "--integrators", "explicit-euler")
        self.assertRegex(done.stdout, "explicit-euler +blew up")

    def test_analyze_response(self):
        self.refused("analyze", "response", says="--grid")
        self.refused("analyze", "response", "--grid", "4x4", "--ratio", 0, says="--ratio")
        rows = self.analyze("response", "--grid", "4x4", "--spring-damping", 0, "--dt", 0.004, "--ratio", 0.5, "--modes", 16, "--integrators",
                            "explicit-euler,semi-implicit-euler,implicit-midpoint,siere")
        by_name = {name: [r for r in rows if r["integrator"] == name] for name in {r["integrator"] for r in rows}}
        self.assertEqual(len({len(of) for of in by_name.values()}), 1)
        for explicit, implicit, midpoint in zip(*(by_name[name] for name in ("explicit-euler", "semi-implicit-euler",
                                                                              "implicit-midpoint"))):
            h_omega = float(implicit["h_omega"])
            self.assertAlmostEqual(h_omega, 0.004 * 2 * math.pi * float(implicit["frequency"]), places=9)
            # Joubert's low-pass filter.
            self.assertAlmostEqual(float(explicit["low_pass"]), 1, places=9)
            self.assertAlmostEqual(float(implicit["low_pass"]), 1 / (1 + h_omega**2), places=9)
            if h_omega < 1:
                angle = h_omega / 4
                exact = 0.75 / (math.cos(angle) * (1 - (2 * math.tan(angle) / h_omega) ** 2))
                self.assertAlmostEqual(float(midpoint["amplitude"]), exact, places=6)
                self.assertAlmostEqual(float(midpoint["phase"]), 0, places=6)
        for row in by_name["siere"]:
            h_omega = float(row["h_omega"])  # 14 modes across the plane have no stiffness; two of the others are slow
            self.assertAlmostEqual(float(row["low_pass"]), math.sin(h_omega) / h_omega if float(row["mode"]) < 16
                                   else 1 / (1 + h_omega**2), places=9)
        rows = self.analyze("response", "--grid", "30x30", "--integrators", "rk4")
        self.assertGreater(min(float(r["frequency"]) for r in rows), 10)  # none of the modes without stiffness
        done = self.run_program("analyze", "response", "--grid", "3x3", "--integrators", "rattle,a-search,rk4")
        self.assertIn("left out: rattle: they treat stretch springs as rods", done.stderr)
        self.assertIn("left out: a-search: their steps are not linear", done.stderr)

    @long_with_sanitizer
    def test_analyze_spectrum(self):
        self.refused("analyze", "spectrum", says="--grid")
        self.refused("analyze", "spectrum", "--grid", "4x4", "--integrators", "rk4", says="--integrators")
        self.refused("analyze", "spectrum", "--grid", "4x4", "--exact", 0, says="--exact")
        self.refused("analyze", "spectrum", "--grid", "4x4", "--steps", 100, "--integrator", "explicit-euler", says="blew up")
        self.refused("analyze", "spectrum", "--grid", "2x2", "--pin", "0,1,2,3", says="oscillate")
        rows = self.analyze("spectrum", "--grid", "5x5", "--pin", "corners")
        modes, jacobian = ([r for r in rows if r["kind"] == kind] for kind in ("mode", "jacobian"))
        self.assertEqual([float(r["mode"]) for r in modes], list(range(1, 3 * 21 + 1)))
        squares = [float(r["omega_squared"]) for r in modes]
        self.assertEqual(squares, sorted(squares))
        # At rest a flat sheet has no stiffness across its plane.
        self.assertLess(abs(squares[20]), 1e-6 * squares[-1])
        self.assertGreater(squares[21], 1e-4 * squares[-1])
        self.assertEqual(sum(2 if float(r["imaginary"]) > 0 else 1 for r in jacobian), 2 * 3 * 21)
        for row in modes + jacobian:
            root = complex(float(row["real"]), float(row["imaginary"]))
            value = root**2 + float(row["damping"]) * root + float(row["omega_squared"])
            self.assertLess(abs(value), 1e-9 * squares[-1], row)
        undamped = self.analyze("spectrum", "--grid", "6x6", "--spring-damping", 0, "--exact", 10)
        self.assertEqual({r["kind"] for r in undamped}, {"mode"})
        self.assertAlmostEqual(sum(float(r["modes"]) for r in undamped), 3 * 34)
        # Two modes buckle: each has an eigenvalue of J that grows.
        buckled = self.analyze("spectrum", "--grid", "5x5", "--jacobian", "exact", "--steps", 40, "--gravity", "0,30,0")
        growing = sorted(float(r["real"]) for r in buckled if r["kind"] == "jacobian" and float(r["real"]) > 0)
        expected = sorted(float(r["real"]) for r in buckled if r["kind"] == "mode" and float(r["omega_squared"]) < 0)
        self.assertEqual(len(growing), 2)
        for root, by_mode in zip(growing, expected):
            self.assertAlmostEqual(root / by_mode, 1, delta=0.01)
        # 898 of 2694 modes are motions across the plane; a deviation of 1.3 % of all is 35.
        counted = self.run_program("analyze", "spectrum", "--grid", "30x30").stdout
        self.assertAlmostEqual(int(re.search(r"(\d+) have no stiffness", counted)[1]), 898, delta=70)

    def test_analyze_cost(self):
        self.refused("analyze", "cost", "--levels", 0, says="--levels")
        self.refused("analyze", "cost", "--levels", 21, says=["levels: the last", "stretch-stiffness", "N/m"])
        self.refused("analyze", "cost", "--grid", "4x4", "--bend-stiffness", 1e7, "--csv", "a.csv", says=["levels: the last", "bend-stiffness"])
        self.refused("analyze", "cost", "--grid", "4x4", "--stretch-stiffness", 1e-6, "--levels", 2, says=["levels: the first", "stretch-stiffness"])
        self.refused("analyze", "cost", "--steps", 0, says="steps")
        rows = self.analyze("cost", "--grid", "8x8", "--steps", 5, "--levels", 5, "--integrators",
                            "semi-implicit-euler,backward-euler,exponential-rosenbrock-euler,siere")
        work = {}
        for k, row in enumerate(rows):
            self.assertAlmostEqual(float(row["stretch_stiffness"]) / (10 * 10 ** (k % 5 / 2)), 1)
            self.assertEqual(row["steps"], "5")
            self.assertGreater(float(row["ms_per_step"]), 0)
            work.setdefault(row["integrator"], []).append(float(row["cg_per_step"]) + float(row["products_per_step"]))
            self.assertEqual(float(row["products_per_step"]) > 0, row["integrator"] == "exponential-rosenbrock-euler")
            if row["integrator"] == "backward-euler":
                self.assertGreaterEqual(float(row["force_evaluations_per_step"]), 2 + float(row["newton_per_step"]))
        named = self.analyze("cost", "--grid", "8x8", "--steps", 5, "--levels", 1, "--dt", 1e-4, "--integrators", "rk4,explicit-euler")
        self.assertEqual({r["integrator"]: float(r["force_evaluations_per_step"]) for r in named}, {"rk4": 4, "explicit-euler": 1})
        h_omega = [float(r["h_omega_max"]) for r in rows[:5]]
        self.assertAlmostEqual(h_omega[4] / h_omega[0], 10)
        substep = self.analyze("cost", "--grid", "8x8", "--steps", 1, "--levels", 1, "--substeps", 4, "--integrators", "backward-euler")
        self.assertAlmostEqual(float(substep[0]["h_omega_max"]) / h_omega[0], 1 / 4)
        # Products grow with h·ω_max.
        products = work["exponential-rosenbrock-euler"]
        self.assertGreater(products[4], 3 * products[0])
        done = self.run_program("analyze", "cost", "--grid", "3x3", "--steps", 1, "--levels", 1)
        self.assertRegex(done.stderr, "left out: explicit-euler, .*: the work of their steps does not depend")

    def test_analyze_contact_laws(self):
        for size in 1e200, 1e-200, 0:
            self.refused("analyze", "contact-laws", "--contact-distance", size, says=["--contact-distance", "from 1e-09 to 1 m"])
            self.refused("analyze", "contact-laws", "--friction-speed", size, says=["--friction-speed", "from 1e-09 to 10 m/s"])
        for distance, speed in (1, 10), (1e-9, 1e-9):
            for row in self.analyze("contact-laws", "--contact-distance", distance, "--friction-speed", speed):
                self.assertTrue(all(math.isfinite(float(row[key])) for key in ("x", "value", "slope")), row)
        rows = self.analyze("contact-laws", "--contact-distance", "4 mm", "--friction-speed", 0.02, "--points", 31)
        for row in rows:
            size, x, value, slope = (float(row[key]) for key in ("parameter", "x", "value", "slope"))
            share = x / size
            if row["function"] == "s":
                expected = (1, 0) if share > 1 else (2 * share - share**2, 2 * (1 - share) / size)
            elif share >= 1:
                expected = (0, 0)
            elif share < 0.05:  # its parabola
                continue
            else:
                expected = (-((x - size) ** 2) * math.log(share), -2 * (x - size) * math.log(share) - (x - size) ** 2 / x)
            self.assertAlmostEqual(value, expected[0], places=12)
            self.assertAlmostEqual(slope, expected[1], delta=1e-9 * (1 + abs(expected[1])))
        self.assertEqual({(r["function"], float(r["parameter"])) for r in rows},
                         {("b", 0.004), ("b", 0.002), ("b", 0.001), ("s", 0.02), ("s", 0.01), ("s", 0.005)})

    @long_with_sanitizer
    def test_analyze_work(self):
        self.refused("analyze", "work", says="--grid")
        self.refused("analyze", "work", "--grid", "4x4", "--end-time", 0, says="--end-time")
        rows = self.analyze("work", "--grid", "8x8", "--spring-damping", 0, "--longest-run", 1, "--integrators",
                            "symplectic-euler,velocity-verlet,semi-implicit-euler,rattle")
        cost = {r["integrator"]: r for r in rows if r["measured"] == "cost"}
        self.assertEqual(len(cost), 4)
        self.assertAlmostEqual(float(cost["semi-implicit-euler"]["h"]), 1 / 60, places=12)
        self.assertGreater(float(cost["semi-implicit-euler"]["cg_per_step"]), 0)
        # ω_max of the sheet at rest is below √(12 k/m).
        self.assertGreater(float(cost["symplectic-euler"]["h"]), 2 / math.sqrt(12 * 1000 * 64 / 0.2))
        self.assertLess(float(cost["symplectic-euler"]["h"]), 4 / math.sqrt(12 * 1000 * 64 / 0.2))
        for row in cost.values():
            self.assertAlmostEqual(float(row["ms_per_simulated_second"]) * float(row["h"]) / float(row["ms_per_step"]), 1)
        errors = {}
        for row in rows:
            if row["measured"] == "precision":
                errors.setdefault(row["integrator"], []).append(float(row["error_x"]))
        self.assertEqual(set(errors), {"symplectic-euler", "velocity-verlet", "semi-implicit-euler"})
        for name, order in ("symplectic-euler", 1), ("velocity-verlet", 2), ("semi-implicit-euler", 1):
            self.assertAlmostEqual(math.log2(errors[name][-2] / errors[name][-1]), order, delta=0.2)

    def test_choose(self):
        self.refused("choose", says="--grid")
        self.refused("choose", "--grid", "4x4", "--goal", "speed", says="error=X%")
        self.refused("choose", "--grid", "4x4", "--goal", "error=-1", says="goal error")
        scene = ["--grid", "8x8", "--spring-damping", 0, "--end-time", 0.1, "--integrators", "velocity-verlet,semi-implicit-euler"]
        done = self.run_program("choose", *scene, "--goal", "error=0.5%", "--require-strain", "20%", "--no-energy-gain",
                                "--csv", "choose.csv", "--png", "choose.png", "--report", "choose")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("choose.csv")
        answer = done.stdout.strip().splitlines()[-1]
        best = [row for row in rows if row["best"] == "1"]
        self.assertEqual(len(best), 1)
        self.assertTrue(answer.startswith("Cheapest for an error of 0.5 %: " + best[0]["method"]), answer)
        self.assertLessEqual(float(best[0]["error_x_percent"]), 0.5)
        good = [row for row in rows if row["end"] == "good" and float(row["error_x_percent"]) <= 0.5]
        self.assertEqual(min(float(row["processor_per_simulated"]) for row in good), float(best[0]["processor_per_simulated"]))
        page = html.unescape((self.dir / "choose" / "index.html").read_text(encoding="utf-8"))
        for path in ["choose.csv", "choose.png", "choose/index.html"]:
            os.remove(self.dir / path)
        os.rmdir(self.dir / "choose")
        self.assertIn(answer, page)
        self.assertIn("data:image/png;base64,", page)
        # The same errors as `analyze work`.
        work = {(row["integrator"], row["steps"]): row["error_x"] for row in self.analyze("work", *scene)
                if row["measured"] == "precision"}
        same = [row for row in rows if (row["integrator"], row["steps"]) in work and "tolerance" not in row["method"]]
        self.assertGreater(len(same), 4)
        for row in same:
            self.assertEqual(row["error_x"], work[row["integrator"], row["steps"]])

    def test_reference_of_dampers_below_the_least_step(self):
        done = self.run_program("choose", "--grid", "4x4", "--stretch-stiffness", 1e5, "--spring-damping", 1000, "--end-time", 0.1, "--integrators", "bdf2")
        self.assertIn("against TR-BDF2", done.stdout)

    def test_too_few_substeps_for_the_bending_of_a_fabric_are_told(self):
        warned = self.run_program("simulate", "--grid", "41x41", "--size", "0.2x0.2", "--fabric", "cotton", "--integrator", "xpbd", "--steps", 1, status=3)
        self.assertRegex(warned.stderr, r"explicitly.*at least \d+ \(--xpbd-substeps\)")

    @long_with_sanitizer
    def test_choose_by_any_measure(self):
        scene = ["--grid", "6x6", "--spring-damping", 0, "--end-time", 0.1, "--integrators", "velocity-verlet,semi-implicit-euler"]
        self.refused("choose", *scene, "--measure", "size", says=["rms", "path"])
        self.refused("choose", *scene, "--measure", "path", says="--vertex")
        self.refused("choose", *scene, "--vertex", 36, says="vertices 0 to 35")
        errors = {"rms": "error_x_percent", "largest": "largest_x_percent", "energy": "largest_energy_percent", "path": "error_path_percent"}
        figures = []
        for measure, column in errors.items():
            done = self.run_program("choose", *scene, "--vertex", 14, "--measure", measure, "--goal", "error=0.3%",
                                    "--csv", "choose.csv", "--report", "page")
            rows = self.rows("choose.csv")
            best = [row for row in rows if row["best"] == "1"]
            self.assertEqual(len(best), 1, measure)
            good = [row for row in rows if row["end"] == "good" and float(row[column]) <= 0.3]
            self.assertEqual(min(float(row["processor_per_simulated"]) for row in good), float(best[0]["processor_per_simulated"]))
            answer = done.stdout.strip().splitlines()[-1]
            self.assertIn({"rms": "for an error of 0.3 %", "largest": "for a largest error of 0.3 %",
                           "energy": "for an energy error of 0.3 %", "path": "for a path error of 0.3 %"}[measure], answer)
            self.assertIn(answer, html.unescape((self.dir / "page" / "index.html").read_text(encoding="utf-8")))
            figures.append({(row["method"], row["steps"]): [row[column] for column in errors.values()] for row in rows})
        # Every search has all measures, with the same figures.
        for other in figures[1:]:
            same = figures[0].keys() & other.keys()
            self.assertGreater(len(same), 5)
            for key in same:
                self.assertEqual(figures[0][key], other[key])

    @long_with_sanitizer
    def test_choose_from_a_journal(self):
        journal = SOURCE / "tests/documents/journals/drag.journal"
        methods = ["--integrators", "semi-implicit-euler,rk4"]
        self.refused("choose", "--journal", journal, "--grid", "4x4", says="has its own scene")
        done = self.run_program("choose", "--journal", journal, *methods, "--csv", "choose.csv")
        changes = sum(1 for line in journal.read_text().splitlines()[2:] if '"do"' in line)
        self.assertIn(f"{changes} recorded changes in 617 ms.", done.stdout)
        rows = self.rows("choose.csv")
        coarsest = [row for row in rows if row["method"] == "Semi-implicit Euler" and row["steps"] == "37"]
        self.assertEqual(len(coarsest), 1)
        self.assertEqual(float(coarsest[0]["h"]), 1 / 60)
        # Two replays are as far apart as the errors of their runs tell.
        finest = max((row for row in rows if row["integrator"] == "rk4"), key=lambda row: int(row["steps"]))
        self.run_program("replay", journal, "--state", "a.csv")
        self.run_program("replay", journal, "--integrator", "rk4", "--dt", finest["h"], "--state", "b.csv")
        states = [[[float(row[key]) for key in "xyz"] for row in self.rows(name)] for name in ("a.csv", "b.csv")]
        rms = math.sqrt(sum(math.dist(a, b) ** 2 for a, b in zip(*states)) / len(states[0]))
        self.assertGreater(rms, 10 * float(finest["error_x"]))
        self.assertAlmostEqual(float(coarsest[0]["error_x"]), rms, delta=float(finest["error_x"]))
        # A part of it, from before the grab on.
        done = self.run_program("choose", "--journal", journal, *methods, "--end-time", 0.08)
        self.assertIn("0 recorded changes in 83.3 ms.", done.stdout)
        self.refused("choose", "--journal", journal, *methods, "--end-time", 1, says="ends at 617 ms")
        # The method, contact model and solver settings are those at its end.
        lines = journal.read_text().splitlines()
        lines.insert(2, '{"step":0,"do":"set-integrator","id":"bdf2"}\n{"step":0,"do":"set","id":"stage-solve","value":1}')
        (self.dir / "own.journal").write_text("\n".join(lines) + "\n")
        self.run_program("choose", "--journal", "own.journal", *methods, "--csv", "choose.csv")
        self.assertIn("S-BDF2", {row["method"] for row in self.rows("choose.csv")})

    @long_with_sanitizer
    def test_charts_as_vector_pictures(self):
        self.refused("analyze", "damping", "--svg", "a.png", says=["a.png", ".svg"])
        self.run_program("choose", "--grid", "5x5", "--end-time", 0.1, "--integrators", "rk4,bdf2", "--png", "c.png", "--svg", "c.svg")
        width, height = struct.unpack(">II", (self.dir / "c.png").read_bytes()[16:24])
        root = xml.etree.ElementTree.parse(self.dir / "c.svg").getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual((root.tag, root.get("width"), root.get("height")), (space + "svg", str(width), str(height)))
        texts = [element.text for element in root.iter(space + "text")]
        for text in "Error against computing time after 100 ms", "Runge–Kutta 4", "S-BDF2", "best":
            self.assertIn(text, texts)
        self.assertIn("RMS error of the positions [% of the displacement]", texts)
        inside = lambda x, y: 0 <= x <= width and 0 <= y <= height
        points = [tuple(map(float, point)) for path in root.iter(space + "path")
                  for point in re.findall(r"[ML](\S+) ([^ML]+)", path.get("d"))]
        self.assertGreater(len(points), 50)
        self.assertTrue(all(inside(*point) for point in points), points)
        for kind in ["damping"], ["work", "--grid", "4x4", "--longest-run", 0.001, "--integrators", "rk4"]:
            self.run_program("analyze", *kind, "--svg", "a.svg")
            self.assertEqual(xml.etree.ElementTree.parse(self.dir / "a.svg").getroot().tag, space + "svg")

    def test_a_suite_that_ends_early_keeps_its_scenes(self):
        outputs = ["--csv", "suite.csv", "--html", "suite.html", "--markdown", "suite.md"]
        self.run_program("simulate", "--grid", "20x20", "--steps", 1, "--state", "state.csv")  # the second scene has another size
        done = self.run_program("analyze", "work", "--suite", "--scenes", "soft,stiff", "--initial-state", "state.csv", "--end-time", 0.02,
                                "--longest-run", 0.001, "--integrators", "bdf2", *outputs, status=1)
        self.assertIn("state.csv", done.stderr)
        self.assertEqual({row["scene"] for row in self.rows("suite.csv")}, {"soft"})
        headings = re.findall("^## (.*)", (self.dir / "suite.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(headings, ["soft: Sheet on two corners", "Machine"])
        # Ctrl-C in the first scene replaces nothing.
        before = [(self.dir / name).read_bytes() for name in outputs[1::2]]
        process = subprocess.Popen([PROGRAM, "analyze", "work", "--suite", *outputs], cwd=self.dir, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual([(self.dir / name).read_bytes() for name in outputs[1::2]], before)

    @long_with_sanitizer
    def test_suite_of_work_and_precision(self):
        self.refused("analyze", "work", "--suite", "--grid", "4x4", says="its own scenes")
        self.refused("analyze", "work", "--suite", "--scenes", "sof,wind", says=["'sof'", "did you mean 'soft'"])
        self.refused("analyze", "work", "--grid", "4x4", "--html", "suite.html", says="--suite")
        self.refused("analyze", "work", "--grid", "4x4", "--scenes", "soft", says=["--scenes", "--suite"])
        for ignored in ["--png", "a.png"], ["--svg", "a.svg"], ["--steps", 8]:
            self.refused("analyze", "work", "--suite", *ignored, says=["work: " + ignored[0], "--suite", "--html"])
        limits = ["--end-time", 0.1, "--integrators", "velocity-verlet,semi-implicit-euler,bdf2,rattle"]
        self.run_program("analyze", "work", "--suite", "--scenes", "damped,soft", *limits, "--longest-run", 3, "--csv",
                                "suite.csv", "--html", "suite.html", "--markdown", "suite.md", "--cg-tolerance", "1e-5")
        rows = self.rows("suite.csv")
        self.assertEqual([key for key, _ in itertools.groupby(row["scene"] for row in rows)], ["soft", "damped"])
        page = (self.dir / "suite.html").read_text(encoding="utf-8")
        markdown = (self.dir / "suite.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall("^## (.*)", markdown, re.M), ["soft: Sheet on two corners", "damped: Dampers that limit the step", "Machine"])
        self.assertEqual(re.findall("^## (.*)", markdown, re.M), re.findall("<h2>(.*)</h2>", page))
        self.assertRegex(markdown, r"\.\n\Z")  # no blank line at the end

        # Errors and references of `choose` and of `analyze work`, to the last bit.
        for scene, file in ("soft", "01-sheet"), ("damped", "19-dampers"):
            same = ["--scene", SOURCE / f"assets/scenes/{file}.json", *limits, "--cg-tolerance", "1e-5"]
            chosen = self.run_program("choose", *same, "--goal", "error=0.1%", "--csv", "choose.csv")
            errors = {(row["options"], row["steps"]): row["error_x_percent"] for row in self.rows("choose.csv")}
            of_scene = {(row["options"], row["steps"]): row["error_x_percent"] for row in rows if row["scene"] == scene}
            self.assertEqual(of_scene, {run: errors[run] for run in of_scene})  # which has tuned runs too
            self.assertGreater(len(of_scene), 8)
            self.assertIn("Error of the reference: at most " + re.search(r"changes by (.*)\.", chosen.stdout)[1], markdown)
            self.run_program("analyze", "work", *same, "--steps", 8, "--csv", "work.csv")
            work = {(row["integrator"], row["steps"]): row["error_x"] for row in self.rows("work.csv") if row["measured"] == "precision"}
            same = [row for row in rows if row["scene"] == scene and "--stage-solve" not in row["options"] and
                    (row["integrator"], row["steps"]) in work]
            self.assertGreater(len(same), 4)
            for row in same:
                self.assertEqual(row["error_x"], work[row["integrator"], row["steps"]])

        # The ranking: for each error the cheapest run, one for each method.
        for scene, section in zip(["soft", "damped"], re.split("^## ", markdown, flags=re.M)[1:]):
            ranked = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if re.match(r"\| [\d.]+ % ", line)]
            for goal in 10, 1, 0.1:
                good = sorted((row for row in rows if row["scene"] == scene and row["end"] == "good" and float(row["error_x_percent"]) <= goal),
                              key=lambda row: float(row["processor_per_simulated"]))
                first = {}
                for row in good:
                    first.setdefault(row["integrator"], row)
                first = list(first.values())[:3]
                shown = [row for row in ranked if float(row[0][:-2]) == goal]
                self.assertEqual([row[:3] for row in shown], [[f"{goal:g} %", str(k + 1), row["method"]] for k, row in enumerate(first)])
                for cells, row in zip(shown, first):
                    for cell, value in (cells[3], 1000 * float(row["h"])), (cells[4], float(row["processor_per_simulated"])):
                        self.assertAlmostEqual(float(cell) / value, 1, delta=6e-3)
            listed = re.findall(r"^\| ([A-Z].*?) \|.*s\)", section.split("**All methods")[1], re.M)
            self.assertEqual(set(listed), {"BDF2", "Semi-implicit Euler", "Velocity Verlet"} | ({"Symplectic Euler"} if scene == "damped" else set()))
            self.assertIn("treat springs as rods: RATTLE.", section)
        self.assertIn("blows up at", markdown)
        for what in "processor", "compiler", "commit", "date", "load of the machine":
            self.assertRegex(markdown, rf"\| {what}[^|]* \| [^|]+ \|")

        # The HTML page needs no other file, and has the charts that lie next to the Markdown page.
        self.assertEqual(re.findall(r"<(?:script|link|iframe)|url\(|@import|https?:", page), [])
        sources = re.findall(r"(?:src|href)=\"([^\"]*)", page)
        for name, source in zip(["soft", "damped"], sources, strict=True):
            png = (self.dir / f"images/work-{name}.png").read_bytes()
            self.assertEqual(source, "data:image/png;base64," + base64.b64encode(png).decode())
            self.assertIn(f"](images/work-{name}.png)", markdown)

    def test_methods_without_a_place_for_contact_are_left_out(self):
        scene = ["--grid", "4x4", "--floor", "--contact", "penalty", "--integrators", "rattle,rk4,pbd-proj2,xpbd", "--steps", 10]
        for analysis in ["energy"], ["stability"], ["work", "--longest-run", 0.001]:
            done = self.run_program("analyze", *analysis, *scene)
            self.assertIn("left out: rattle, pbd-proj2: ", done.stderr)
            self.assertIn("rk4", done.stdout)
        done = self.run_program("bench", "--grid", "4x4", "--floor", "--contact", "penalty", "--integrators", "--steps", 3)
        self.assertIn("left out are rattle, pbd-proj2, shake, beere, bdf2-ere, tr-bdf2-ere, fast-projection: ", done.stdout)
        self.assertIn("newmark", done.stdout)

    def test_an_interrupted_analysis_writes_what_it_has(self):
        for wait in 1, 4, 16:  # until a busy machine has taken some steps
            process = subprocess.Popen([PROGRAM, "analyze", "energy", "--steps", "100000000", "--integrators",
                                        "semi-implicit-euler,backward-euler", "--csv", "a.csv"],
                                       cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
            if (self.dir / "a.csv").exists():
                break
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted", said)
        self.assertEqual([r["step"] for r in self.rows("a.csv")][:3], ["0", "1", "2"])
        self.assertEqual([p.name for p in self.dir.iterdir()], ["a.csv"])

    def test_no_display(self):
        if sys.platform != "linux":
            self.skipTest("SKIPPED: only Linux can be without a display")
        env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = self.run_program(status=1, env=env)
        self.assertIn("clothlab render", done.stderr)


def load_tests(loader, tests, pattern):
    """All tests, or share k of n of them where CLOTHLAB_TEST_SHARE is "k/n", so that ctest runs the shares side by side."""
    share, shares = map(int, os.environ.get("CLOTHLAB_TEST_SHARE", "0/1").split("/"))
    cases = [case for of_class in tests for case in of_class]
    return unittest.TestSuite(cases[share::shares])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)  # names of tests after the two paths
