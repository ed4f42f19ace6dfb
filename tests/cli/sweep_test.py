# SPDX-License-Identifier: MIT
"""Runs sweeps of small runs, kills them and continues them.

    sweep_test.py PROGRAM SOURCE_DIR
"""
import csv
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
CLOCK = {"cpu_seconds", "wall_seconds"}
STRIP = ["--grid", "5x5", "--threads", "1"]


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_program(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.dir, timeout=300)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
        return done

    def refused(self, *arguments, says):
        done = self.run_program("sweep", *arguments, status=2)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.dir / "d").exists())

    def rows(self, folder="d"):
        with open(self.dir / folder / "runs.csv", newline="") as file:
            return list(csv.DictReader(file))

    def without_clock(self, folder="d"):
        return [{key: value for key, value in row.items() if key not in CLOCK} for row in self.rows(folder)]

    def dry(self, *arguments):
        return list(csv.DictReader(self.run_program("sweep", *arguments, "--dry-run").stdout.splitlines()))

    # Rows

    def test_a_row_has_the_settings_and_the_results_of_simulate(self):
        done = self.run_program("sweep", *STRIP, "--steps", 7, "--vary", "dt=1ms,1/500", "--vary", "substeps=1:4:log3",
                                "--integrators", "bdf2,runge-kutta:heun", "--vary", "gravity=0,-9.8,0;1,-1.6,0", "--out", "d")
        self.assertEqual(done.stdout, "24 of 24 runs have ended, 0 of them before this call: 24 done.\n")
        rows = self.rows()
        self.assertEqual([row["run"] for row in rows], [str(k) for k in range(1, 25)])
        self.assertEqual(list(rows[0])[:7], ["run", "key", "reference", "integrator", "dt", "substeps", "gravity"])
        self.assertEqual([(r["integrator"], r["dt"], r["substeps"], r["gravity"]) for r in rows],
                         [(i, h, n, g) for i in ("bdf2", "runge-kutta:heun") for h in ("0.001", "0.002")
                          for n in "124" for g in ("0,-9.8,0", "1,-1.6,0")])
        last = rows[-1]
        self.assertEqual((last["grid"], last["size"], last["mass"], last["steps"], float(last["duration"])),
                         ("5x5", "1x1", "0.2", "7", 0.014))
        self.assertEqual((last["exit"], last["reason"], last["error_x_rms"], last["rho-inf"]), ("0", "", "nan", ""))
        self.run_program("simulate", *STRIP, "--steps", 7, "--dt", 0.002, "--substeps", 4, "--gravity", "1,-1.6,0",
                         "--integrator", "runge-kutta", "--tableau", "heun", "--summary", "s.json")
        summary = json.loads((self.dir / "s.json").read_text())
        self.assertEqual(last["state_hash"], summary["state_hash"])
        self.assertEqual(float(last["energy_total"]), summary["energy"]["total"])
        self.assertEqual(float(last["ledger_energy_method"]), summary["ledger"]["energy_method"])
        self.assertEqual(float(last["max_strain"]), summary["max_strain"]["whole_run"])
        self.assertEqual(int(last["steps_not_converged"]), summary["iterations"]["steps_not_converged"])
        self.assertGreater(float(last["cpu_seconds"]), 0)

    def test_the_file_of_a_run_is_a_scene_that_repeats_it(self):
        self.run_program("sweep", *STRIP, "--steps", 7, "--vary", "mass=0.1,0.4", "--out", "d")
        for row in self.rows():
            self.run_program("simulate", "--scene", f"d/runs/{row['key']}.json", "--summary", "s.json")
            summary = json.loads((self.dir / "s.json").read_text())
            self.assertEqual((summary["state_hash"], summary["steps"]), (row["state_hash"], 7))

    def test_any_option_varies(self):
        (self.dir / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
        (self.dir / "n.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 0 1\nv 2 0 1\nf 1 2 4 3\n")
        scenes = []
        for name, mass in ("a", 0.3), ("b", 0.6):
            (self.dir / f"{name}.json").write_text(json.dumps({"clothlab-scene": 4, "mesh": {"grid": [3, 3]}, "mass": mass}))
        self.run_program("simulate", "--grid", "3x3", "--steps", 4, "--state", "start.csv")
        for vary, column, values in (("grid=3x3,4x5", "particles", ["9", "20"]),
                                     ("mesh=m.obj,n.obj", "particles", ["3", "4"]),
                                     ("scene=a.json,b.json", "mass", ["0.3", "0.6"]),
                                     ("duration=0.1,0.2", "steps", ["6", "12"]),
                                     ("steps=1:4:lin4", "time", ["0.016666666666666666", "0.03333333333333333", "0.05",
                                                                "0.06666666666666667"]),
                                     ("pin=none;0,1", "pin", ["none", "0,1"]),
                                     ("no-weld=off,on", "weld", ["true", "false"]),
                                     ("floor=on,off", "floor", ["true", "false"]),
                                     ("obstacle=none;sphere:0,-1,0,0.3", "obstacle", ["none", "sphere:0,-1,0,0.3"]),
                                     ("contact=filter,penalty", "contact", ["filter", "penalty"]),
                                     ("energy-limit=off,50", "energy-limit", ["off", "50"])):
            cloth = [] if vary.split("=")[0] in ("grid", "mesh", "scene") else ["--grid", "3x3"]
            self.run_program("sweep", *cloth, "--vary", vary, "--out", vary.split("=")[0])
            rows = self.rows(vary.split("=")[0])
            self.assertEqual([row[column] for row in rows], values)
            self.assertEqual({row["exit"] for row in rows}, {"0"})
            self.assertEqual(len({row["key"] for row in rows}), len(values))
        self.run_program("sweep", "--grid", "3x3", "--initial-state", "start.csv", "--vary", "steps=1,2", "--out", "started")
        self.run_program("simulate", "--grid", "3x3", "--initial-state", "start.csv", "--steps", 2, "--summary", "s.json")
        self.assertEqual(self.rows("started")[1]["state_hash"], json.loads((self.dir / "s.json").read_text())["state_hash"])

    def test_failed_runs_are_rows(self):
        done = self.run_program("sweep", "--grid", "4x4", "--steps", 60, "--vary", "dt=1/60,1e-3", "--vary", "contact=filter,barrier",
                                "--integrators", "explicit-euler,bdf2,projective-dynamics", "--floor",
                                "--pd-iterations", 1, "--newton-tolerance", "1e-12", "--out", "d")
        rows = {(row["integrator"], row["dt"], row["contact"]): row for row in self.rows()}
        self.assertEqual(len(rows), 12)
        blown_up = rows["explicit-euler", "0.016666666666666666", "filter"]
        self.assertEqual(blown_up["exit"], "3")
        self.assertRegex(blown_up["reason"], "^Blown up in step [0-9]+, ")
        self.assertLess(int(blown_up["steps_taken"]), 60)
        refused = rows["projective-dynamics", "0.001", "barrier"]
        self.assertEqual((refused["exit"], refused["time"]), ("2", "nan"))
        self.assertIn("barrier", refused["reason"])
        unconverged = rows["projective-dynamics", "0.016666666666666666", "filter"]
        self.assertEqual((unconverged["exit"], unconverged["steps_not_converged"]), ("4", "60"))
        self.assertIn("60 of 60 steps did not converge, the first of them step 1: ", unconverged["reason"])
        self.assertEqual(rows["bdf2", "0.001", "filter"]["exit"], "0")
        for outcome in "blew up", "refused", "done", "with steps that did not converge":
            self.assertRegex(done.stdout, f"[0-9]+ {outcome}")

    def test_a_missing_mesh_is_a_row_and_its_file_is_noticed_later(self):
        (self.dir / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
        sweep = ["sweep", "--vary", "mesh=m.obj,later.obj", "--out", "d"]
        self.run_program(*sweep)
        first = self.rows()
        self.assertEqual([row["exit"] for row in first], ["0", "2"])
        self.assertIn("later.obj", first[1]["reason"])
        (self.dir / "later.obj").write_text((self.dir / "m.obj").read_text())
        self.run_program(*sweep)
        second = self.rows()
        self.assertEqual([row["exit"] for row in second], ["0", "0"])
        self.assertEqual(second[0], first[0])
        (self.dir / "m.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 0 1\nf 1 2 3\n")  # another cloth
        self.run_program(*sweep)
        self.assertNotEqual(self.rows()[0]["state_hash"], first[0]["state_hash"])

    # References

    def test_errors_fall_with_the_order_of_the_method(self):
        self.run_program("sweep", *STRIP, "--duration", 0.1, "--vary", "dt=1/200,1/400,1/800", "--integrators",
                         "backward-euler,implicit-midpoint", "--newton-tolerance", "1e-10", "--cg-tolerance", "1e-12",
                         "--jacobian", "exact", "--spring-damping", 0, "--reference", "rk4:2e-5", "--out", "d")
        rows = self.rows()
        for method, ratio in ("backward-euler", 2), ("implicit-midpoint", 4):
            for column in "error_x_rms", "error_x_max", "error_v_rms":
                errors = [float(row[column]) for row in rows if row["integrator"] == method]
                self.assertAlmostEqual(errors[1] / errors[2], ratio, delta=0.15 * ratio)
        row = rows[-1]
        self.run_program("simulate", "--scene", f"d/runs/{row['key']}.json", "--state", "last.csv")
        last, exact = (list(csv.DictReader((self.dir / name).read_text().splitlines()))
                       for name in ("last.csv", f"d/references/{row['reference']}.csv"))
        for kinds, mean, largest in (("xyz", "error_x_rms", "error_x_max"), (("vx", "vy", "vz"), "error_v_rms", None)):
            squares = [sum((float(a[k]) - float(b[k])) ** 2 for k in kinds) for a, b in zip(last, exact, strict=True)]
            self.assertAlmostEqual(float(row[mean]) / math.sqrt(sum(squares) / len(squares)), 1, places=9)
            if largest:
                self.assertAlmostEqual(float(row[largest]) / math.sqrt(max(squares)), 1, places=9)

    def test_one_reference_for_each_physics_and_cached(self):
        sweep = ["--grid", "4x4", "--duration", 0.05, "--integrators", "bdf2,xpbd", "--reference", "rk4:1e-3", "--out", "d",
                 "--vary", "mass=0.2,0.4", "--vary", "dt=1/60,1/120", "--vary", "newton-tolerance=1e-3,1e-6"]
        listed = self.dry(*sweep)
        references = {row["key"]: row for row in listed if row["run"].startswith("r")}
        self.assertEqual([(r["run"], r["integrator"], r["dt"], r["steps"]) for r in references.values()],
                         [("r1", "rk4", "0.001", "50"), ("r5", "rk4", "0.001", "50")])
        runs = [row for row in listed if not row["run"].startswith("r")]
        self.assertEqual(len(runs), 16)
        for row in runs:
            self.assertEqual(references[row["reference"]]["run"], {"0.2": "r1", "0.4": "r5"}[row["mass"]])
        self.assertEqual({row["finished"] for row in listed}, {"0"})
        self.assertFalse((self.dir / "d").exists())

        self.run_program("sweep", *sweep)
        states = {key: self.dir / "d" / "references" / f"{key}.csv" for key in references}
        self.assertEqual(sorted(states.values()), sorted((self.dir / "d" / "references").glob("*.csv")))
        written = {key: state.stat().st_mtime_ns for key, state in states.items()}
        self.assertEqual({row["finished"] for row in self.dry(*sweep)}, {"1"})
        self.run_program("sweep", *sweep, "--vary", "substeps=1,2")  # more runs, the same references
        self.assertEqual({key: state.stat().st_mtime_ns for key, state in states.items()}, written)
        self.assertEqual(sorted((self.dir / "d" / "references").glob("*.csv")), sorted(states.values()))
        self.assertEqual(len(self.rows()), 32)
        self.assertTrue(all(0 < float(row["error_x_rms"]) < 0.1 for row in self.rows()))
        next(iter(states.values())).unlink()
        self.assertEqual([row["run"] for row in self.dry(*sweep) if row["finished"] == "0"], ["r1"])

    def test_a_reference_that_fails_leaves_its_runs_without_errors(self):
        done = self.run_program("sweep", "--grid", "6x6", "--vary", "stretch-stiffness=1000,1e7", "--integrators", "bdf2",
                                "--reference", "rk4:2e-3", "--out", "d")
        self.assertRegex(done.stderr, "^clothlab: reference r2: Blown up in step ")
        rows = self.rows()
        self.assertEqual([row["exit"] for row in rows], ["0", "0"])
        self.assertGreater(float(rows[0]["error_x_rms"]), 0)
        self.assertEqual(rows[1]["error_x_rms"], "nan")

    # Continuing

    def begin(self, *arguments):
        return subprocess.Popen([PROGRAM, "sweep", *map(str, arguments)], cwd=self.dir, start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for_runs(self, count, process):
        until = time.monotonic() + 120
        while len(list((self.dir / "d" / "runs").glob("*.json"))) < count:
            self.assertIsNone(process.poll(), "the sweep ended too soon")
            self.assertLess(time.monotonic(), until)
            time.sleep(0.002)

    def descendants(self, group):
        alive = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                alive.append(int(stat.parent.name))
        return alive

    LONG = ["--grid", "12x12", "--steps", 40, "--vary", "mass=0.1:0.5:lin60", "--integrators", "bdf2",
            "--reference", "rk4:1e-3", "--threads", "1"]

    def test_killed_sweeps_continue_with_the_same_table(self):
        self.run_program("sweep", *self.LONG, "--jobs", 1, "--out", "whole")
        for kind, kill in (("parent", lambda p: os.kill(p.pid, signal.SIGKILL)),
                           ("all", lambda p: os.killpg(p.pid, signal.SIGKILL))):
            process = self.begin(*self.LONG, "--jobs", 4, "--out", "d")
            self.wait_for_runs(5 if kind == "parent" else 70, process)
            kill(process)
            process.communicate()
            until = time.monotonic() + 20
            while self.descendants(process.pid) and time.monotonic() < until:
                time.sleep(0.01)
            self.assertEqual(self.descendants(process.pid), [])  # the runs ended with the sweep
            self.assertFalse((self.dir / "d" / "runs.csv").exists())
        self.assertGreaterEqual(len(list((self.dir / "d" / "runs").glob("*.json"))), 70)
        done = self.run_program("sweep", *self.LONG, "--jobs", 4, "--out", "d")
        self.assertEqual(self.without_clock("d"), self.without_clock("whole"))
        before = int(done.stdout.split(", ")[1].split()[0])
        self.assertGreater(before, 5)
        self.assertLess(before, 60)
        self.assertEqual(list((self.dir / "d").glob(".clothlab*")), [])

    def test_control_c_stops_the_runs_and_keeps_the_table(self):
        for count, kill, number in (65, os.kill, signal.SIGTERM), (85, os.killpg, signal.SIGINT):  # the terminal's goes to all
            process = self.begin(*self.LONG, "--jobs", 2, "--out", "d")
            self.wait_for_runs(count, process)
            kill(process.pid, number)
            out, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, error)
            self.assertEqual(error, "clothlab: interrupted; what was measured so far was written.\n")
            self.assertEqual(self.descendants(process.pid), [])
            rows = self.rows()
            self.assertGreater(len(rows), 0)
            self.assertLess(len(rows), 60)
            self.assertEqual({row["exit"] for row in rows}, {"0"})
        self.run_program("sweep", *self.LONG, "--out", "d")
        self.assertEqual(len(self.rows()), 60)

    def test_a_run_that_is_killed_is_a_row_and_the_next_call_repeats_it(self):
        long_run = ["--grid", "4x4", "--vary", "steps=100000000,3", "--out", "d", "--jobs", 1]
        process = self.begin(*long_run)
        until = time.monotonic() + 60
        while not (children := [pid for pid in self.descendants(process.pid) if pid != process.pid]):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        os.kill(children[0], signal.SIGKILL)
        out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, error)
        self.assertIn("1 done, 1 failed", out)
        killed, good = self.rows()
        self.assertEqual((killed["exit"], killed["reason"]), ("137", "killed by signal 9 (Killed)."))
        self.assertEqual(killed["steps"], "100000000")
        self.assertEqual(good["exit"], "0")
        self.assertEqual([row["finished"] for row in self.dry(*long_run)], ["0", "1"])

    def wait_for_second_thread(self, process):
        """Of a run with --threads 2, which has then read its scene. Returns its process."""
        until = time.monotonic() + 60
        while True:
            for pid in self.descendants(process.pid):
                if pid != process.pid and len(list(pathlib.Path(f"/proc/{pid}/task").glob("*"))) > 1:
                    return pid
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def test_a_row_that_is_killed_is_a_failure(self):
        process = self.begin("--grid", "4x4", "--steps", 100000000, "--out", "d", "--row", 1, "--threads", 2)
        os.kill(self.wait_for_second_thread(process), signal.SIGKILL)
        out, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, error), (1, "", "clothlab: run 1: killed by signal 9 (Killed).\n"))

    def test_scene_files_that_vanish_are_failed_rows(self):
        texts = {name: json.dumps({"clothlab-scene": 4, "mesh": {"grid": [3, 3]}, "dt": dt})
                 for name, dt in (("a", 1e-6), ("b", 0.01), ("c", 0.04), ("d", 0.02))}
        write = lambda name: (self.dir / f"{name}.json").write_text(texts[name])
        for name in texts:
            write(name)
        sweep = ["--vary", "scene=a.json,b.json,c.json,d.json", "--integrators", "backward-euler", "--duration", 100,
                 "--out", "d", "--jobs", 1, "--threads", 2]
        process = self.begin(*sweep)
        run = self.wait_for_second_thread(process)
        for name in "ab":
            (self.dir / f"{name}.json").unlink()
        (self.dir / "c.json").write_text(texts["c"].replace("0.04", "0.05"))
        os.kill(run, signal.SIGKILL)
        out, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (0, ""))
        self.assertEqual(out, "4 of 4 runs have ended, 0 of them before this call: 1 done, 3 failed.\n")
        rows = self.rows()
        self.assertEqual([row["exit"] for row in rows], ["137", "1", "1", "0"])
        self.assertEqual([row["scene"] for row in rows], ["a.json", "b.json", "c.json", "d.json"])
        self.assertEqual([row["dt"] for row in rows], ["", "", "", "0.02"])
        self.assertEqual(rows[0]["reason"], "killed by signal 9 (Killed).")
        self.assertIn("b.json", rows[1]["reason"])
        self.assertEqual(rows[2]["reason"], "A file of the run has changed since the sweep began.")
        for name in texts:
            write(name)
        self.assertEqual([row["finished"] for row in self.dry(*sweep)], ["0", "0", "0", "1"])

    def test_a_caller_that_ignores_the_end_of_processes(self):
        ignore = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        done = subprocess.run([PROGRAM, "sweep", "--grid", "4x4", "--vary", "mass=1,2,3", "--out", "d"], cwd=self.dir,
                              capture_output=True, text=True, timeout=60, preexec_fn=ignore)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("3 of 3 runs have ended", done.stdout)

    def test_equal_runs_are_counted_as_rows(self):
        sweep = ["sweep", *STRIP, "--steps", 1, "--vary", "dt=1/50,0.02,1/100", "--out", "d"]
        for before in 0, 3:
            self.assertEqual(self.run_program(*sweep).stdout, f"3 of 3 runs have ended, {before} of them before this call: 3 done.\n")

    def test_runs_end_with_a_sweep_that_is_killed(self):
        process = self.begin("--grid", "4x4", "--steps", 100000000, "--vary", "mass=1,2", "--out", "d", "--jobs", 2)
        until = time.monotonic() + 60
        while len(self.descendants(process.pid)) < 3:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()  # not for the end of its output, which runs that are left would keep open
        process.stdout.close()
        process.stderr.close()
        until = time.monotonic() + 20
        while (left := self.descendants(process.pid)) and time.monotonic() < until:
            time.sleep(0.01)
        if left:
            os.killpg(process.pid, signal.SIGKILL)
        self.assertEqual(left, [])

    def test_any_number_of_jobs_and_threads(self):
        tables = []
        for jobs, threads in (1, 1), (4, 1), (1, 3):
            folder = f"d{jobs}{threads}"
            self.run_program("sweep", "--grid", "6x6", "--vary", "dt=1/60,1/100", "--integrators", "bdf2,xpbd,rk4",
                             "--jobs", jobs, "--threads", threads, "--reference", "rk4:1e-3", "--out", folder)
            tables.append(self.without_clock(folder))
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[0], tables[2])

    def test_rows_one_by_one(self):
        sweep = [*STRIP, "--vary", "mass=0.1,0.2,0.3,0.4,0.5", "--integrators", "bdf2", "--reference", "rk4:1e-3"]
        self.run_program("sweep", *sweep, "--out", "whole")
        names = lambda: {path.stem for path in (self.dir / "d" / "runs").glob("*.json")}
        listed = {row["run"]: row["key"] for row in self.dry(*sweep, "--out", "d")}
        self.run_program("sweep", *sweep, "--out", "d", "--row", "r2")
        self.assertEqual(names(), {listed["r2"]})
        self.run_program("sweep", *sweep, "--out", "d", "--row", 4)
        self.assertEqual(names(), {listed[run] for run in ("r2", "r4", "4")})
        self.run_program("sweep", *sweep, "--out", "d", "--row", "1-2")
        self.assertFalse((self.dir / "d" / "runs.csv").exists())
        done = self.run_program("sweep", *sweep, "--out", "d", "--jobs", 0)
        self.assertEqual(done.stdout, "3 of 5 runs have ended, 3 of them before this call: 3 done.\n")
        self.assertEqual([row["run"] for row in self.rows()], ["1", "2", "4"])
        self.run_program("sweep", *sweep, "--out", "d")
        self.assertEqual(self.without_clock("d"), self.without_clock("whole"))

    # Refusals, before anything runs

    def test_refusals(self):
        sweep = ["--grid", "4x4", "--out", "d"]
        for arguments, says in ((["--vary", "dts=1,2"], ["no option 'dts'", "did you mean 'dt'"]),
                                (["--vary", "jobs=1,2"], "no option 'jobs'"),
                                (["--vary", "threads=1,2"], "no option 'threads'"),
                                (["--vary", "dt"], ["'dt' is not of the form", "NAME=a:b:logN"]),
                                (["--vary", "dt="], "'dt=' is not of the form"),
                                (["--vary", "dt=1/60,5kg"], ["Run 2 (dt=5kg)", "--dt: '5kg' is not in s"]),
                                (["--vary", "dt=1e-3:1e-2:log1"], "--vary dt: '1' is not a whole number from 2"),
                                (["--vary", "dt=1e-3:1e12:log3"], "--dt: '1e12' is not a number from"),
                                (["--vary", "damping-model=projected,none"], ["damping-model", "Allowed are"]),
                                (["--vary", "mass-model=uniform,ara"], "did you mean 'area'"),
                                (["--vary", "wind-azimuth=-10:10:log3"], "must be greater than 0"),
                                (["--vary", "mass=1,2,1"], "'1' occurs twice"),
                                (["--vary", "mass=1,2", "--vary", "mass=3,4"], "'mass' varies twice"),
                                (["--vary", "steps=1,2", "--vary", "duration=1,2"], "exclude each other"),
                                (["--vary", "duration=1,2", "--steps", "5"], "exclude each other"),
                                (["--vary", "mesh=a.obj,b.obj"], "--mesh and --grid exclude each other"),
                                (["--vary", "floor=maybe,on"], "floor"),
                                (["--integrators", "bdf2,bdf3"], ["Run 2 (integrator=bdf3)", "did you mean 'bdf2'"]),
                                (["--integrators", "bdf2", "--vary", "integrator=rk4"], "'integrator' varies twice"),
                                (["--vary", "scene=none.json,b.json"], "none.json"),
                                (["--reference", "rk4"], "'rk4' is not an integrator and its step"),
                                (["--reference", "rk5:1e-3"], "rk5"),
                                (["--reference", "rk4:1e-9"], "--reference: "),
                                (["--reference", "rk4:0"], "--reference: '0' is not"),
                                (["--jobs", "-1"], "--jobs"),
                                (["--row", "2"], "--row: '2' is not a whole number from 1 to 1"),
                                (["--vary", "mass=1,2", "--row", "2-1"], "--row: '2-1' ends before it begins."),
                                (["--dress"], "--dress is a search of simulate, render and the window"),
                                (["--vary", "dress=off,on"], ["Run 2 (dress=on)", "--dress is a search of simulate"]),
                                (["--row", "r1"], "--row r1 needs --reference."),
                                (["--heat-map", "dt,mass"], "X,Y,VALUE"),
                                (["--heat-map", "dt,mass,error"], "no column 'error'"),
                                (["--lines", "dts,error_x_rms"], "did you mean 'dt'"),
                                (["--vary", "mass=0.1:1:lin13", "--heat-map", "dt,steps,residual"], "13 combinations"),
                                (["--vary", "mass=0.1:1:lin51", "--lines", "dt,residual"], "at most 50"),
                                (["--vary", "mass=0.1:1:lin1000", "--vary", "dt=1e-3:1e-2:lin1001"], "at most 1000000 runs")):
            self.refused(*sweep, *arguments, says=says)
        self.refused("--vary", "dt=1,2", "--out", "d", says="There is no cloth")
        self.refused("--grid", "4x4", says="--out DIR")
        (self.dir / "own").mkdir()
        (self.dir / "own" / "runs.csv").write_text("mine")
        self.refused("--grid", "4x4", "--out", "own", says="is not from a sweep")
        self.refused("--grid", "4x4", "--out", "own/runs.csv", says="is not a folder")

    def test_an_incomplete_record_is_a_run_to_repeat(self):
        sweep = ["sweep", "--grid", "4x4", "--vary", "mass=1,2", "--out", "d"]
        self.run_program(*sweep)
        whole = self.without_clock()
        for text in "", '{"scene": ', "[]", '{"scene": {}}':
            (self.dir / "d" / "runs" / (whole[0]["key"] + ".json")).write_text(text)
            self.assertIn(", 1 of them before this call", self.run_program(*sweep).stdout)
            self.assertEqual(self.without_clock(), whole)

    # Charts

    def test_charts(self):
        sweep = ["sweep", *STRIP, "--vary", "dt=1ms:16ms:log4", "--vary", "mass=0.1:0.5:lin3", "--integrators",
                 "explicit-euler,bdf2", "--duration", 0.3, "--out", "d"]
        self.run_program(*sweep, "--heat-map", "dt,mass,energy_total", "--lines", "dt,energy_total")
        for name in "heat-map.png", "lines.png":
            self.assertEqual((self.dir / "d" / name).read_bytes()[1:4], b"PNG")
            vectors = (self.dir / "d" / name).with_suffix(".svg")
            self.assertEqual(xml.etree.ElementTree.parse(vectors).getroot().tag, "{http://www.w3.org/2000/svg}svg")
        first = (self.dir / "d" / "heat-map.png").read_bytes()
        self.run_program(*sweep, "--jobs", 0, "--heat-map", "dt,integrator,energy_total")
        self.assertNotEqual((self.dir / "d" / "heat-map.png").read_bytes(), first)
        self.run_program("sweep", *STRIP, "--vary", "mass=0.1:0.5:lin40", "--steps", 1, "--out", "many", "--lines", "dt,time")
        done = self.run_program(*sweep, "--heat-map", "integrator,dt,energy_total", status=1)
        self.assertIn("A chart over integrator needs numbers", done.stderr)
        done = self.run_program(*sweep, "--heat-map", "dt,mass,error_x_rms", status=1)
        self.assertIn("No run has a value of error_x_rms", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
