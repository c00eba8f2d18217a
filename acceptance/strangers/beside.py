"""Runs strangers' batch programs by both compilers, and compares what they do.

    python3 acceptance/strangers/beside.py PATH... [--results FOLDER] [--syncpoint BINARY] [--only NAME] [--most N]

Each PATH is a checkout. A program runs that has no EXEC and no parameter but PARM: by our own compiler and by the hosted one,
each in a private folder, with the same files. A file has what the checkout holds below its name, or below the name of the
data set that a job gives it; otherwise it is empty. SYSIN is the job's. What is compared: everything that the program displays, every
byte of its files, its return code or abend. A program that shows something else when it runs again (the time) is compared without
digits. One that goes beyond its limit with both is equal as far as both came.

It prints a row for each checkout, then each difference; FOLDER keeps what both did. It fails if there is a difference that
known.py has no rule for.
"""

import argparse
from collections import Counter
from dataclasses import dataclass, field
import json
from pathlib import Path
import re
import resource
import shutil
import subprocess
import sys

from finding import COPYBOOK_ENDINGS, JOB, NAME_LENGTH, PROGRAM, Found, classify, texts
from jobs import steps
from known import rule_of, without_digits

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMPILERS = ["native", "gnucobol"]
CPU_SECONDS = 10
WALL_SECONDS = 60
COMPILE_SECONDS = 30
"""For a program that cobc compiles: it never ends with some."""
FILE_BYTES = 16 << 20
KINDS = ["programs", "run", "equal", "at their limit", "different", "known"]

ANY_EXEC = re.compile(r"\bEXEC\s+(CICS|SQL|DLI)\b", re.I)
USING = re.compile(r"\bPROCEDURE\s+DIVISION\s+USING\s+((?:[A-Z0-9-]+[\s,]*)+)\.", re.I)
SELECT = re.compile(r"\bSELECT\s+(?:OPTIONAL\s+)?([A-Z0-9-]+)\s+ASSIGN\s+(?:TO\s+)?(?:DISK\s+|EXTERNAL\s+|DYNAMIC\s+)?(\"[^\"]+\"|'[^']+'|[A-Z0-9$#@-]+)", re.I)
OPENED = re.compile(r"\bOPEN\s+((?:(?:INPUT|OUTPUT|I-O|EXTEND)\s+(?:[A-Z0-9-]+[\s,]+)+?)+)", re.I)
SORTED = re.compile(r"\b(?:SORT|MERGE)\b[^.]*?\bUSING\s+((?:(?!GIVING|OUTPUT)[A-Z0-9-]+[\s,]+)+)", re.I)
ENDED = re.compile(r"ended with (return code -?\d+|abend \w+)")
COMMENT = re.compile(r"^.{6}[*/].*$|\*>.*$", re.M)
"""Comments: names in them mean nothing."""


@dataclass
class Batch:
    """A batch program."""

    name: str
    path: Path
    text: str
    step: object = None
    done: dict = field(default_factory=dict)
    """What each compiler's run did."""


