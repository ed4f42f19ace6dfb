# SPDX-License-Identifier: MIT
"""Runs the study of studies/ by Snakemake and compares it with one sweep. Exits with 77 where there is no Snakemake.

    study_test.py PROGRAM SOURCE_DIR
"""
import csv
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
STUDIES = pathlib.Path(sys.argv[2]).resolve() / "studies"
CLOCK = {"cpu_seconds", "wall_seconds"}


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)
        (self.dir / "study.txt").write_text((STUDIES / "sheet.txt").read_text())

    def tearDown(self):
        self.folder.cleanup()

    def snakemake(self, *config):
        environment = os.environ | {"HOME": str(self.dir), "XDG_CACHE_HOME": str(self.dir / "cache")}
        done = subprocess.run(["snakemake", "-s", STUDIES / "Snakefile", "--cores", "2", "--config", f"clothlab={PROGRAM}",
                               "study=study.txt", "out=results", *config], cwd=self.dir, env=environment,
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def rows(self, folder):
        with open(self.dir / folder / "runs.csv", newline="") as file:
            return [{key: value for key, value in row.items() if key not in CLOCK} for row in csv.DictReader(file)]

    def sweep(self, out):
        options = shlex.split((self.dir / "study.txt").read_text(), comments=True)
        done = subprocess.run([PROGRAM, "sweep", *options, "--out", out], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def written(self):
        return {path.name: path.stat().st_mtime_ns for path in (self.dir / "results" / "runs").glob("*.json")}

    def test_the_study_is_one_sweep(self):
        shown = self.snakemake()
        self.assertIn("Finished job", shown)
        self.sweep("whole")
        rows = self.rows("results")
        self.assertEqual(rows, self.rows("whole"))
        self.assertEqual(len(rows), 27)
        self.assertTrue(all(row["exit"] == "0" and float(row["error_x_rms"]) > 0 for row in rows))
        self.assertIn("Nothing to be done", self.snakemake())

        # More values run only what is new, here with ten runs in each job.
        before = self.written()
        study = self.dir / "study.txt"
        study.write_text(study.read_text().replace("1/60,1/120", "1/30,1/60,1/120"))
        self.snakemake("runs_per_job=10", "job_cores=2")
        self.sweep("more")
        self.assertEqual(self.rows("results"), self.rows("more"))
        self.assertEqual(len(self.rows("results")), 36)
        after = self.written()
        self.assertEqual(len(after), len(before) + 9)
        self.assertEqual({name: after[name] for name in before}, before)

        # The table comes from the files of the jobs; it runs nothing on the machine that plans them.
        (self.dir / "results" / "runs" / (self.rows("results")[0]["key"] + ".json")).unlink()
        (self.dir / "results" / "runs.csv").unlink()
        self.snakemake("runs_per_job=10", "job_cores=2")
        self.assertEqual([row["run"] for row in self.rows("results")], [str(k) for k in range(2, 37)])


if __name__ == "__main__":
    if shutil.which("snakemake") is None:
        print("SKIPPED: the study of studies/ has not run, because there is no snakemake (apt-get install snakemake).")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
