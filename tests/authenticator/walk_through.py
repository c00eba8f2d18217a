"""Customer service of the sample Authenticator: the history of one card, against a region that runs.

    python3 tests/authenticator/walk_through.py HOST:PORT CARD CODE=COUNT… [--client s3270|tnz]

CARD is the card's number; each CODE=COUNT says how many records of a return code the Validation Log has of it. The walk
ends with a line 'N passed, N failed', and in failure with a status that is not 0.
"""

import argparse
import importlib
from pathlib import Path
import sys

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from walk import Walk

CLIENTS = {"s3270": "clients.s3270", "tnz": "clients.tnz_driver"}
MEANINGS = {0: "AUTHENTIC", 4: "WRONG CODE", 8: "REPLAYED COUNTER"}

# Where the fields of the maps begin.
CARD, FILTER = (3, 15), (3, 51)
FIRST_ROW, ROWS = 6, 12


def choice(row):
    """Where the letter before a row is typed."""
    return (FIRST_ROW + row - 1, 2)


def rows(terminal):
    """The rows that are shown: time stamp, kind, return code, meaning."""
    lines = [terminal.row(FIRST_ROW + row)[4:] for row in range(ROWS)]
    return [(line[:23], line[25:27], int(line[31:34]), line[37:59].strip()) for line in lines if line.strip()]


def all_rows(terminal):
    """The rows of this page and of all older ones."""
    seen, page = [], 1
    while True:
        seen += rows(terminal)
        page += 1
        terminal.pf(8)
        terminal.sees_one_of(f"Page {page:4}", "There are no older ones.")
        if terminal.has("There are no older ones."):
            return seen


def search(terminal, card, filter=""):
    terminal.fill(*CARD, card)
    terminal.fill(*FILTER, filter)
    terminal.enter()
    terminal.sees("Page    1")


def history(walk):
    """The history of a card"""
    terminal, card, counts = walk.terminal(), walk.card, walk.counts
    total = sum(counts.values())
    with walk.step("a search begins without a card"):
        terminal.start("AUTC")
        terminal.sees("Type a card number.", "Validation Log of a card")
    with walk.step("a card of which nothing is logged"):
        search(terminal, "4999990100000997")
        terminal.sees("Nothing is logged of this card")
    with walk.step("the newest twelve: STARTBR GTEQ, READPREV"):
        search(terminal, card)
        assert len(rows(terminal)) == min(total, ROWS), rows(terminal)
    with walk.step("PF7 on the first page"):
        terminal.pf(7)
        terminal.sees("These are the newest.", "Page    1")
    with walk.step("page by page to the oldest: all of them, newest first, none twice"):
        seen = all_rows(terminal)
        stamps = [stamp for stamp, *_ in seen]
        assert stamps == sorted(set(stamps), reverse=True), stamps
        found = {code: sum(1 for row in seen if row[2] == code) for code in counts}
        assert (len(seen), found) == (total, counts), (len(seen), found)
        assert all(MEANINGS[code] == meaning for _, _, code, meaning in seen), seen
    with walk.step("PF7 pages back to newer ones"):
        last = (total + ROWS - 1) // ROWS
        terminal.pf(7)
        terminal.sees(f"Page {last - 1:4}")
        assert rows(terminal) == seen[(last - 2) * ROWS:(last - 1) * ROWS], rows(terminal)
    with walk.step("R: what was refused"):
        search(terminal, card, "R")
        refused = all_rows(terminal)
        assert refused == [row for row in seen if row[2] != 0], refused
    for code, count in counts.items():
        with walk.step(f"one return code: {code}"):
            search(terminal, card, str(code))
            assert len(all_rows(terminal)) == count
    with walk.step("a filter that is no return code finds nothing"):
        search(terminal, card, "XYZ")
        assert rows(terminal) == [], rows(terminal)


def details(walk):
    """One record"""
    terminal, card, counts = walk.terminal(), walk.card, walk.counts
    masked = card[:6] + "*" * (len(card) - 10) + card[-4:]
    with walk.step("S before a row of the second page"):
        terminal.start("AUTC")
        terminal.sees("Type a card number.")
        search(terminal, card)
        terminal.pf(8)
        terminal.sees("Page    2")
        chosen = rows(terminal)[2]
        terminal.fill(*choice(3), "S")
        terminal.enter()
        terminal.sees("One authentication", chosen[0], "CARD PRESENT", chosen[3], "t00000", "SYNCPOINT SHOP")
    with walk.step("the middle of the card number is masked"):
        terminal.sees(masked)
        terminal.lacks(card)
    with walk.step("back to the same page"):
        terminal.pf(3)
        terminal.sees("Page    2")
        assert rows(terminal)[2] == chosen, rows(terminal)
    with walk.step("an authentic one has its counter"):
        search(terminal, card, "0")
        terminal.fill(*choice(1), "s")
        terminal.enter()
        terminal.sees("One authentication", "AUTHENTIC", f"{counts[0]:010}")
    with walk.step("PF3 ends the search"):
        terminal.enter()
        terminal.sees("Page    1")
        terminal.pf(3)
        terminal.sees("End of customer search")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("region", metavar="HOST:PORT")
    parser.add_argument("card", metavar="CARD")
    parser.add_argument("counts", metavar="CODE=COUNT", nargs="+")
    parser.add_argument("--client", choices=CLIENTS, default="s3270")
    arguments = parser.parse_args()
    host, _, port = arguments.region.rpartition(":")
    client = importlib.import_module(CLIENTS[arguments.client])
    if not client.available():
        sys.exit(f"{client.NAME} is not installed")
    walk = Walk(client, host, int(port))
    walk.card = arguments.card
    walk.counts = {int(code): int(count) for code, count in (text.split("=") for text in arguments.counts)}
    sys.exit(0 if walk.run((history, details)) else 1)


if __name__ == "__main__":
    main()