class Checkout:
    """A checkout: layers of applications, since several programs of it may have one name."""

    def __init__(self, path, results):
        self.path, self.results = path, results / path.name
        shutil.rmtree(self.results, ignore_errors=True)
        self.results.mkdir(parents=True)
        self.copybooks, self.layers, self.steps, self.files = {}, [], {}, {}
        self.counts, self.differences = Counter(), []
        for file in sorted(path.rglob("*")):
            if file.is_file() and ".git" not in file.parts:
                self.files.setdefault(file.name.upper(), file)
                self.files.setdefault(file.stem.upper(), file)
        for file, text in texts(path):
            self.take(file, text)

    def take(self, file, text):
        """Adds a text: a job's, a program's, or a copybook's."""
        if JOB.search(text):
            for name, step in steps(text):
                self.steps.setdefault(name, step)
            return
        found = Found()
        classify(found, file, text)
        for _ in found.called:
            name = PROGRAM.search(text)[1].upper()
            program = Batch(name, file, COMMENT.sub("", areas(text)))
            layer = next((layer for layer in self.layers if name not in layer), None)
            if layer is None:
                self.layers.append(layer := {})
            layer[name] = program
        if file.suffix.lower() in COPYBOOK_ENDINGS and not found.maps:
            self.copybooks.setdefault(file.stem.upper(), file)

    def compare(self, binary, only, most):
        """Builds each layer by both compilers and runs what is built by both."""
        for number, layer in enumerate(self.layers):
            programs = {**self.layers[0], **layer}
            built = [self.build(binary, compiler, number, programs) for compiler in COMPILERS]
            self.counts["programs"] += len(layer)
            for name, program in layer.items():
                wanted = not only or name in only
                if wanted and all(name in names for names in built) and self.is_main(program):
                    if self.counts["run"] < most:
                        self.run_both(binary, number, program)

    def build(self, binary, compiler, number, programs):
        """Makes an application of links; the names of what is compiled."""
        folder = self.results / f"{compiler}{number}"
        for kind, members, ending in (
            ("programs", {n: p.path for n, p in programs.items()}, ".cbl"),
            ("copybooks", self.copybooks, ".cpy"),
        ):
            (folder / kind).mkdir(parents=True)
            for name, path in members.items():
                (folder / kind / f"{name}{ending}").symlink_to(path)
        (folder / "region.toml").write_text(
            'programs = ["programs"]\ncopybooks = ["copybooks"]\n'
            f'[compile]\nnot-yet = "warn"\ntimeout = {COMPILE_SECONDS}\n'
            # Items without VALUE hold in hosted programs what they hold natively.
            f'flags = ["-fdefaultbyte=0"]\n[cobol]\ncompiler = "{compiler}"\n'
        )
        command = [binary, "check", "--format", "json", folder]
        answer = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        (folder / "check.json").write_text(answer.stdout)
        try:
            members = json.loads(answer.stdout)["members"]
        except ValueError:
            print(f"failed: {self.path.name}: {answer.stderr[-300:]}")
            return set()
        return {m["name"] for m in members if m["kind"] == "program" and m["state"] == "compiled"}

    def is_main(self, program):
        """Whether it can be run by itself; notes the step that runs it."""
        program.step = self.steps.get(program.name[:NAME_LENGTH])
        if ANY_EXEC.search(program.text):
            return False
        using = USING.search(program.text)
        return not using or (len(using[1].split()) == 1 and bool(program.step and program.step.parm))

    def run_both(self, binary, number, program):
        self.counts["run"] += 1
        program.done = {c: self.run(binary, c, number, program, c) for c in COMPILERS}
        native, hosted = (program.done[c] for c in COMPILERS)
        kind = outcome(native, hosted)
        if kind == "different":
            again = self.run(binary, "native", number, program, "again")
            changes = outcome(native, again) == "different"
            if changes and outcome(without_digits(native), without_digits(hosted)) == "equal":
                kind = "equal"
        if kind == "different":
            if rule := rule_of(program.text, native, hosted, changes):
                kind = "known"
                self.differences.append(f"known: {program.path}: {rule}")
            else:
                self.differences.append(f"different: {program.path}: {first_difference(native, hosted)}")
        self.counts[kind] += 1

    def run(self, binary, compiler, number, program, run):
        """One run in a folder of its own: how it ended, what it displayed, its files."""
        folder = self.results / "runs" / f"{program.name}{number}" / run
        (folder / "files").mkdir(parents=True)
        command = [binary, "batch", program.name, "--application", self.results / f"{compiler}{number}"]
        for ddname, spec in self.dds(program, folder / "files"):
            command += ["--dd", f"{ddname}={spec}"]
        if program.step and program.step.parm:
            command += ["--parm", program.step.parm]
        timed_out = False
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            try:
                subprocess.run(
                    command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder,
                    preexec_fn=limited, timeout=WALL_SECONDS, check=False,
                )
            except subprocess.TimeoutExpired:
                timed_out = True
        told = (folder / "stderr").read_text(errors="replace")
        ended = ENDED.findall(told)
        files = {f.name: f.read_bytes() for f in sorted((folder / "files").iterdir())}
        end = "limit" if timed_out or not ended else ended[-1]
        return {"end": end, "told": told, "shown": {"display": (folder / "stdout").read_bytes(), **files}}

    def dds(self, program, folder):
        """The program's files: those of its step, then those that it selects."""
        step, given = program.step, {}
        for ddname, lines in (step.lines if step else {}).items():
            file = folder / f"{ddname}.lines"
            file.write_text("".join(f"{line}\n" for line in lines), "latin-1")
            given[ddname] = f"{file},lines"
        opened = {name.upper() for text in OPENED.findall(program.text) for name in inputs(text)}
        opened |= {name.upper() for text in SORTED.findall(program.text) for name in text.replace(",", " ").split()}
        for select, assigned in SELECT.findall(program.text):
            literal = assigned[0] in "'\""
            ddname = (assigned[1:-1] if literal else assigned.rsplit("-")[-1]).upper()
            if ddname in given:
                continue
            file = folder / re.sub(r"[^A-Z0-9.]", "_", ddname)
            named = step.names.get(ddname) if step else None
            source = self.source([named, named and named.split(".")[-1], ddname.replace("\\", "/").split("/")[-1], select.upper()])
            shape = "fixed"
            if select.upper() in opened:
                shape = "lines" if source and b"\n" in source.read_bytes()[:4096] else "fixed"
                file.write_bytes(source.read_bytes() if source else b"")
            given[ddname] = f"{file},{shape}"
        return given.items()

    def source(self, names):
        """The file of the checkout that has one of these names."""
        found = (self.files.get(name) for name in names if name)
        return next((f for f in found if f and f.suffix.lower() not in {".cbl", ".cob", ".cpy", ".jcl", ".cobol"}), None)

    def row(self):
        return [self.path.name] + [self.counts[kind] for kind in KINDS]


