"""Runs CardDemo's batch jobs, unmodified, in the order of its README, and compares what the posting comes to with its input.

    python3 acceptance/carddemo/jobs.py --carddemo PATH [--syncpoint BINARY]

PATH is a checkout of the application; without it the run is skipped. The data sets of its jobs are made from its EBCDIC files. Ends with
a line 'N passed, N failed'.
"""

import argparse
from decimal import Decimal
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from region import built_binary

PREFIX = "AWS.M2.CARDDEMO"
DATA = {
    "ACCTDATA.PS": 300, "CARDDATA.PS": 150, "CARDXREF.PS": 50, "CUSTDATA.PS": 500, "DALYTRAN.PS": 350, "DALYTRAN.PS.INIT": 350,
    "DISCGRP.PS": 50, "TCATBALF.PS": 50, "TRANCATG.PS": 60, "TRANTYPE.PS": 60, "USRSEC.PS": 80,
}
"""The files of the checkout, and the length of their records."""
JOBS = (
    ("DEFGDGB", 0), ("DEFGDGD", 0), ("DALYREJS", 0), ("CLOSEFIL", 0), ("ACCTFILE", 0), ("CARDFILE", 0), ("XREFFILE", 0), ("CUSTFILE", 0),
    ("TRANFILE", 0), ("DUSRSECJ", 0), ("DISCGRP", 0), ("TCATBALF", 0), ("TRANTYPE", 0), ("TRANCATG", 0), ("TRANBKP", 0), ("POSTTRAN", 4),
    ("INTCALC", 0), ("TRANBKP", 0), ("COMBTRAN", 0), ("TRANIDX", 0), ("PRTCATBL", 0), ("READCARD", 0), ("READXREF", 0), ("OPENFIL", 0),
)
"""Jobs with the return code that each must end with: POSTTRAN has rejects."""
LOADER = """\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOADER.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO FROMF.
           SELECT T ASSIGN TO TOFILE.
       DATA DIVISION.
       FILE SECTION.
       FD  F.
       01  R PIC X({length}).
       FD  T.
       01  S PIC X({length}).
       WORKING-STORAGE SECTION.
       01  E PIC X VALUE 'N'.
       PROCEDURE DIVISION.
           OPEN INPUT F OUTPUT T.
           PERFORM UNTIL E = 'Y'
               READ F AT END MOVE 'Y' TO E
               NOT AT END WRITE S FROM R
               END-READ
           END-PERFORM.
           CLOSE F T.
           GOBACK.
"""
CONFIGURATION = """\
applid = "CICSAWSA"
programs = ["programs", "{0}/app/cbl"]
copybooks = ["{0}/app/cpy", "{0}/app/cpy-bms"]
"""


class Batch:
    """Jobs on the data of a scratch folder."""

    def __init__(self, binary, carddemo, scratch):
        self.binary, self.carddemo, self.scratch = binary, carddemo, scratch
        (scratch / "programs").mkdir()
        (scratch / "region.toml").write_text(CONFIGURATION.format(carddemo))

    def run(self, *words):
        command = [self.binary, "batch", *map(str, words), "--application", self.scratch, "--data", self.scratch / "state"]
        return subprocess.run(command, capture_output=True, text=True, errors="replace")

    def load(self, name, length):
        """Makes a sequential data set from a file of the checkout."""
        (self.scratch / "programs/LOADER.cbl").write_text(LOADER.format(length=length))
        job = self.scratch / "define.jcl"
        job.write_text(
            f"//DEFINE JOB\n//S EXEC PGM=IEFBR14\n//D DD DSN={PREFIX}.{name},\n// DISP=(NEW,CATLG),RECFM=FB,LRECL={length}\n"
        )
        file = self.carddemo / f"app/data/EBCDIC/{PREFIX}.{name}"
        for words in (
            ("--jcl", job),
            ("LOADER", "--dd", f"FROMF={file},fixed,length={length},code-page=037", "--dd", f"TOFILE={PREFIX}.{name}"),
        ):
            done = self.run(*words)
            assert done.returncode == 0, f"{name}: {done.stderr}"

    def job(self, name):
        """Runs a job of the checkout."""
        folder = self.carddemo / "app/jcl"
        path = next(path for path in folder.iterdir() if path.stem.upper() == name)
        libraries = (f"{PREFIX}.CNTL={self.carddemo}/app/ctl", self.carddemo / "app/proc")
        return self.run("--jcl", path, *(word for library in libraries for word in ("--library", library)))


def records(carddemo, name):
    data = (carddemo / f"app/data/EBCDIC/{PREFIX}.{name}").read_bytes()
    return [data[at : at + DATA[name]] for at in range(0, len(data), DATA[name])]


def amount(digits):
    """A zoned number with two decimals."""
    sign = -1 if digits[-1] >> 4 == 0xD else 1
    return sign * Decimal("".join(str(digit & 15) for digit in digits)) / 100


def posted(carddemo):
    """How many transactions the posting must take, and how many it must reject, by the rules that its program states."""
    text = lambda data: data.decode("cp037")
    accounts = {
        text(r[:11]): {"limit": amount(r[24:36]), "until": text(r[58:68]), "credit": amount(r[78:90]), "debit": amount(r[90:102])}
        for r in records(carddemo, "ACCTDATA.PS")
    }
    owners = {text(r[:16]): text(r[25:36]) for r in records(carddemo, "CARDXREF.PS")}
    taken = rejected = 0
    for r in records(carddemo, "DALYTRAN.PS"):
        account = accounts.get(owners.get(text(r[262:278])))
        sum_ = amount(r[132:143])
        fits = account and account["credit"] - account["debit"] + sum_ <= account["limit"] and account["until"] >= text(r[278:288])
        if not fits:
            rejected += 1
            continue
        taken += 1
        account["credit" if sum_ >= 0 else "debit"] += sum_
    return taken + rejected, rejected


def accept(binary, carddemo, scratch):
    """Runs the jobs; true if all went as they must."""
    batch, passed, failed = Batch(binary, carddemo, scratch), 0, 0
    for name, length in DATA.items():
        batch.load(name, length)
    for name, code in JOBS:
        done = batch.job(name)
        well = done.returncode == code
        if name == "POSTTRAN":
            found = re.findall(r"TRANSACTIONS \w+ *:(\d+)", done.stdout)
            well = well and tuple(map(int, found)) == posted(carddemo)
        passed, failed = passed + well, failed + (not well)
        print(f"  {'passed' if well else 'FAILED'}  {name}")
        if not well:
            print(f"          return code {done.returncode}\n{done.stderr}{done.stdout[-2000:]}")
    print(f"{passed} passed, {failed} failed")
    return failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--carddemo", default=os.environ.get("CARDDEMO", ""))
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    arguments = parser.parse_args()
    if not arguments.carddemo:
        print("CardDemo's jobs: skipped, since no checkout of it is given (--carddemo PATH)")
        return
    carddemo = Path(arguments.carddemo).resolve()
    if not (carddemo / "app/jcl/POSTTRAN.jcl").exists():
        sys.exit(f"{carddemo} is no checkout of CardDemo: it has no app/jcl/POSTTRAN.jcl")
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    scratch = Path(tempfile.mkdtemp(prefix="carddemo-jobs-"))
    well = accept(arguments.syncpoint.resolve(), carddemo, scratch)
    if well:
        shutil.rmtree(scratch)
    else:
        print(f"The data are in {scratch}")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
