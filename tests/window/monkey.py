# SPDX-License-Identifier: MIT
"""Clicks, drags, types and drops files at random into the real window, for some minutes.

    monkey.py PROGRAM [MINUTES [SEED]]

The same seed gives the same events. Windows begin with a sheet or with a scene in which cloth meets bodies. It
fails, and says after which event, when the program ends with an error, stops drawing for long, does not end whole
on SIGTERM, or has written a journal that `replay --check` does not repeat; 77: a tool is missing. One of the tests
for 10 s, scripts/long.sh runs it for longer.
"""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from driver import PATIENCE, Session, missing_tools  # noqa: E402

KEYS = ["space", "r", "n", "e", "f", "g", "p", "w", "h", "z", "Tab", "Escape", "Return", "BackSpace", "Left", "Right",
        "Up", "Down", "Home", "End", "Prior", "Next", "plus", "minus", "F1", "F5", "F11", "F12", "ctrl+z", "ctrl+y",
        "ctrl+o", "ctrl+s", "ctrl+e", "ctrl+j", "ctrl+shift+z", "ctrl+r", "ctrl+q", "question", "comma", "period",
        "c", "l", "Delete", "shift+1", "shift+2", "shift+6", "shift+8", *"123456789"]
SCENES = Path(__file__).resolve().parents[2] / "assets" / "scenes"
# Without a body; and by each contact model, with a moving body and with meshes.
STARTS = [["--grid", "12x12"], *([str(SCENES / f"{name}.json")] for name in
          ("25-funnel", "31-dummy", "24-table-cloth", "22-spinning-ball", "26-needles", "29-handkerchiefs"))]
journals = 0  # that were repeated
SIZES = [(1280, 720), (640, 400), (1400, 500), (900, 900), (320, 240), (1280, 720)]
TEXTS = ["0.01", "-1", "1e9", "nan", "../", "a" * 300, "é漢", "x.json"]


def write_files(folder):
    """Files to drop: good ones, and such as nobody should."""
    files = {
        "square.obj": "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n",
        "tiny.obj": "v 0 0 0\nv 1e-7 0 0\nv 0 1e-7 0\nf 1 2 3\n",
        "loose.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\nf 4 5 6\n",
        "broken.obj": "v 0 0 nan\n",
        "scene.json": '{"clothlab-scene": 1, "mesh": {"grid": [9, 9]}, "integrator": "backward-euler"}',
        "title.json": '{"clothlab-scene": 1, "mesh": {"grid": [3, 3]}, "title": "' + "x" * 100000 + '"}',
        "wild.json": '{"clothlab-scene": 1, "mesh": {"grid": [9, 9]}, "integrator": "explicit-euler", "dt": 0.05}',
        "broken.json": '{"clothlab-scene": 1, "\\u001b[2J": 1}',
        "text.txt": "hello",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in files]


class Monkey:
    def __init__(self, window, dice, files):
        self.window, self.dice, self.files = window, dice, files
        self.size = SIZES[0]
        self.done = []

    def point(self):
        return self.dice.randrange(self.size[0]), self.dice.randrange(self.size[1])

    def resize(self):
        self.size = self.dice.choice(SIZES)
        self.window.resize(*self.size)

    def choose_lanes(self):
        """Opens the list of sets of lanes, where it is seen, or chooses one of them."""
        items = self.window.state()["items"]
        sets = [name for name in items if name.startswith("lane-set:")] or [name for name in items if name == "lane-sets"]
        if sets:
            left, top, right, bottom = items[self.dice.choice(sets)]
            self.window.click((left + right) / 2, (top + bottom) / 2)

    def save_journal(self):
        """Saves what was done so far, unless a dialog or a text field keeps the keys."""
        before = len(list(Path(self.window.folder).glob("*.journal")))
        for key in ("Escape", "Escape", "ctrl+j"):
            self.window.key(key)
        end = time.monotonic() + 5 * PATIENCE
        while time.monotonic() < end and self.window.process.poll() is None:
            if len(list(Path(self.window.folder).glob("*.journal"))) > before:
                return
            time.sleep(0.1)

    def act(self):
        dice, window = self.dice, self.window
        actions = [
            (30, "key", lambda: window.key(dice.choice(KEYS))),
            (30, "click", lambda: window.click(*self.point(), button=dice.choice([1, 1, 1, 2, 3]))),
            (20, "drag", lambda: window.drag(*self.point(), *self.point(), button=dice.choice([1, 1, 3]), steps=4)),
            (8, "wheel", lambda: window.wheel(dice.randint(-5, 5))),
            (6, "type", lambda: window.type(dice.choice(TEXTS))),
            (5, "drop", lambda: window.drop(dice.choice(self.files))),
            (4, "choose_lanes", self.choose_lanes),
            (2, "resize", self.resize),
            (1, "lose_focus", window.lose_focus),
        ]
        _, name, action = dice.choices(actions, [weight for weight, _, _ in actions])[0]
        self.done.append(name)
        action()


def check_journals(program, window):
    """Each journal that was written is repeated with the same bits."""
    global journals
    for journal in sorted(Path(window.folder).rglob("*.journal")):
        done = subprocess.run([program, "replay", journal, "--check", "--quiet"], capture_output=True, text=True,
                              timeout=600 * PATIENCE)
        if done.returncode != 0:
            raise AssertionError(f"{journal.name}: replay --check ended with {done.returncode}: {done.stderr}\n"
                                 + journal.read_text()[-4000:])
        journals += 1


def play(program, start, until, dice):
    """One window, until the time is up or the monkey has closed it."""
    with Session(program, *start, "--threads", "2") as window:
        folder = Path(window.folder)
        monkey = Monkey(window, dice, write_files(folder))
        try:
            while time.monotonic() < until:
                monkey.act()
                if len(monkey.done) % 10 == 0:
                    window.fresh_state()
            monkey.save_journal()
            window.process.send_signal(signal.SIGTERM)
            status = window.process.wait(30 * PATIENCE)
            if status != 143:
                raise AssertionError(f"SIGTERM ended it with {status}")
            if left := list(folder.rglob(".clothlab-*.part")):
                raise AssertionError(f"half-written files were left: {left}")
            check_journals(program, window)
        except Exception:
            status = window.process.poll()
            if status == 0:
                check_journals(program, window)
                return len(monkey.done)  # it found the way out
            print(f"after {len(monkey.done)} events, the last of them {monkey.done[-12:]}:", file=sys.stderr)
            print(window.output()[-8000:], file=sys.stderr)
            raise
        return len(monkey.done)


def main():
    missing = missing_tools()
    if missing:
        print("missing: " + ", ".join(missing))
        sys.exit(77)
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 3
    dice = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    program = shutil.which(sys.argv[1]) or sys.argv[1]
    until = time.monotonic() + 60 * minutes
    events = 0
    while time.monotonic() < until:
        # Each start has a part of the time, or all that is left where that is short.
        end = min(until, time.monotonic() + max(10 * PATIENCE, 60 * minutes / len(STARTS)))
        events += play(program, dice.choice(STARTS), end, dice)
    for _ in range(5):
        if journals > 0:
            break
        events += play(program, dice.choice(STARTS), time.monotonic() + 2 * PATIENCE, dice)
    if journals == 0:
        sys.exit(f"{events} events, but no journal was saved that could be replayed")
    print(f"{events} events and {journals} journals, nothing broke")


if __name__ == "__main__":
    main()
