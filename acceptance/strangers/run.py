"""Tries Syncpoint on applications of strangers: checks each checkout and drives its programs at a terminal.

    python3 acceptance/strangers/run.py PATH... [--results FOLDER] [--syncpoint BINARY]

Each PATH is a checkout of a repository with CICS programs; none of them is part of this one. Without a path, or without
s3270, the run is skipped. It prints a table, a row for each checkout: its programs with EXEC CICS, those that build,
those that need what is not built here, how many programs each message keeps from building, those that were driven, and
the abends that were seen. FOLDER keeps, for each checkout, what `syncpoint check` says, the region's log and the screens.
The run fails if a region ends by itself.
"""

import argparse
from collections import Counter
from pathlib import Path
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from clients import s3270
from driving import abends, drive, shows_something
from finding import find, write_links

HOST = "127.0.0.1"
START_SECONDS = 600.0
STOP_SECONDS = 60.0


class Checkout:
    """A checkout, what it holds, and how it went."""

    def __init__(self, path, results):
        self.path, self.name = path, path.name
        self.results = results
        shutil.rmtree(self.results, ignore_errors=True)
        self.results.mkdir(parents=True)
        self.found = find(path)
        self.built, self.refused, self.reasons = set(), set(), Counter()
        self.driven, self.silent, self.abended = [], [], {}
        self.region_ended = False
        self.definitions = dict(self.found.definitions)

    def application(self, port):
        """Writes an application of links: members by their names, whatever the files are called."""
        write_links(self.found, self.results)
        self.define(port)

    def define(self, port):
        """Writes the definitions, and region.toml."""
        (self.results / "driven.csd").write_text(self.transactions())
        (self.results / "region.toml").write_text(
            f'listen = {{ tn3270 = "{HOST}:{port}" }}\n'
            'programs = ["programs"]\ncopybooks = ["copybooks"]\nmaps = ["maps"]\n'
            f'csd = {json.dumps([str(p) for p in self.definitions] + ["driven.csd"])}\n' + self.settings()
        )

    def settings(self):
        """The end of region.toml."""
        return '[sit]\nPGAIPGM = "ACTIVE"\n[compile]\nnot-yet = "warn"\n'

    def transactions(self):
        """Definitions of transactions for programs that have none."""
        defined = self.defined()
        lines = [
            f"DEFINE TRANSACTION({transaction}) GROUP(DRIVEN) PROGRAM({name})"
            for name, transaction in self.starts().items()
            if transaction not in defined
        ]
        return "\n".join(lines) + "\n"

    def defined(self):
        """Programs by the transactions of the checkout's own definitions."""
        return {name: program for text in self.definitions.values() for name, program in text.items()}

    def starts(self):
        """The transaction that starts each program: a defined one, the one that it names itself, or D001 and so on."""
        names, taken = {}, self.defined()
        by_program = {program: transaction for transaction, program in taken.items()}
        for number, program in enumerate(self.found.programs.values(), 1):
            own = by_program.get(program.name) or program.transaction
            if not own or taken.get(own, program.name) != program.name:
                own = f"D{number:03}"
            taken[own] = program.name
            names[program.name] = own
        return names

    def check(self, binary, port):
        """Builds everything; notes which programs have errors, and the messages. A text of definitions that is a template,
        or a record of what somebody typed, is left out: no region starts with it."""
        said = self.said(binary)
        wrong = {m["place"]["path"] for m in said["messages"] if m["severity"] == "error" and m["place"]}
        if left_out := [path for path in self.definitions if str(path) in wrong]:
            self.definitions = {path: t for path, t in self.definitions.items() if path not in left_out}
            self.reasons[f"definitions left out: {', '.join(path.name for path in left_out)}"] += 1
            self.define(port)
            said = self.said(binary)
        members = [m for m in said["members"] if m["kind"] == "program" and m["name"] in self.found.programs]
        self.built = {m["name"] for m in members if m["state"] == "compiled"}
        self.refused = {m["name"] for m in members if m["state"] == "refused"}
        for member in members:
            self.reasons.update({shortened(said["messages"][at]["message"]) for at in member["errors"]})

    def said(self, binary):
        """What `syncpoint check` says."""
        command = [binary, "check", "--format", "json", self.results]
        answer = subprocess.run(command, capture_output=True, text=True, errors="replace")
        (self.results / "check.json").write_text(answer.stdout)
        return json.loads(answer.stdout)

    def drive(self, binary, port):
        """Starts a region with what builds and drives every program that shows something."""
        wanted = [n for n in self.built if self.found.programs[n].shows and not self.found.programs[n].other]
        if not wanted:
            return
        starts = self.starts()
        with open(self.results / "region.log", "wb") as log:
            region = subprocess.Popen([binary, "run", self.results], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            if not listens(region, port):
                self.reasons["the region does not start: see region.log"] += 1
                return
            for name in sorted(wanted):
                self.drive_one(name, starts[name], port)
            self.region_ended = region.poll() is not None
        finally:
            stop(region)

    def drive_one(self, name, transaction, port):
        try:
            screens = drive(s3270, port, transaction)
        except s3270.TerminalError as error:
            screens = [str(error).splitlines()]
        self.driven.append(name)
        pages = "\n\f\n".join("\n".join(rows) for rows in screens)
        (self.results / f"{name}.screens.txt").write_text(pages + "\n")
        if codes := abends(screens):
            self.abended[name] = codes
        elif not shows_something(screens):
            self.silent.append(name)

    def row(self):
        """The checkout's row of the table."""
        reasons = "; ".join(f"{text} ({count})" for text, count in self.reasons.most_common(3)) or "–"
        codes = Counter(code for codes in self.abended.values() for code in codes)
        told = ", ".join(f"{code} {count}" for code, count in codes.most_common()) or "–"
        if self.region_ended:
            told = "THE REGION ENDED"
        return [self.name, len(self.found.programs), len(self.built), len(self.refused), reasons, len(self.driven), told]


def shortened(message):
    """A message without the names in it, so that equal ones are counted together."""
    return re.sub(r"'[^']*'", "'…'", message)[:60]


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def listens(region, port):
    """Waits until the region listens; false if it has ended."""
    deadline = time.monotonic() + START_SECONDS
    while region.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False


def stop(region):
    if region.poll() is None:
        region.send_signal(signal.SIGINT)
        try:
            region.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            region.kill()
            region.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "strangers")
    parser.add_argument("--syncpoint", type=Path, default=ROOT / "target" / "release" / "syncpoint")
    arguments = parser.parse_args()
    if not arguments.paths or not s3270.available():
        print("strangers: skipped, since no checkout is given or s3270 is not installed")
        return True
    print("| checkout | programs | built | refused | why not | driven | abends |\n|---|---|---|---|---|---|---|", flush=True)
    ended = 0
    for path in arguments.paths:
        checkout, port = Checkout(path.resolve(), arguments.results.resolve() / path.name), free_port()
        checkout.application(port)
        checkout.check(arguments.syncpoint, port)
        checkout.drive(arguments.syncpoint, port)
        ended += checkout.region_ended
        print("| " + " | ".join(str(cell) for cell in checkout.row()) + " |", flush=True)
    print(f"{len(arguments.paths) - ended} passed, {ended} failed")
    return ended == 0


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
