#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The lecture of docs/lecture.md, held step by step in the real window.

    lecture.py PROGRAM ASSETS CASE     one case, lecture_1 to lecture_4; `list` prints their names

The page is the script: a step's number chooses its events below, and what its sentence says after "Seen:" is held to
what the window shows. **A number** in bold may be off by one in its last digit, "words" in quotes stand there as
they are. A step without events, events without a step, and a number that nothing was held to are errors.
Exit status 0 passed, 1 failed, 77 not run because a tool is missing.
"""

import json
import re
import sys
import time
from collections import deque
from pathlib import Path

from driver import Session, missing_tools

PAGE = Path(__file__).parents[2] / "docs" / "lecture.md"
CASES = {"lecture_1": range(1, 5), "lecture_2": range(5, 8), "lecture_3": range(8, 10), "lecture_4": range(10, 11)}  # sections
EVENTS = {}
UNITS = {prefix + unit: size for unit in ("m/s", "m", "s", "J")
         for prefix, size in (("", 1), ("m", 1e-3), ("µ", 1e-6), ("n", 1e-9))} | {"": 1, "%": 1, "×": 1}


def step(number):
    def register(events):
        EVENTS[number] = events
        return events
    return register


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def quantity(text):
    """Value, unit in which it counts, and the size of its last digit: of "−4.82 m", "91 %", "1.7×"."""
    found = re.fullmatch(r"(?:[≥≈] )?([+−-]?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?\s*(\D*)", text.replace("\u00a0", ""))
    check(found and found[5] in UNITS, f"'{text}' is no quantity")
    sign, whole, decimals, exponent, unit = found.groups()
    size = UNITS[unit] * 10.0 ** int(exponent or 0)
    value = float(f"{whole}.{decimals or 0}") * size
    return (-value if sign in ("-", "−") else value), unit[-1:], size * 10.0 ** -len(decimals or "")


class Said:
    """One step of the page, and what of its sentence has not been seen yet."""

    def __init__(self, words):
        self.action, _, seen = words.partition("Seen:")
        self.numbers = deque(re.findall(r"\*\*(.+?)\*\*", seen))
        self.words = deque(re.findall(r'"(.+?)"', seen))

    def next_number(self):
        check(self.numbers, "the page says no number of what is seen here")
        return self.numbers.popleft()

    def number_is(self, shown):
        """The next number in bold is what the window shows."""
        written = self.next_number()
        (value, unit, digit), (seen, seen_unit, _) = quantity(written), quantity(shown)
        near = 1e-12 if value == 0 else 1.001 * digit
        check(unit == seen_unit and abs(seen - value) <= near, f"the page says {written}, seen is {shown}")

    def number_bounds(self, shown, above=False):
        """The next number in bold is above the size of what the window shows, or below it."""
        written = self.next_number()
        (value, unit, _), (seen, seen_unit, _) = quantity(written), quantity(shown)
        check(seen == 0 or unit == seen_unit, f"the page says {written}, seen is {shown}")
        check(abs(seen) > value if above else abs(seen) < value, f"the page says {written}, seen is {shown}")

    def words_are_in(self, shown):
        """The next words in quotes are in what the window says."""
        check(self.words, "the page quotes nothing of what is seen here")
        words = self.words.popleft()
        check(words in shown, f"the page says \"{words}\", seen is \"{shown}\"")

    def end(self):
        check(not self.numbers and not self.words,
              f"the page says what nothing was held to: {[*self.numbers, *self.words]}")


class Room:
    """The window, and what a lecturer does there."""

    def __init__(self, window, assets):
        self.window = window
        self.action = ""  # what the page says to do
        scenes = {file.name: json.loads(file.read_text()) for file in (assets / "scenes").glob("*.json")}
        self.files = {scene["title"]: name for name, scene in scenes.items()}

    # --- looking ---

    def lane(self, letter):
        return self.window.state()["lanes"].get(letter, {})

    def time(self):
        """Of the lane that has come farthest: others may stand."""
        return max(lane["time"] for lane in self.window.state()["lanes"].values())

    def text(self, name):
        """What a part of the window says now."""
        return self.window.until(lambda: self.window.fresh_state()["texts"].get(name), f"the words of '{name}'")

    def says(self, name, said):
        """The next words of the step are in what that part says, at the latest some seconds from now."""
        check(said.words, "the page quotes nothing of what is seen here")
        self.window.until(lambda: said.words[0] in self.window.state()["texts"].get(name, ""),
                          f"'{name}' to say \"{said.words[0]}\", which says \"{self.text(name)}\"")
        said.words.popleft()

    def cell(self, letter, column):
        return self.text(f"lane-row:{letter}:{column}")

    def stands(self, letter, said):
        """That lane blew up in the step that is said."""
        self.window.until(lambda: self.lane(letter).get("blow_up"), f"lane {letter} to blow up", 30)
        said.number_is(re.search(r"in step (\d+)", self.lane(letter)["blow_up"])[1])
        self.window.until(lambda: self.lane(letter)["frozen"] or not self.window.state()["playing"], "it to stand")

    def read(self, seconds):
        """The values of the first plot's curves at that time, pointed at as a hand would: by letter or name."""
        left, top, right, bottom = self.window.box("plot0:frame")
        from_x, from_time, to_x, to_time = left, 0, right, self.time()
        best = None
        for _ in range(8):
            share = (seconds - from_time) / (to_time - from_time) if to_time > from_time else 1
            x = round(min(max(from_x + share * (to_x - from_x), left + 1), right - 2))
            self.window.move(x, (top + bottom) / 2)
            self.window.fresh_state()
            texts = self.window.until(lambda: "reading" in (now := self.window.state()["texts"]) and now, "the values there")
            there = float(re.search(r": (-?[\d.e-]+)", texts["reading"])[1])
            if best is None or abs(there - seconds) < abs(best[0] - seconds):
                best = there, texts
            if abs(there - seconds) < 1e-4 or x in (from_x, to_x):
                break
            from_x, from_time, to_x, to_time = (x, there, to_x, to_time) if there < seconds else (from_x, from_time, x, there)
        values = {}
        for name, value in best[1].items():
            if name.startswith("reading:"):
                name = name.removeprefix("reading:")
                values[name[0] if name[1:3] == "  " else name] = value
        return values

    # --- acting ---

    def told(self, pattern):
        """What the page says to do has this; answers with its group."""
        found = re.search(pattern, self.action)
        check(found, f"the page does not say so: {pattern}")
        return found[1]

    def alone(self):
        """Removes all lanes but the active one."""
        window = self.window
        if len(window.state()["lanes"]) > 1:
            window.click_item("lane-more")
            window.click_item("lane-remove-others")
            window.until(lambda: len(window.state()["lanes"]) == 1, "one lane")

    def open(self):
        """The scene that the step names, alone, paused at its start."""
        window = self.window
        if window.state()["playing"]:
            window.key("space")
            window.shows("a pause", playing=False)
        self.alone()
        title = self.told(r"Open \*(.+?)\*")
        item = "scene:" + self.files[title]
        if window.state()["tab"] != "Scene":
            window.click_item("tab:Scene")
        left, top, right, bottom = window.box("scene-list")
        window.move((left + right) / 2, (top + bottom) / 2)
        for _ in range(10):
            middle = sum(window.box(item)[1::2]) / 2
            if top + 10 < middle < bottom - 10:
                break
            # A notch is a little less than half of the list.
            window.wheel(round(((top + bottom) / 2 - middle) / 100) or (1 if middle < top + 10 else -1))
        window.click_item(item)
        window.until(lambda: window.state()["title"] == title or "unsaved-discard" in window.state()["items"], title)
        if "unsaved-discard" in window.state()["items"]:
            window.click_item("unsaved-discard")
        window.shows("the scene at its start", title=title, loading=False, playing=False, step=0)

    def pause(self, seconds=0):
        """Lets that much time pass since the start, then pauses; plays where it is paused."""
        window = self.window
        if not window.state()["playing"]:
            window.key("space")
        # All lanes may have blown up by then.
        window.until(lambda: self.time() >= seconds or not window.fresh_state()["playing"], f"{seconds} s", 60)
        if window.state()["playing"]:
            window.key("space")
        window.shows("a pause", playing=False)

    def steps(self, count):
        before = max(lane["step"] for lane in self.window.state()["lanes"].values())
        for k in range(count):
            self.window.key("s")
            self.window.until(lambda: max(lane["step"] for lane in self.window.state()["lanes"].values()) == before + k + 1,
                              "one step")

    def add(self, digit, letter):
        self.told(rf"(\*\*Shift-{digit}\*\*)")
        self.window.key(f"shift+{digit}")
        self.window.until(lambda: self.lane(letter), f"lane {letter}")

    def choose(self, letter):
        self.window.click_item(f"lane:{letter}")
        self.window.shows("the lane", lane=letter)

    def plot(self, kind):
        self.told(rf"[Cc]hoose (\*{kind}\*)")
        self.window.click_item("plot0:kind")
        self.window.click_item(f"plot0:kind:{kind}")

    def type_into(self, title, name):
        """The value that the page says, into the field of a parameter."""
        window = self.window
        window.click_item(name + "#field")
        window.key("ctrl+a")
        window.type(self.told(rf"[Tt]ype (\S+) into \*{title}\*"))
        window.key("Return")

    def follow(self, index):
        """Alt-click on a particle."""
        particles = self.window.fresh_state()["some_particles"]
        self.window.follow(*next(p["pixel"] for p in particles if p["index"] == index))


