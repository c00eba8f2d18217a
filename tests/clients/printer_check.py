"""Real clients of the x3270 family against a region: pr3287 prints, s3270 presses SYSREQ and looks at whole screens.

    printer_check.py HOST PORT FOLDER printers|copies|sysreq|screens

The region's application is that of crates/programs/syncpoint/tests/running/printers.rs. What a printer prints is in a file of FOLDER. A
printer's file is looked at until it is as expected: pr3287 tells nobody when its command has ended.
"""

import os
import subprocess
import sys
import time

from s3270 import connect

PATIENCE = 30.0
# What pr3287 leaves out at the top of a form.
FORM_FEED = "\f"


# All that were switched on.
PRINTERS = []


class Printer:
    """One pr3287 process, whose command adds each job to a file."""

    def __init__(self, host, port, folder, name, lu=None, associate=None):
        self.path = os.path.join(folder, name)
        command = ["pr3287", "-command", f"cat >> '{self.path}'; echo END-OF-JOB >> '{self.path}'"]
        if associate:
            command += ["-assoc", associate]
        where = f"{host}:{port}"
        command.append(f"{lu}@{where}" if lu else where)
        # It must not keep the pipes of this script open.
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        PRINTERS.append(self)

    def prints(self, expected):
        """Waits until these lines, and no others, are on its paper."""
        deadline = time.monotonic() + PATIENCE
        while True:
            lines = self.lines()
            if lines == expected:
                return
            if time.monotonic() > deadline:
                sys.exit(f"{self.path}: {expected} is expected, printed is {lines}")
            time.sleep(0.02)

    def lines(self):
        try:
            with open(self.path, encoding="latin-1") as paper:
                return [line.strip(FORM_FEED + "\n").rstrip() for line in paper]
        except FileNotFoundError:
            return []

    def off(self):
        self.process.kill()
        self.process.wait(PATIENCE)


def start(terminal, text, answer):
    terminal.do("Clear()")
    terminal.type(text)
    terminal.enter()
    terminal.wait_text(answer)


def printers(host, port, folder):
    stream = Printer(host, port, folder, "stream", lu="LUPRT1")
    lines = Printer(host, port, folder, "lines", associate="LUTRM1")
    with connect(host, port, lu="LUTRM1") as terminal:
        terminal.wait_text("DFHZC2312")
        start(terminal, "SEND PRT1 HELLO ONE", "STARTED")
        stream.prints([" SEND PRT1 HELLO ONE", " TITLE", "END-OF-JOB"])
        start(terminal, "SEND PRT2 HELLO TWO", "STARTED")
        lines.prints([" SEND PRT2 HELLO TWO", " TITLE", "END-OF-JOB"])
        # One that is switched off is waited for.
        stream.off()
        start(terminal, "SEND PRT1 LATER", "STARTED")
        again = Printer(host, port, folder, "again", lu="LUPRT1")
        again.prints([" SEND PRT1 LATER", " TITLE", "END-OF-JOB"])
        again.off()
    lines.off()
    # A display's name is no printer's, and the other way round.
    for options in (["LUTRM1@"], ["-assoc", "LUPRT1", ""]):
        where = options[-1] + f"{host}:{port}"
        refused = subprocess.run(["pr3287", *options[:-1], where], timeout=PATIENCE, check=False)
        if refused.returncode == 0:
            sys.exit(f"pr3287 {options}: it is not refused")


def copies(host, port, folder):
    lines = Printer(host, port, folder, "lines", lu="LUPRT2")
    with connect(host, port, lu="LUTRM1") as terminal:
        terminal.wait_text("DFHZC2312")
        # Both must be there: the region takes the first printer that is free.
        start(terminal, "TABS", "STARTED")
        lines.prints(["X   Y    Z", "END-OF-JOB"])
        start(terminal, "COPY", "PRINTED")
        printed = ["X   Y    Z", "END-OF-JOB", " A SCREEN", "END-OF-JOB"]
        lines.prints(printed)
        # What is typed and not sent is printed, and stays on the screen.
        terminal.do("Clear()")
        terminal.type("CEMT I TER(TRM1")
        terminal.do("PA(1)")
        printed += ["CEMT I TER(TRM1", "END-OF-JOB"]
        lines.prints(printed)
        terminal.type(")")
        terminal.enter()
        terminal.wait_text("RESPONSE: NORMAL")
        # A conversation goes on; its screen has lines that are empty and lines that are not.
        terminal.do("PA(1)")
        copied = [line for line in rest(lines, printed) if line and line != "END-OF-JOB"]
        if not any("Ter(TRM1)" in line for line in copied):
            sys.exit(f"the copy of the screen is {copied}")
        terminal.pf(3)
        terminal.wait_text("SESSION ENDED")
        # The other printer stands in for one that is off, and the copy waits where there is none.
        lines.off()
        stream = Printer(host, port, folder, "stream", lu="LUPRT1")
        start(terminal, "SEND PRT1 IT IS THERE", "STARTED")
        stream.prints([" SEND PRT1 IT IS THERE", " TITLE", "END-OF-JOB"])
        start(terminal, "COPY", "PRINTED")
        stream.prints([" SEND PRT1 IT IS THERE", " TITLE", "END-OF-JOB", " A SCREEN", "END-OF-JOB"])
        stream.off()


