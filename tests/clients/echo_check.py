"""One script for every client, against the echo server (`cargo run -p terminal --example echo`).

    python3 echo_check.py s3270 127.0.0.1 PORT
    python3 echo_check.py tnz 127.0.0.1 PORT

Prints what was seen and `PASSED`, or fails with the screen; a client that is not installed is skipped with a line.
"""

import importlib
import sys

DRIVERS = {"s3270": "s3270", "tnz": "tnz_driver"}


def expect(terminal, text):
    """A text that must be on the screen now."""
    rows = terminal.screen()
    if not any(text in row for row in rows):
        raise SystemExit(f"'{text}' is not on the screen:\n" + "\n".join(rows))
    print(f"  {text}")


def converse(terminal, name, rows, columns):
    """Keys in, screen out."""
    terminal.wait_text("READY")
    expect(terminal, name)
    expect(terminal, f"ALTERNATE {rows}X{columns} COLOUR TRUE HIGHLIGHT TRUE")
    terminal.type("HELLO")
    terminal.enter()
    expect(terminal, "Enter AT 5/7 FIELD 5/2 'HELLO'")
    terminal.tab()
    terminal.type("again [1]")
    terminal.pf(24)
    expect(terminal, "Pf(24) AT 5/11 FIELD 5/2 'again [1]'")
    terminal.pa(1)
    terminal.wait_text(f"{rows} ROWS {columns} COLUMNS")
    if terminal.size() != (rows, columns):
        raise SystemExit(f"the size is {terminal.size()}, not {(rows, columns)}")
    terminal.clear()
    expect(terminal, "Clear")
    terminal.pf(5)
    terminal.wait_text("RESPONSE POSITIVE")
    expect(terminal, "RESPONSE POSITIVE")
    if len(terminal.screen()) != 24:
        raise SystemExit("the screen has not its default size")
    terminal.pf(3)
    terminal.wait_closed()


def main(client, host, port):
    driver = importlib.import_module(DRIVERS[client])
    if not driver.available():
        print(f"skipped: {driver.NAME} is not installed")
        return
    big = {"s3270": {"model": "3279-4-E"}, "tnz": {"rows": 43, "columns": 80}}[client]
    wide = {"s3270": {"model": "3279-2-E", "oversize": "160x62"}, "tnz": {"rows": 62, "columns": 160}}[client]
    for title, name, options, size in [
        ("TN3270E", "ECHO T", {}, (24, 80)),
        ("TN3270E by name, 43 rows", "ECHO LU42", {"lu": "LU42", **big}, (43, 80)),
        ("TN3270E, 62 rows of 160", "IBM-DYNAMIC", wide, (62, 160)),
        ("TN3270", "ECHO T", {"tn3270e": False}, (24, 80)),
    ]:
        print(title)
        with driver.connect(host, port, **options) as terminal:
            converse(terminal, name, *size)
    print("PASSED")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