# --- 1. What a step is

@step("1.1")
def _(room, said):
    room.open()
    room.window.click_item("lane-sets")
    room.window.click_item("lane-set:Explicit four")
    room.window.until(lambda: "".join(room.window.state()["lanes"]) == "ABCD", "four lanes")
    room.window.key("space")
    room.window.shows("a pause", playing=False)
    room.window.key("r")
    room.window.shows("the start", step=0)
    for letter in "ABCD":
        room.says(f"lane-head:{letter}", said)
    said.number_is(f"{1e3 * room.window.state()['parameters']['dt']} ms")


@step("1.2")
def _(room, said):
    room.follow(21)
    room.plot("Height")
    room.steps(1)
    values = room.read(1 / 60)
    for letter in "ABCD":
        said.number_is(values[letter])


@step("1.3")
def _(room, said):
    room.steps(1)
    values = room.read(2 / 60)
    for letter in "ABC":
        said.number_is(values[letter])


@step("1.4")
def _(room, said):
    room.pause(1.1)
    values = room.read(1)
    for letter in "ABCD":
        said.number_is(values[letter])


@step("1.5")
def _(room, said):
    for letter in "ABCD":
        said.number_is(room.cell(letter, "method"))


# --- 2. Explicit Euler grows, and why

@step("2.1")
def _(room, said):
    room.open()
    room.says("stability", said)


