# SPDX-License-Identifier: MIT
"""The Python module against the program: the same bits, the same sentences.

    python_test.py FOLDER_OF_THE_PACKAGE PROGRAM SOURCE_DIR [TEST...]
"""
import ast
import csv
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PACKAGE, PROGRAM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SOURCE = pathlib.Path(sys.argv[3]).resolve()
try:
    import numpy as np
except ImportError:
    print("NOT RUN: NumPy is not installed (Debian: python3-numpy)", file=sys.stderr)
    sys.exit(77)
if not list(pathlib.Path(PACKAGE).glob("clothlab/_clothlab.*")):
    print("NOT RUN: the Python module is not built (Debian: pybind11-dev python3-dev)", file=sys.stderr)
    sys.exit(77)
sys.path.insert(0, PACKAGE)
import clothlab  # noqa: E402

SHEET = {"grid": "9x8", "dt": 0.0005, "stretch_stiffness": 100}

LYING = {"pin": "none", "obstacle": "box:0.5,-0.051,0.5,2,0.1,2", "contact_stiffness": 5, "barrier_stiffness": 5}


def arguments(options):
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


class PythonModule(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def program(self, *words, status=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=self.dir, timeout=300)
        self.assertEqual(done.returncode, status, f"{words}: {done.stderr}")
        return done

    def assert_bits_of_program(self, options, steps=20, **run):
        """Positions, velocities and the whole checkpoint, byte by byte."""
        self.program("simulate", *arguments(options), "--steps", steps, "--state", "state.csv", "--checkpoint", "of-program")
        run = clothlab.Run(**options, **run)
        self.assertEqual(run.step(steps), steps)
        with open(self.dir / "state.csv", newline="") as file:
            rows = np.array([[float(number) for number in row] for row in list(csv.reader(file))[1:]])
        state = np.hstack([run.positions, run.velocities])
        self.assertEqual(state.tobytes(), np.ascontiguousarray(rows).tobytes(), options)
        run.save_checkpoint(self.dir / "of-module")
        self.assertEqual((self.dir / "of-module").read_bytes(), (self.dir / "of-program").read_bytes(), options)
        return run

    # The same bits

    def test_all_methods_have_the_bits_of_the_program(self):
        self.assertGreater(len(clothlab.INTEGRATORS), 30)
        for method in clothlab.INTEGRATORS:
            with self.subTest(method=method):
                run = self.assert_bits_of_program({**SHEET, "integrator": method})
                self.assertGreater(np.abs(run.velocities).max(), 0.05)

    def test_contact_has_the_bits_of_the_program(self):
        for contact in "filter", "impulse", "penalty", "barrier":
            with self.subTest(contact=contact):
                run = self.assert_bits_of_program(
                    {**SHEET, **LYING, "integrator": "semi-implicit-euler", "contact": contact}, steps=40)
                self.assertGreater(len(run.contacts), 0)

    def test_lanes_have_the_bits_of_single_runs(self):
        methods = list(clothlab.INTEGRATORS)
        while methods:
            some, methods = methods[:8], methods[8:]
            run = clothlab.Run(**SHEET, integrator=some[0])
            for method in some[1:]:
                run.add_lane(integrator=method)
            run.step(10)
            self.assertEqual([lane.integrator for lane in run.lanes], some)
            for lane, method in zip(run.lanes, some):
                alone = clothlab.Run(**SHEET, integrator=method)
                alone.step(10)
                self.assertEqual(lane.state_hash, alone.state_hash, method)
                self.assertEqual(lane.positions.tobytes(), alone.positions.tobytes(), method)

    def test_threads_change_no_bit(self):
        runs = [clothlab.Run(grid=(70, 70), integrator="backward-euler", threads=n) for n in (1, 2)]
        for run in runs:
            run.step(3)
        self.assertEqual(runs[0].state_hash, runs[1].state_hash)

    def test_a_scene_file_has_the_bits_of_the_program(self):
        scene = SOURCE / "assets/scenes/26-needles.json"
        self.program("simulate", "--scene", scene, "--steps", 5, "--checkpoint", "of-program")
        for run in clothlab.Run(scene), clothlab.Run(clothlab.Scene(scene)), clothlab.Run(clothlab.Scene(scene=scene)):
            run.step(5)
            continued = clothlab.Run.load_checkpoint(self.dir / "of-program")
            self.assertEqual(run.state_hash, continued.state_hash)
            self.assertEqual(run.time, continued.time)

    def test_options_of_every_kind_have_the_bits_of_the_program(self):
        self.program("simulate", "--grid", "6x7", "--size", "1.5x2", "--pin", "0,6", "--gravity", "0,-5,1", "--adaptive-dt",
                     "--jacobian", "exact", "--integrator", "runge-kutta", "--tableau", "heun", "--energy-limit", "off",
                     "--obstacle", "sphere:0.5,-1,0.5,0.3", "--obstacle", "plane:0,1,0,-3", "--no-weld", "--dt", "1/500",
                     "--steps", "10", "--checkpoint", "of-program")
        run = clothlab.Run(grid=(6, 7), size=[1.5, 2], pin=np.array([0, 6]), gravity=(0, np.float64(-5), 1), adaptive_dt=True,
                           jacobian="exact", integrator="runge-kutta", tableau="heun", energy_limit=float("inf"),
                           obstacle=["sphere:0.5,-1,0.5,0.3", "plane:0,1,0,-3"], no_weld=True, dt=1 / 500, mass=None)
        run.step(10)
        run.save_checkpoint(self.dir / "of-module")
        self.assertEqual((self.dir / "of-module").read_bytes(), (self.dir / "of-program").read_bytes())
        values = run.scene.options
        self.assertEqual((values["dt"], values["adaptive_dt"], values["jacobian"], values["energy_limit"]),
                         (1 / 500, True, "exact", float("inf")))
        self.assertEqual((values["gravity"], type(values["substeps"])), ((0, -5, 1), int))

    def test_what_was_done_replays_with_the_same_bits(self):
        run = clothlab.Run(**SHEET, integrator="bdf2")
        run.step(5)
        run.drag(71, (0.5, 0.3, 0.5))
        run.step(20)
        run.add_lane(integrator="rk4")
        run.set(stretch_stiffness=400)
        run.step(20)
        run.release()
        run.step(5)
        run.save_journal(self.dir / "run.journal")
        self.program("replay", "run.journal", "--check")

    def test_a_bundle_opens_without_the_mesh_that_it_was_made_from(self):
        mesh = self.dir / "mesh.obj"
        mesh.write_text("v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n")
        run = clothlab.Run(mesh=mesh, pin="0", integrator="bdf2")
        run.step(5)
        run.add_lane(integrator="rk4")
        run.save_bundle(self.dir / "run.clothlab")
        mesh.unlink()
        again = clothlab.Run.load_checkpoint(self.dir / "run.clothlab")
        for each in run, again:
            each.step(4)
        self.assertEqual(len(again.lanes), 2)
        for lane, same in zip(run.lanes, again.lanes):
            self.assertEqual(lane.positions.tobytes(), same.positions.tobytes())
        self.program("replay", "run.clothlab", "--check")

    # Views

    def test_views_share_the_memory_of_the_run(self):
        run = clothlab.Run(**SHEET)
        for name in "positions", "velocities", "triangles", "stretch_springs", "rest_positions", "particle_of_vertex":
            with self.subTest(name=name):
                one, two = getattr(run, name), getattr(run, name)
                self.assertTrue(np.shares_memory(one, two))
                self.assertEqual(one.ctypes.data, two.ctypes.data)
                self.assertFalse(one.flags.owndata)
                self.assertFalse(one.flags.writeable)
                with self.assertRaises(ValueError):
                    one[0] = 0
                with self.assertRaises(ValueError):
                    one.flags.writeable = True
        self.assertEqual((run.positions.shape, run.positions.dtype), ((72, 3), np.float64))
        self.assertEqual(run.triangles.shape, (112, 3))
        del one, two
        before = run.positions.ctypes.data
        other = run.velocities.ctypes.data
        self.assertNotEqual(before, other)

    def test_a_step_does_not_copy_states_that_nobody_sees(self):
        run = clothlab.Run(**SHEET, integrator="rk4")  # exchanges two buffers in each step
        addresses = [run.step() and run.positions.ctypes.data for _ in range(8)]
        self.assertEqual((len(set(addresses)), addresses[:-2]), (2, addresses[2:]))

    def test_a_view_keeps_its_moment(self):
        runs = [{"integrator": method} for method in clothlab.INTEGRATORS]  # some exchange the memory of the state in a step
        runs += [{**LYING, "contact": contact} for contact in ("filter", "impulse", "penalty", "barrier")]
        for options in runs:
            run, unseen = (clothlab.Run(**SHEET, **options) for _ in range(2))
            run.step(2)
            x, v, part = run.positions, run.velocities, run.positions[::2, 1]
            values = x.copy(), v.copy(), part.copy()
            run.step(20)
            run.set(integrator="backward-euler", mass=0.2)
            run.step()
            for view, value in zip((x, v, part), values):
                self.assertEqual(view.tobytes(), value.tobytes(), options)
            self.assertFalse(np.shares_memory(x, run.positions))
            self.assertGreater(np.abs(run.positions - x).max(), 0)
            unseen.step(22)
            unseen.set(integrator="backward-euler", mass=0.2)
            unseen.step()
            self.assertEqual(run.state_hash, unseen.state_hash, options)

    def test_a_view_outlives_its_run(self):
        run = clothlab.Run(grid=(100, 100))
        x, triangles, contacts = run.positions, run.triangles, run.contacts
        values = x.copy()
        del run
        self.assertEqual(x.tobytes(), values.tobytes())
        self.assertEqual((triangles.max(), len(contacts)), (9999, 0))

    def test_vertices_of_the_mesh(self):
        (self.dir / "three.obj").write_text("v 0 0 0\nv 1 0 0\nv 5 5 5\nv 0 1 0\nv 0 1 0\nv 2 2 0\nf 1 2 4\nf 5 2 6\n")
        run = clothlab.Run(mesh=self.dir / "three.obj", pin="none")
        self.assertEqual(run.particle_of_vertex.tolist(), [0, 1, -1, 2, 2, 3])
        self.assertEqual(run.positions[run.particle_of_vertex[5]].tolist(), [2, 2, 0])
        self.assertAlmostEqual(run.masses.sum(), run.scene.options["mass"])
        run.drag(5, (2, 2, 1))
        with self.assertRaisesRegex(ValueError, "Vertex 2 is not part of the cloth"):
            run.drag(2, (0, 0, 0))

    # Sentences

    def test_bad_options_have_the_sentence_of_the_program(self):
        for options in ({"stretch_stifness": 3}, {"stretch_stiffness": -1}, {"dt": "fast"}, {"dt": "3 kg"},
                        {"integrator": "rk5"}, {"pin": "middle"}, {"jacobian": "none"}, {"grid": "20"}, {"threads": 0},
                        {"contact": "glue"}, {"obstacle": "cube:1"}, {"initial_state": "missing.csv"}, {"help": "on"},
                        {"integrator": "rattle", "contact": "barrier"}):
            with self.subTest(options=options):
                options = {**({} if "grid" in options else {"grid": "4x4"}), **options}
                with self.assertRaises(ValueError) as raised:
                    clothlab.Run(**options)
                if "help" in options:
                    continue
                said = self.program("simulate", *arguments(options), status=2).stderr
                self.assertEqual(said, f"clothlab: {raised.exception}\n")
        for options, says in (({"mass": object}, "--mass: <class 'object'> is not a text, a number or a list of them."),
                              ({"gravity": (0, None, 1)}, "--gravity: (0, None, 1) is not"),
                              ({"pin": ""}, "--pin: the value is empty; None leaves the option out."),
                              ({"pin": []}, "--pin: the value is empty"), ({"obstacle": [""]}, "--obstacle: the value is empty"),
                              ({"dress": True}, "--dress is a search of simulate, render and the window")):
            for make in clothlab.Scene, clothlab.Run, clothlab.Scene(grid="4x4").with_options:
                with self.subTest(options=options, make=make), self.assertRaises(ValueError) as raised:
                    make(**({} if make.__name__ == "with_options" else {"grid": "4x4"}), **options)
                self.assertIn(says, str(raised.exception))
        with self.assertRaisesRegex(ValueError, "mesh"):
            clothlab.Scene()
        with self.assertRaisesRegex(ValueError, "no-such.obj"):
            clothlab.Scene(self.dir / "no-such.obj")

    def test_a_refused_change_has_no_effect(self):
        run = clothlab.Run(**SHEET, contact="barrier")
        run.step(2)
        before, values = run.state_hash, run.scene.options
        for change in ({"dt": 0.1, "mass": -1}, {"grid": "3x3"}, {"scale": 2}, {"integrator": "rattle"}, {"pin": [9999]},
                       {"dress": True}, {"threads": 2}, {"quiet": True}, {"mesh_folder": self.dir}):
            with self.subTest(change=change), self.assertRaises(ValueError):
                run.set(**change)
        with self.assertRaisesRegex(ValueError, "All lanes share"):
            run.add_lane(dt=0.1)
        with self.assertRaisesRegex(ValueError, "no effect on a run that exists"):
            run.add_lane(integrator="rk4", threads=2)
        with self.assertRaises(ValueError):
            run.add_lane(integrator="rattle")
        with self.assertRaises(ValueError):
            run.drag(0, (float("nan"), 0, 0))
        self.assertEqual((run.state_hash, run.scene.options, len(run.lanes)), (before, values, 1))
        for _ in range(7):
            run.add_lane(integrator="bdf2")
        with self.assertRaisesRegex(ValueError, "8 lanes at most"):
            run.add_lane(integrator="bdf2")
        self.assertEqual([lane.name for lane in run.lanes], list("ABCDEFGH"))
        run.step(2)

    # Runs

    def test_drag_and_release(self):
        run = clothlab.Run(grid=(9, 9), pin="none", gravity=(0, 0, 0), dt=0.005, integrator="semi-implicit-euler")
        start = run.positions[40].copy()
        target = start + (0, 0.3, 0)
        run.drag(40, target)
        self.assertEqual(run.positions[40].tolist(), start.tolist())
        run.step(400)
        self.assertLess(np.linalg.norm(run.positions[40] - target), 0.02)
        self.assertGreater(run.ledger["work_hand"], 0)
        run.drag(40, start)
        run.step(400)
        self.assertLess(np.linalg.norm(run.positions[40] - start), 0.02)
        run.release()
        hand = run.ledger["work_hand"]
        run.step(10)
        self.assertEqual(run.ledger["work_hand"], hand)

    def test_a_drag_binds_the_softest_lane(self):
        run = clothlab.Run(grid=(12, 12), dt=0.001, stretch_stiffness=400, integrator="backward-euler")
        run.add_lane(integrator="symplectic-euler")
        run.drag(140, (0.5, 0.5, 0.5))
        run.step(500)
        self.assertEqual([lane.blow_up for lane in run.lanes], [None, None])
        self.assertLess(max(lane.max_strain for lane in run.lanes), 0.5)

    def test_checkpoints_continue_with_the_same_bits(self):
        run = clothlab.Run(**SHEET, integrator="bdf2")
        run.add_lane(integrator="tr-bdf2")
        run.step(7)
        run.save_checkpoint(self.dir / "run.checkpoint")
        run.step(5)
        continued = clothlab.Run.load_checkpoint(self.dir / "run.checkpoint", threads=1)
        self.assertEqual(continued.steps, 7)
        continued.step(5)
        self.assertEqual([lane.state_hash for lane in run.lanes], [lane.state_hash for lane in continued.lanes])
        self.program("simulate", "--resume", "run.checkpoint", "--steps", 5, "--checkpoint", "of-program")
        self.assertEqual(clothlab.Run.load_checkpoint(self.dir / "of-program").state_hash, run.state_hash)
        (self.dir / "bad").write_text("x")
        with self.assertRaisesRegex(ValueError, "bad"):
            clothlab.Run.load_checkpoint(self.dir / "bad")
        for options in {"threads": 0}, {"mass": 1}, {"mesh": "a.obj"}, {"mesh_folder": "no-such-folder"}, {"folder": "."}:
            with self.subTest(options=options), self.assertRaises(ValueError):
                clothlab.Run.load_checkpoint(self.dir / "run.checkpoint", **options)
        with self.assertRaises((ValueError, OSError)):
            run.save_checkpoint(self.dir / "no" / "folder")

    def test_scenes_are_saved_and_changed(self):
        scene = clothlab.Scene(grid=(5, 5), mass=0.3)
        other = scene.with_options(integrator="rk4", size=(2, 1))
        self.assertEqual((scene.options["integrator"], other.options["integrator"]), ("semi-implicit-euler", "rk4"))
        other.save(self.dir / "scene.json")
        again = clothlab.Scene(self.dir / "scene.json")
        self.assertEqual(again.options, other.options)
        runs = clothlab.Run(other), clothlab.Run(again), clothlab.Run(grid=(5, 5), mass=0.3, integrator="rk4", size=(2, 1))
        for run in runs:
            run.step(3)
        self.assertEqual(len({run.state_hash for run in runs}), 1)
        self.assertEqual(np.ptp(runs[0].rest_positions[:, 0]), 2)
        with self.assertRaisesRegex(ValueError, "another cloth"):
            scene.with_options(grid="3x3")

    def test_a_start_from_arrays(self):
        scene = clothlab.Scene(grid=(4, 5), integrator="rk4", dt=0.001)
        rest = clothlab.Run(scene).rest_positions
        x, v = 1.02 * rest, np.sin(np.arange(60.0)).reshape(20, 3)
        started = scene.with_state(x.tolist(), v)
        with open(self.dir / "start.csv", "w") as file:
            file.write("x,y,z,vx,vy,vz\n" + "".join(",".join(map(repr, map(float, row))) + "\n" for row in np.hstack([x, v])))
        started.save(self.dir / "start.json")
        runs = [clothlab.Run(started), clothlab.Run(self.dir / "start.json"),
                clothlab.Run(scene, initial_state=self.dir / "start.csv")]
        for run in runs:
            self.assertEqual((run.positions.tobytes(), run.velocities.tobytes()), (x.tobytes(), v.tobytes()))
            run.step(5)
        self.assertEqual(len({run.state_hash for run in runs}), 1)
        self.assertEqual(clothlab.Run(scene.with_state(x)).velocities.tolist(), np.zeros((20, 3)).tolist())
        for bad in x[1:], x[:, :2], np.full((20, 3), np.nan), np.zeros((0, 3)):
            with self.assertRaises(ValueError):
                clothlab.Run(scene.with_state(bad))

    def test_lanes_of_a_scene_file(self):
        methods = ["bdf2", "rk4"]
        clothlab.Scene(grid="5x5").save(self.dir / "lanes.json")
        scene = json.loads((self.dir / "lanes.json").read_text())
        scene["lanes"] = [{"letter": letter, "method": {"integrator": method}} for letter, method in zip("AB", methods)]
        (self.dir / "lanes.json").write_text(json.dumps(scene))
        run = clothlab.Run(self.dir / "lanes.json", substeps=2)
        self.assertEqual([lane.integrator for lane in run.lanes], methods)
        self.assertEqual([lane.scene.options["substeps"] for lane in run.lanes], [2, 2])

    def test_the_ledger_adds_up(self):
        for method in "backward-euler", "symplectic-euler", "rattle":
            run = clothlab.Run(**SHEET, integrator=method, spring_damping=0.01)
            start = run.energy["total"]
            run.step(50)
            ledger, energy = run.ledger, run.energy
            self.assertAlmostEqual(energy["total"], sum(energy.values()) - energy["total"], places=12)
            self.assertAlmostEqual(sum(ledger.values()), energy["total"] - start, delta=1e-12, msg=method)
            self.assertLess(ledger["work_damping"], 0)

    def test_reports(self):
        run = clothlab.Run(**SHEET, **LYING, integrator="backward-euler", contact="penalty")
        self.assertEqual((run.steps, run.time, run.solver["newton_iterations"], run.solver["cg_residuals"].size), (0, 0, 0, 0))
        run.step(30)
        solver, contacts = run.solver, run.contacts
        self.assertTrue(solver["converged"])
        self.assertGreater(solver["newton_iterations"], 0)
        self.assertGreater(solver["cg_residuals"].size, 0)
        self.assertEqual((run.steps, run.time), (30, sum([0.0005] * 30)))
        self.assertGreater(len(contacts), 0)
        self.assertEqual(set(contacts["surface"].tolist()), {1})
        self.assertEqual((contacts["push"].shape, contacts["push"].dtype), ((len(contacts), 3), np.float64))
        self.assertGreater(contacts["push"][:, 1].sum(), 0)
        height = run.positions[contacts["particle"], 1] + 0.001
        self.assertLess(np.abs(height - contacts["gap"]).max(), 1e-12)

    def test_a_blow_up_is_a_state(self):
        run = clothlab.Run(grid=(8, 8), integrator="explicit-euler", dt=0.02)
        self.assertIsNone(run.blow_up)
        done = run.step(1000)
        self.assertLess(done, 1000)
        self.assertEqual(run.steps, done)
        self.assertEqual(run.blow_up.step, done + 1)
        self.assertIn(run.blow_up.cause, ("energy", "spurious_energy", "not_finite"))
        said = self.program("simulate", "--grid=8x8", "--integrator=explicit-euler", "--dt=0.02", "--steps=1000", status=3).stderr
        self.assertIn(run.blow_up.text, said)
        self.assertTrue(np.isfinite(run.positions).all())
        self.assertIn(str(run.notices[0]), said)
        run.reset()
        self.assertEqual((run.blow_up, run.steps, run.time), (None, 0, 0))
        self.assertEqual(run.positions.tobytes(), run.rest_positions.tobytes())
        good = run.add_lane(integrator="backward-euler")
        self.assertEqual(run.step(100), 100)
        self.assertIsNotNone(run.blow_up)
        self.assertEqual((good.steps, good.blow_up), (100, None))
        self.assertLess(run.steps, 100)

    # Threads and signals

    def test_two_threads_step_two_runs(self):
        def run():
            one = clothlab.Run(grid=(40, 40), integrator="backward-euler", threads=1)
            one.step(30)
            return one.state_hash
        found = []
        threads = [threading.Thread(target=lambda: found.append(run())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(found), {run()})

    def test_a_step_leaves_python_to_other_threads(self):
        run = clothlab.Run(grid=(60, 60), integrator="backward-euler", threads=1)
        view = run.positions
        moment = view.copy()
        thread = threading.Thread(target=lambda: run.step(100))
        thread.start()
        refused = 0
        while thread.is_alive():  # all of this would wait for the end if the step held the lock
            try:
                run.positions
            except RuntimeError as error:
                self.assertEqual(str(error), "Another thread uses this run.")
                refused += 1
            self.assertEqual(view.tobytes(), moment.tobytes())
            time.sleep(0.01)
        thread.join()
        self.assertGreater(refused, 5)
        self.assertEqual(run.steps, 100)

    @unittest.skipIf(os.name == "nt", "no SIGINT")
    def test_ctrl_c_ends_a_step(self):
        script = ("import clothlab, numpy as np, os, signal, threading\n"
                  "run = clothlab.Run(grid=(50, 50), integrator='backward-euler')\n"
                  "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                  "try:\n    run.step(10 ** 9)\n"
                  "except KeyboardInterrupt:\n    run.step(1); print('ended', run.steps, run.blow_up)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": PACKAGE})
        self.assertRegex(done.stdout, r"^ended \d+ None$", done.stderr)

    # The package

    def test_stubs_and_docstrings_match_the_module(self):
        tree = ast.parse((pathlib.Path(PACKAGE) / "clothlab/__init__.pyi").read_text())
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        names = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)} | classes.keys()
        self.assertEqual(names, set(clothlab.__all__))
        for name, node in classes.items():
            real = getattr(clothlab, name)
            self.assertTrue(real.__doc__, name)
            stubs = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
            members = {member for member in vars(real) if not member.startswith("_")}
            self.assertEqual(stubs.keys() - {"__init__"}, members, name)
            for member in members:
                self.assertTrue(inspect.getdoc(getattr(real, member)), f"{name}.{member}")
                is_property = isinstance(vars(real)[member], property)
                marked = any(getattr(mark, "id", "") == "property" for mark in stubs[member].decorator_list)
                self.assertEqual(is_property, marked, f"{name}.{member}")
            self.assertEqual(real.__module__, "clothlab")
        self.assertIn(clothlab.__version__, self.program("--version").stdout)

    def test_the_wheel_installs(self):
        made = subprocess.run([sys.executable, SOURCE / "scripts/make_wheel.py", f"{PACKAGE}/clothlab", clothlab.__version__,
                               self.dir], capture_output=True, text=True, check=True).stdout.strip()
        target = self.dir / "installed"
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
            self.skipTest("pip is not installed (Debian: python3-pip)")
        subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", target, made],
                       capture_output=True, check=True)
        script = "import clothlab; run = clothlab.Run(grid=(4, 4)); run.step(); print(clothlab.__file__, run.steps)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=self.dir, check=True,
                              env={**os.environ, "PYTHONPATH": str(target)})
        self.assertEqual(done.stdout, f"{target}/clothlab/__init__.py 1\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