def areas(text):
    """A source in fixed form without sequence numbers and what stands behind column 72; another one as it is."""
    lines = text.splitlines()
    if any(re.search("[A-Za-z]", line[:6]) for line in lines):
        return text
    return "".join(f"      {line[6:72]}\n" for line in lines)


def inputs(text):
    """Names behind INPUT and I-O in an OPEN statement."""
    mode = None
    for word in text.replace(",", " ").split():
        if word.upper() in {"INPUT", "OUTPUT", "I-O", "EXTEND"}:
            mode = word.upper()
        elif mode in {"INPUT", "I-O"}:
            yield word


def limited():
    """The limits of a run, in its process."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))


def outcome(one, other):
    """equal, at their limit, or different."""
    if one["end"] == other["end"] == "limit":
        pairs = zip(one["shown"].values(), other["shown"].values())
        common = [(a[: min(len(a), len(b))], b[: min(len(a), len(b))]) for a, b in pairs]
        return "at their limit" if all(a == b for a, b in common) else "different"
    return "equal" if (one["end"], one["shown"]) == (other["end"], other["shown"]) else "different"


def first_difference(native, hosted):
    """What to look at first."""
    if native["end"] != hosted["end"]:
        return f"native {native['end']}, hosted {hosted['end']}"
    for name in sorted(set(native["shown"]) | set(hosted["shown"])):
        one, other = (d["shown"].get(name, b"") for d in (native, hosted))
        if one != other:
            lines = zip(one.split(b"\n"), other.split(b"\n"))
            pair = next(((a, b) for a, b in lines if a != b), (one[-60:], other[-60:]))
            return f"{name}: native {pair[0][:160]!r}, hosted {pair[1][:160]!r}"
    return "files"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "beside")
    parser.add_argument("--syncpoint", type=Path, default=ROOT / "target" / "debug" / "syncpoint")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--most", type=int, default=sys.maxsize, help="programs of a checkout that are run")
    arguments = parser.parse_args()
    totals, differences = Counter(), []
    print("| checkout | " + " | ".join(KINDS) + " |\n|" + "---|" * (len(KINDS) + 1), flush=True)
    for path in arguments.paths:
        checkout = Checkout(path.resolve(), arguments.results.resolve())
        checkout.compare(arguments.syncpoint.resolve(), arguments.only, arguments.most)
        print("| " + " | ".join(str(cell) for cell in checkout.row()) + " |", flush=True)
        for difference in checkout.differences:
            print(f"  {difference}", flush=True)
        totals += checkout.counts
        differences += checkout.differences
    print("| all | " + " | ".join(str(totals[kind]) for kind in KINDS) + " |")
    return not any(text.startswith("different") for text in differences)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