@step("2.2")
def _(room, said):
    room.plot("Stability")
    room.says("plot0:verdict", said)


@step("2.3")
def _(room, said):
    room.add(2, "B")
    room.says("plot0:verdict", said)


@step("2.4")
def _(room, said):
    room.plot("Energy")
    room.window.key("space")
    room.stands("A", said)
    said.words_are_in(room.text("lane-state:A"))
    stood = room.lane("A")["step"]
    room.window.until(lambda: room.lane("B")["step"] > stood + 20, "lane B to go on")


@step("2.5")
def _(room, said):
    room.pause()
    for seconds in (1, 2):
        values = room.read(seconds)
        said.number_is(values["A"])
        said.number_bounds(values["B"])


@step("2.6")
def _(room, said):
    room.type_into("Step h", "dt")
    room.says("lane-foot:A", said)
    room.says("lane-foot:B", said)


# --- 3. The limit of symplectic Euler

@step("3.1")
def _(room, said):
    room.open()
    room.window.key("1")
    room.window.shows("explicit Euler", integrator="explicit-euler")
    room.add(2, "B")
    room.says("lane-foot:A", said)
    room.says("lane-foot:B", said)


@step("3.2")
def _(room, said):
    room.window.key("space")
    room.stands("A", said)
    room.pause(1)
    check(not room.lane("B")["frozen"], "lane B stands")
    said.number_bounds(room.cell("B", "method"))


@step("3.3")
def _(room, said):
    room.window.key("r")
    room.window.shows("the start", step=0)
    room.type_into("Step h", "dt")
    room.says("stability", said)


@step("3.4")
def _(room, said):
    room.window.key("space")
    room.stands("B", said)


@step("3.5")
def _(room, said):
    room.window.click_item("blow-up-why")
    why = room.text("blow-up-why")
    said.words_are_in(why)
    said.words_are_in(why)


