"""Drives programs at a terminal as somebody would who does not know them: starts each, presses keys, notes what comes.

What a program should show nobody has written down here. So this finds programs that abend, that show nothing, and
regions that end; whether a figure on a screen is right only a person can say, from the screens that are kept.
"""

import re
import time

KEYS = ("enter", "1", "pf8", "pf3", "clear")
"""What is pressed after a program's first screen: a text is typed before ENTER."""

FIELDS = ("2", "A1", "31", "TEXT")
"""What "fields" types."""

ABEND = re.compile(r"\bfailed with abend ([A-Z0-9]{4})\b")
KEY_SECONDS = 20.0
"""How long a screen may take."""
CALM_SECONDS = 0.2


def drive(client, port, transaction, keys=KEYS, seconds=KEY_SECONDS):
    """The screens of one program, first the one that it begins with; each is a list of rows."""
    screens = []
    with client.connect("127.0.0.1", port, timeout=seconds) as terminal:
        terminal.wait_text("")
        terminal.clear()
        terminal.type(transaction)
        terminal.enter()
        screens.append(settled(terminal, seconds))
        for key in keys:
            if not press(client, terminal, key):
                break
            screens.append(settled(terminal, seconds))
    return screens


def press(client, terminal, key):
    """Presses a key; false if the terminal is gone."""
    try:
        if key.startswith("pf"):
            terminal.pf(int(key[2:]))
        elif key in ("enter", "clear"):
            getattr(terminal, key)()
        elif key == "fields":
            filled(client, terminal)
            terminal.enter()
        else:
            typed(client, terminal, key)
            terminal.enter()
    except client.TerminalError:
        return terminal.connected()
    return True


def typed(client, terminal, text):
    """Types where the cursor stands, or in the first field that takes it."""
    try:
        terminal.type(text)
    except client.TerminalError:
        terminal.home()
        terminal.type(text)


def filled(client, terminal):
    """Types something else into each of the first fields; a screen without fields takes none."""
    terminal.home()
    for text in FIELDS:
        typed(client, terminal, text)
        terminal.tab()


def settled(terminal, seconds):
    """The screen once the region has given the keyboard back, and nothing more comes: a program may send several maps."""
    terminal.wait_text("", seconds)
    before, shown = None, terminal.screen()
    while shown != before:
        time.sleep(CALM_SECONDS)
        before, shown = shown, terminal.screen()
    return [row.rstrip() for row in shown]


def abends(screens):
    """Abend codes that stand on screens."""
    found = (ABEND.search(row) for screen in screens for row in screen)
    return sorted({match[1] for match in found if match})


def shows_something(screens):
    """Whether any screen has a text."""
    return any(row.strip() for screen in screens for row in screen)
