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
        done = self.bench("--sizes", "8,20", "--steps", 3, "--samples", 2, "--products", "8", "--threads", 2, "--json", "b.json",
                          "--csv", "b.csv", "--markdown", "b.md", "--png", "b")
        self.assertIn("20×20", done.stdout)
        tables = json.loads((self.dir / "b.json").read_text())
        self.assertEqual(list(tables), ["machine", "sheets", "solvers", "phases", "triad", "products"])
        self.assertEqual([s["particles"] for s in tables["sheets"]], [64, 400])
        for sheet, solver, phase in zip(tables["sheets"], tables["solvers"], tables["phases"]):
            self.assertGreater(sheet["step_ms_mean"], 0)
            self.assertGreaterEqual(sheet["step_ms_p95"], sheet["step_ms_median"])
            self.assertGreater(solver["eigen-cg-lower-ms"], 0)
            self.assertGreater(solver["eigen-ldlt-ms"], 0)
            self.assertAlmostEqual(solver["solve_over_solve"] * solver["ours_ms"],
                                   solver["solve_over_step"] * solver["step_ms"], places=9)
            self.assertAlmostEqual(phase["sum_ms"] * 100 / phase["step_ms"] + phase["rest_percent"], 100, places=6)
        self.assertIsNone(tables["phases"][0]["setup_ms"])  # block Jacobi
        self.assertGreater(tables["phases"][1]["setup_ms"], 0)  # multigrid
        self.assertEqual([p["matrix"] for p in tables["products"]], ["double", "single"])
        self.assertTrue(all(p["over_stream_all"] > 0 for p in tables["products"]))
        with open(self.dir / "b.csv", newline="", encoding="utf-8") as file:
            rows = {(r["table"], r["row"], r["column"]): r["value"] for r in csv.DictReader(file)}
        self.assertEqual(float(rows["sheets", "20×20", "step_ms_mean"]), tables["sheets"][1]["step_ms_mean"])
        text = (self.dir / "b.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"<!-- bench: (\w+) -->", text), list(tables))
        self.assertEqual(sorted(p.name for p in self.dir.glob("*.png")),
                         ["b-cost.png", "b-iterations.png", "b-roofline.png"])

    def test_meshes(self):
        (self.dir / "good.obj").write_text(MESH)
        (self.dir / "bad.obj").write_text("f 1 2 3\n")
        (self.dir / "other.txt").write_text("no mesh")
        done = self.bench("--sizes", "none", "--products", "none", "--meshes", ".", "--steps", 3, "--json", "b.json")
        meshes = json.loads((self.dir / "b.json").read_text())["meshes"]
        self.assertEqual([(m["mesh"], m["particles"], m["steps"]) for m in meshes], [("good", 4, 3)])
        self.assertGreater(meshes[0]["ratio"], 0)
        self.assertIn("bad is left out: ", done.stdout)

    def test_refuses(self):
        for arguments, says in ((["--sizes", "1"], "sizes"), (["--sizes", "8,x"], "sizes"), (["--steps", "0"], "steps"),
                                (["--steps", "3", "--samples", "4"], "samples"), (["--meshes", "nowhere"], "nowhere"),
                                (["--meshes", "."], "no .obj"), (["--json", "no/such/b.json"], "no/such"),
                                (["--png", "no/such/b"], "no/such")):
            done = self.bench(*arguments, status=2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(says, done.stderr)

    def test_interrupted(self):
        run = subprocess.Popen([PROGRAM, "bench", "--sizes", "8,64", "--steps", "100000", "--samples", "1", "--products", "none",
                                "--json", "b.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.dir)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        output, message = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, message)
        self.assertIn("interrupted", message)
        self.assertIn("Machine", output)
        self.assertIn("machine", json.loads((self.dir / "b.json").read_text()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