@step("3.6")
def _(room, said):
    blown = room.lane("B")["step"]
    room.window.click_item("blow-up-smaller-h")
    room.window.shows("it to go on", playing=True)
    room.says("stability", said)
    said.number_is(f"{1e3 * room.window.state()['parameters']['dt']:.6g} ms")
    room.window.until(lambda: room.lane("B")["step"] > blown + 500, "lane B to hold")
    room.pause()


# --- 4. How far a step looks

@step("4.1")
def _(room, said):
    room.open()
    room.add(2, "B")
    room.says("lane-foot:A", said)
    room.says("lane-foot:B", said)


@step("4.2")
def _(room, said):
    room.follow(32)
    room.plot("Speed")
    room.steps(1)
    values = room.read(1 / 240)
    for letter in "AB":
        said.number_is(values[letter])


@step("4.3")
def _(room, said):
    room.steps(6)
    said.number_is(room.read(7 / 240)["B"])


@step("4.4")
def _(room, said):
    room.steps(1)
    values = room.read(8 / 240)
    for letter in "BA":
        said.number_is(values[letter])


@step("4.5")
def _(room, said):
    room.window.key("r")
    room.window.shows("the start", step=0)
    room.type_into("Step h", "dt")
    room.says("stability", said)
    room.window.key("space")
    room.stands("B", said)
    stood = room.lane("B")["step"]
    room.window.until(lambda: room.lane("A")["step"] > stood + 100, "lane A to go on")
    room.pause()


# --- 5. Implicit methods have no limit, and damp

@step("5.1")
def _(room, said):
    room.open()
    room.says("stability", said)
    for digit, letter in ((1, "B"), (2, "C")):
        room.add(digit, letter)
        room.says("stability", said)


@step("5.2")
def _(room, said):
    room.plot("Ledger")
    room.window.key("space")
    room.stands("B", said)
    room.stands("C", said)
    room.pause(1.05)
    check(not room.lane("A")["frozen"], "lane A stands")


@step("5.3")
def _(room, said):
    room.choose("A")
    room.alone()
    values = room.read(1)
    said.number_is(values["sum"])
    said.number_is(values["method"])
    said.number_bounds(values["damping"])


@step("5.4")
def _(room, said):
    room.type_into("Step h", "dt")
    room.window.key("r")
    room.window.shows("the start", step=0)
    room.pause(1.05)
    said.number_is(room.read(1)["method"])


# --- 6. One Newton iteration is not enough

@step("6.1")
def _(room, said):
    room.open()
    room.add(5, "B")
    for letter in "AB":
        room.says(f"lane-foot:{letter}", said)


@step("6.2")
def _(room, said):
    room.steps(1)
    for letter in "AB":
        said.number_is(room.cell(letter, "strain"))
        said.number_is(room.cell(letter, "ΔE"))


@step("6.3")
def _(room, said):
    room.choose("A")
    room.window.key("s")
    room.stands("B", said)
    room.says("lane-foot:B", said)


@step("6.4")
def _(room, said):
    room.plot("Iterations")
    room.pause(1.1)
    said.number_bounds(room.cell("A", "strain"))
    room.alone()
    for seconds in (1 / 15, 1):
        said.number_is(room.read(seconds)["Newton"])


# --- 7. Outwards, inwards and round

@step("7.1")
def _(room, said):
    room.open()
    room.add(6, "B")
    room.add(2, "C")
    for letter in "ABC":
        said.number_is(room.cell(letter, "strain"))


@step("7.2")
def _(room, said):
    room.plot("Strain")
    room.pause(2.1)
    for seconds in (1, 2):
        values = room.read(seconds)
        for letter in "ABC":
            said.number_is(values[letter])


@step("7.3")
def _(room, said):
    room.plot("Energy")
    values = room.read(2)
    for letter in "AB":
        said.number_is(values[letter])
    said.number_bounds(values["C"])


# --- 8. There and back

def to_step(room):
    """Left, with Shift by ten, until the panel says the step that the page says."""
    window, number = room.window, int(room.told(r"step (\d+)"))
    while left := (shown := window.fresh_state()["step"]) - number:
        # A key that is held for long on a busy machine repeats, so that it goes too far.
        window.key(("shift+" if abs(left) >= 20 else "") + ("Left" if left > 0 else "Right"))
        window.until(lambda: window.state()["step"] != shown, "another step")


@step("8.1")
def _(room, said):
    room.open()
    room.strip = room.window.fresh_state()["some_particles"]
    for digit, letter in ((7, "B"), (4, "C"), (6, "D")):
        room.add(digit, letter)
        room.says(f"lane-head:{letter}", said)


