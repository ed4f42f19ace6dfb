# SPDX-License-Identifier: MIT
"""Runs `clothlab bench` as users do.

    bench_test.py PROGRAM
"""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
MESH = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def bench(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, "bench", *map(str, arguments)], capture_output=True, text=True, cwd=self.dir,
                              timeout=300)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
        return done

    def test_tables_and_files(self):
        done = self.bench("--sizes", "8,20", "--steps", 3, "--threads", 2, "--json", "b.json", "--csv", "b.csv", "--markdown", "b.md")
        self.assertIn("20×20", done.stdout)
        tables = json.loads((self.dir / "b.json").read_text())
        self.assertEqual(list(tables), ["machine", "steps"])
        self.assertEqual([(s["particles"], s["end"]) for s in tables["steps"]], [(64, "good"), (400, "good")])
        for row in tables["steps"]:
            self.assertGreater(row["step_ms_mean"], 0)
            self.assertGreaterEqual(row["step_ms_p95"], row["step_ms_median"])
            self.assertAlmostEqual(row["real_time_factor"] * row["step_ms_mean"] / row["h_ms"], 1, places=9)
            self.assertGreater(row["step_cpu_ms_median"], 0)
        with open(self.dir / "b.csv", newline="", encoding="utf-8") as file:
            rows = {(r["table"], r["row"], r["column"]): r["value"] for r in csv.DictReader(file)}
        self.assertEqual(float(rows["steps", "20×20", "step_ms_mean"]), tables["steps"][1]["step_ms_mean"])
        text = (self.dir / "b.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"<!-- bench: (\w+) -->", text), list(tables))

    def test_a_scene_of_ones_own(self):
        done = self.bench("--grid", "6x4", "--dt", 0.01, "--integrator", "symplectic-euler", "--stretch-stiffness", 1e9,
                          "--steps", 3, "--json", "b.json")
        self.assertIn("blew up", done.stdout)
        (row,) = json.loads((self.dir / "b.json").read_text())["steps"]
        self.assertEqual((row["scene"], row["particles"], row["h_ms"], row["end"]), ("6×4", 24, 10, "blew up"))
        self.assertIsNone(row["step_ms_mean"])  # the first step that counts was never made
        (self.dir / "cloth.obj").write_text(MESH)
        self.bench("--mesh", "cloth.obj", "--steps", 3, "--json", "b.json")
        self.assertEqual(json.loads((self.dir / "b.json").read_text())["steps"][0]["scene"], "cloth")

    def test_meshes(self):
        (self.dir / "good.obj").write_text(MESH)
        (self.dir / "bad.obj").write_text("f 1 2 3\n")
        (self.dir / "other.txt").write_text("no mesh")
        done = self.bench("--sizes", "none", "--meshes", ".", "--steps", 3, "--json", "b.json")
        meshes = json.loads((self.dir / "b.json").read_text())["steps"]
        self.assertEqual([(m["scene"], m["particles"]) for m in meshes], [("good", 4)])
        self.assertIn("bad is left out: ", done.stdout)

    def test_all_integrators(self):
        (self.dir / "cloth.obj").write_text(MESH)
        self.bench("--sizes", "none", "--integrators", "--meshes", ".", "--steps", 1, "--json", "b.json", "--png", "b.png")
        rows = json.loads((self.dir / "b.json").read_text())["integrators"]
        self.assertEqual({r["mesh"] for r in rows}, {"cloth"})
        self.assertEqual([r["li"] for r in rows if r["integrator"] == "semi-implicit-euler"], [1])
        self.assertEqual((self.dir / "b.png").read_bytes()[:4], b"\x89PNG")

    def test_refuses(self):
        (self.dir / "bad.obj").write_text("f 1 2 3\n")
        for arguments, says in ((["--sizes", "1"], "sizes"), (["--sizes", "8,x"], "sizes"), (["--steps", "0"], "steps"),
                                (["--sizes", "8", "--grid", "4x4"], "sizes"), (["--meshes", "nowhere"], "nowhere"),
                                (["--mesh", "bad.obj"], "bad.obj"), (["--png", "b.png"], "integrators"),
                                (["--json", "no/such/b.json"], "no/such")):
            done = self.bench(*arguments, status=2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(says, done.stderr)

    def test_interrupted(self):
        run = subprocess.Popen([PROGRAM, "bench", "--sizes", "8,64", "--steps", "100000",
                                "--json", "b.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.dir)
        status = pathlib.Path(f"/proc/{run.pid}/status")  # with a sanitizer it starts slowly
        caught = lambda: int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) & 1 << (signal.SIGINT - 1)
        until = time.monotonic() + 60
        while status.exists() and not caught() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        output, message = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, message)
        self.assertIn("interrupted", message)
        self.assertIn("Machine", output)
        self.assertIn("machine", json.loads((self.dir / "b.json").read_text()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
