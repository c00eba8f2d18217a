"""Drives a real s3270 (package s3270) as a person would: the same interface as tnz_driver.

    from s3270 import connect
    with connect("127.0.0.1", port) as terminal:
        terminal.wait_text("READY")
        terminal.type("HELLO")
        terminal.enter()
        print("\\n".join(terminal.screen()))

Keys wait until the region has given the keyboard back or has closed the connection. Nothing here sleeps: each wait is
s3270's own wait for the keyboard or for output.
"""

import select
import shutil
import subprocess
import time

NAME = "s3270"


class TerminalError(Exception):
    """What was waited for did not come, or the terminal refused a key. Its text shows the screen."""


def available():
    """Whether s3270 is installed."""
    return shutil.which("s3270") is not None


def connect(host, port, lu=None, model="3279-2-E", oversize=None, codepage="cp037", tn3270e=True, timeout=10.0,
            trace=None):
    """A terminal on a new connection. `oversize` is "COLUMNSxROWS"; `trace` names a file for s3270's own trace."""
    prefix = "" if tn3270e else "N:"
    name = f"{lu}@" if lu else ""
    options = ["-model", model, "-codepage", codepage]
    if oversize:
        options += ["-oversize", oversize]
    if trace:
        options += ["-trace", "-tracefile", trace]
    terminal = Terminal(options, timeout)
    terminal.do(f'Connect("{prefix}{name}{host}:{port}")')
    return terminal


class Terminal:
    """One s3270 process."""

    def __init__(self, options, timeout):
        command = ["s3270", "-utf8", *options]
        self.timeout = timeout
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pending = b""
        self.status = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def do(self, action, timeout=None):
        """Runs one action of s3270's own; its data lines."""
        self.process.stdin.write(action.encode() + b"\n")
        self.process.stdin.flush()
        data = []
        deadline = time.monotonic() + (timeout or self.timeout)
        while True:
            line = self._line(deadline, action)
            if line in ("ok", "error"):
                break
            if line.startswith("data: "):
                data.append(line[len("data: "):])
            else:
                self.status = line.split()
        if line == "error":
            raise TerminalError(f"{action}: {' '.join(data)}")
        return data

    def screen(self):
        """The rows of the screen, each as wide as the screen."""
        rows, columns = self.size()
        return [row.ljust(columns) for row in self.do(f"Ascii(0,0,{rows},{columns})")]

    def size(self):
        """Rows and columns at present."""
        rows, columns = self.do("Query(ScreenCurSize)")[0].split()
        return int(rows), int(columns)

    def cursor(self):
        """Row and column of the cursor, both from 1."""
        self.do("Query(Cursor)")
        return int(self.status[8]) + 1, int(self.status[9]) + 1

    def wait_text(self, text, timeout=None):
        """Waits until a text stands within a row and the keyboard is free."""
        deadline = time.monotonic() + (timeout or self.timeout)
        while True:
            rows = self.screen()
            found = any(text in row for row in rows)
            if found and self._unlocked():
                return
            left = deadline - time.monotonic()
            if left <= 0 or not self.connected():
                why = "the connection is closed" if not self.connected() else "it did not come"
                raise TerminalError(f"'{text}': {why}; the screen shows:\n" + "\n".join(rows))
            self._wait("Unlock" if found else "Output", left)

    def wait_closed(self, timeout=None):
        """Waits until the region has closed the connection."""
        if self.connected():
            self._wait("Disconnect", timeout or self.timeout)
        if self.connected():
            raise TerminalError("the connection is still there; the screen shows:\n" + "\n".join(self.screen()))

    def type(self, text):
        """Types a text where the cursor stands."""
        self._checked('String("%s")' % text.replace("\\", "\\\\").replace('"', '\\"'))

    def move_to(self, row, column):
        """Puts the cursor at a row and a column, both from 1."""
        self.do(f"MoveCursor({row - 1},{column - 1})")

    def tab(self):
        """TAB."""
        self._checked("Tab")

    def back_tab(self):
        """BACKTAB."""
        self._checked("BackTab")

    def home(self):
        """HOME."""
        self._checked("Home")

    def erase_eof(self):
        """ERASE EOF."""
        self._checked("EraseEOF")

    def enter(self):
        """ENTER."""
        self._call("Enter")

    def pf(self, number):
        """A PF key."""
        self._call(f"PF({number})")

    def pa(self, number):
        """A PA key."""
        self._call(f"PA({number})")

    def clear(self):
        """CLEAR."""
        self._call("Clear")

    def connected(self):
        """Whether the connection stands."""
        self.do("Query(ConnectionState)")
        return self.status[3].startswith("C")

    def close(self):
        """Leaves."""
        if self.process.poll() is None:
            try:
                self.process.stdin.write(b"Quit\n")
                self.process.stdin.flush()
                self.process.wait(self.timeout)
            except (OSError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def _checked(self, action):
        self.do(action)
        if self.status[0] == "E":
            self.do("Reset")
            raise TerminalError(f"{action}: the field does not take it; the screen shows:\n" + "\n".join(self.screen()))

    def _call(self, action):
        """A key that calls the region: s3270 itself waits for the keyboard, or for the end of the connection."""
        self.do(action)

    def _unlocked(self):
        return self.status[0] == "U"

    def _wait(self, event, seconds):
        # A wait that has run out is an error of s3270's; the caller looks at the clock itself.
        try:
            self.do(f"Wait({max(0.05, seconds):.2f},{event})", timeout=seconds + self.timeout)
        except TerminalError:
            pass

    def _line(self, deadline, action):
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TerminalError(f"{action}: no answer in time")
            chunk = self.process.stdout.read1(65536)
            if not chunk:
                raise TerminalError(f"{action}: s3270 has ended")
            self.pending += chunk
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode(errors="replace").rstrip("\r")
