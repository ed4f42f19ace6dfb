# SPDX-License-Identifier: MIT
"""Drives the real window of a program under a virtual display, with real events.

Needs Xvfb, xdotool and python3-xlib; missing_tools() names what is not there. The program is asked to
write what it shows to a file (CLOTHLAB_WINDOW_STATE), which is read back here.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

try:
    from Xlib import XK, X, display
    from Xlib.ext import xtest
    from Xlib.protocol import event
except ImportError:  # reported by missing_tools()
    X = XK = display = event = xtest = None

# Factor on every timeout, for sanitizers and busy machines.
PATIENCE = float(os.environ.get("CLOTHLAB_TEST_PATIENCE", "1"))


def missing_tools():
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if display is None:
        missing.append("python3-xlib")
    return missing


class Timeout(AssertionError):
    pass


class VirtualDisplay:
    """An X server without a screen, on a free display number."""

    def __init__(self, width=1400, height=900, options=()):
        read_end, write_end = os.pipe()
        # Without auto-repeat (-r): on a busy machine a key is down for long.
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24", "-noreset", "-r",
             "-nolisten", "tcp", *options],
            pass_fds=(write_end,), stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.name = f":{number}"

    def stop(self):
        self.server.terminate()
        self.server.wait()


class Program:
    """The program under test, its window, and what it says of itself."""

    def __init__(self, virtual_display, command, folder, sessions=None):
        """`sessions`: where windows keep their sessions; by default a folder of this one."""
        self.virtual_display, self.command, self.sessions = virtual_display, command, sessions
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.state_file = self.folder / "window-state.json"
        self.environment = dict(os.environ, DISPLAY=virtual_display.name,
                                CLOTHLAB_WINDOW_STATE=str(self.state_file),
                                XDG_STATE_HOME=str(sessions or self.folder / "state"),
                                XDG_CONFIG_HOME=os.environ.get("CLOTHLAB_TEST_CONFIG", str(self.folder / "config")), HOME=str(self.folder), LC_ALL="C.UTF-8")
        self.display = display.Display(virtual_display.name)
        self.log = open(self.folder / "program.log", "w+b")
        self.process = subprocess.Popen(command, env=self.environment, stderr=self.log, stdout=self.log,
                                        cwd=self.folder)
        self.window = None
        self.presses = 0  # of buttons and keys, as a user would count them
        self.until(lambda: self.state_file.exists(), "the first picture", 60)
        self.window = int(self.xdotool("search", "--sync", "--onlyvisible", "--pid", str(self.process.pid)).split()[-1])
        self.until(lambda: self.state()["frames"] > 3, "a few pictures", 30)

    # --- looking ---

    def output(self):
        self.log.flush()
        return (self.folder / "program.log").read_text(errors="replace")

    def state(self):
        """What the window shows, at most a fiftieth of a second old."""
        return json.loads(self.state_file.read_text())

    def until(self, condition, what, seconds=10):
        """Waits until the condition holds; answers with its value."""
        end = time.monotonic() + seconds * PATIENCE
        while True:
            if self.process.poll() is not None:
                raise AssertionError(f"the program ended ({self.process.returncode}) while waiting for {what}:\n"
                                     + self.output())
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise Timeout(f"waited in vain for {what}; the window shows "
                              + json.dumps({k: v for k, v in self.state().items() if k != "items"})[:1500])
            time.sleep(0.01)

    def shows(self, what, seconds=10, **expected):
        """Waits until the state has these values."""
        return self.until(lambda: all(self.state()[k] == v for k, v in expected.items()) and self.state(),
                          f"{what}: {expected}", seconds)

    def fresh_state(self):
        """A state that was written after this call."""
        written = self.state()["written"]
        return self.until(lambda: self.state()["written"] >= written + 2 and self.state(), "a new state", 30)

    def item(self, name):
        """Centre of a control of the interface."""
        box = self.box(name)
        return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2

    def settle(self):
        """Waits until the window has drawn with the last event, at most a second: a window at rest draws nothing.
        What is pressed and let go between two pictures is lost on Dear ImGui 1.86."""
        written = self.state()["written"]
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end and self.state()["written"] < written + 2:
            time.sleep(0.005)

    def box(self, name):
        """Rectangle of a control, once it stays where it is: a list that opens finds its place in the next picture."""
        box = self.until(lambda: self.state()["items"].get(name), f"the control '{name}'")
        while True:
            again = self.fresh_state()["items"].get(name)
            if again == box:
                return box
            box = self.until(lambda: self.state()["items"].get(name), f"the control '{name}'")

    def pixel(self, x, y):
        """Red, green and blue of a pixel of the window."""
        handle = self.display.create_resource_object("window", self.window)
        blue, green, red = handle.get_image(x, y, 1, 1, X.ZPixmap, 0xFFFFFF).data[:3]
        return red, green, blue

    def pixels(self, box):
        """The pixels of a part of the window, as bytes."""
        left, top, right, bottom = (round(edge) for edge in box)
        handle = self.display.create_resource_object("window", self.window)
        return handle.get_image(left, top, right - left, bottom - top, X.ZPixmap, 0xFFFFFF).data

    # --- acting ---

    def xdotool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.environment, check=True, capture_output=True,
                              text=True).stdout

    def move(self, x, y):
        self.warp(x, y)
        time.sleep(0.03)

    def warp(self, x, y):
        self.display.create_resource_object("window", self.window).warp_pointer(round(x), round(y))
        self.display.sync()

    def button(self, kind, button):
        """A real event of a button or key, without the process that xdotool needs for each."""
        xtest.fake_input(self.display, kind, button)
        self.display.sync()

    def press(self, button=1):
        self.presses += 1
        self.button(X.ButtonPress, button)
        self.settle()

    def release(self, button=1):
        self.button(X.ButtonRelease, button)
        self.settle()

    def click(self, x, y, button=1):
        self.move(x, y)
        # Two pictures, so that the interface knows what lies under the cursor.
        self.fresh_state()
        self.press(button)
        self.release(button)

    def double_click(self, x, y):
        """Two clicks as fast as the window sees them: a button that is up for no picture was not let go."""
        self.move(x, y)
        self.fresh_state()
        for kind in (X.ButtonPress, X.ButtonRelease) * 2:
            written = self.state()["written"]
            self.button(kind, 1)
            self.until(lambda: self.state()["written"] > written, "a picture with the click")
        self.settle()

    def follow(self, x, y):
        """Alt-click on a particle."""
        self.key_down("alt")
        self.click(x, y)
        self.key_up("alt")
        self.until(lambda: "followed" in self.state()["items"], "the mark of the particle")

    def click_item(self, name):
        self.click(*self.item(name))

    def click_until(self, name, condition, what, times=3):
        """Clicks again where nothing came of it: on a busy machine a control may move under the cursor."""
        for left in reversed(range(times)):
            self.click_item(name)
            try:
                return self.until(condition, what, 4)
            except Timeout:
                if left == 0:
                    raise

    def drag(self, x0, y0, x1, y1, button=1, steps=10, let_go=True):
        self.move(x0, y0)
        self.fresh_state()
        self.press(button)
        for i in range(1, steps + 1):
            self.move(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps)
        if let_go:
            self.settle()
            self.release(button)

    def wheel(self, notches):
        for _ in range(abs(notches)):
            for kind in (X.ButtonPress, X.ButtonRelease):
                self.button(kind, 4 if notches > 0 else 5)
            time.sleep(0.05)

    def key(self, name):
        """Presses and lets go, soon: a key that is held repeats."""
        self.presses += 1
        keys = name.split("+")
        self.key_down(*keys)
        self.settle()
        self.key_up(*keys)
        self.settle()

    def key_down(self, *names):
        for code in self.codes(names):
            self.button(X.KeyPress, code)

    def key_up(self, *names):
        for code in reversed(self.codes(names)):
            self.button(X.KeyRelease, code)

    def codes(self, names):
        """The keys with these names of X, or "shift", "ctrl" or "alt"; with Shift, where one needs that."""
        modifiers = {"shift": "Shift_L", "ctrl": "Control_L", "alt": "Alt_L"}
        codes = []
        for name in names:
            symbol = XK.string_to_keysym(modifiers.get(name, name.lower() if len(name) == 1 else name))
            code = self.display.keysym_to_keycode(symbol)
            if not code:
                raise ValueError(f"no key is {name}")
            if self.display.keycode_to_keysym(code, 0) != symbol:
                codes += self.codes(["shift"])
            codes.append(code)
        return codes

    def type(self, text):
        self.xdotool("type", "--delay", "30", "--", text)
        self.settle()

    def clipboard(self):
        """The text of the clipboard, as another program would paste it."""
        connection = display.Display(self.environment["DISPLAY"])
        atom = connection.intern_atom
        target = connection.screen().root.create_window(0, 0, 1, 1, 0, connection.screen().root_depth)
        target.convert_selection(atom("CLIPBOARD"), atom("UTF8_STRING"), atom("PASTED"), X.CurrentTime)
        connection.flush()
        end = time.monotonic() + 10 * PATIENCE
        while time.monotonic() < end:
            if connection.pending_events() and connection.next_event().type == X.SelectionNotify:
                text = target.get_full_property(atom("PASTED"), X.AnyPropertyType).value
                connection.close()
                return text.decode()
            time.sleep(0.01)
        raise Timeout("the clipboard was not answered")

    def resize(self, width, height):
        self.xdotool("windowsize", str(self.window), str(width), str(height))
        time.sleep(0.4)

    def lose_focus(self):
        """Gives the keyboard to the window, then takes it away."""
        handle = self.display.create_resource_object("window", self.window)
        handle.set_input_focus(X.RevertToNone, X.CurrentTime)
        self.display.sync()
        time.sleep(0.2)
        self.display.set_input_focus(X.PointerRoot, X.RevertToNone, X.CurrentTime)
        self.display.sync()

    def drop(self, path, x=300, y=300):
        """Drops a file on the window, as a file manager would (the XDND protocol)."""
        connection = display.Display(self.environment["DISPLAY"])
        atom = connection.intern_atom
        root = connection.screen().root
        target = connection.create_resource_object("window", self.window)
        source = root.create_window(0, 0, 1, 1, 0, connection.screen().root_depth)
        source.set_selection_owner(atom("XdndSelection"), X.CurrentTime)
        data = ("file://" + quote(os.path.abspath(path)) + "\r\n").encode()

        def send(kind, values):
            target.send_event(event.ClientMessage(window=target, client_type=atom(kind), data=(32, values)),
                              event_mask=0)
            connection.flush()

        send("XdndEnter", [source.id, 5 << 24, atom("text/uri-list"), 0, 0])
        origin = target.translate_coords(root, 0, 0)
        send("XdndPosition", [source.id, 0, ((x - origin.x) << 16) | (y - origin.y), X.CurrentTime,
                              atom("XdndActionCopy")])
        end = time.monotonic() + 10 * PATIENCE
        while time.monotonic() < end:
            if not connection.pending_events():
                time.sleep(0.01)
                continue
            e = connection.next_event()
            if e.type == X.ClientMessage and e.client_type == atom("XdndStatus"):
                send("XdndDrop", [source.id, 0, X.CurrentTime, 0, 0])
            elif e.type == X.ClientMessage and e.client_type == atom("XdndFinished"):
                connection.close()
                return
            elif e.type == X.SelectionRequest:
                e.requestor.change_property(e.property, e.target, 8, data)
                e.requestor.send_event(event.SelectionNotify(time=e.time, requestor=e.requestor,
                                                             selection=e.selection, target=e.target,
                                                             property=e.property))
                connection.flush()
        raise Timeout("the drop was not finished")

    def close(self):
        """Asks the window to close, as its title bar would; answers with the seconds until the program ended."""
        atom = self.display.intern_atom
        target = self.display.create_resource_object("window", self.window)
        begin = time.monotonic()
        target.send_event(event.ClientMessage(window=target, client_type=atom("WM_PROTOCOLS"),
                                              data=(32, [atom("WM_DELETE_WINDOW"), X.CurrentTime, 0, 0, 0])),
                          event_mask=0)
        self.display.sync()
        self.process.wait(30 * PATIENCE)
        return time.monotonic() - begin

    def restart(self, *arguments):
        """Kills the program if it runs, and starts it in the same folder."""
        self.stop()
        self.state_file.unlink(missing_ok=True)
        self.__init__(self.virtual_display, [self.command[0], *map(str, arguments)], self.folder, self.sessions)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.display.close()
        self.log.close()


class Session:
    """A display, a folder and a program in them; ends all three."""

    def __init__(self, program, *arguments):
        self.command = [os.path.abspath(program), *map(str, arguments)]

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="clothlab-window-")
        self.display = VirtualDisplay()
        try:
            self.program = Program(self.display, self.command, self.folder.name)
        except BaseException:
            self.display.stop()
            self.folder.cleanup()
            raise
        return self.program

    def __exit__(self, *error):
        self.program.stop()
        self.display.stop()
        self.folder.cleanup()
