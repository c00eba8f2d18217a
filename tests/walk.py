"""Walks through the screens of an application, one step a rule, and shows the screen where a step fails.

A *scene* is a function that takes a `Walk`, opens terminals and takes steps:

    def sign_on(walk):
        terminal = walk.terminal()
        with walk.step("an empty user id is asked for"):
            terminal.enter()
            terminal.sees("Please enter your user id.")

A failed step ends its scene; the next scene starts with new terminals. The terminals come from a driver, any module
with `connect(host, port)` (see tests/clients); Python's standard library is all that is needed here.
"""

from contextlib import contextmanager
import sys
import time

PATIENCE = 60.0
"""Seconds that a screen may take to come. Long: slow machines are not what is tested, and a first SQL statement starts a server."""


class SceneEnds(Exception):
    """A step failed; the rest of its scene makes no sense."""


class Terminal:
    """A driver's terminal, with fields addressed by row and column (both from 1) and expectations of the screen."""

    def __init__(self, driver):
        self.driver = driver

    def start(self, transaction):
        """Types a transaction's name on an empty screen, once the region lets us type."""
        self.driver.wait_text("", PATIENCE)
        self.driver.clear()
        self.driver.type(transaction)
        self.driver.enter()

    def fill(self, row, column, text):
        """Replaces what stands in the field that begins at a place."""
        self.driver.move_to(row, column)
        self.driver.erase_eof()
        if text:
            self.driver.type(text)

    def enter(self):
        self.driver.enter()

    def pf(self, number):
        self.driver.pf(number)

    def clear(self):
        self.driver.clear()

    def type(self, text):
        """Types where the cursor stands: shows that the program put it there."""
        self.driver.type(text)

    def screen(self):
        return self.driver.screen()

    def row(self, number):
        return self.screen()[number - 1]

    def has(self, text):
        return any(text in line for line in self.screen())

    def sees(self, *texts):
        """Waits for the first text; the others must then be there as well."""
        first, *others = texts
        try:
            self.driver.wait_text(first, PATIENCE)
        except Exception as error:
            raise AssertionError(f"“{first}” did not come: {first_line(error)}") from error
        for text in others:
            assert self.has(text), f"“{text}” is not on the screen"

    def sees_one_of(self, *texts):
        """Waits for any of some texts."""
        deadline = time.monotonic() + PATIENCE
        while not any(self.has(text) for text in texts):
            assert time.monotonic() < deadline, f"none of {texts} came"
            self.driver.wait_text("", PATIENCE)

    def lacks(self, *texts):
        for text in texts:
            assert not self.has(text), f"“{text}” is on the screen"

    def sees_by_asking(self, text):
        """Presses ENTER until a text comes: for what another task does meanwhile."""
        self._asks(lambda: self.has(text), f"“{text}” did not come")

    def lacks_by_asking(self, text):
        """Presses ENTER until a text is gone."""
        self._asks(lambda: not self.has(text), f"“{text}” did not go")

    def _asks(self, holds, complaint):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"{complaint}, however often ENTER was pressed"
            self.driver.enter()

    def close(self):
        self.driver.close()


class Walk:
    """Runs scenes and counts steps."""

    def __init__(self, client, host, port):
        self.client, self.host, self.port = client, host, port
        self.passed = self.failed = 0
        self.terminals = []

    def terminal(self):
        """A new terminal, connected."""
        terminal = Terminal(self.client.connect(self.host, self.port, timeout=PATIENCE))
        self.terminals.append(terminal)
        return terminal

    @contextmanager
    def step(self, rule):
        """One step; `rule` says what it shows."""
        try:
            yield
        except Exception as error:
            self.failed += 1
            print(f"  FAILED  {rule}\n          {first_line(error)}")
            for number, terminal in enumerate(self.terminals, 1):
                print_screen(terminal, number)
            sys.stdout.flush()
            raise SceneEnds from error
        self.passed += 1
        print(f"  passed  {rule}", flush=True)

    def run(self, scenes):
        """Runs every scene and says how it went; true if every step passed."""
        for scene in scenes:
            print((scene.__doc__ or scene.__name__).splitlines()[0], flush=True)
            try:
                scene(self)
            except SceneEnds:
                pass
            except Exception as error:
                self.failed += 1
                print(f"  FAILED  between two steps\n          {first_line(error)}", flush=True)
            finally:
                self.hang_up()
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return self.failed == 0

    def hang_up(self):
        for terminal in self.terminals:
            try:
                terminal.close()
            except Exception as error:
                print(f"          (a terminal could not be closed: {error})")
        self.terminals.clear()


def first_line(error):
    """An error without the picture of the screen that a driver adds to it."""
    return str(error).partition("\n")[0] or type(error).__name__


def print_screen(terminal, number):
    """Prints a terminal's screen in a frame."""
    try:
        lines = terminal.screen()
    except Exception as error:
        print(f"          (terminal {number} shows nothing: {error})")
        return
    width = max((len(line) for line in lines), default=0)
    print(f"          terminal {number}\n          ┌{'─' * width}┐")
    for line in lines:
        print(f"          │{line:{width}}│")
    print(f"          └{'─' * width}┘")