@step("8.2")
def _(room, said):
    room.choose("A")
    room.window.click_item("lane-more")
    room.window.click_item("lane-reference")
    room.plot("Largest distance")
    room.window.click_item("plot0:Log")
    room.window.key("bracketright")
    room.window.until(lambda: room.window.state()["speed"] != 1, "another speed")
    said.number_is(f"{room.window.state()['speed']:g} ×")


@step("8.3")
def _(room, said):
    room.pause(5.02)
    values = room.read(5)
    for letter in "BCD":
        said.number_bounds(values[letter], above=True)
    to_step(room)
    said.number_is(f"{room.window.state()['time']:.9g} s")


@step("8.4")
def _(room, said):
    room.window.click_item("turn-round")
    room.pause(10.05)
    values = room.read(10)
    said.number_bounds(values["B"])
    for letter in "CD":
        said.number_is(values[letter])


@step("8.5")
def _(room, said):
    to_step(room)
    moved = [abs(a - b) for before, after in zip(room.strip, room.window.state()["some_particles"])
             for a, b in zip(before["position"], after["position"])]
    said.number_bounds(f"{1e6 * max(moved):.9f} µm")
    room.window.key("End")
    room.window.shows("the present", replay=False)


# --- 9. A rod

def crossings(room, is_curve):
    """In how many places a curve of that colour crosses the middle of the phase plot, from left to right."""
    left, top, right, bottom = room.window.box("plot0:phase")
    middle = (top + bottom) / 2
    row = room.window.pixels((left + 1, middle, right - 1, middle + 1))
    seen = [is_curve(*row[i:i + 3]) for i in range(0, len(row) - 3, 4)]
    return sum(now and not before for before, now in zip([False, *seen], seen))


@step("9.1")
def _(room, said):
    room.open()
    for letter, method in (("B", "rattle"), ("C", "pbd-proj2")):
        room.window.key("c")
        room.window.shows("another lane", lane=letter)
        room.window.click_item("integrator")
        room.window.click_item(f"integrator:{method}")
        room.window.shows("the method", integrator=method)
    room.window.click_item("velocity-projection")
    for letter in "AB":
        room.says(f"lane-head:{letter}", said)


@step("9.2")
def _(room, said):
    room.follow(1)
    room.plot("Phase")
    room.pause(5.05)
    blue = crossings(room, lambda b, g, r: b > r + 40 and b > g + 15)
    green = crossings(room, lambda b, g, r: g > r + 60 and g > b + 15)
    orange = crossings(room, lambda b, g, r: r > b + 60)
    check(orange == 2, f"RATTLE's curve crosses the middle {orange} times: it is not closed")
    check(blue > 5 and green > 5, f"the curves of PBD cross the middle {blue} and {green} times: no spirals")


@step("9.3")
def _(room, said):
    room.plot("Energy")
    values = room.read(5)
    for letter in "AC":
        said.number_is(values[letter])
    said.number_bounds(values["B"])
    for letter in "ABC":
        said.number_bounds(room.cell(letter, "strain"))


# --- 10. What a method costs

LIMITS = ("symplectic-euler", "velocity-verlet", "rk4", "backward-euler")


@step("10.1")
def _(room, said):
    room.open()
    room.window.key("bracketleft")
    room.window.until(lambda: room.window.state()["speed"] != 2, "another speed")
    said.number_is(f"{room.window.state()['speed']:g} ×")
    room.says("stability", said)


@step("10.2")
def _(room, said):
    window = room.window
    room.plot("Find the limits")
    window.click_item("plot0:More")
    window.click_item("plot0:find")
    window.until(lambda: "plot0:search" in window.state()["items"], "the search")
    window.until(lambda: "plot0:found" in window.state()["items"], "the limits", 400)  # half a minute alone
    said.words_are_in(room.text("plot0:explicit-euler:largest h"))
    for method in LIMITS[:3]:
        said.number_is(room.text(f"plot0:{method}:largest h"))
    said.words_are_in(room.text("plot0:backward-euler:largest h"))


