"""Runs the COBOL-85 validation suite (CCVS85) and counts its tests by module.

    python3 acceptance/ccvs85/run.py --ccvs PATH [MODULE …] [--cobc | --beside] [--show]

PATH is the suite's file, newcob.val, which many public repositories hold; nothing of it is kept here. Without it the run is skipped.
`--cobc` takes GnuCOBOL instead, `--beside` has a column for each; `--show` says what fails, and which construct refuses a program.
A module's row: programs, those that compile, those that end without a failed test; tests that passed, failed, were deleted by the suite,
and are for eyes only.
"""

from pathlib import Path
import subprocess
import sys

ROOT = Path(__file__).resolve().parent.parent.parent


def main(arguments):
    path = None
    if "--ccvs" in arguments:
        at = arguments.index("--ccvs")
        path = Path(arguments[at + 1]).resolve() if at + 1 < len(arguments) else None
        arguments = arguments[:at] + arguments[at + 2:]
    if path is None or not path.exists():
        print("skipped: CCVS85 is not there; --ccvs says where its file newcob.val is")
        return 0
    runner = ["cargo", "run", "--quiet", "-p", "batch", "--example", "ccvs85", "--", str(path)]
    return subprocess.run(runner + arguments, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
