"""Drives Galasa's 3270 terminal (Maven: dev.galasa.zos3270.manager) as a person would: the same interface as s3270.

    from galasa_driver import connect
    with connect("127.0.0.1", port) as terminal:
        terminal.wait_text("READY")

The terminal runs in a Java process, `galasa/GalasaTerminal.java`; its libraries are where scripts/install has put them.
Keys wait for the keyboard as Galasa itself does. It has no wait for a text that crosses fields, so the screen is looked
at until the text is there.
"""

from pathlib import Path
import shutil
import subprocess
import time

NAME = "galasa"

HERE = Path(__file__).resolve().parent
LIBRARIES = HERE.parents[1] / "target" / "clients" / "galasa"
LOOK_AGAIN_SECONDS = 0.02


class TerminalError(Exception):
    """What was waited for did not come, or the terminal refused a key. Its text shows the screen."""


def available():
    """Whether Java and Galasa's terminal are installed."""
    return shutil.which("java") is not None and any(LIBRARIES.glob("*.jar"))


def connect(host, port, rows=24, columns=80, codepage="037", timeout=10.0):
    """A terminal on a new connection; rows and columns are its alternate size."""
    command = ["java", "-cp", f"{LIBRARIES}/*", HERE / "galasa/GalasaTerminal.java", host, port, rows, columns, codepage]
    return Terminal([str(word) for word in command], timeout)


class Terminal:
    """One Java process with a terminal in it."""

    def __init__(self, command, timeout):
        self.timeout = timeout
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
        )
        self._answer("connect")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def do(self, word, *arguments):
        """One line to the terminal; its data lines."""
        self.process.stdin.write(" ".join([word, *map(str, arguments)]) + "\n")
        self.process.stdin.flush()
        return self._answer(word)

    def screen(self):
        """The rows of the screen, each as wide as the screen."""
        _, columns = self.size()
        return [row.ljust(columns) for row in self.do("screen")]

    def size(self):
        """Rows and columns at present."""
        rows, columns = self.do("size")[0].split()
        return int(rows), int(columns)

    def cursor(self):
        """Row and column of the cursor, both from 1."""
        row, column = self.do("cursor")[0].split()
        return int(row) + 1, int(column) + 1

    def wait_text(self, text, timeout=None):
        """Waits until a text stands within a row and the keyboard is free."""
        self._until(lambda: any(text in row for row in self.screen()), f"'{text}'", timeout)
        self._wait_for_keyboard()

    def wait_closed(self, timeout=None):
        """Waits until the region has closed the connection."""
        self._until(lambda: not self.connected(), "end of the connection", timeout)

    def type(self, text):
        """Types a text where the cursor stands."""
        self.do("type", text)

    def move_to(self, row, column):
        """Puts the cursor at a row and a column, both from 1."""
        self.do("move", row, column)

    def tab(self):
        """TAB."""
        self.do("tab")

    def back_tab(self):
        """BACKTAB."""
        self.do("backtab")

    def home(self):
        """HOME."""
        self.do("home")

    def erase_eof(self):
        """ERASE EOF."""
        self.do("eraseeof")

    def enter(self):
        """ENTER."""
        self._call("enter")

    def pf(self, number):
        """A PF key."""
        self._call(f"pf{number}")

    def pa(self, number):
        """A PA key."""
        self._call(f"pa{number}")

    def clear(self):
        """CLEAR."""
        self._call("clear")

    def connected(self):
        """Whether the connection stands."""
        return self.do("connected") == ["true"]

    def close(self):
        """Leaves: at the end of its input the process ends."""
        self.process.stdin.close()
        try:
            self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def _call(self, key):
        self.do("key", key)
        self._wait_for_keyboard()

    def _wait_for_keyboard(self):
        if self.connected():
            self.do("keyboard", int(self.timeout * 1000))

    def _until(self, is_so, wanted, timeout):
        deadline = time.monotonic() + (timeout or self.timeout)
        while not is_so():
            if time.monotonic() > deadline:
                raise TerminalError(f"no {wanted}; the screen shows:\n" + "\n".join(self.screen()))
            time.sleep(LOOK_AGAIN_SECONDS)

    def _answer(self, word):
        data = []
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line == "ok":
                return data
            if line.startswith("error "):
                raise TerminalError(f"{word}: {line.removeprefix('error ')}")
            data.append(line.removeprefix("data: "))
        raise TerminalError(f"{word}: the terminal has ended")
