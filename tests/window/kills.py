# SPDX-License-Identifier: MIT
"""Kills the window at random moments by SIGKILL, and restores each session.

    kills.py PROGRAM [COUNT [SEED]]

The windows have different scenes, lanes and users. Each restored session must be that of the killed window: at most
LATEST seconds older, confirmed by `replay --check`, and with the bits that the window showed at one of its steps.
Prints how many were restored. Exit status 1 if any was not, 77 if a tool is missing.
"""

import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from driver import PATIENCE, Session, missing_tools  # noqa: E402

SCENES = Path(__file__).resolve().parents[2] / "assets" / "scenes"
STARTS = [["--grid", "8x8"], ["--grid", "24x24", "--integrator", "rk4", "--dt", "0.002"],
          *([str(SCENES / f"{name}.json")] for name in ("24-table-cloth", "22-spinning-ball", "26-needles"))]
# The window shows a step before the journal has it: 0.2 s of the journal, the steps that it writes meanwhile, and the
# picture that shows them [s].
LATEST = 0.6


def hashes(state):
    return {letter: (lane["step"], lane["hash"]) for letter, lane in state["lanes"].items()}


def use(window, dice, seen, until):
    """Acts as a user until that time; notes what was seen at each step."""
    while time.monotonic() < until:
        state = window.state()
        seen.append((time.monotonic(), state["mesh"], state["step"], hashes(state)))
        if dice.random() < 0.03:
            window.xdotool("key", dice.choice(["a", "z", "space", "r", "n", "plus", "minus", "s", "g"]))
        elif dice.random() < 0.02:
            window.drag(dice.randrange(300, 700), dice.randrange(200, 500), dice.randrange(300, 700),
                        dice.randrange(200, 500), steps=3, let_go=dice.random() < 0.7)
        time.sleep(0.01)


def kill_one(program, dice):
    """Raises AssertionError if the session is not restored; returns whether bits of a seen step were compared."""
    with Session(program, *dice.choice(STARTS), "--threads", "2", *dice.choice([[], ["--play"]])) as window:
        seen = []
        use(window, dice, seen, time.monotonic() + dice.uniform(0.2, 4) * PATIENCE)
        window.process.kill()
        killed = time.monotonic()
        window.process.wait()
        files = list((window.folder / "state" / "clothlab" / "sessions").glob("*.session"))
        if len(files) != 1:
            raise AssertionError(f"{len(files)} files of sessions instead of one")
        (file,) = files
        copy = window.folder / "copy.session"
        copy.write_bytes(file.read_bytes())
        window.restart("--threads", "2")
        window.until(lambda: "session-restore" in window.state()["items"], "the offer")
        window.key("Return")
        window.until(lambda: "restored" in window.state()["message"], "the session", 60)
        # The message comes when the scene is sent to the simulation thread.
        window.until(lambda: f"paused at step {window.state()['step']}." in window.state()["message"], "its step")
        state = window.shows("the pause", playing=False)
        if "differ" in state["message"]:
            raise AssertionError(state["message"])
        done = subprocess.run([program, "replay", copy, "--check", "--quiet"], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"replay --check: {done.stderr}")
        # What was seen well before the kill is in the session: the restored run has at least those steps, or was
        # reset since. Before the scene of the command line another one was seen.
        of_scene = [(at, step) for at, mesh, step, _ in seen if mesh == state["mesh"]]
        old = [step for at, step in of_scene if at < killed - LATEST * PATIENCE]
        young = [step for at, step in of_scene if at >= killed - LATEST * PATIENCE]
        if old and young and min(old[-1], *young) > state["step"]:
            raise AssertionError(f"restored to step {state['step']}, {old[-1]} was seen {LATEST * PATIENCE:g} s before the kill")
        same = [lanes for _, mesh, step, lanes in seen if (mesh, step) == (state["mesh"], state["step"]) and lanes.keys() == hashes(state).keys()]
        if same and hashes(state) not in same:
            raise AssertionError(f"step {state['step']} has other bits: {hashes(state)}, not {same}")
        return bool(same)


def main():
    if missing := missing_tools():
        print("missing: " + ", ".join(missing))
        sys.exit(77)
    program = str(Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failures, compared = [], 0
    for seed in range(first, first + count):
        try:
            compared += kill_one(program, random.Random(seed))
        except AssertionError as error:
            failures.append(seed)
            print(f"seed {seed}: {error}", file=sys.stderr, flush=True)
    print(f"{count - len(failures)} of {count} killed windows were restored; the restored step of {compared} had been seen "
          "before the kill, with the same bits")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
