"""Drives strangers' programs with EXEC CICS in regions of both compilers, and compares what they ask for, hold and show.

    python3 acceptance/strangers/online.py PATH... [--results FOLDER] [--syncpoint BINARY] [--only NAME]

Each PATH is a checkout. Every program that both compilers take is started by a transaction of its own; one that shows something is
started at a terminal, and gets the same keys: ENTER, texts in its fields, PF8, PF3, CLEAR. Three regions do that: one hosted, one native, and one native once
more, which says what changes from run to run (the time) and is not compared. Compared are the commands in their order,
their arguments, the storage at each, and the screens. An abend that both have is a result like any other.

It prints a row for each checkout, then what differs, and fails if a difference has no rule in online.tsv, or a region ends. A path
that is not there, or a machine without s3270, is skipped with a line that says so. FOLDER keeps recordings, screens and logs.
"""

import argparse
from collections import Counter
import json
from pathlib import Path
import re
import shutil
import subprocess
import sys

from run import ROOT, Checkout, free_port, listens, stop
from clients import s3270
from driving import drive

KEYS = ("enter", "1", "fields", "pf8", "pf3", "clear")
KEY_SECONDS = 8.0
"""For a screen: some programs wait for what nobody sends."""
START_SECONDS = 15.0
"""For a transaction without a terminal."""
COMPILE_SECONDS = 30
SUPPLIED = ("DFHAID", "DFHBMSCA", "DFHATTR")
KINDS = ["programs", "native", "both", "driven", "equal", "by rule", "different"]
PLACE = re.compile(r"^ = help: .*\n?", re.M)
"""Why a transaction without a terminal has failed, in words and by the line: each compiler says what it knows."""
TABLE = Path(__file__).with_name("online.tsv")


class Side(Checkout):
    """The region of one compiler."""

    def __init__(self, path, results, compiler):
        self.compiler = compiler
        super().__init__(path, results)
        self.screens, self.recording = {}, self.results / "recording"

    def application(self, port):
        """Its own copies of what a region supplies are set aside, as `syncpoint check` advises: their EBCDIC codes mean nothing here."""
        for name in SUPPLIED:
            self.found.copybooks.pop(name, None)
        super().application(port)

    def settings(self):
        return (
            '[sit]\nPGAIPGM = "ACTIVE"\n'
            # Items without VALUE hold in hosted programs what they hold natively.
            f'[compile]\nnot-yet = "warn"\nflags = ["-fdefaultbyte=0"]\ntimeout = {COMPILE_SECONDS}\n'
            f'[cobol]\ncompiler = "{self.compiler}"\n[debug]\nrecord = {json.dumps(str(self.results / "recording"))}\n'
        )

    def drive_one(self, name, transaction, port):
        try:
            self.screens[name] = self.started(transaction) if not self.found.programs[name].shows else drive(s3270, port, transaction, KEYS, KEY_SECONDS)
        except (s3270.TerminalError, ValueError, IndexError) as error:
            # An answer that comes too late is taken for that of the next question.
            self.screens[name] = [str(error).splitlines()]
        pages = "\n\f\n".join("\n".join(rows) for rows in self.screens[name])
        (self.results / f"{name}.screens.txt").write_text(pages + "\n")

    def started(self, transaction):
        """How a transaction ends that has no terminal, as the only screen."""
        command = [self.binary, "start", self.results, transaction, "--data", self.results / "data"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=START_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return [["it does not end"]]
        return [[re.sub(r"\btask \d+", "task N", line) for line in (done.stdout + done.stderr).splitlines()]]

    def drive_all(self, names, binary, port):
        """The same programs in the same order, each at a new terminal; whether the region has lived through it."""
        starts, self.binary = self.starts(), binary
        with open(self.results / "region.log", "wb") as log:
            command = [binary, "run", self.results, "--data", self.results / "data"]
            region = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            if not listens(region, port):
                return False
            for name in names:
                self.drive_one(name, starts[name], port)
            return region.poll() is None
        finally:
            stop(region)


class Online:
    """A checkout by both compilers."""

    def __init__(self, path, results, only):
        self.path, self.only = path, only
        self.sides = {}
        for name, compiler in (("hosted", "gnucobol"), ("native", "native"), ("again", "native")):
            self.sides[name] = Side(path, results / path.name / name, compiler)
        self.results = results / path.name
        self.counts, self.told, self.well = Counter(), [], True

    def compare(self, binary, comparer):
        """Builds, drives and compares."""
        hosted, native, again = self.sides.values()
        port = free_port()
        for side in (hosted, native):
            side.application(port)
            side.check(binary, port)
        self.counts["programs"] = len(native.found.programs)
        self.counts["native"] = len(native.built)
        both = sorted(n for n in native.built & hosted.built if not self.only or n in self.only)
        self.counts["both"] = len(both)
        if not both:
            return
        again.definitions = native.definitions
        again.application(port)
        for name, side in self.sides.items():
            if not side.drive_all(both, binary, port):
                self.well = False
                self.told.append(f"failed: the {name} region does not start, or has ended by itself: {side.results}/region.log")
                return
        command = [comparer, *(side.recording for side in self.sides.values()), TABLE]
        answer = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False)
        if answer.returncode:
            self.well = False
            self.told.append(f"failed: {answer.stderr.strip()}")
            return
        (self.results / "compared.json").write_text(answer.stdout)
        self.judge(both, json.loads(answer.stdout))

    def judge(self, both, recorded):
        """Says of each program how it came out; a transaction that a program starts is the program's."""
        hosted, native, again = self.sides.values()
        starts = native.starts()
        own = {starts[name] for name in both}
        for name in both:
            of = recorded.get(starts[name], {"differences": [], "rules": [], "commands": 0})
            self.counts["driven"] += 1
            differences = list(of["differences"])
            shown = [side.screens[name] for side in (hosted, native, again)]
            if screens := screens_differ(*shown, bool(of["rules"])):
                differences.append(screens)
            kind = "different" if differences else "by rule" if of["rules"] else "equal"
            self.note(kind, name, differences or of["rules"])
        for transaction, of in recorded.items():
            if transaction not in own and of["differences"]:
                self.note("different", f"transaction {transaction}", of["differences"])

    def note(self, kind, name, lines):
        self.counts[kind] += 1
        self.well &= kind != "different"
        self.told += [f"{kind}: {name}: {line}" for line in lines]

    def row(self):
        return [self.path.name] + [self.counts[kind] for kind in KINDS]


