"""Drives IBM's tnz (PyPI: tnz, ebcdic) as a person would: the same interface as s3270.

    from tnz_driver import connect
    with connect("127.0.0.1", port) as terminal:
        terminal.wait_text("READY")

Keys wait until the region has given the keyboard back or has closed the connection. Nothing here sleeps: tnz waits for
the connection's own events.
"""

import importlib.util
import os
import time

NAME = "tnz"


class TerminalError(Exception):
    """What was waited for did not come, or the terminal refused a key. Its text shows the screen."""


def available():
    """Whether tnz is installed."""
    return importlib.util.find_spec("tnz") is not None


def connect(host, port, lu=None, rows=24, columns=80, colour=True, codepage="cp037", tn3270e=True, timeout=10.0, secure=False):
    """A terminal on a new connection; rows and columns are its alternate size."""
    # Otherwise tnz leaves a log in the folder it is started in.
    os.environ.setdefault("TNZ_LOGGING", "")
    from tnz.tnz import Tnz

    tns = Tnz(name="terminal")
    tns.encoding = codepage
    tns.use_tn3270e = tn3270e
    tns.lu_name = lu
    tns.amaxrow, tns.amaxcol = rows, columns
    # Otherwise tnz claims colour only when it runs at a terminal itself.
    tns.capable_color = colour
    tns.connect(host, port, secure=secure, verifycert=False)
    return Terminal(tns, timeout)


class Terminal:
    """One tnz session."""

    def __init__(self, tns, timeout):
        self.tns = tns
        self.timeout = timeout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def screen(self):
        """The rows of the screen, each as wide as the screen; dark fields show as blanks."""
        tns = self.tns
        text = list(tns.scrstr(0, 0, rstrip=False))
        # On a screen without fields tnz gives one of address -1.
        starts = [start for start, _ in tns.fields() if start >= 0]
        for index, start in enumerate(starts):
            if not tns.is_displayable_attr(tns.plane_fa[start]):
                end = starts[(index + 1) % len(starts)]
                length = (end - start) % len(text) or len(text)
                for offset in range(length):
                    text[(start + offset) % len(text)] = " "
        width = tns.maxcol
        return ["".join(text[at:at + width]) for at in range(0, len(text), width)]

    def size(self):
        """Rows and columns at present."""
        return self.tns.maxrow, self.tns.maxcol

    def cursor(self):
        """Row and column of the cursor, both from 1."""
        return self.tns.curadd // self.tns.maxcol + 1, self.tns.curadd % self.tns.maxcol + 1

    def wait_text(self, text, timeout=None):
        """Waits until a text stands within a row and the keyboard is free."""
        self._until(lambda: self._unlocked() and any(text in row for row in self.screen()), f"'{text}'", timeout)

    def wait_closed(self, timeout=None):
        """Waits until the region has closed the connection."""
        self._until(lambda: not self.connected(), "end of the connection", timeout)

    def type(self, text):
        """Types a text where the cursor stands."""
        for character in text:
            if self.tns.is_protected(self.tns.curadd):
                raise TerminalError(f"'{text}': the field is protected; the screen shows:\n" + self._text())
            self.tns.key_data(character)

    def move_to(self, row, column):
        """Puts the cursor at a row and a column, both from 1."""
        self.tns.set_cursor_position(row, column)

    def tab(self):
        """TAB."""
        self.tns.key_tab()

    def back_tab(self):
        """BACKTAB."""
        self.tns.key_backtab()

    def home(self):
        """HOME."""
        self.tns.key_home()

    def erase_eof(self):
        """ERASE EOF."""
        self.tns.key_eraseeof()

    def enter(self):
        """ENTER."""
        self._call(self.tns.enter)

    def pf(self, number):
        """A PF key."""
        self._call(getattr(self.tns, f"pf{number}"))

    def pa(self, number):
        """A PA key."""
        self._call(getattr(self.tns, f"pa{number}"))

    def clear(self):
        """CLEAR."""
        self._call(self.tns.clear)

    def connected(self):
        """Whether the connection stands."""
        return not self.tns.seslost

    def close(self):
        """Leaves."""
        self.tns.close()

    def _call(self, key):
        key()
        self._until(lambda: self._unlocked() or not self.connected(), "free keyboard", None, closing=True)

    def _unlocked(self):
        return not (self.tns.pwait or self.tns.system_lock_wait)

    def _text(self):
        return "\n".join(self.screen())

    def _until(self, is_so, wanted, timeout, closing=False):
        deadline = time.monotonic() + (timeout or self.timeout)
        while not is_so():
            left = deadline - time.monotonic()
            if left <= 0:
                raise TerminalError(f"no {wanted}; the screen shows:\n{self._text()}")
            if not self.connected() and not closing:
                raise TerminalError(f"no {wanted}: {self.tns.seslost}; the screen shows:\n{self._text()}")
            self.tns.wait(left)
