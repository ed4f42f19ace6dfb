# SPDX-License-Identifier: MIT
"""Runs the program of bench/.

    bench_program_test.py PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
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
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.dir,
                              timeout=300)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
        return done

    def test_tables_and_pictures(self):
        done = self.bench("--sizes", "8,20", "--steps", 3, "--samples", 2, "--products", "8", "--threads", 2, "--json", "b.json",
                          "--png", "b")
        self.assertIn("20×20", done.stdout)
        tables = json.loads((self.dir / "b.json").read_text())
        self.assertEqual(list(tables), ["machine", "sheets", "solvers", "phases", "triad", "products"])
        self.assertEqual([s["particles"] for s in tables["sheets"]], [64, 400])
        for solver, phase in zip(tables["solvers"], tables["phases"]):
            self.assertGreater(solver["eigen-cg-lower-ms"], 0)
            self.assertGreater(solver["eigen-ldlt-ms"], 0)
            self.assertAlmostEqual(solver["solve_over_solve"] * solver["ours_ms"],
                                   solver["solve_over_step"] * solver["step_ms"], places=9)
            self.assertAlmostEqual(phase["sum_ms"] * 100 / phase["step_ms"] + phase["rest_percent"], 100, places=6)
        self.assertIsNone(tables["phases"][0]["setup_ms"])  # block Jacobi
        self.assertGreater(tables["phases"][1]["setup_ms"], 0)  # multigrid
        self.assertEqual([p["matrix"] for p in tables["products"]], ["double", "single"])
        self.assertTrue(all(p["over_stream_all"] > 0 for p in tables["products"]))
        self.assertEqual(sorted(p.name for p in self.dir.glob("*.png")),
                         ["b-cost.png", "b-iterations.png", "b-roofline.png"])

    def test_meshes(self):
        (self.dir / "good.obj").write_text(MESH)
        (self.dir / "bad.obj").write_text("f 1 2 3\n")
        done = self.bench("--sizes", "none", "--products", "none", "--steps", 3, "--json", "b.json",
                          "--meshes", "good.obj", "bad.obj")
        meshes = json.loads((self.dir / "b.json").read_text())["meshes"]
        self.assertEqual([(m["mesh"], m["particles"], m["steps"]) for m in meshes], [("good", 4, 3)])
        self.assertGreater(meshes[0]["ratio"], 0)
        self.assertIn("bad is left out: ", done.stdout)

    def test_refuses(self):
        for arguments, says in ((["--steps", "3", "--samples", "4"], "samples"), (["--png", "no/such/b"], "no/such")):
            done = self.bench(*arguments, status=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