def screens_differ(hosted, native, again, digits_differ):
    """How the screens differ, but for digits where they change from run to run or by a rule; nothing if they do not."""
    shown = [[PLACE.sub("", "\n".join(rows)) for rows in screens] for screens in (hosted, native, again)]
    if digits_differ or shown[1] != shown[2]:
        shown = [[re.sub(r"\d", "9", screen) for screen in screens] for screens in shown]
    for number, (one, other) in enumerate(zip(*shown[:2]), 1):
        if one != other:
            pair = next((pair for pair in zip(one.split("\n"), other.split("\n")) if pair[0] != pair[1]), (one[-79:], other[-79:]))
            return f"screen {number}: hosted {pair[0]!r}, native {pair[1]!r}"
    return "" if len(hosted) == len(native) else f"{len(hosted)} screens, native {len(native)}"


def built_comparer():
    """The program that compares recordings."""
    subprocess.run(["cargo", "build", "--quiet", "-p", "testkit", "--example", "strangers"], cwd=ROOT, check=True)
    return ROOT / "target" / "debug" / "examples" / "strangers"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "online")
    parser.add_argument("--syncpoint", type=Path, default=ROOT / "target" / "debug" / "syncpoint")
    parser.add_argument("--comparer", type=Path, help="the built example `strangers` of testkit")
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    if not arguments.paths or not s3270.available():
        print("online: skipped, since no checkout is given or s3270 is not installed")
        return True
    comparer = arguments.comparer or built_comparer()
    totals, well = Counter(), True
    print("| checkout | " + " | ".join(KINDS) + " |\n|" + "---|" * (len(KINDS) + 1), flush=True)
    for path in arguments.paths:
        if not path.is_dir():
            print(f"{path.name}: skipped, there is no folder {path}", flush=True)
            continue
        online = Online(path.resolve(), arguments.results.resolve(), arguments.only)
        online.compare(arguments.syncpoint.resolve(), comparer.resolve())
        print("| " + " | ".join(str(cell) for cell in online.row()) + " |", flush=True)
        for line in online.told:
            print(f"  {line}", flush=True)
        totals += online.counts
        well &= online.well
    print("| all | " + " | ".join(str(totals[kind]) for kind in KINDS) + " |")
    return well


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