def rest(printer, before):
    """The lines of the next job."""
    deadline = time.monotonic() + PATIENCE
    while True:
        lines = printer.lines()[len(before):]
        if "END-OF-JOB" in lines:
            return lines
        if time.monotonic() > deadline:
            sys.exit(f"{printer.path}: nothing more is printed")
        time.sleep(0.02)


def sysreq(host, port, _folder):
    with connect(host, port, lu="LUTRM1") as terminal:
        terminal.wait_text("DFHZC2312")
        start(terminal, "CEMT I TRAN(SEND)", "RESPONSE: NORMAL")
        terminal.do("SysReq()")
        terminal.do('String("HELP")')
        terminal.do("Enter()")
        terminal.wait_text("HELP is not a command here.")
        terminal.do("SysReq()")
        # The session's screen is drawn again, and the session goes on.
        terminal.wait_text("RESPONSE: NORMAL")
        terminal.pf(3)
        terminal.wait_text("SESSION ENDED")
        terminal.do("SysReq()")
        terminal.do('String("LOGOFF")')
        terminal.do("Enter()")
        terminal.wait_closed()
    # A task that keeps the keyboard does not keep its user.
    with connect(host, port) as terminal:
        terminal.wait_text("DFHZC2312")
        start(terminal, "CECI DELAY FOR HOURS(9)", "ABOUT TO EXECUTE COMMAND")
        terminal.do("Toggle(AidWait,off)")
        terminal.do("Enter()")
        terminal.do("SysReq()")
        terminal.do('String("LOGOFF")')
        terminal.do("Enter()")
        terminal.wait_closed()


def screens(host, port, _folder):
    for model, rows, columns in (("3279-2-E", 24, 80), ("3279-4-E", 43, 80), ("3279-5-E", 27, 132)):
        with connect(host, port, model=model) as terminal:
            terminal.wait_text("DFHZC2312")
            if any("CESN" in row for row in terminal.screen()):
                sys.exit("the greeting names CESN, and nobody can sign on")
            start(terminal, "CEMT I NOSUCH(X)", "RESPONSE: 1 ERROR")
            expect(terminal, (rows, columns), keys="PF 1 HELP")
            terminal.pf(1)
            terminal.wait_text("GENERAL HELP INFORMATION")
            terminal.pf(9)
            terminal.wait_text("SYNTAX MESSAGES")
            terminal.wait_text("'NOSUCH' is not valid")
            terminal.enter()
            terminal.wait_text("ENTER ONE OF THE FOLLOWING")
            terminal.pf(3)
            terminal.wait_text("SESSION ENDED")
            expect(terminal, (24, 80))
            start(terminal, "CECI ASSIGN", "ABOUT TO EXECUTE COMMAND")
            expect(terminal, (rows, columns), keys="PF 1 HELP")
            terminal.pf(9)
            terminal.wait_text("THERE ARE NO MESSAGES")
            terminal.pf(3)
            terminal.wait_text("SESSION ENDED")
            # CEDF shows a stop on the whole screen; the program has its own size before and behind.
            start(terminal, "CEDF", "EDF MODE ON")
            terminal.do("Clear()")
            terminal.type("SEND PRT1 X")
            terminal.enter()
            terminal.wait_text("PF10: PREVIOUS DISPLAY")
            expect(terminal, (rows, columns), keys="PF10: PREVIOUS DISPLAY")
            terminal.pf(3)
            terminal.wait_text("STARTED")
            expect(terminal, (24, 80))


def expect(terminal, size, keys=None):
    if terminal.size() != size:
        sys.exit(f"the screen has {terminal.size()} rows and columns, not {size}")
    if keys and keys not in terminal.screen()[-1]:
        sys.exit(f"{keys} is not in the last row:\n" + "\n".join(terminal.screen()))


if __name__ == "__main__":
    _, host, port, folder, what = sys.argv
    try:
        {"printers": printers, "copies": copies, "sysreq": sysreq, "screens": screens}[what](host, int(port), folder)
    finally:
        for printer in PRINTERS:
            printer.off()