@step("10.3")
def _(room, said):
    room.window.click_item("plot0:column:error")
    for method in ("rk4", "velocity-verlet", "symplectic-euler", "backward-euler"):
        said.number_is(room.text(f"plot0:{method}:error"))
    tops = [room.window.box(f"plot0:add:{method}")[1] for method in ("rk4", "velocity-verlet", "backward-euler")]
    check(tops == sorted(tops), f"the rows are not sorted: {tops}")
    costs = [quantity(room.text(f"plot0:{method}:cost"))[0] for method in ("symplectic-euler", "backward-euler")]
    check(costs[0] < costs[1], f"symplectic Euler costs {costs[0]} s, backward Euler {costs[1]} s")


@step("10.4")
def _(room, said):
    window = room.window
    window.click_item("plot0:Less")
    window.click_item("lane-sets")
    window.click_item("lane-set:Against a reference")
    window.until(lambda: "".join(window.state()["lanes"]) == "AB", "two lanes")
    window.key("space")
    window.shows("a pause", playing=False)
    window.key("r")
    window.shows("the start", step=0)
    room.says("lane-head:B", said)
    room.add(5, "C")
    room.add(3, "D")
    window.click_item("tab:Solver")
    room.type_into("Substeps", "substeps")
    room.says("lane-head:D", said)
    room.plot("Distance")
    room.pause(1.03)
    values = room.read(1)
    for letter in "ACD":
        said.number_is(values[letter])


@step("10.5")
def _(room, said):
    room.plot("Error and cost")
    points = {letter: room.window.box(f"plot0:point:{letter}")[:2] for letter in "ACD"}
    # Upwards is less in pixels. Across are times, which a busy machine changes.
    room.window.move(*points["C"])
    room.says("tooltip", said)
    check(points["C"][1] < points["A"][1] < points["D"][1], f"C is not above A, and D below it: {points}")


@step("10.6")
def _(room, said):
    room.choose("A")
    room.alone()
    room.plot("Energy")
    room.window.key("r")
    room.window.shows("the start", step=0)
    for _ in range(2):
        room.window.key("bracketright")
    room.window.key("space")
    room.stands("A", said)
    said.words_are_in(room.lane("A")["blow_up"])


# --- running the page

def read_page():
    """Number and words of every step, in order; and the minutes of the sections."""
    steps, minutes = [], []
    for line in PAGE.read_text().splitlines():
        if found := re.match(r"- \*\*(\d+\.\d+)\*\* (.*)", line):
            steps.append([found[1], found[2]])
        elif steps and line.startswith("  "):
            steps[-1][1] += " " + line.strip()
        if found := re.match(r"\| (\d+) \|.*\| (\d+) \|$", line):
            minutes.append((int(found[1]), int(found[2])))
    return steps, minutes


def check_page(steps, minutes):
    numbers = [number for number, _ in steps]
    check(numbers == sorted(numbers, key=lambda n: tuple(map(int, n.split(".")))) and len(set(numbers)) == len(numbers),
          f"the steps are not in order: {numbers}")
    check(set(numbers) == set(EVENTS), f"without events: {sorted(set(numbers) - set(EVENTS))}, "
                                       f"without a step: {sorted(set(EVENTS) - set(numbers))}")
    sections = sorted({int(number.split(".")[0]) for number in numbers})
    check([section for section, _ in minutes] == sections, f"the table has {minutes}, the page {sections}")
    check(sum(count for _, count in minutes) == 40, f"the minutes sum to {sum(count for _, count in minutes)}")
    check(sections == [section for case in CASES.values() for section in case], "a section is in no case")


def hold(program, assets, sections):
    steps, minutes = read_page()
    check_page(steps, minutes)
    with Session(program) as window:
        room = Room(window, assets)
        window.until(lambda: window.state()["time"] > 0.1, "it to play", 30)
        for number, words in steps:
            if int(number.split(".")[0]) not in sections:
                continue
            begin = time.monotonic()
            said = Said(words)
            room.action = said.action
            try:
                EVENTS[number](room, said)
                said.end()
            except AssertionError as error:
                raise AssertionError(f"step {number}: {error}") from error
            print(f"{number}: {time.monotonic() - begin:.1f} s", flush=True)


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(CASES))
        return 0
    program, assets, name = sys.argv[1:]
    missing = missing_tools()
    if missing:
        print(f"NOT RUN: the lecture needs {', '.join(missing)} (Debian: xvfb xdotool python3-xlib)", file=sys.stderr)
        return 77
    hold(program, Path(assets).resolve(), CASES[name])
    print(f"{name}: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
